# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A layer of experts in one call."""

from .... import _core

__all__ = ["fused_moe"]

ops = _core.ops
_NAME = "fused_moe"


def fused_moe(
    x,
    gate_weight,
    ffn1_weight,
    ffn2_weight,
    ffn1_bias=None,
    ffn1_scale=None,
    ffn2_bias=None,
    ffn2_scale=None,
    quant_method="None",
    moe_topk=2,
    norm_topk_prob=True,
    group_moe=False,
):
    """Each token goes to the `moe_topk` experts with the largest probabilities; their results are added, weighted by these.

    An expert is ffn2(silu(gate) * up), with gate and up the halves of ffn1.

    Args:
        x: [batch, tokens, size].
        gate_weight: Logits of the experts for each token, [batch, tokens, experts]; or the matrix [size, experts] that gives
            them.
        ffn1_weight: [experts, size, 2 * inner].
        ffn2_weight: [experts, inner, size].
        ffn1_bias: [experts, 1, 2 * inner], or None.
        ffn1_scale, ffn2_scale: Must be None: scales of quantized weights.
        ffn2_bias: [experts, 1, size], or None.
        quant_method: Must be 'None'.
        moe_topk: Experts a token.
        norm_topk_prob: Whether the probabilities of those chosen are divided by their sum.
        group_moe: Must be False: one of each group of experts.

    Returns:
        [batch, tokens, size].

    Raises:
        ValueError: A shape does not fit, or there are fewer than moe_topk experts.

    Example:
        >>> from paddle.incubate.nn.functional import fused_moe
        >>> x, gate = paddle.rand([1, 4, 8]), paddle.rand([8, 3])
        >>> fused_moe(x, gate, paddle.rand([3, 8, 12]), paddle.rand([3, 6, 8])).shape
        paddle.Size([1, 4, 8])
    """
    if quant_method not in ("None", None) or ffn1_scale is not None or ffn2_scale is not None:
        raise NotImplementedError(
            f"{_NAME}: quant_method is {quant_method!r}; quantized experts are not supported here. Pass 'None' and no scales, or "
            "use paddle.llm.models, whose experts may be quantised."
        )
    if group_moe:
        raise NotImplementedError(f"{_NAME}: group_moe is True; one expert of each group is not supported. Pass False.")
    _check(x, gate_weight, ffn1_weight, ffn2_weight, ffn1_bias, ffn2_bias, moe_topk)
    experts, size, _ = ffn1_weight.shape
    rows = ops.reshape(x, [-1, size])
    if gate_weight.ndim == 2:
        logits = ops.matmul(ops.cast(rows, _core.float32), ops.cast(gate_weight, _core.float32))
    else:
        logits = ops.reshape(ops.cast(gate_weight, _core.float32), [-1, experts])
    weights, ids = ops.topk(ops.softmax(logits, -1), moe_topk)
    if norm_topk_prob:
        weights = weights / ops.sum(weights, [-1], keepdim=True)
    both = _with_bias(ops.expert_matmul(rows, ffn1_weight, ids, False), ffn1_bias, ids)
    gate, up = ops.split(both, [both.shape[-1] // 2] * 2, -1)
    found = _with_bias(ops.expert_matmul(ops.silu(gate) * up, ffn2_weight, ids, False), ffn2_bias, ids)
    out = ops.matmul(ops.unsqueeze(ops.cast(weights, found.dtype), [1]), found)
    return ops.reshape(out, list(x.shape))


def _with_bias(rows, bias, ids):
    """rows [tokens, choices, width] with the bias of their experts."""
    if bias is None:
        return rows
    own = ops.gather(ops.reshape(bias, [-1, rows.shape[-1]]), ops.reshape(ids, [-1]), 0)
    return rows + ops.reshape(own, list(rows.shape))


def _check(x, gate_weight, ffn1_weight, ffn2_weight, ffn1_bias, ffn2_bias, moe_topk):
    if ffn1_weight.ndim != 3 or ffn1_weight.shape[2] % 2 or x.shape[-1] != ffn1_weight.shape[1]:
        raise ValueError(
            f"{_NAME}: x has shape {list(x.shape)} and ffn1_weight {list(ffn1_weight.shape)}; it must be [experts, size, 2 * "
            "inner] for x [..., size]."
        )
    experts, size, both = ffn1_weight.shape
    shapes = {
        "ffn2_weight": (ffn2_weight, [experts, both // 2, size]),
        "ffn1_bias": (ffn1_bias, [experts, 1, both]),
        "ffn2_bias": (ffn2_bias, [experts, 1, size]),
        "gate_weight": (gate_weight, [size, experts] if gate_weight.ndim == 2 else [*x.shape[:-1], experts]),
    }
    for name, (tensor, expected) in shapes.items():
        if tensor is not None and list(tensor.shape) != list(expected):
            raise ValueError(f"{_NAME}: {name} has shape {list(tensor.shape)}; it must be {list(expected)}.")
    if not 1 <= moe_topk <= experts:
        raise ValueError(
            f"{_NAME}: moe_topk has value {moe_topk}; it must lie in [1, {experts}], the number of experts."
        )

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention and convolution over a split axis. With one process the ring is the function itself."""

from ...autograd import PyLayer, grad
from ...framework.modes import enable_grad
from ...nn import functional


class _Ring(PyLayer):
    """Calls `_function` on leaves of its own, so that `backward` can take their gradients."""

    @classmethod
    def _run(cls, ctx, tensors, **settings):
        leaves = [None if t is None else t.detach() for t in tensors]
        for leaf, tensor in zip(leaves, tensors, strict=True):
            if leaf is not None:
                leaf.stop_gradient = tensor.stop_gradient
        with enable_grad():
            out = cls._function(*leaves, **settings)
        ctx.leaves, ctx.out = leaves, out
        return out.detach()

    @staticmethod
    def _gradients(ctx, grad_out):
        given = [t for t in ctx.leaves if t is not None]
        wanted = [t for t in given if not t.stop_gradient]
        found = iter(grad([ctx.out], wanted, [grad_out], allow_unused=True) if wanted else ())
        grads = tuple(None if t.stop_gradient else next(found) for t in given)
        return grads[0] if len(grads) == 1 else grads


class RingFlashAttention(_Ring):
    """softmax(q k^T / sqrt(d)) v over a sequence that processes share (Liu et al. 2023, arXiv:2310.01889).

    Example:
        >>> import paddle
        >>> from paddle.distributed.auto_parallel import RingFlashAttention
        >>> q = paddle.rand([1, 4, 2, 8])
        >>> RingFlashAttention.apply(q, q, q, is_causal=True).shape
        paddle.Size([1, 4, 2, 8])
    """

    @staticmethod
    def _function(query, key, value, attn_mask, **settings):
        return functional.scaled_dot_product_attention(query, key, value, attn_mask, **settings)

    @staticmethod
    def forward(
        ctx,
        query,
        key,
        value,
        attn_mask=None,
        dropout=0.0,
        is_causal=False,
        fixed_seed_offset=None,
        training=True,
    ):
        """Attention.

        Args:
            ctx: The context of the PyLayer.
            query, key, value: Tensors [batch, sequence, heads, size].
            attn_mask: Added to the scores; None for none.
            dropout: Probability with which weights are set to zero.
            is_causal: Whether a position sees only those up to it.
            fixed_seed_offset: Must be None: the state of the random numbers is that of paddle.
            training: Whether `dropout` counts.
        """
        if fixed_seed_offset is not None:
            raise NotImplementedError("RingFlashAttention: fixed_seed_offset is given; only None is available.")
        tensors = [query, key, value, attn_mask]
        return RingFlashAttention._run(ctx, tensors, dropout_p=dropout, is_causal=is_causal, training=training)

    @staticmethod
    def backward(ctx, out_grad):
        """The gradients of the tensors, None for those that need none."""
        return RingFlashAttention._gradients(ctx, out_grad)


class RingConv2d(_Ring):
    """A convolution of an image whose width processes share.

    Example:
        >>> import paddle
        >>> from paddle.distributed.auto_parallel import RingConv2d
        >>> RingConv2d.apply(paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """

    @staticmethod
    def _function(x, weight, bias, **settings):
        return functional.conv2d(x, weight, bias, **settings)

    @staticmethod
    def forward(
        ctx,
        x,
        weight,
        bias=None,
        stride=1,
        padding=0,
        padding_algorithm=None,
        dilation=1,
        groups=1,
        data_format="NCHW",
        channel_dim=1,
    ):
        """The convolution.

        Args:
            ctx: The context of the PyLayer.
            x: Image [N, C, H, W] or, with data_format="NHWC", [N, H, W, C].
            weight: Tensor [out, C / groups, kernel height, kernel width].
            bias: Tensor [out] or None.
            stride, padding, dilation, groups, data_format: As in `conv2d`.
            padding_algorithm: 'SAME' or 'VALID' in place of `padding`; else None or 'EXPLICIT'.
            channel_dim: The axis of channels, 1 or 3; `data_format` says it too.
        """
        if padding_algorithm in ("SAME", "VALID"):
            padding = padding_algorithm
        settings = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return RingConv2d._run(ctx, [x, weight, bias], **settings, data_format=data_format)

    @staticmethod
    def backward(ctx, grad_out):
        """The gradients of the tensors, None for those that need none."""
        return RingConv2d._gradients(ctx, grad_out)


def shard_seq_load_balance(tensor, seq_dim):
    """A sequence in the order in which processes share it under a causal mask: of 2 n parts, process i of n holds
    chunks i and 2 n - 1 - i. With one process that is the order of the sequence.

    Args:
        tensor: Tensor with a sequence of even length.
        seq_dim: The axis of the sequence.

    Returns:
        The tensor.

    Raises:
        ValueError: The length is odd.
    """
    if tensor.shape[seq_dim] % 2:
        raise ValueError(f"shard_seq_load_balance: axis {seq_dim} has extent {tensor.shape[seq_dim]}; it must be even.")
    return tensor

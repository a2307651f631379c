# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""fused_moe against a loop over tokens and their experts."""

import numpy as np
import paddle
import pytest
from paddle.incubate.nn.functional import fused_moe

EXPERTS, SIZE, INNER = 5, 8, 6


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    shapes = {
        "x": (2, 7, SIZE),
        "gate_weight": (SIZE, EXPERTS),
        "ffn1_weight": (EXPERTS, SIZE, 2 * INNER),
        "ffn2_weight": (EXPERTS, INNER, SIZE),
        "ffn1_bias": (EXPERTS, 1, 2 * INNER),
        "ffn2_bias": (EXPERTS, 1, SIZE),
    }
    return {name: rng.standard_normal(shape).astype("float32") for name, shape in shapes.items()}


def reference(x, gate_weight, ffn1_weight, ffn2_weight, ffn1_bias, ffn2_bias, topk, normalized):
    out = np.zeros_like(x)
    for at in np.ndindex(x.shape[:-1]):
        logits = x[at] @ gate_weight
        share = np.exp(logits - logits.max())
        share /= share.sum()
        chosen = np.argsort(-share)[:topk]
        whole = share[chosen].sum() if normalized else 1.0
        for e in chosen:
            gate, up = np.split(x[at] @ ffn1_weight[e] + ffn1_bias[e, 0], 2)
            out[at] += share[e] / whole * ((gate / (1 + np.exp(-gate)) * up) @ ffn2_weight[e] + ffn2_bias[e, 0])
    return out


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("topk", [1, 2, 5])
def test_tokens_take_the_experts_of_the_largest_probabilities(topk, normalized):
    given = arrays()
    tensors = {name: paddle.to_tensor(array) for name, array in given.items()}
    out = fused_moe(**tensors, moe_topk=topk, norm_topk_prob=normalized)
    expected = reference(**given, topk=topk, normalized=normalized)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)
    logits = tensors["x"] @ tensors["gate_weight"]
    again = fused_moe(**{**tensors, "gate_weight": logits}, moe_topk=topk, norm_topk_prob=normalized)
    np.testing.assert_allclose(again.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_without_biases_and_with_gradients():
    given = arrays(1)
    tensors = {name: paddle.to_tensor(given[name], stop_gradient=False) for name in list(given)[:4]}
    out = fused_moe(**tensors)
    zeros = {name: np.zeros_like(given[name]) for name in ("ffn1_bias", "ffn2_bias")}
    np.testing.assert_allclose(
        out.numpy(), reference(**{**given, **zeros}, topk=2, normalized=True), rtol=1e-4, atol=1e-5
    )
    out.sum().backward()
    assert all(np.isfinite(tensor.grad.numpy()).all() for tensor in tensors.values())


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"quant_method": "weight_only_int8"}, NotImplementedError, "quant_method"),
        ({"ffn1_scale": paddle.ones([1])}, NotImplementedError, "scales"),
        ({"group_moe": True}, NotImplementedError, "group_moe"),
        ({"moe_topk": 6}, ValueError, "moe_topk has value 6"),
        ({"ffn2_bias": paddle.ones([1])}, ValueError, "ffn2_bias has shape"),
        ({"gate_weight": paddle.ones([2, 7, 4])}, ValueError, "gate_weight has shape"),
        ({"ffn1_weight": paddle.ones([5, 9, 12])}, ValueError, "ffn1_weight"),
    ],
)
def test_what_does_not_fit_is_refused(change, error, text):
    tensors = {name: paddle.to_tensor(array) for name, array in arrays().items()}
    with pytest.raises(error, match=text):
        fused_moe(**{**tensors, **change})

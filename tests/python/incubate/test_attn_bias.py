# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Biases of attention as objects: what they add to the scores, and attention with them."""

import numpy as np
import paddle
import pytest
from paddle.incubate.nn import attn_bias
from paddle.incubate.nn.memory_efficient_attention import memory_efficient_attention


def attends(bias, shape):
    value = bias.materialize(shape).numpy()
    assert set(np.unique(value)) <= {0.0, -np.inf}
    return (value == 0).astype(int).tolist()


def test_a_causal_mask_and_one_with_a_bias():
    mask = attn_bias.LowerTriangularMask()
    assert attends(mask, [2, 3]) == [[1, 0, 0], [1, 1, 0]]
    assert mask.materialize([2, 1, 2, 2], "float64").shape == [2, 1, 2, 2]
    biased = mask.add_bias(paddle.full([2, 2], 3.0))
    assert biased.materialize([2, 2]).tolist() == [[3.0, -np.inf], [3.0, 3.0]]


def test_packed_sequences_see_only_themselves():
    mask = attn_bias.BlockDiagonalMask.from_seqlens([1, 2], [2, 1])
    assert attends(mask, [3, 3]) == [[1, 1, 0], [0, 0, 1], [0, 0, 1]]
    causal = attn_bias.BlockDiagonalMask.from_seqlens([1, 2]).make_causal()
    assert attends(causal, [3, 3]) == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    with pytest.raises(AssertionError, match=r"must be \[3, 3\]"):
        mask.materialize([4, 3])


def test_padded_keys_with_an_offset():
    keys = attn_bias.BlockDiagonalCausalWithOffsetPaddedKeysMask
    assert attends(keys.from_seqlens([2, 1], 3, [2, 1]), [3, 6]) == [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
    ]
    shifted = keys.from_seqlens([1, 1], 3, [2, 1], paddle.to_tensor([5, 0]))
    assert attends(shifted, [2, 6]) == [[1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]]
    with pytest.raises(NotImplementedError):
        attn_bias.PaddedSeqLenInfo.from_seqlens([1])


def test_tensors_are_packed_and_split_again():
    parts = [paddle.rand([1, 2, 3]), paddle.rand([2, 1, 3])]
    mask, packed = attn_bias.BlockDiagonalMask.from_tensor_list(parts)
    assert packed.shape == [1, 4, 3] and mask.q_seqinfo.seqstart_py == [0, 2, 3, 4]
    for part, again in zip(parts, mask.split(packed), strict=True):
        np.testing.assert_array_equal(part.numpy(), again.numpy())


def test_attention_of_packed_sequences_is_that_of_each():
    first, second = (paddle.rand([1, n, 2, 4]) for n in (3, 2))
    mask, packed = attn_bias.BlockDiagonalMask.from_tensor_list([first, second])
    together = mask.split(memory_efficient_attention(packed, packed, packed, mask.make_causal()))
    for x, out in zip((first, second), together, strict=True):
        alone = memory_efficient_attention(x, x, x, attn_bias.LowerTriangularMask())
        np.testing.assert_allclose(out.numpy(), alone.numpy(), rtol=1e-5, atol=1e-6)

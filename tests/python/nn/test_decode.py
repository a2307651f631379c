# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Beam search against an exhaustive search, and decoders of users."""

import itertools

import numpy as np
import paddle
from paddle import nn
from scipy import special

WEIGHTS = np.random.RandomState(3).randn(4, 4).astype("float32") * 2


class Chain(nn.RNNCellBase):
    """Logits depend on the token before only; the state counts steps."""

    def forward(self, inputs, states):
        return paddle.matmul(paddle.nn.functional.one_hot(inputs, 4), paddle.to_tensor(WEIGHTS)), states + 1

    @property
    def state_shape(self):
        return (1,)


def best(steps, end=1):
    """The most probable sequence from token 0 of at most that many tokens, by trying all."""
    log_p = special.log_softmax(WEIGHTS, -1)
    found = {}
    for path in itertools.product(range(4), repeat=steps):
        cut = path[: path.index(end) + 1] if end in path else path
        found[cut] = sum(log_p[a, b] for a, b in zip((0, *cut), cut, strict=False))
    return max(found.items(), key=lambda item: item[1])


def test_wide_beams_find_the_best_sequence():
    decoder = nn.BeamSearchDecoder(Chain(), 0, 1, 20)
    ids, states, lengths = nn.dynamic_decode(decoder, paddle.zeros([2, 1]), max_step_num=3, return_length=True)
    path, score = best(4)
    assert ids.shape[0] == 2 and ids.shape[2] == 20
    for row in range(2):
        assert tuple(ids.numpy()[row, :, 0][: len(path)]) == path
        assert lengths.numpy()[row, 0] == len(path)
        np.testing.assert_allclose(states.log_probs.numpy()[row, 0], score, rtol=1e-5)


def test_time_major_is_the_transposed_result():
    decoder = nn.BeamSearchDecoder(Chain(), 0, 1, 3)
    first, _ = nn.dynamic_decode(decoder, paddle.zeros([2, 1]), max_step_num=4)
    other, _ = nn.dynamic_decode(decoder, paddle.zeros([2, 1]), max_step_num=4, output_time_major=True)
    np.testing.assert_array_equal(first.numpy().swapaxes(0, 1), other.numpy())


def test_beams_are_tiled_next_to_each_other():
    x = paddle.to_tensor([[1.0], [2.0]])
    tiled = nn.BeamSearchDecoder.tile_beam_merge_with_batch(x, 2)
    assert tiled.tolist() == [[1.0], [1.0], [2.0], [2.0]]


def test_dynamic_decode_ends_where_all_beams_are_finished():
    paddle.seed(3)
    cell, embedding, output = paddle.nn.GRUCell(4, 4), paddle.nn.Embedding(6, 4), paddle.nn.Linear(4, 6)
    output.bias.set_value(paddle.to_tensor([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, 2, embedding, output)

    def decode(start, steps):
        ids, states, lengths = paddle.nn.dynamic_decode(decoder, start, max_step_num=steps, return_length=True)
        return ids, states.log_probs, lengths

    captured = paddle.jit.to_static(decode, full_graph=True)
    seen = set()
    for scale in (0.0, 3.0, -9.0):
        for steps in (2, 12):
            start = paddle.full([3, 4], scale)
            expected, got = decode(start, steps), captured(start, steps)
            seen.add(expected[0].shape[1])
            for a, b in zip(expected, got, strict=True):
                assert a.tolist() == b.tolist()
    assert len(seen) > 2  # some runs end before their last step

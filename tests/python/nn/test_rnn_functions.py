# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks as functions of a cell, and states of layers that are split and joined."""

import numpy as np
import paddle
import pytest
from paddle.nn.layer.rnn import birnn, concat_states, rnn, split_states


def test_functions_of_cells_are_their_layers():
    forward, backward, x = paddle.nn.GRUCell(3, 4), paddle.nn.GRUCell(3, 4), paddle.randn([2, 5, 3])
    out, last = rnn(forward, x, is_reverse=True)
    expected, state = paddle.nn.RNN(forward, is_reverse=True)(x)
    np.testing.assert_array_equal(out.numpy(), expected.numpy())
    np.testing.assert_array_equal(last.numpy(), state.numpy())
    both, states = birnn(forward, backward, x)
    assert both.shape == [2, 5, 8] and len(states) == 2


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("components", [1, 2])
def test_states_are_split_by_layer_and_joined_again(bidirectional, components):
    one = paddle.arange(24, dtype="float32").reshape([4, 2, 3])
    states = one if components == 1 else (one, one + 100)
    parts = split_states(states, bidirectional, components)
    assert len(parts) == (2 if bidirectional else 4)
    second = parts[0][1] if bidirectional else parts[1]
    first_component = second if components == 1 else second[0]
    assert first_component.tolist() == one[1].tolist()
    joined = concat_states(parts, bidirectional, components)
    pairs = [(joined, states)] if components == 1 else zip(joined, states, strict=True)
    for found, expected in pairs:
        assert found.tolist() == expected.tolist()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sequences of random values by number."""

import paddle
import pytest
from paddle import incubate


def test_sequences_go_on_where_they_stopped():
    paddle.seed(3)
    expected = [paddle.rand([2]).tolist() for _ in range(3)]
    paddle.seed(3)
    (first,) = incubate.get_rng_state(use_index=True)
    got = [paddle.rand([2]).tolist()]
    (second,) = incubate.register_rng_state_as_index()
    assert incubate.get_rng_state(use_index=True) == [second]
    assert paddle.rand([2]).tolist() == expected[1]
    incubate.set_rng_state([first], use_index=True)
    got += [paddle.rand([2]).tolist() for _ in range(2)]
    assert got == expected
    incubate.set_rng_state([second], use_index=True)
    assert paddle.rand([2]).tolist() == expected[2]
    state = incubate.get_rng_state()
    b = paddle.rand([2])
    incubate.set_rng_state(state)
    assert (paddle.rand([2]) == b).all()
    with pytest.raises(ValueError, match="no sequence"):
        incubate.set_rng_state([99], use_index=True)

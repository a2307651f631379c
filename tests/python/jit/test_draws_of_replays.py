# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Higher derivatives run a captured function again: it draws what it drew before, and other threads draw on."""

import threading

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

pytestmark = pytest.mark.threads


def captured():
    @paddle.jit.to_static(full_graph=True)
    def fn(x):
        return (F.dropout(x * x, 0.5) * paddle.rand(x.shape) * x).sum()

    return fn


def second_derivative(fn, x):
    out = fn(x)
    (first,) = paddle.grad(out, x, create_graph=True)
    (second,) = paddle.grad(first.sum(), x)
    return first, second


def test_other_threads_draw_no_number_twice():
    fn = captured()
    x = paddle.ones([100_000])
    x.stop_gradient = False
    second_derivative(fn, x)
    over = threading.Event()

    def replay():
        try:
            for _ in range(40):
                second_derivative(fn, x)
        finally:
            over.set()

    thread = threading.Thread(target=replay)
    thread.start()
    drawn = []
    while not over.is_set():
        drawn.append(paddle.randint(0, 2**62, [4]).numpy())
    thread.join()
    rows = np.stack(drawn)
    assert len(np.unique(rows[:, 0])) == len(rows)


def test_a_replay_draws_what_the_run_drew():
    """Also where another thread draws between two draws of the run."""
    fn = captured()
    x = paddle.full([5000], 3.0)
    x.stop_gradient = False
    second_derivative(fn, x)
    over = threading.Event()

    def draw():
        while not over.is_set():
            paddle.rand([7])

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        for _ in range(60):
            # x^2 m r x: the first derivative is 3 x^2 m r, the second 6 x m r.
            first, second = second_derivative(fn, x)
            np.testing.assert_allclose(second.numpy(), first.numpy() * 2 / 3.0, rtol=1e-5)
    finally:
        over.set()
        thread.join()

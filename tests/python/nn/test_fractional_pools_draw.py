# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fractional pools without `random_u` draw where windows begin at each call, in programs too."""

import numpy as np
import paddle
import pytest
from paddle.nn import functional as F

planes = np.random.default_rng(0).random([1, 2, 9, 9]).astype("float32")


def eager(runs):
    x = paddle.to_tensor(planes)
    return [F.fractional_max_pool2d(x, 4, return_mask=True)[1].numpy() for _ in range(runs)]


def program(runs):
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [1, 2, 9, 9])
            mask = F.fractional_max_pool2d(x, 4, return_mask=True)[1]
        run = paddle.static.Executor().run
        return [run(main, {"x": planes}, [mask])[0] for _ in range(runs)]
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("masks", [eager, program])
def test_windows_are_drawn_at_each_run(masks):
    paddle.seed(3)
    first = masks(16)
    assert len({m.tobytes() for m in first}) > 1
    paddle.seed(3)
    np.testing.assert_array_equal(masks(16), first)


def test_a_number_that_is_given_draws_nothing():
    paddle.seed(3)
    after_none = paddle.rand([4]).numpy()
    paddle.seed(3)
    F.fractional_max_pool2d(paddle.to_tensor(planes), 4, random_u=0.3)
    np.testing.assert_array_equal(paddle.rand([4]).numpy(), after_none)


@pytest.mark.parametrize("random_u", [0.0, 1.0, -0.5])
def test_numbers_outside_the_interval_are_refused(random_u):
    with pytest.raises(ValueError, match="random_u"):
        F.fractional_max_pool2d(paddle.to_tensor(planes), 4, random_u=random_u)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The gradient of affine_grid in a program whose input gives the extents of the grid."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("extents", [[2, 1, 4, 5], [2, 3, 2, 4, 3], [2, 1, 1, 1]])
def test_the_extents_may_be_an_input(extents, align):
    axes = len(extents) - 2
    theta = np.random.default_rng(0).standard_normal((2, axes, axes + 1)).astype("float64")

    def loss_of(t, shape):
        return (F.affine_grid(t, shape, align_corners=align) ** 2).sum()

    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            t = paddle.static.data("t", [2, axes, axes + 1], "float64")
            t.stop_gradient = False
            shape = paddle.static.data("shape", [len(extents)], "int32")
            loss = loss_of(t, shape)
            (gradient,) = paddle.static.gradients([loss], [t])
        feed = {"t": theta, "shape": np.array(extents, "int32")}
        value, found = paddle.static.Executor().run(main, feed=feed, fetch_list=[loss, gradient])
    finally:
        paddle.disable_static()
    step = 1e-6
    wanted = np.zeros_like(theta)
    for at in np.ndindex(theta.shape):
        moved = [theta.copy(), theta.copy()]
        moved[0][at] += step
        moved[1][at] -= step
        high, low = (float(loss_of(paddle.to_tensor(m), extents)) for m in moved)
        wanted[at] = (high - low) / (2 * step)
    np.testing.assert_allclose(value, float(loss_of(paddle.to_tensor(theta), extents)))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)

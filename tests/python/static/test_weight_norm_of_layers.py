# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""weight_norm in static programs: direction and length are those of the one weight that is drawn."""

import numpy as np
import paddle
import pytest


@pytest.mark.parametrize("dim", [0, 1, None])
def test_direction_and_length_are_of_the_weight_that_is_drawn(dim):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [3, 3])
            layer = paddle.nn.Linear(3, 4)
            weight = layer.weight
            layer = paddle.nn.utils.weight_norm(layer, dim=dim)
            y = layer(x)
        executor = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            drawn = executor.run(startup, fetch_list=[weight])[0]
            y, v, g = executor.run(
                main, feed={"x": np.eye(3, dtype="float32")}, fetch_list=[y, layer.weight_v, layer.weight_g]
            )
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(v, drawn)
    others = None if dim is None else 1 - dim
    np.testing.assert_allclose(g, np.linalg.norm(v, axis=others), rtol=1e-6)
    np.testing.assert_allclose(y, v, rtol=1e-5)

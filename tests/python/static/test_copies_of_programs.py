# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are copied value by value and continued on their own."""

import numpy as np
import paddle
import pytest
from paddle import static


def test_a_copy_goes_its_own_way(fresh):
    main, _ = fresh
    x = static.data("x", [2, 3], "float64")
    x.stop_gradient = False
    parts = paddle.split(paddle.concat([x * 2 + x, x], axis=0), [3, 1])
    y = paddle.tanh(parts[0]).sum(axis=1) * paddle.expand(parts[1].sum(), [3])
    before = main.num_ops()
    copy, (old, new) = paddle.base.libpaddle.pir.clone_program(main)
    found = {id(a): b for a, b in zip(old, new, strict=True)}
    assert main.num_ops() == before and found[id(x)].name == "x" and not found[id(x)].stop_gradient
    with static.program_guard(copy):
        (dx,) = static.gradients(found[id(y)], found[id(x)])
        (ddx,) = static.gradients(dx, found[id(x)])
    assert main.num_ops() == before < copy.num_ops()
    values = np.random.default_rng(0).standard_normal((2, 3))
    run = static.Executor().run
    (first,) = run(main, feed={"x": values}, fetch_list=[y])
    again, slope, _ = run(copy, feed={"x": values}, fetch_list=[found[id(y)], dx, ddx])
    np.testing.assert_allclose(again, first)

    def total(v):
        both = np.concatenate([3 * v, v])
        return (np.tanh(both[:3]).sum(1) * both[3].sum()).sum()

    step = 1e-6
    for i in np.ndindex(2, 3):
        moved = np.zeros((2, 3))
        moved[i] = step
        assert abs((total(values + moved) - total(values - moved)) / (2 * step) - slope[i]) < 1e-6


def test_branches_are_not_copied(fresh):
    main, _ = fresh
    x = static.data("x", [1])
    static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x)
    with pytest.raises(NotImplementedError, match="clone_program"):
        paddle.base.libpaddle.pir.clone_program(main)

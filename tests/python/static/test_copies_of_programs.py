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


def test_branches_are_copied(fresh):
    main, _ = fresh
    x = static.data("x", [1])
    y = static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)
    copy, _ = paddle.base.libpaddle.pir.clone_program(main)
    found = [static.Executor().run(copy, feed={"x": np.float32([n])}, fetch_list=[y])[0].item() for n in (1, -1)]
    assert found == [2.0, -2.0]


def test_a_clone_goes_on_by_itself(fresh):
    main, _ = fresh
    x = static.data("x", [2])
    y = x * 2
    copy = main.clone()
    with static.program_guard(copy):
        z = copy.global_block().var("x") + y
    executor, feed = static.Executor(), {"x": np.float32([1, 2])}
    assert executor.run(copy, feed=feed, fetch_list=[z])[0].tolist() == [3.0, 6.0]
    assert copy.num_ops() > main.num_ops()
    with pytest.raises(ValueError, match="belongs to another program"):
        executor.run(main, feed=feed, fetch_list=[z])


def test_operators_of_a_clone_are_its_own(fresh):
    main, _ = fresh
    x = static.data("x", [2])
    y = x + 1.0
    copy = main.clone()
    for op in reversed(copy.global_block().ops[1:]):
        copy.global_block().remove_op(op)
    assert copy.num_ops() == 1
    assert static.Executor().run(main, feed={"x": np.float32([1, 2])}, fetch_list=[y])[0].tolist() == [2.0, 3.0]


def test_training_goes_on_in_a_clone_with_the_same_state(fresh):
    main, startup = fresh
    x = static.data("x", [2, 3])
    layer = paddle.nn.Linear(3, 1, weight_attr=paddle.nn.initializer.Constant(1.0), bias_attr=False)
    loss = layer(x).mean()
    forward = main.clone()
    paddle.optimizer.SGD(0.5).minimize(loss)
    both = main.clone()
    executor, feed = static.Executor(), {"x": np.ones((2, 3), "float32")}
    executor.run(startup)
    found = [executor.run(p, feed=feed, fetch_list=[loss])[0].item() for p in (main, both, forward, main)]
    assert found == [3.0, 1.5, 0.0, 0.0]
    assert len(forward.global_block().ops) < len(main.global_block().ops)


def test_gradients_are_appended_to_a_clone(fresh):
    main, _ = fresh
    x = static.data("x", [2])
    x.stop_gradient = False
    y = (x * x).sum()
    copy = main.clone()
    before = main.num_ops()
    with static.program_guard(copy):
        (dx,) = static.gradients(y, x)
    assert main.num_ops() == before
    assert static.Executor().run(copy, feed={"x": np.float32([1, 2])}, fetch_list=[dx])[0].tolist() == [2.0, 4.0]


def test_pruned_programs_hold_what_targets_need(fresh):
    main, _ = fresh
    x, w = static.data("x", [2]), static.data("w", [2])
    y = x + 1.0
    z = y * w
    pruned = main._prune(y)
    assert [v.name for v in pruned.list_vars() if v.name in "xw"] == ["x"]
    assert pruned.num_ops() < main.num_ops()
    assert static.Executor().run(pruned, feed={"x": np.float32([1, 2])}, fetch_list=[y])[0].tolist() == [2.0, 3.0]
    assert main._prune([z]).num_ops() == main.num_ops()


def test_normalized_programs_hold_no_training(fresh):
    main, startup = fresh
    x = static.data("x", [2, 3])
    out = paddle.nn.functional.dropout(paddle.nn.Linear(3, 1)(x), 0.5)
    paddle.optimizer.SGD(0.5).minimize(out.mean())
    made = static.normalize_program(main, [x], [out])
    names = {op.name() for op in made.global_block().ops}
    assert "pd_op.dropout" in names and not names & {"pd_op.mean", "pd_op.sgd_"}
    executor, feed = static.Executor(), {"x": np.ones((2, 3), "float32")}
    executor.run(startup)
    first, second = (executor.run(made, feed=feed, fetch_list=[out])[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_pruning_at_a_run_keeps_the_steps_of_an_optimizer(fresh):
    main, startup = fresh
    x = static.data("x", [2, 3])
    layer = paddle.nn.Linear(3, 1, weight_attr=paddle.nn.initializer.Constant(1.0), bias_attr=False)
    loss = layer(x).mean()
    counter = static.create_global_var([1], 0.0, "float32", persistable=True)
    paddle.increment(counter)
    forward = main.clone()
    paddle.optimizer.SGD(0.5).minimize(loss)
    executor, feed = static.Executor(), {"x": np.ones((2, 3), "float32")}
    executor.run(startup)
    executor.run(forward, feed=feed, fetch_list=[loss], use_prune=True)
    assert executor.run(main, feed=feed, fetch_list=[counter, loss])[0].tolist() == [1.0]
    later = loss * 2
    assert executor.run(main, feed=feed, fetch_list=[later], use_prune=True)[0].item() == 3.0
    assert executor.run(main, feed=feed, fetch_list=[loss], use_prune=True)[0].item() == 0.0

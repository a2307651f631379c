# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of paddle.static that no other test names."""

import numpy as np
import paddle
import pytest
from paddle import static


@pytest.fixture
def program():
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        yield main, startup
    paddle.disable_static()


def run(main, feed, fetch):
    return static.Executor(static.cpu_places(1)[0]).run(main, feed=feed, fetch_list=fetch)


def test_default_programs_are_the_guarded_ones(program):
    main, startup = program
    assert static.default_main_program() is main and static.default_startup_program() is startup
    assert main.global_block() is not None and len(main.blocks) >= 1


def test_names_and_devices_change_no_value(program):
    x = static.data("x", [2], "float32")
    with static.name_scope("inner"), static.device_guard("cpu"):
        y = x * 2 + 1
    (result,) = run(program[0], {"x": np.array([1.0, 2.0], "float32")}, [y])
    assert result.tolist() == [3.0, 5.0]


def test_places():
    assert static.cpu_places(2) == [paddle.CPUPlace()] * 2
    with pytest.raises((AssertionError, RuntimeError)):
        static.cuda_places()


def test_a_compiled_program_runs_as_its_program(program):
    x = static.data("x", [2], "float32")
    y = paddle.exp(x)
    strategy = static.BuildStrategy()
    strategy.fuse_elewise_add_act_ops = True
    executor = static.Executor()
    values = np.array([0.0, 1.0], "float32")
    compiled = static.CompiledProgram(program[0], build_strategy=strategy)
    (result,) = executor.run(compiled, feed={"x": values}, fetch_list=[y])
    np.testing.assert_allclose(result, np.exp(values), rtol=1e-6)
    assert executor.close() is None


def test_accuracy_counts_hits(program):
    scores = static.data("scores", [3, 4], "float32")
    label = static.data("label", [3, 1], "int64")
    top1, top2 = static.accuracy(scores, label, k=1), static.accuracy(scores, label, k=2)
    values = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.1, 0.5, 0.3, 0.1]], "float32")
    labels = np.array([[3], [1], [0]])
    first, second = run(program[0], {"scores": values, "label": labels}, [top1, top2])
    np.testing.assert_allclose([np.asarray(first).item(), np.asarray(second).item()], [1 / 3, 2 / 3], rtol=1e-6)


def test_global_variables_hold_their_value(program):
    main, startup = program
    counter = static.create_global_var([1], 5.0, "float32", persistable=True)
    total = counter + 1
    executor = static.Executor()
    executor.run(startup)
    (result,) = executor.run(main, fetch_list=[total])
    assert result.tolist() == [6.0]


def test_scopes_are_separate():
    scope = static.Scope()
    with static.scope_guard(scope):
        assert static.global_scope() is scope
    assert static.global_scope() is not scope


def test_layers_of_static_programs(program):
    main, startup = program
    ids = static.data("ids", [2], "int64")
    rows = static.nn.embedding(ids, [5, 3], param_attr=paddle.nn.initializer.Constant(2.0))
    image = static.data("image", [1, 1, 2, 2], "float32")
    wide = static.nn.conv2d_transpose(
        image, 1, filter_size=2, stride=2, param_attr=paddle.nn.initializer.Constant(1.0), bias_attr=False
    )
    executor = static.Executor()
    executor.run(startup)
    pixels = np.arange(4, dtype="float32").reshape(1, 1, 2, 2)
    found, grown = executor.run(main, feed={"ids": np.array([0, 4]), "image": pixels}, fetch_list=[rows, wide])
    assert found.tolist() == [[2.0] * 3] * 2
    np.testing.assert_array_equal(grown[0, 0], pixels[0, 0].repeat(2, 0).repeat(2, 1))

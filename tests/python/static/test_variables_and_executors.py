# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs in paddle.static: variables, scopes, executors, functions of Python as operators."""

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


def test_values_are_described_and_kept_in_scopes(fresh, rows):
    main, startup = fresh
    x = static.data("x", [-1, 4])
    weight = static.create_parameter([4, 2], "float32", name="weight")
    y = paddle.matmul(x, weight)
    assert x.grad_name == "x@GRAD" and x.attr_names == [] and x.lod_level == 0
    with pytest.raises(RuntimeError, match="no attribute"):
        x.attr("shape")
    with pytest.raises(ValueError, match="startup"):
        weight.get_value()
    executor = static.Executor()
    executor.run(startup)
    static.Variable.set_value(weight, np.ones([4, 2], "float32"))
    np.testing.assert_array_equal(np.array(static.Variable.get_value(weight)), np.ones([4, 2]))
    (got,) = executor.run(main, feed={"x": rows}, fetch_list=[y])
    np.testing.assert_allclose(got, np.repeat(rows.sum(1, keepdims=True), 2, 1), rtol=1e-6)
    other = static.Scope()
    with pytest.raises(ValueError, match="scope"):
        static.Variable.set_value(weight, np.ones([4, 2], "float32"), other)
    with pytest.raises(ValueError, match="shape"):
        static.Variable.set_value(weight, np.ones([4, 3], "float32"))
    with pytest.raises(TypeError, match="value"):
        static.Variable.set_value(weight, 3)
    with pytest.raises(TypeError, match="scope"):
        weight.get_value("scope")


def test_descriptions_are_text(fresh):
    x = static.data("x", [-1, 4])
    weight = static.create_parameter([4, 2], "float32", name="weight")
    described = x.to_string(True)
    assert 'name: "x"' in described and "dims: -1" in described and "persistable: false" in described
    assert "trainable: True" in static.Parameter.to_string(weight, True, True)
    assert "is_parameter: true" in static.Variable.to_string(weight, True)
    assert static.Operator.dist_attr is None


def test_eager_tensors_have_no_members_of_values():
    x = paddle.ones([2])
    for name in ("attr", "attr_names", "get_value", "grad_name", "to_string"):
        assert not hasattr(x, name) and hasattr(static.Variable, name)


def test_what_an_executor_holds():
    executor = static.Executor()
    assert executor.op_role_key == "op_role" and executor.plan is None and not executor.enable_job_schedule_profiler
    names = ("program_caches", "ctx_caches", "trainer_caches", "scope_caches", "micro_scope_cache", "var_caches")
    for name in (*names, "pruned_program_caches", "pruned_program_scope_caches"):
        getattr(executor, name).clear()
    assert static.Executor().program_caches is not executor.program_caches


def _same(x, factor=2):
    return static.MetaTensor(x.dtype, x.shape)


def test_python_functions_become_operators(fresh, rows):
    calls = []

    @static.register_op(name="scaled", infer_meta=_same, input_names=["x"], output_names=["out"])
    def scaled(x, factor=2):
        calls.append(type(x))
        return x * factor

    assert scaled.__name__ == "scaled"
    x = static.data("x", [-1, 4])
    y, z = scaled(x), scaled(x, factor=3) + 1
    assert calls == [] and list(y.shape)[1] == 4
    got = run(fresh[0], {"x": rows}, [y, z])
    np.testing.assert_allclose(got[0], rows * 2)
    np.testing.assert_allclose(got[1], rows * 3 + 1)
    assert len(calls) == 2
    with pytest.raises(TypeError, match="variables"):
        scaled(3)
    wrong = static.register_op(scaled, infer_meta=_same, input_names=["x"], output_names=["a", "b"])
    with pytest.raises(ValueError, match="results"):
        wrong(x)
    paddle.disable_static()
    assert scaled(paddle.to_tensor([3.0]), 4).item() == 12.0
    with pytest.raises(ValueError, match="input_names"):
        static.register_op(lambda x: x)
    with pytest.raises(NotImplementedError, match="inplace_map"):
        static.register_op(scaled, infer_meta=_same, input_names=["x"], output_names=["o"], inplace_map={"x": "o"})


def test_shapes_without_values():
    meta = static.MetaTensor()
    assert meta.shape == [0] and meta.dtype == paddle.float32
    meta.set_shape((2, 3))
    meta.set_dtype("int64")
    other = meta.copy()
    assert other == meta and static.MetaTensor(meta) == meta and other is not meta
    meta.set_dtype(paddle.float16)
    assert other != meta and repr(other) == "MetaTensor(shape=[2, 3], dtype=int64)"
    with pytest.raises(RuntimeError, match="zz"):
        meta.set_dtype("zz")


def test_there_is_no_ipu():
    with pytest.raises(RuntimeError, match="IPU"):
        static.IpuStrategy()
    with pytest.raises(ValueError, match="IPU"):
        static.IpuCompiledProgram()
    with pytest.raises(ValueError, match="IPU"), static.ipu_shard_guard(0, 1):
        pass
    double = static.set_ipu_shard(lambda x: x * 2, 0)
    with pytest.raises(ValueError, match="IPU"):
        double(1)
    net = static.set_ipu_shard(paddle.nn.Linear(2, 2))
    with pytest.raises(ValueError, match="IPU"):
        net(paddle.ones([1, 2]))
    with pytest.raises(TypeError, match="Layer"):
        static.set_ipu_shard(3)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What `to_static` returns and what can be asked of it."""

import copy

import numpy as np
import paddle
import pytest
from paddle.jit import InputSpec, StaticFunction
from paddle.jit.sot import psdb, symbolic_translate
from paddle.jit.sot.opcode_translator.executor.executor_cache import OpcodeExecutorCache
from paddle.jit.sot.utils import ENV_MIN_GRAPH_SIZE, InnerError, min_graph_size_guard


def branching(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x
    return y


def test_converted_source_is_shown(capsys):
    code = paddle.jit.to_static(branching, full_graph=True).code
    assert code.startswith("def branching(x):") and ".if_(" in code
    paddle.jit.set_code_level(100)
    try:

        def local(x):
            return x if x.sum() > 3 else -x

        paddle.jit.to_static(local, full_graph=True)(paddle.ones([2]))
    finally:
        paddle.jit.set_code_level(0)
    assert "def local(x):" in capsys.readouterr().err


def test_concrete_programs():
    spec = [InputSpec([None, 3], "float32", "x")]
    f = paddle.jit.to_static(branching, input_spec=spec, full_graph=True)
    program = f.concrete_program
    assert [s.name for s in program.inputs] == ["x"]
    assert "pd_op.if" in str(program.main_program) and program.main_program.num_ops() > 2
    assert "branching(x)" in f.function_spec and "InputSpec" in f.function_spec
    concrete, runner = f.get_concrete_program(paddle.ones([2, 3]))
    np.testing.assert_array_equal(runner([paddle.ones([2, 3])]).numpy(), np.full([2, 3], 2.0))
    layer = paddle.jit.to_static(paddle.nn.Linear(3, 2), input_spec=spec, full_graph=True)
    names = {p.name for p in layer.forward.concrete_program.parameters}
    assert names == {layer.weight.name, layer.bias.name}
    unknown = paddle.jit.to_static(branching, full_graph=True)
    with pytest.raises(ValueError, match="no InputSpec"):
        _ = unknown.concrete_program
    unknown(paddle.ones([3]))
    assert unknown.concrete_program.inputs[0].shape == (3,)
    assert unknown.get_traced_count() == 1


def test_programs_can_be_looked_at():
    linear = paddle.nn.Linear(3, 2)

    def f(x):
        y = linear(x)
        return paddle.tanh(y) if y.sum() > 0 else y

    captured = paddle.jit.to_static(f, input_spec=[InputSpec([None, 3], name="x")], full_graph=True)
    program = captured.main_program
    ops = program.global_block().ops
    assert [op.name() for op in ops].count("pd_op.if") == 1 and len(ops) == program.num_ops()
    assert program.num_blocks == 3 and [op.type for op in program.block(1).ops][0] == "tanh"
    assert {t.name for t in program.all_parameters()} == {linear.weight.name, linear.bias.name}
    reading = next(op for op in ops if any(t is linear.weight for t in op.operands_source()))
    assert program.global_block().var(linear.weight.name) is linear.weight
    assert reading.results()[0].shape[1] == 2
    concrete, runner = captured.get_concrete_program(InputSpec([None, 3], name="x"))
    assert concrete.main_program is runner.train_program.program is runner.infer_program


def cut_in_two(x):
    x = x + 1
    psdb.breakgraph()
    return x + 1


@pytest.fixture
def kinds():
    cache = OpcodeExecutorCache()
    cache.clear()
    yield cache
    cache.clear()


def test_calls_of_a_new_kind_are_counted(kinds):
    add = paddle.jit.to_static(lambda x, n: x + n, full_graph=False)
    for n, extent, count in ((1, 2, 1), (1, 2, 1), (2, 2, 2), (3, 2, 2), (3, 4, 3), (3, 5, 3)):
        np.testing.assert_array_equal(add(paddle.ones([extent, 3]), n).numpy(), np.full((extent, 3), n + 1.0))
        assert kinds.translate_count == count and kinds is OpcodeExecutorCache()
    add(paddle.ones([2, 3], "float64"), 3)
    state = kinds.dump_state()
    assert kinds.translate_count == 4
    kinds.clear()
    assert kinds.translate_count == 0
    kinds.load_state(state)
    assert kinds.translate_count == 4
    with min_graph_size_guard(3):
        assert ENV_MIN_GRAPH_SIZE.get() == 3


def test_marks_of_a_function_in_segments(kinds):
    assert psdb.check_no_breakgraph(cut_in_two)(1) == 3  # plain: nothing is checked
    kept = psdb.check_no_fallback(lambda x: psdb.fallback())
    with pytest.raises(InnerError, match="fallback"):
        symbolic_translate(kept)(paddle.ones([2]))
    with pytest.raises(InnerError, match="cut_in_two"):
        symbolic_translate(cut_in_two)(paddle.ones([2]))
    kinds.clear()

    def cut(x):
        psdb.breakgraph()
        return x

    for _ in range(2):
        symbolic_translate(cut)(paddle.ones([2]))
        assert kinds.translate_count == 2
    with pytest.raises(InnerError):
        symbolic_translate(psdb.assert_true)(False)
    with pytest.raises(AssertionError):
        psdb.assert_true(False)


def test_methods_of_plain_classes_and_methods_left_alone():
    class Scaler:
        factor = 3

        def __call__(self, x):
            return self.times(x)

        def times(self, x):
            return x * self.factor

    scaler = Scaler()
    captured = paddle.jit.to_static(scaler.times, full_graph=True)
    np.testing.assert_array_equal(captured(paddle.ones([2])).numpy(), [3.0, 3.0])
    paddle.jit.not_to_static(scaler.times)
    assert paddle.jit.to_static(scaler.times)(2) == 6


def test_a_tensor_made_in_a_program_keeps_its_stop_gradient():
    for stops in (True, False):
        made = paddle.jit.to_static(
            lambda x, stops: (paddle.to_tensor([1.0, 2.0], stop_gradient=stops), x * 2), full_graph=True
        )(paddle.ones([2]), stops)
        assert made[0].stop_gradient is stops and made[1].stop_gradient
    (made[0] * made[0]).sum().backward()
    np.testing.assert_array_equal(made[0].grad.numpy(), [2.0, 4.0])


def test_training_of_functions_and_methods():
    double = paddle.jit.to_static(lambda x: x * 2, full_graph=True)
    double.eval()
    double(paddle.ones([2]))
    assert double.program_cache.last()[1][1].training is False
    double.train()
    assert double.program_cache.last()[1][1].training is True
    layer = paddle.jit.to_static(paddle.nn.Linear(2, 2), full_graph=True)
    layer.forward.train()
    with pytest.raises(RuntimeError, match="eval"):
        layer.forward.eval()
    layer.eval()
    with pytest.raises(RuntimeError, match="train"):
        layer.forward.train()


class Static(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(3, 3)

    @paddle.jit.to_static
    def forward(self, x):
        return self.fc(x)


def test_rollback_of_methods_and_layers():
    layer = Static()
    assert isinstance(layer.forward, StaticFunction)
    assert layer.forward.class_instance is layer
    layer.forward.rollback()
    assert not isinstance(layer.forward, StaticFunction)
    assert list(layer(paddle.ones([2, 3])).shape) == [2, 3]
    linear = paddle.jit.to_static(paddle.nn.Linear(3, 3))
    assert isinstance(linear.forward, StaticFunction)
    linear.forward.rollback()
    assert not isinstance(linear.forward, StaticFunction)


@pytest.mark.parametrize("full_graph", [True, False])
def test_copies_of_layers_have_a_forward_of_their_own(full_graph):
    layer = paddle.jit.to_static(paddle.nn.Linear(2, 2), full_graph=full_graph)
    x = paddle.ones([1, 2])
    layer(x)
    other = copy.deepcopy(layer)
    other.weight.set_value(other.weight * 0)
    other.bias.set_value(other.bias * 0 + 5)
    np.testing.assert_array_equal(other(x).numpy(), [[5.0, 5.0]])
    assert not np.allclose(layer(x).numpy(), 5.0)


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match="must be a function or Layer"):
        paddle.jit.to_static(3)
    with pytest.raises(TypeError, match="input_spec has type int"):
        paddle.jit.to_static(branching, input_spec=3)
    with pytest.raises(TypeError, match="build_strategy has type int"):
        paddle.jit.to_static(branching, build_strategy=3)
    with pytest.raises(ValueError, match="backend has value"):
        paddle.jit.to_static(branching, backend="other")
    spec = [InputSpec([None, 4], "float32", n) for n in "xy"]
    with pytest.raises(ValueError, match="describes 2 tensors; the call passes 1"):
        paddle.jit.to_static(branching, input_spec=spec, full_graph=True)(paddle.ones([2, 4]))
    with pytest.raises(ValueError, match="tensor has type ndarray"):
        InputSpec.from_tensor(np.ones(2))
    assert paddle.jit.to_static(branching, build_strategy=paddle.static.BuildStrategy()) is not None


def test_calls_that_no_input_spec_describes_are_captured_as_they_are():
    @paddle.jit.to_static(input_spec=[InputSpec([None, 2], name="x")], full_graph=True)
    def scaled(x):
        return x.sum(-1) * x.shape[0]

    for shape, expected in (([3, 2], [6] * 3), ([2, 3], [6, 6]), ([4], 16), ([1, 2, 2], [[2, 2]]), ([5, 2], [10] * 5)):
        assert scaled(paddle.ones(shape)).tolist() == expected
    assert len(scaled.program_cache) == 4  # one for every number of rows


def test_capture_can_be_switched_off():
    seen = []

    def f(x):
        seen.append(x._is_initialized())
        return x + 1

    captured = paddle.jit.to_static(f, full_graph=True)
    paddle.jit.enable_to_static(False)
    try:
        captured(paddle.ones([2]))
    finally:
        paddle.jit.enable_to_static(True)
    captured(paddle.ones([2]))
    assert seen == [True, False]


def test_sizes_become_dynamic_and_guards_hold():
    def f(x):
        y = paddle.tanh(x).reshape([x.shape[0] * x.shape[1]])
        if x.shape[0] > 4:
            y = y * 2
        return y.sum()

    captured = paddle.jit.to_static(f, full_graph=True)
    for n in (2, 3, 4, 6, 9, 1, 2):
        x = paddle.to_tensor(np.linspace(0, 1, n * 3, dtype="float32").reshape(n, 3))
        np.testing.assert_allclose(float(captured(x)), float(f(x)), rtol=1e-6)
    assert captured.get_traced_count() <= 4
    assert any("4" in g for g in captured.concrete_program.main_program.guards)


def test_an_error_of_a_capture_names_the_users_line():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        y = x * 2
        return y.reshape([7, 7])

    with pytest.raises(ValueError, match=r'test_static_function.py", line \d+'):
        f(paddle.ones([2]))


@pytest.mark.parametrize("full_graph", [True, False])
def test_attributes_may_be_dicts_that_raise_key_errors(full_graph):
    class Options(dict):
        __getattr__ = dict.__getitem__

    class Scaled(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.options = Options(factor=3.0)

        def forward(self, x):
            return x * self.options.factor

    layer = paddle.jit.to_static(Scaled(), full_graph=full_graph)
    assert layer(paddle.ones([2])).tolist() == [3.0, 3.0]


def test_a_captured_method_takes_a_new_input_spec():
    class Adder(paddle.nn.Layer):
        def add(self, x, y):
            return x + y

    net = Adder()
    for size, name in ((4, "y"), (6, "label")):
        spec = [paddle.static.InputSpec([None, size]), paddle.static.InputSpec([size], name=name)]
        net.add = paddle.jit.to_static(net.add, input_spec=spec, full_graph=True)
        last = net.add.concrete_program.inputs[-1]
        assert (list(last.shape), last.name) == ([size], name)
        assert net.add(paddle.ones([2, size]), paddle.ones([size])).shape == [2, size]
    assert paddle.jit.to_static(net.add) is net.add


def test_only_functions_are_left_alone():
    with pytest.raises(TypeError, match="not_to_static: func has type int"):
        paddle.jit.not_to_static(3)


@pytest.mark.parametrize("full_graph", [True, False])
def test_a_captured_function_is_not_called_in_static_mode(full_graph):
    f = paddle.jit.to_static(lambda x: x + 1, full_graph=full_graph)
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2])
            with pytest.raises(RuntimeError, match="static mode"):
                f(x)
    finally:
        paddle.disable_static()
    assert f(paddle.zeros([2])).tolist() == [1, 1]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Startup programs: the operators that make first values, and runs of them."""

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.nn import initializer


@pytest.fixture
def programs():
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    try:
        with static.program_guard(main, startup), static.scope_guard(static.Scope()):
            yield main, startup
    finally:
        paddle.disable_static()


def value_of(tensor):
    return np.array(static.global_scope().find_var(tensor.name).get_tensor())


def names(program):
    return [op.name().rpartition(".")[2] for op in program.global_block().ops]


def test_a_startup_program_holds_the_operators_of_initializers(programs):
    _, startup = programs
    layer = paddle.nn.Linear(4, 3)
    assert names(startup) == ["full_int_array", "full", "full", "uniform", "set_parameter", "full", "set_parameter"]
    ops = startup.global_block().ops
    uniform, given = ops[3], ops[4]
    bound = np.sqrt(6 / 7)
    found = {n: uniform.operand_source(i).get_defining_op().attrs()["value"] for i, n in enumerate(uniform.input_names)}
    assert found["shape"] == [4, 3]
    assert (found["min"], found["max"]) == pytest.approx((-bound, bound))
    assert uniform.attrs()["dtype"] == paddle.float32
    assert given.attrs() == {"parameter_name": layer.weight.name}
    assert given.operand_source(0).get_defining_op().id() == uniform.id()
    assert ops[5].attrs()["shape"] == [3]
    assert ops[5].attrs()["value"] == 0.0


def test_state_of_optimizers_gets_its_first_values_there(programs):
    _, startup = programs
    x = static.data("x", [2, 4])
    loss = paddle.nn.Linear(4, 1, bias_attr=False)(x).mean()
    operators, pairs = paddle.optimizer.Momentum(0.1, 0.9).minimize(loss)
    assert [op.name() for op in operators] == ["pd_op.momentum_"]
    state = [op.attrs()["output_name"] for op in startup.global_block().ops if op.name() == "builtin.shadow_output"]
    assert [name.rpartition("_")[0] for name in sorted(state)] == ["learning_rate", f"{pairs[0][0].name}_velocity"]


def test_another_run_draws_anew_and_a_seed_repeats(programs):
    _, startup = programs
    weight = paddle.create_parameter([64], "float32", default_initializer=initializer.Normal())
    executor = static.Executor()
    executor.run(startup)
    first = value_of(weight)
    executor.run(startup)
    assert not np.array_equal(first, value_of(weight))
    startup.random_seed = 5
    executor.run(startup)
    first = value_of(weight)
    executor.run(startup)
    assert np.array_equal(first, value_of(weight))


def test_the_seed_of_the_startup_program_stands_in_its_operators(programs):
    _, startup = programs
    startup.random_seed = 123
    own = initializer.UniformInitializer(seed=456)
    a = paddle.create_parameter([8], "float32", default_initializer=initializer.Uniform())
    b = paddle.create_parameter([8], "float32", default_initializer=own)
    c = paddle.create_parameter([8], "float32", default_initializer=initializer.Uniform())
    seeds = [op.attrs()["seed"] for op in startup.global_block().ops if op.name() == "pd_op.uniform"]
    assert seeds == [123, 456, 123]
    static.Executor().run(startup)
    assert np.array_equal(value_of(a), value_of(c))
    assert not np.array_equal(value_of(a), value_of(b))


def test_scopes_are_initialised_one_by_one(programs):
    main, startup = programs
    weight = paddle.create_parameter([2], "float32", default_initializer=initializer.Constant(3.0))
    doubled = weight * 2
    executor, other = static.Executor(), static.Scope()
    executor.run(startup)
    with pytest.raises(RuntimeError, match="run the startup program"):
        executor.run(main, fetch_list=[doubled], scope=other)
    executor.run(startup, scope=other)
    assert executor.run(main, fetch_list=[doubled], scope=other)[0].tolist() == [6.0, 6.0]


def test_two_programs_with_the_same_names_share_first_values(programs):
    _, startup = programs
    weights = []
    for value in (1.0, 2.0):
        with static.program_guard(static.Program(), startup), paddle.utils.unique_name.guard():
            init = initializer.Constant(value)
            weights.append(paddle.create_parameter([2], "float32", default_initializer=init))
    assert names(startup) == ["full", "set_parameter"]
    static.Executor().run(startup)
    assert [value_of(w).tolist() for w in weights] == [[1.0, 1.0]] * 2


def test_one_startup_operator_may_read_what_another_made(programs):
    _, startup = programs
    attr = static.WeightNormParamAttr(dim=1, name="w", initializer=initializer.Constant(2.0))
    paddle.nn.Linear(4, 3, weight_attr=attr, bias_attr=False)
    static.Executor().run(startup)
    length = static.global_scope().find_var("w_g").get_tensor()
    assert np.allclose(np.array(length), np.full([1, 3], 4.0))


def test_initializers_write_into_the_program_of_a_block(programs):
    _, startup = programs
    weight = paddle.create_parameter([2], "float32", name="twice")
    other = static.Program()
    initializer.Constant(7.0)(weight, other.global_block())
    assert names(other) == ["full", "set_parameter"]
    executor = static.Executor()
    executor.run(startup)
    executor.run(other)
    assert value_of(weight).tolist() == [7.0, 7.0]


def test_initializers_of_users_append_operators(programs):
    class Twos(initializer.Initializer):
        def forward(self, var, block=None):
            block = self._check_block(block)
            attrs = {"shape": list(var.shape), "value": 2.0, "dtype": 5}
            return block.append_op(type="fill_constant", outputs={"Out": var}, attrs=attrs)

    _, startup = programs
    weight = paddle.create_parameter([2], "float32", default_initializer=Twos())
    static.Executor().run(startup)
    assert value_of(weight).tolist() == [2.0, 2.0]


def test_operators_are_removed_and_inserted(programs):
    main, startup = programs
    weight = paddle.create_parameter([2], "float32", default_initializer=initializer.Constant(3.0))
    block = startup.global_block()
    with pytest.raises(ValueError, match="is still read"):
        block.remove_op(block.ops[0])
    block._remove_op(1)
    block._remove_op(0)
    assert len(block.ops) == 0
    initializer.Constant(4.0)(weight, static.Program().global_block())
    x = static.data("x", [2])
    y = x + 1.0
    z = x + 5.0
    use = y * 2.0
    y.get_defining_op().replace_all_uses_with([z])
    block = main.global_block()
    block.remove_op(y.get_defining_op())
    found = static.Executor().run(main, feed={"x": np.zeros(2, "float32")}, fetch_list=[use])
    assert found[0].tolist() == [10.0, 10.0]


def test_a_startup_program_goes_through_bytes(programs):
    main, startup = programs
    layer = paddle.nn.Linear(2, 1, weight_attr=initializer.Constant(3.0))
    loss = layer(static.data("x", [1, 2])).mean()
    paddle.optimizer.Momentum(0.5, 0.9).minimize(loss)
    again = static.Program.parse_from_string(startup.desc.serialize_to_string())
    executor = static.Executor()
    executor.run(again)
    found = executor.run(main, feed={"x": np.ones((1, 2), "float32")}, fetch_list=[loss])
    assert found[0].item() == 6.0
    assert value_of(layer.weight).tolist() == [[2.5], [2.5]]


def test_a_startup_program_is_copied(programs):
    _, startup = programs
    weight = paddle.create_parameter([2], "float32", default_initializer=initializer.Constant(3.0))
    for copy in (startup.clone(), startup.clone(for_test=True)):
        executor, scope = static.Executor(), static.Scope()
        executor.run(copy, scope=scope)
        assert np.array(scope.find_var(weight.name).get_tensor()).tolist() == [3.0, 3.0]
    assert names(copy) == names(startup)


class TestOldWords:
    @pytest.fixture
    def block(self):
        with paddle.pir_utils.OldIrGuard():
            yield static.Program().global_block()

    def made(self, block, init, dtype="float32", shape=(5, 10)):
        for _ in range(2):
            block.create_parameter(shape=list(shape), dtype=dtype, name="param", initializer=init)
        return block.ops

    def test_a_constant(self, block):
        (op,) = self.made(block, initializer.Constant(2.5))
        assert (op.type, op.attr("value"), op.attr("shape")) == ("fill_constant", 2.5, [5, 10])
        assert op.output("Out") == ["param"]

    def test_numbers_are_attributes(self, block):
        (op,) = self.made(block, initializer.UniformInitializer(-4.0, 3.0, 9))
        assert op.type == "uniform_random"
        assert [op.attr(n) for n in ("min", "max", "seed")] == [-4.0, 3.0, 9]

    def test_halves_are_cast(self, block):
        drawn, cast = self.made(block, initializer.TruncatedNormal(0.5, 2.0), "float16")
        assert (drawn.type, drawn.attr("mean"), drawn.attr("std")) == ("truncated_gaussian_random", 0.5, 2.0)
        assert (cast.type, cast.attr("in_dtype"), cast.attr("out_dtype")) == ("cast", paddle.float32, paddle.float16)

    def test_given_values(self, block):
        (op,) = self.made(block, initializer.Assign(np.array([1.0, 2.0], "float32")), shape=[2])
        assert (op.type, op.attr("values")) == ("assign_value", [1.0, 2.0])

    def test_calls_stay_as_they_were_made(self, block):
        x = block.create_parameter(shape=[5, 10], dtype="float32", name="x", optimize_attr={"learning_rate": 1.1})
        y = block.create_var(shape=[10, 8], dtype="float32", name="y")
        out, loss = (block.create_var(shape=[5, 8], dtype="float32", name=n) for n in ("out", "loss"))
        block.append_op("mul", inputs={"X": x, "Y": y}, outputs={"Out": out}, attrs={"x_num_col_dims": 1})
        block.append_op("mean", inputs={"X": out}, outputs={"Out": loss})
        assert [op.type for op in block.ops] == ["mul", "mean"]
        assert block.ops[0].input("Y") == ["y"]
        startup = static.Program()
        operators, _ = paddle.optimizer.SGD(0.01).minimize(loss, startup)
        assert [op.type for op in operators] == ["scale", "sgd"]
        assert [op.type for op in startup.global_block().ops] == ["fill_constant"]

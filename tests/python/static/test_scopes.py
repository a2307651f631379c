# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values by name: programs share what has the same name in one scope and nothing with another scope."""

import numpy as np
import paddle
import pytest
from paddle import static

Constant = paddle.nn.initializer.Constant


def attr(name, value):
    return paddle.ParamAttr(name=name, initializer=Constant(value))


def held(name, scope=None):
    return np.array((scope or static.global_scope()).find_var(name).get_tensor())


def trained_fc(rate=1.0):
    x = static.data("x", [2, 4])
    y = static.nn.fc(x, 2, weight_attr=Constant(0.5))
    loss = y.mean()
    paddle.optimizer.SGD(rate).minimize(loss)
    return y, loss


def test_programs_share_parameters_of_one_name(fresh, rows):
    main, startup = fresh
    x = static.data("x", [2, 4])
    loss = static.nn.fc(x, 2, weight_attr=attr("w", 0.5)).mean()
    paddle.optimizer.SGD(1.0).minimize(loss)
    other = static.Program()
    with static.program_guard(other, static.Program()):
        again = static.data("x", [2, 4])
        y = static.nn.fc(again, 2, weight_attr=attr("w", 0.1), bias_attr=False)
    executor = static.Executor()
    executor.run(startup)
    executor.run(main, feed={"x": rows})
    (got,) = executor.run(other, feed={"x": rows}, fetch_list=[y])
    expected = 0.5 - rows.sum(0) / 4  # one step: the gradient of the mean of both columns
    np.testing.assert_allclose(held("w"), np.repeat(expected[:, None], 2, 1), rtol=1e-6)
    np.testing.assert_allclose(got, rows @ held("w"), rtol=1e-6)


def test_a_program_built_again_under_a_guard_of_names_is_the_same_model(fresh, rows):
    main, startup = fresh
    with paddle.utils.unique_name.guard():
        y, _ = trained_fc()
    test = static.Program()
    with static.program_guard(test, startup), paddle.utils.unique_name.guard():
        again = static.nn.fc(static.data("x", [2, 4]), 2, weight_attr=Constant(0.5))
    executor = static.Executor()
    executor.run(startup)
    executor.run(main, feed={"x": rows})
    (a,) = executor.run(test, feed={"x": rows}, fetch_list=[again])
    (b,) = executor.run(main.clone(for_test=True), feed={"x": rows}, fetch_list=[y])
    np.testing.assert_array_equal(a, b)


def test_scopes_hold_values_of_their_own(fresh, rows):
    main, startup = fresh
    trained_fc()
    first, second, executor = static.Scope(), static.Scope(), static.Executor()
    executor.run(startup, scope=first)
    executor.run(startup, scope=second)
    executor.run(main, feed={"x": rows}, scope=first)
    assert (held("fc_0.w_0", first) != 0.5).any()
    assert (held("fc_0.w_0", second) == 0.5).all()
    assert static.global_scope().find_var("fc_0.w_0") is None
    with static.scope_guard(second):
        executor.run(main, feed={"x": rows})
    np.testing.assert_array_equal(held("fc_0.w_0", first), held("fc_0.w_0", second))


def test_the_startup_program_must_have_run(fresh, rows):
    main, startup = fresh
    y, _ = trained_fc()
    with pytest.raises(RuntimeError, match=r"fc_0.*startup"):
        static.Executor().run(main, feed={"x": rows}, fetch_list=[y])


def test_the_startup_program_starts_optimizers_again(fresh, rows):
    main, startup = fresh
    y = static.nn.fc(static.data("x", [2, 4]), 2, weight_attr=Constant(0.5))
    paddle.optimizer.Adam(0.1).minimize(y.mean())
    executor = static.Executor()
    executor.run(startup)
    executor.run(main, feed={"x": rows})
    first = held("fc_0.w_0")
    assert (held("fc_0.w_0_moment1_0") != 0).any()
    executor.run(startup)
    assert (held("fc_0.w_0_moment1_0") == 0).all()
    executor.run(main, feed={"x": rows})
    np.testing.assert_array_equal(held("fc_0.w_0"), first)


def test_tensors_of_a_scope_are_read_and_set(fresh, rows):
    main, startup = fresh
    y = static.nn.fc(static.data("x", [2, 4]), 2, bias_attr=False)
    executor = static.Executor()
    executor.run(startup)
    tensor = static.global_scope().find_var("fc_0.w_0").get_tensor()
    tensor.set(np.ones((4, 2), "float32"), paddle.CPUPlace())
    (got,) = executor.run(main, feed={"x": rows}, fetch_list=[y])
    np.testing.assert_allclose(got, np.repeat(rows.sum(1, keepdims=True), 2, 1))
    assert tensor.shape() == [4, 2] and tensor._dtype() == paddle.float32 and tensor.lod() == []
    scope = static.Scope()
    scope.var("a").get_tensor().set(np.ones(3, "int64"), paddle.CPUPlace())
    assert held("a", scope).tolist() == [1, 1, 1]
    assert scope.new_scope().find_var("a") is not None and scope.find_var("b") is None


def test_state_dicts_are_those_of_the_scope(fresh, rows):
    main, startup = fresh
    trained_fc()
    executor = static.Executor()
    executor.run(startup)
    assert sorted(main.state_dict("param")) == ["fc_0.b_0", "fc_0.w_0"]
    assert sorted(main.state_dict("opt")) == ["learning_rate_0"]
    main.set_state_dict({"fc_0.w_0": np.full((4, 2), 2.0, "float32")})
    assert (held("fc_0.w_0") == 2).all()
    with pytest.raises(AssertionError, match="shape"):
        static.set_program_state(main, {"fc_0.w_0": np.ones((3, 2), "float32")})


def test_programs_with_a_seed_start_alike(fresh):
    main, startup = fresh
    startup.random_seed = 5
    weight = static.create_parameter([16], "float32", name="w", default_initializer=paddle.nn.initializer.Normal())
    executor = static.Executor()
    executor.run(startup)
    first = executor.run(main, fetch_list=[weight])[0]
    executor.run(startup)
    np.testing.assert_array_equal(executor.run(main, fetch_list=[weight])[0], first)


def test_pruned_runs_update_what_an_optimizer_updates(fresh, rows):
    main, startup = fresh
    y, _ = trained_fc()
    executor = static.Executor()
    executor.run(startup)
    forward = main._prune(y)
    executor.run(forward, feed={"x": rows}, fetch_list=[y])
    assert (held("fc_0.w_0") == 0.5).all()
    executor.run(main, feed={"x": rows}, fetch_list=[y], use_prune=True)
    assert (held("fc_0.w_0") != 0.5).any()


def test_parameters_of_one_name_in_a_program_are_one(fresh):
    main, startup = fresh
    ids = [static.data(f"ids{i}", [None, 1], "int64") for i in range(3)]
    rows = [static.nn.embedding(i, [5, 2], param_attr=attr("shared", 0.5)) for i in ids]
    loss = paddle.concat(rows, 1).sum()
    paddle.optimizer.Adam(0.1).minimize(loss)
    assert [p.name for p in main.all_parameters()] == ["shared"]
    assert [n for n in main.state_dict("opt") if "moment1" in n] == ["shared_moment1_0"]
    executor = static.Executor()
    executor.run(startup)
    executor.run(main, feed={f"ids{i}": np.array([[i]]) for i in range(3)})
    np.testing.assert_allclose(held("shared")[:, 0], [0.4, 0.4, 0.4, 0.5, 0.5], rtol=1e-4)
    assert held("learning_rate_0").shape == ()


def test_parameters_of_one_name_and_different_shapes_raise(fresh):
    main, _ = fresh
    assert static.create_parameter([2], "float32").name == "create_parameter_0.w_0"
    first = static.create_parameter([2], "float32", name="p")
    assert static.create_parameter([2], "float32", name="p") is first
    with pytest.raises(ValueError, match="parameter 'p'"):
        static.create_parameter([3], "float32", name="p")
    assert {"p", "create_parameter_0.w_0"} == {p.name for p in main.all_parameters()}


def test_parameters_of_loaded_programs_are_in_the_scope(fresh, rows, tmp_path):
    main, startup = fresh
    x = static.data("x", [None, 4])
    y = static.nn.fc(x, 2, weight_attr=Constant(0.5))
    executor = static.Executor()
    executor.run(startup)
    static.save_inference_model(str(tmp_path / "m"), [x], [y], executor)
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(tmp_path / "m"), executor)
        assert (held("fc_0.w_0") == 0.5).all()
        (got,) = executor.run(program, feed={feeds[0]: rows}, fetch_list=fetches)
    np.testing.assert_allclose(got, np.repeat(rows.sum(1, keepdims=True) / 2, 2, 1), rtol=1e-6)


def test_a_scope_counts_its_own_names():
    scope = paddle.static.Scope()
    scope.var("a")
    assert scope.size() == 1 and scope.new_scope().size() == 0


def test_memory_of_a_variable_is_taken_for_a_shape_and_indexed():
    variable = static.global_scope().new_scope().var("v")
    tensor = variable.get_tensor()
    tensor._set_dims([2, 3])
    tensor._alloc_int(paddle.CPUPlace())
    assert np.array(tensor).dtype == np.int32 and np.array(tensor).shape == (2, 3)
    values = np.arange(27.0).reshape(3, 3, 3)
    tensor.set(values, paddle.CPUPlace())
    assert (np.array(tensor[1]) == values[1:2]).all() and (np.array(tensor[2::-2]) == values[2::-2]).all()
    assert (np.array(tensor[0:, -1]) == values[:, 2:]).all()
    assert tensor._mutable_data(paddle.CPUPlace(), paddle.float32) == tensor._ptr()
    assert np.array(tensor).dtype == np.float32


def test_a_variable_may_hold_a_number():
    scope = static.global_scope().new_scope()
    scope.var("i").set_int(3)
    scope.var("f").set_float(2.5)
    assert scope.find_var("i").get_int() == 3 and scope.find_var("f").get_float() == 2.5
    assert scope.var("i").is_int() and not scope.var("i").is_float()
    with pytest.raises(TypeError, match="holds 2.5"):
        scope.var("f").get_int()


def test_selected_rows_know_their_rows_and_values():
    rows = paddle.base.core.SelectedRows([0, 4], 10)
    rows.get_tensor().set(np.full((2, 3), 2.0, "float32"), paddle.CPUPlace())
    assert rows.rows() == [0, 4] and rows.height() == 10 and rows.numel() == 6
    assert rows.get_tensor()._get_float_element(5) == 2.0

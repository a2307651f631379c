# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Guards, checks of shapes and types, saved states, and what model libraries ask of the framework module."""

import numpy as np
import paddle
import pytest


def test_gradient_modes_are_copied_and_mark_what_they_decorate():
    guard = paddle.no_grad()

    @guard
    def double(x):
        return x * 2

    assert getattr(double, paddle.no_grad.DECORATED_BY_MARKER_ATTR) is guard
    x = paddle.ones([1])
    x.stop_gradient = False
    assert double(x).stop_gradient
    with guard.clone():
        assert not paddle.is_grad_enabled()
        with paddle.enable_grad().clone():
            assert paddle.is_grad_enabled()
    with paddle.set_grad_enabled(False) as mode:
        assert (mode.prev, mode.mode) == (True, False)
        with mode.clone() as inner:
            assert (inner.prev, inner.mode) == (False, False)
    assert paddle.is_grad_enabled()


def test_shapes_are_checked_while_a_program_is_recorded():
    paddle.check_shape("anything", "zeros")
    with paddle.IrGuard():
        paddle.check_shape([1, 2], "zeros")
        with pytest.raises(TypeError, match="zeros"):
            paddle.check_shape("anything", "zeros")
        with pytest.raises(TypeError, match="element of shape"):
            paddle.check_shape([1, 2.5], "zeros")
        with pytest.raises(TypeError, match="dtype"):
            paddle.check_shape(paddle.static.data("s", [2], "float32"), "zeros")
    assert paddle.in_dynamic_mode()


def test_shapes_and_structures_of_utils():
    utils = paddle.utils
    assert utils.convert_shape_to_list((1, paddle.to_tensor(2))) == [1, 2]
    assert utils.convert_shape_to_list(paddle.to_tensor([3, 4])) == [3, 4]
    made = utils.get_int_tensor_list([1, paddle.to_tensor(2, "int32")])
    assert [t.item() for t in made] == [1, 2] and all(t.dtype == paddle.int64 for t in made)
    assert utils.hold_mutable_vars([1, [2]]) and not utils.hold_mutable_vars((1, 2))
    nest = [1, [2, {"k": 3}]]
    copied = utils.copy_mutable_vars(nest)
    assert copied == nest and copied is not nest and copied[1] is not nest[1] and copied[1][1] is not nest[1][1]
    with pytest.raises(ValueError, match="-2"):
        utils.check_shape([1, -2])
    with pytest.raises(TypeError, match="2.5"):
        utils.check_shape([1, 2.5])
    assert utils.try_get_constant_shape_from_tensor(paddle.to_tensor([1, 2])) is None
    with paddle.IrGuard(), paddle.static.program_guard(paddle.static.Program()):
        shape = paddle.shape(paddle.static.data("x", [-1, 2], "float32"))
        assert utils.try_get_constant_shape_from_tensor(shape) == [-1, 2]


def test_a_thread_writes_the_values_of_the_call(tmp_path):
    values = paddle.ones([3])
    paddle.async_save({"a": values}, str(tmp_path / "folder" / "a.pd"))
    values.zero_()
    paddle.async_save(values, str(tmp_path / "b.pd"), sync_other_task=True)
    np.testing.assert_array_equal(paddle.load(str(tmp_path / "folder" / "a.pd"))["a"].numpy(), [1, 1, 1])
    paddle.clear_async_save_task_queue()
    np.testing.assert_array_equal(paddle.load(str(tmp_path / "b.pd")).numpy(), [0, 0, 0])
    with pytest.raises(ValueError, match="file name"):
        paddle.async_save(values, str(tmp_path) + "/")
    (tmp_path / "c").mkdir()
    paddle.async_save(values, str(tmp_path / "c"))
    with pytest.raises(IsADirectoryError):
        paddle.clear_async_save_task_queue()


def test_a_parameter_is_filled_by_its_function():
    weight = paddle.create_parameter([2], "float32")
    weight.set_init_func(paddle.nn.initializer.Constant(3.0))
    weight.initialize()
    np.testing.assert_array_equal(weight.numpy(), [3, 3])


@pytest.mark.parametrize("kind", ["Dirac", "Orthogonal"])
def test_initializers_name_their_arguments(kind):
    weight = paddle.create_parameter([2, 2, 3], "float32")
    initializer = getattr(paddle.nn.initializer, kind)()
    initializer(var=weight)
    rows = weight.numpy().reshape(2, 6)
    np.testing.assert_allclose(rows @ rows.T, np.eye(2), atol=1e-6)
    with paddle.no_grad():
        weight.zero_()
    initializer.forward(param=weight)
    rows = weight.numpy().reshape(2, 6)
    np.testing.assert_allclose(rows @ rows.T, np.eye(2), atol=1e-6)


def test_states_have_the_dtype_of_the_cell():
    class Cell(paddle.nn.RNNCellBase):
        state_shape = (3,)
        state_dtype = "float64"

    class Plain(paddle.nn.RNNCellBase):
        state_shape = (3,)

    inputs = paddle.ones([2, 4])
    assert Cell().get_initial_states(inputs).dtype == paddle.float64
    assert Plain().get_initial_states(inputs).dtype == paddle.float32
    with pytest.raises(NotImplementedError, match="state_dtype"):
        _ = Plain().state_dtype


def test_settings_of_optimizers_and_schedules():
    weight = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    lbfgs = paddle.optimizer.LBFGS(learning_rate=0.5, parameters=[weight])

    def closure():
        weight.clear_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss

    lbfgs.step(closure)
    assert lbfgs.learning_rate == 0.5 and lbfgs.state["n_iter"] >= 1
    assert paddle.optimizer.Lamb(parameters=[weight], always_adapt=True).always_adapt
    assert paddle.optimizer.lr.OneCycleLR(4, 8).anneal_func(1.0, 3.0, 0.25) == pytest.approx(1.2928932188134525)
    assert paddle.optimizer.lr.OneCycleLR(4, 8, anneal_strategy="linear").anneal_func(1.0, 3.0, 0.25) == 1.5


def test_methods_of_a_loaded_layer_are_those_of_its_type(tmp_path):
    path = str(tmp_path / "m")
    spec = [paddle.static.InputSpec([None, 2], "float32")]
    paddle.jit.save(paddle.nn.Linear(2, 2), path, input_spec=spec)
    loaded = paddle.jit.load(path)
    paddle.jit.TranslatedLayer.train(loaded)
    assert loaded.training
    paddle.jit.TranslatedLayer.eval(loaded)
    assert not loaded.training
    program = paddle.jit.TranslatedLayer.program(loaded)
    names = [op.name() for op in program.global_block().ops]
    assert {"pd_op.matmul", "pd_op.add"} & set(names) and all(name in str(program) for name in names)
    assert {p.name for p in program.all_parameters()} == {p.name for p in loaded.parameters()}


def test_none_is_padded_in_structures():
    pad = paddle.utils.padding_to_same_structure
    assert pad([None, 1], [[1, 2], 3], 7) == ([7, 1], [[1, 2], 3])
    assert pad(None, {"a": [None]}, 7) == (7, {"a": [7]})
    assert pad((1,), None) == ((1,), None)


def test_shapes_for_operators_of_earlier_versions():
    def given(shape):
        inputs, attributes = {}, {}
        assert paddle.utils.get_shape_tensor_inputs(inputs, attributes, shape, "op") is None
        return inputs, attributes

    assert given((2, 3)) == ({}, {"shape": [2, 3]})
    inputs, attributes = given([2, paddle.to_tensor(3)])
    assert attributes == {"shape": [2, -1]} and [t.item() for t in inputs["ShapeTensorList"]] == [2, 3]
    assert {t.dtype for t in inputs["ShapeTensorList"]} == {paddle.int32}
    inputs, attributes = given(paddle.to_tensor([2, 3]))
    assert attributes == {} and inputs["ShapeTensor"].tolist() == [2, 3] and inputs["ShapeTensor"].dtype == paddle.int32
    with pytest.raises(TypeError, match="shape"):
        given("ab")


def test_what_a_branch_reads_and_gives():
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [2])
            paddle.static.nn.cond(paddle.sum(x) > 0, lambda: paddle.tanh(x) + x, lambda: x * 2)
        branch = next(op for op in program.global_block().ops if op.type == "if").blocks()[0]
        read, given = paddle.utils.get_inputs_outputs_in_block(branch)
        assert "x" in read and not read & given and branch.ops[0].output_arg_names[0] in given
        with pytest.raises(AssertionError, match="block"):
            paddle.utils.get_inputs_outputs_in_block(program.global_block())
    finally:
        paddle.disable_static()


def test_other_name_of_the_package_inside_of_a_guard():
    import importlib

    with paddle.use_compat_guard(silent=True):
        assert importlib.import_module("torch").full([2], 3.0).sum().item() == 6.0
        with paddle.use_compat_guard(enable=False), pytest.raises(ImportError):
            importlib.import_module("torch.nn.functional.zz")
        assert importlib.import_module("torch").ones is paddle.ones


def test_attributes_of_all_operators_and_new_descriptions():
    holder = paddle.framework.OpProtoHolder.instance()
    assert "op_role" in holder.generated_op_attr_names()
    assert holder.update_op_proto([]) == []
    holder._protos.pop("relu", None)
    assert holder.update_op_proto(["relu"]) == ["relu"] and holder.update_op_proto(["relu"]) == []
    with pytest.raises(ValueError, match="registered"):
        holder.update_op_proto(["no_such_operator"])


def test_helpers_of_saving(tmp_path):
    import io

    utils = paddle.framework.io_utils
    weight, state = paddle.create_parameter([2], "float32"), paddle.ones([2])
    state.persistable = True
    assert utils.is_parameter(weight) and utils.is_persistable(state) and not utils.is_parameter(state)
    assert utils.is_belong_to_optimizer(state) and not utils.is_belong_to_optimizer(weight)
    buffer = io.BytesIO()
    with utils._open_file_buffer(buffer, "wb") as file:
        file.write(b"1")
    with utils._open_file_buffer(str(tmp_path / "f"), "wb") as file:
        file.write(buffer.getvalue())
    assert (tmp_path / "f").read_bytes() == b"1"
    with pytest.raises(TypeError, match="path"), utils._open_file_buffer(3, "rb"):
        pass
    table = {"a": {"OriginShape": (2,), "slices": ["a@@.0", "a@@.1"]}}
    parts = {"a@@.0": np.ones(1), "a@@.1": np.zeros(1), "UnpackBigParamInfor@@": table}
    assert utils._pack_loaded_dict(parts)["a"].tolist() == [1.0, 0.0]
    assert utils._unpack_saved_dict({"a": np.ones(2)}, 2)["a"].tolist() == [1.0, 1.0]


def test_division_under_its_older_name():
    x = paddle.to_tensor([1.0, 2.0])
    assert x.__div__(2).tolist() == [0.5, 1.0] and x.__rdiv__(2).tolist() == [2.0, 1.0]


def test_a_place_becomes_another():
    place = paddle.CPUPlace()
    place.set_place(paddle.base.core.Place())
    assert place.is_cpu_place() and place == paddle.CPUPlace()
    with pytest.raises(TypeError, match="place"):
        place.set_place(3)
    for absent in (paddle.XPUPlace, paddle.CUDAPinnedPlace, paddle.IPUPlace, paddle.CustomPlace, paddle.CUDAPlace):
        assert absent.set_place is paddle.base.core.Place.set_place


def test_tensors_in_a_mapped_file(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(np.arange(10, dtype="float32").tobytes())
    held = paddle.MmapStorage(str(path), 40)
    assert held.get_slice("float32", 0, 40, 4).tolist() == list(range(10))
    part = held.get_slice(paddle.float32, 8, 24, 4)
    assert part.tolist() == [2.0, 3.0, 4.0, 5.0] and part.dtype == paddle.float32
    assert held.get_slice().tolist() == [0] and list(held.get_slice("uint8", 5, 3).shape) == [0]
    part[0] = 9.0
    assert path.read_bytes()[8:12] == np.float32(2).tobytes()
    for arguments in (("float32", 0, 41, 4), ("float32", 0, 40, 1), ("uint8", -4, 0, 1), ("uint8", 0, 4, 0)):
        with pytest.raises(ValueError, match="get_slice"):
            held.get_slice(*arguments)
    with pytest.raises(RuntimeError, match="400"):
        paddle.MmapStorage(str(path), 400)
    with pytest.raises(RuntimeError, match="open"):
        paddle.MmapStorage(str(tmp_path / "none"), 4)


def test_guards_of_the_bytecode_interpreter_as_decorators():
    from paddle.jit.sot.utils import min_graph_size_guard, strict_mode_guard
    from paddle.jit.sot.utils.envs import ENV_MIN_GRAPH_SIZE, ENV_STRICT_MODE

    before = ENV_STRICT_MODE.get(), ENV_MIN_GRAPH_SIZE.get()

    @strict_mode_guard(True)
    @min_graph_size_guard(3)
    def settings():
        return ENV_STRICT_MODE.get(), ENV_MIN_GRAPH_SIZE.get()

    assert settings() == settings() == (True, 3)
    assert (ENV_STRICT_MODE.get(), ENV_MIN_GRAPH_SIZE.get()) == before
    with strict_mode_guard(True):
        assert ENV_STRICT_MODE.get()

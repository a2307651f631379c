# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names under the older paths that programs import them from: `paddle.base`, `paddle.pir_utils`, `paddle.jit.dy2static`."""

import importlib

import numpy as np
import paddle
import pytest

PATHS = """
paddle.base.backward.calc_gradient paddle.base.compiler.CompiledProgram paddle.base.core.EnforceNotMet
paddle.base.core.Scope paddle.base.data_feeder.DataFeeder paddle.base.dygraph.base.switch_to_static_graph
paddle.base.executor.as_numpy paddle.base.framework.Operator paddle.base.io.DataLoader
paddle.base.layer_helper_base.LayerHelperBase paddle.base.log_helper.get_logger paddle.base.param_attr.ParamAttr
paddle.base.unique_name.guard paddle.base.wrapped_decorator.wrap_decorator paddle.autograd.ir_backward.grad
paddle.jit.api.sot_mode_guard paddle.jit.dy2static.program_translator.StaticFunction
paddle.jit.dy2static.utils.func_to_source_code paddle.jit.sot.psdb.breakgraph
paddle.jit.sot.opcode_translator.executor.executor_cache.OpcodeExecutorCache
paddle.jit.sot.utils.envs.min_graph_size_guard paddle.jit.translated_layer.TranslatedLayer paddle.pir.core.Program
paddle.profiler.profiler.Profiler paddle.static.input.InputSpec paddle.static.pir_io.save paddle.tensor.create_tensor
paddle.utils.layers_utils.flatten
""".split()


@pytest.mark.parametrize("path", PATHS)
def test_a_name_is_found_under_its_older_path(path):
    module, _, name = path.rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


def test_base_has_the_names_of_static_programs():
    base = paddle.base
    main, startup = base.Program(), base.Program()
    with paddle.pir_utils.IrGuard(), base.program_guard(main, startup):
        x = paddle.static.data("x", [2])
        x.stop_gradient = False
        (g,) = base.gradients(x * x, x)
    (found,) = base.Executor(base.CPUPlace()).run(main, feed={"x": np.float32([1, 3])}, fetch_list=[g])
    assert found.tolist() == [2, 6]
    assert paddle.in_dynamic_mode()


def test_a_function_switches_to_static_mode():
    @paddle.base.dygraph.base.switch_to_static_graph
    def mode():
        return paddle.in_dynamic_mode()

    assert not mode() and paddle.in_dynamic_mode() and paddle.base.dygraph.enabled()


def test_switching_the_main_program_returns_the_one_before():
    from paddle.base.framework import switch_main_program

    mine = paddle.static.Program()
    before = switch_main_program(mine)
    try:
        assert paddle.static.default_main_program() is mine
    finally:
        assert switch_main_program(before) is mine


def test_a_data_feeder_makes_batches_of_rows():
    main = paddle.static.Program()
    with paddle.pir_utils.IrGuard(), paddle.static.program_guard(main):
        x = paddle.static.data("x", [None, 2, 2])
        paddle.static.data("y", [None, 1], "int64")
        feeder = paddle.base.DataFeeder([x, "y"], paddle.CPUPlace())
        fed = feeder.feed([([1, 2, 3, 4], 5), ([6, 7, 8, 9], 10)])
    assert np.array(fed["x"]).tolist() == [[[1, 2], [3, 4]], [[6, 7], [8, 9]]]
    assert np.array(fed["y"]).tolist() == [[5], [10]]
    with pytest.raises(AssertionError, match="3 values"):
        feeder.feed([(1, 2, 3)])
    whole = feeder.feed([(np.ones((3, 2, 2)), np.ones((3, 1)))])
    assert whole["x"].shape() == [3, 2, 2] and whole["y"].shape() == [3, 1]


def test_names_of_gradients_have_a_suffix():
    from paddle.base.backward import _append_grad_suffix_, _strip_grad_suffix_

    assert _append_grad_suffix_("x") == "x@GRAD" == paddle.base.framework.grad_var_name("x")
    for name, of in (
        ("x@GRAD", "x"),
        ("x@GRAD@GRAD", "x"),
        ("x@GRAD@RENAME@1", "x"),
        ("x@GRAD_slice_0@GRAD", "x@GRAD_slice_0"),
        ("grad/grad/x@GRAD@RENAME@block0@1@GRAD", "x"),
    ):
        assert _strip_grad_suffix_(name) == of, name


def test_capture_without_segments_is_the_default_inside_a_guard():
    from paddle.jit.api import sot_mode_guard

    counted = []

    def f(x):
        counted.append(1)
        return x + 1

    with sot_mode_guard(False):
        whole = paddle.jit.to_static(f)
    segments = paddle.jit.to_static(f)
    for function, calls in ((whole, 1), (segments, 3)):
        counted.clear()
        for _ in range(3):
            assert float(function(paddle.to_tensor(1.0))) == 2
        assert len(counted) == calls


def test_environment_variables_have_types():
    from paddle.utils.environments import (
        BooleanEnvironmentVariable,
        EnvironmentVariableGuard,
        IntegerEnvironmentVariable,
        StringListEnvironmentVariable,
    )

    number = IntegerEnvironmentVariable("PADDLE_TEST_NUMBER", 3)
    with EnvironmentVariableGuard(number, 5):
        assert number.get() == 5
    assert number.get() == 3
    for value in ("5", True, 1.5):
        with pytest.raises(AssertionError):
            number.set(value)
    flag, words = (
        BooleanEnvironmentVariable("PADDLE_TEST_FLAG", False),
        StringListEnvironmentVariable("PADDLE_TEST_WORDS", []),
    )
    with EnvironmentVariableGuard(flag, True), EnvironmentVariableGuard(words, ["a", "b"]):
        assert flag.get() is True and words.get() == ["a", "b"]
    with pytest.raises(ValueError):
        bool(flag)


def test_values_of_programs_are_keys_by_identity():
    from paddle.autograd.backward_utils import ValueDict, ValueSet

    x, y = paddle.ones([2]), paddle.ones([2])
    names, both = ValueDict([(x, "x")]), ValueSet([x]) | ValueSet([y])
    assert names[x] == "x" and y not in names and len(both) == 2 and len(both & ValueSet([y])) == 1
    with pytest.raises(KeyError):
        names[y]
    with pytest.raises(KeyError):
        names.pop(y)


def test_constants_fill_tensors():
    made = paddle.tensor.fill_constant([2, 3], "int32", 7)
    assert made.shape == [2, 3] and made.dtype == paddle.int32 and int(made.sum()) == 42
    out = paddle.zeros([2])
    paddle.tensor.fill_constant([2], "float32", paddle.to_tensor(1.5), out=out)
    assert out.tolist() == [1.5, 1.5]
    assert paddle.tensor.create_tensor("float64").dtype == paddle.float64


def test_tensors_keep_lengths_of_sequences():
    made = paddle.base.create_lod_tensor(np.ones((5, 2), "float32"), [[2, 3]], paddle.CPUPlace())
    assert made.lod() == [[0, 2, 5]] and made.recursive_sequence_lengths() == [[2, 3]] and made.shape() == [5, 2]
    rows = paddle.base.create_lod_tensor([[1, 2], [3]], [[2, 1]], paddle.CPUPlace())
    assert np.array(rows).tolist() == [[1], [2], [3]]
    made.set_lod([[0, 1, 5]])
    assert made.recursive_sequence_lengths() == [[1, 4]] and made.has_valid_recursive_sequence_lengths()
    with pytest.raises(AssertionError):
        paddle.base.create_lod_tensor(np.ones((5, 2), "float32"), [[2, 2]], paddle.CPUPlace())


def test_rows_without_sequences_have_no_lengths():
    made = paddle.base.create_lod_tensor(np.ones((2, 2), "float32"), [], paddle.CPUPlace())
    assert np.array(made).tolist() == [[1, 1], [1, 1]] and made.recursive_sequence_lengths() == []

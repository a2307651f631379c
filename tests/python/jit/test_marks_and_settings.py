# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Marks on functions and tensors (`paddle.jit.marker`), and settings of capture under their PaddlePaddle paths."""

import functools

import numpy as np
import paddle
import pytest
from paddle.jit import dy2static, marker, to_static
from paddle.jit.dy2static import logging_utils
from paddle.jit.dy2static import utils as dy2static_utils
from paddle.jit.sot.utils import paddle_api_config


@pytest.fixture
def levels():
    yield
    paddle.jit.set_verbosity(0)
    paddle.jit.set_code_level(0)


def _scaled(x):
    if x.sum() > 0:
        x = x * x.shape[0]
    return x


@pytest.mark.parametrize("axes", [0, [0], (-2,)])
def test_marked_axes_take_any_extent_from_the_first_call_on(axes):
    captured = to_static(_scaled, full_graph=True)
    for rows in (3, 5, 1, 4):
        x = paddle.ones([rows, 2])
        marker.dynamic_dims(x, axes)
        np.testing.assert_array_equal(captured(x).numpy(), np.full([rows, 2], rows, "float32"))
    assert captured.get_traced_count() == 1


@pytest.mark.parametrize(
    ("tensor", "axes", "error"),
    [([1.0], 0, TypeError), (paddle.ones([2]), "0", TypeError), (paddle.ones([2]), 1.0, TypeError)]
    + [(paddle.ones([2]), axis, ValueError) for axis in (1, -2)],
)
def test_wrong_axes_are_refused(tensor, axes, error):
    with pytest.raises(error, match="dynamic_dims"):
        marker.dynamic_dims(tensor, axes)


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("mark", [marker.force_dynamic, marker.capture_control_flow, marker.capture_control_flow()])
def test_marked_functions_give_their_values(mark, full_graph):
    assert mark(_scaled) is _scaled
    captured = to_static(lambda x: _scaled(x) + 1, full_graph=full_graph)
    for x in ([1.0, 2.0], [-1.0, -2.0]):
        x = paddle.to_tensor(x)
        np.testing.assert_array_equal(captured(x).numpy(), (_scaled(x) + 1).numpy())


def test_forced_functions_and_layers_are_listed():
    assert marker.force_dynamic(paddle.nn.Linear) is paddle.nn.Linear
    marker.force_dynamic(_scaled)
    assert paddle.nn.Linear in paddle_api_config.break_graph_layer_classes
    assert _scaled in paddle_api_config.break_graph_functions
    paddle_api_config.break_graph_layer_classes.clear()
    paddle_api_config.break_graph_functions.clear()
    with pytest.raises(TypeError, match="force_dynamic"):
        marker.force_dynamic(3)


def test_set_dynamic_shape_of_a_tensor_that_grows():
    def grown(count):
        rows = paddle.ones([2, 2])
        paddle.jit.api.set_dynamic_shape(rows, [-1, 2])
        for _ in range(count):
            rows = paddle.concat([rows, rows[:1]], axis=0)
            if rows.shape[0] == 5:
                break
        return rows

    captured = to_static(grown, full_graph=True)
    assert [list(captured(paddle.to_tensor(n)).shape) for n in (10, 1, 0)] == [[5, 2], [3, 2], [2, 2]]
    with pytest.raises(TypeError, match="set_dynamic_shape"):
        paddle.jit.api.set_dynamic_shape(3, [-1])
    for shape in ([-1], [-1, 3]):
        with pytest.raises(ValueError, match="set_dynamic_shape"):
            paddle.jit.api.set_dynamic_shape(paddle.ones([2, 2]), shape)


def test_levels_by_call_and_environment(levels, monkeypatch):
    paddle.jit.set_verbosity(2)
    paddle.jit.set_code_level(3)
    assert (logging_utils.get_verbosity(), logging_utils.get_code_level()) == (2, 3)
    paddle.jit.set_verbosity(None)
    paddle.jit.set_code_level(None)
    monkeypatch.setenv(logging_utils.VERBOSITY_ENV_NAME, "5")
    monkeypatch.setenv(logging_utils.CODE_LEVEL_ENV_NAME, "6")
    assert (logging_utils.get_verbosity(), logging_utils.get_code_level()) == (5, 6)


@pytest.mark.parametrize("setting", [paddle.jit.set_verbosity, paddle.jit.set_code_level])
def test_wrong_levels_are_refused(setting, levels):
    for level in ("3", 3.3):
        with pytest.raises(TypeError, match="level"):
            setting(level)
    with pytest.raises(AssertionError, match="also_to_stdout"):
        setting(also_to_stdout=1)


def test_lines_of_the_log(levels, capsys):
    paddle.jit.set_verbosity(1, also_to_stdout=True)
    logging_utils.log(1, "shown %d", 5)
    logging_utils.log(2, "not shown")
    logging_utils.warn("careful")
    logging_utils.error("wrong")
    said = capsys.readouterr()
    assert said.out == said.err == "(Level 1) shown 5\nWARNING: careful\nERROR: wrong\n"


def test_backends_of_to_static():
    backends = dy2static_utils.Backend
    for backend in (*backends, "CINN", None):
        with dy2static_utils.backend_guard(backends.PHI):
            assert float(to_static(lambda x: x * 2, backend=backend)(paddle.ones([]))) == 2
    with pytest.raises(ValueError, match="backend"):
        to_static(_scaled, backend="XLA")
    with pytest.raises(TypeError, match="backend_guard"), dy2static_utils.backend_guard("PHI"):
        pass
    assert [state.name for state in dy2static_utils.CUDAGraphState] == ["DISABLE", "WARMUP", "CAPTURE", "REPLAY"]


def test_whose_functions_they_are():
    linear = paddle.nn.Linear(2, 2)
    for own in (paddle.add, paddle.nn.Linear, linear.forward, functools.partial(paddle.add, 1)):
        assert dy2static_utils.is_paddle_func(own)
    for foreign in (_scaled, len, paddle, np.add, paddle.nn.Sequential.forward):
        assert not dy2static_utils.is_paddle_func(foreign)
    assert dy2static_utils.is_paddle_func(paddle.nn.Sequential.forward, ignore_white_list=False)
    assert dy2static_utils.parse_varargs_name(lambda x, *rest, k=1: x) == "rest"
    assert dy2static_utils.parse_varargs_name(_scaled) is None
    assert dy2static.convert_call_func.convert_call(paddle.nn.functional.relu) is paddle.nn.functional.relu


def test_code_can_ask_whether_it_is_captured():
    seen = []

    def asking(x):
        seen.append(paddle.base.dygraph.base.in_to_static_mode())
        return x + 1

    asking(paddle.ones([]))
    to_static(asking, full_graph=True)(paddle.ones([]))
    assert seen == [False, True]


@pytest.mark.parametrize(
    ("guard", "variable", "value"),
    [
        ("enable_0_size_fallback_guard", "ENV_SOT_ENABLE_0_SIZE_FALLBACK", False),
        ("sot_step_profiler_guard", "ENV_ENABLE_SOT_STEP_PROFILER", True),
        ("specialized_dim_numbers_guard", "ENV_SOT_SPECIALIZED_DIM_NUMBERS", "2"),
        ("with_allow_dynamic_shape_guard", "ENV_SOT_ALLOW_DYNAMIC_SHAPE", False),
    ],
)
def test_settings_of_segments_hold_inside_their_guards(guard, variable, value):
    utils = paddle.jit.sot.utils
    variable = getattr(utils, variable)
    before = variable.get()
    with getattr(utils, guard)(value):
        assert variable.get() == value
        x = paddle.ones([2])
        np.testing.assert_array_equal(paddle.jit.sot.symbolic_translate(_scaled)(x).numpy(), _scaled(x).numpy())
    assert variable.get() == before != value


def test_skipped_functions_run_plainly():
    def reads(x):
        return x + x.numpy().sum()

    assert paddle.jit.sot.skip_function(reads) is reads
    x = paddle.ones([2])
    np.testing.assert_array_equal(paddle.jit.sot.symbolic_translate(reads)(x).numpy(), [3.0, 3.0])

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.jit.dy2static.function_spec`: the arguments of a function and their InputSpecs."""

import numpy as np
import paddle
import pytest
from paddle.jit.dy2static.function_spec import FunctionSpec, get_parameters
from paddle.static import InputSpec


def add(a, b, c=1, d=2):
    return a + b


def test_names_and_specs_are_those_of_the_function():
    spec = FunctionSpec(add, [InputSpec([None, 10], name="a"), [InputSpec([10]), 3]])
    assert spec.args_name == ["a", "b", "c", "d"] and spec.dygraph_function is add
    assert [s.shape for s in spec.flat_input_spec] == [(-1, 10), (10,)]
    assert FunctionSpec(add).input_spec is None and FunctionSpec(add).flat_input_spec is None
    assert FunctionSpec(paddle.nn.Linear(2, 2).forward).args_name == ["input"]
    assert "return a + b" in spec.code
    with pytest.raises(TypeError, match="list or tuple"):
        FunctionSpec(add, InputSpec([10]))


def test_arguments_have_positions_and_defaults():
    spec = FunctionSpec(add)
    assert spec.unified_args_and_kwargs([10, 20], {"c": 4}) == ((10, 20, 4, 2), {})
    assert spec.unified_args_and_kwargs([], {"a": 10, "b": 20, "d": 4}) == ((10, 20, 1, 4), {})
    for args, kwargs in (([1, 2, 3, 4, 5], {}), ([10], {"c": 4})):
        with pytest.raises(ValueError):
            spec.unified_args_and_kwargs(args, kwargs)


def test_tensors_become_specs():
    given = (paddle.zeros([4, 10]), np.zeros([3], "float32"), 7)
    args, kwargs = FunctionSpec(add, [InputSpec([None, 10])]).args_to_input_spec(given, {})
    assert args[0].shape == (-1, 10) and args[1].shape == (3,) and args[2] == 7 and kwargs == {}
    args, kwargs = FunctionSpec(add).args_to_input_spec(given[:1], {"b": [given[0]]})
    assert args[0].shape == (4, 10) and kwargs["b"][0].shape == (4, 10)
    with pytest.raises(ValueError, match="by name"):
        FunctionSpec(add, [InputSpec([4, 10])]).args_to_input_spec(given, {"d": 4})
    with pytest.raises(ValueError, match="1 arguments"):
        FunctionSpec(add, [InputSpec([4, 10])] * 2).args_to_input_spec(given[:1], {})


def test_parameters_of_a_layer_are_found_by_name():
    layer = paddle.nn.Sequential(paddle.nn.Linear(2, 3))
    assert list(get_parameters(layer).values()) == layer.parameters() and get_parameters(None) == {}
    assert get_parameters(layer, include_sublayer=False) == {}

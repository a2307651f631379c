# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What tools that inspect functions find in those of operators."""

import copy
import importlib
import inspect
import pickle
from unittest import mock

import paddle
import pytest


@pytest.mark.parametrize("function", [paddle.abs, paddle.sum, paddle.nn.functional.relu, paddle.Tensor.matmul])
def test_an_operator_function_is_a_function(function):
    assert inspect.isfunction(function)
    assert not inspect.iscoroutinefunction(function) and not inspect.isgeneratorfunction(function)
    assert repr(pickle.loads(pickle.dumps(function))) == repr(copy.deepcopy(function)) == repr(function)
    assert callable(mock.create_autospec(function))
    with pytest.raises(OSError):
        inspect.getsource(function)


def test_its_parts_tell_its_signature():
    spec = inspect.getfullargspec(paddle.sum)
    assert spec.args == ["x", "axis", "dtype", "keepdim", "name"] and spec.defaults == (None, None, False, None)
    code = paddle.sum.__code__
    assert code.co_varnames[: code.co_argcount] == tuple(spec.args) and code.co_name == "sum"
    assert paddle.sum.__defaults__ == spec.defaults and paddle.sum.__kwdefaults__ == {"out": None}
    assert paddle.sum.__globals__["__name__"] == "paddle" and paddle.sum.__closure__ is None


def test_every_operator_function_has_them():
    for module in (paddle, paddle.nn.functional, paddle.linalg, paddle.Tensor):
        for name in dir(module):
            function = getattr(module, name)
            if type(function).__name__ in ("OpFunction", "OpMethod"):
                assert str(inspect.signature(function)).count(",") + 1 >= function.__code__.co_argcount


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("nn.functional", "relu celu swish gumbel_softmax conv2d"),
        ("incubate", "LookAhead segment_sum graph_send_recv softmax_mask_fuse inference"),
        ("amp", "auto_cast is_autocast_enabled get_autocast_dtype"),
        ("autograd", "PyLayer Function"),
    ],
)
def test_a_star_import_takes_the_public_names(module, names):
    found = importlib.import_module(f"paddle.{module}")
    assert set(names.split()) <= set(found.__all__)
    assert all(hasattr(found, name) for name in found.__all__)

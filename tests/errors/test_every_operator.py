# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Wrong calls of every operator: a missing, unknown or mistyped argument raises TypeError that names the
operator and the argument; tensors of other ranks and dtypes compute or raise, and never crash.
"""

import os
import re

import paddle
import pytest

from tests.test_op_cases import CASES, bind, seeded

ROWS = {}
for _case in CASES:
    ROWS.setdefault(_case.op, _case)
NAMES = sorted(ROWS)
REFUSED = (TypeError, ValueError, IndexError, NotImplementedError, OverflowError, RuntimeError)


def arguments_of(name):
    return paddle._core.describe_op(name)["arguments"]


def given(name):
    case = ROWS[name]
    return bind(case.args(seeded()), case.dtypes[0])[0]


def raised(name, tensors, expected=TypeError):
    with pytest.raises(expected) as error:
        getattr(paddle._core.ops, name)(**tensors)
    return str(error.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_argument_is_named(name):
    required = [n for n, type_, optional in arguments_of(name) if type_.startswith("Tensor") and not optional]
    if not required:
        pytest.skip("no tensor argument is required")
    tensors = {k: v for k, v in given(name).items() if k != required[0]}
    text = raised(name, tensors)
    assert re.match(rf"{name}: missing the argument {required[0]}\b", text), text


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_argument_is_named(name):
    text = raised(name, {**given(name), "no_such_argument": 1})
    assert re.match(rf"{name}: got an unexpected argument no_such_argument\b", text), text
    assert "the signature is" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_value_of_a_foreign_type_is_named(name):
    for argument, type_, _ in arguments_of(name):
        if type_ == "bool":  # any object has a truth value
            continue
        text = raised(name, {**given(name), argument: object()})
        assert text.startswith(f"{name}: ") and re.search(rf"\b{argument}\b", text) and "object" in text, text


@pytest.mark.parametrize("name", NAMES)
def test_none_for_a_required_tensor_is_named(name):
    for argument, type_, optional in arguments_of(name):
        if type_.startswith("Tensor") and not optional:
            text = raised(name, {**given(name), argument: None})
            assert text.startswith(f"{name}: ") and re.search(rf"\b{argument}\b", text), text


def other_tensors(tensor):
    """Tensors of other ranks, extents and dtypes."""
    for shape in ([], [1], [0], [7], [2, 3], [0, 3], [5, 1, 4], [1, 2, 3, 4], [2, 1, 2, 1, 2], [1] * 7):
        yield paddle.ones(shape, dtype="float32").astype(tensor.dtype)
    for dtype in ("bool", "uint8", "int8", "int64", "float16", "bfloat16", "float64", "complex64", "float8_e4m3fn"):
        yield tensor.astype(dtype)


def variants(name):
    """Calls with one tensor argument replaced."""
    tensors = given(name)
    for argument, value in tensors.items():
        if isinstance(value, paddle.Tensor):
            for other in other_tensors(value):
                yield {**given(name), argument: other}
        elif isinstance(value, list) and value and isinstance(value[0], paddle.Tensor):
            for other in other_tensors(value[0]):
                yield {**given(name), argument: [other, *value[1:]]}
            yield {**given(name), argument: []}
        elif isinstance(value, int) and not isinstance(value, bool):
            for other in (-(2**63), -1000, -1, 0, 1, 1000, 2**62):
                yield {**given(name), argument: other}
        elif isinstance(value, list) and value and isinstance(value[0], int):
            for other in ([], [-1000] * len(value), [2**62] * len(value), [0] * len(value), [1] * 9, [-(2**63)]):
                yield {**given(name), argument: other}
        elif isinstance(value, str):
            yield {**given(name), argument: "no such value"}


def describe(call):
    return {k: (v.shape, v.dtype) if isinstance(v, paddle.Tensor) else v for k, v in call.items()}


def tensors_of(call):
    for value in call.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, paddle.Tensor):
                yield part


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("recorded", [False, True])
def test_other_tensors_and_numbers_compute_or_are_refused(name, recorded):
    own = os.path.dirname(paddle.__file__)
    for call in variants(name):
        for tensor in tensors_of(call) if recorded else ():
            tensor.stop_gradient = not (tensor.is_floating_point() or tensor.is_complex())
        try:
            outs = getattr(paddle._core.ops, name)(**call)
        except (*REFUSED, MemoryError) as error:
            text = str(error)
            assert re.match(r"\w+: ", text), f"{describe(call)}: {text}"
            assert "internal error" not in text and own not in text, f"{describe(call)}: {text}"
            continue
        for out in outs if isinstance(outs, list | tuple) else [outs]:
            if out is not None:
                out.numpy() if out.dtype not in (paddle.bfloat16,) else out.astype("float32").numpy()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the types and dtypes of arguments, for operator code written in Python."""

from .. import _core
from .dtypes import convert, dtype_name
from .modes import recording_program


def convert_dtype(dtype):
    """Name of a dtype, as in 'float32'."""
    return dtype_name(dtype)


def convert_np_dtype_to_dtype_(np_dtype):
    """The paddle dtype of a NumPy dtype or of a name."""
    return convert(np_dtype)


def check_type(input, input_name, expected_type, op_name, extra_message=""):
    """TypeError unless `input` is of one of the types."""
    if not isinstance(input, expected_type):
        wanted = expected_type if isinstance(expected_type, tuple) else (expected_type,)
        names = " or ".join(t.__name__ for t in wanted)
        raise TypeError(
            f"{op_name}: argument {input_name} has type {type(input).__name__}; it must be {names}. {extra_message}".rstrip()
        )


def check_dtype(input_dtype, input_name, expected_dtype, op_name, extra_message=""):
    """TypeError unless a dtype is one of the expected ones."""
    name = dtype_name(input_dtype)
    wanted = [expected_dtype] if isinstance(expected_dtype, str) else list(expected_dtype)
    if name not in wanted:
        raise TypeError(
            f"{op_name}: argument {input_name} has dtype {name}; it must be {' or '.join(wanted)}. {extra_message}".rstrip()
        )


def check_variable_and_dtype(input, input_name, expected_dtype, op_name, extra_message=""):
    """TypeError unless `input` is a Tensor of one of the dtypes."""
    check_type(input, input_name, _core.Tensor, op_name, extra_message)
    check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def check_shape(
    shape,
    op_name,
    expected_shape_type=(list, tuple, _core.Tensor),
    expected_element_type=(int, _core.Tensor),
    expected_tensor_dtype=("int32", "int64"),
):
    """TypeError unless a shape, or each entry of it, is of one of the types; checked while a program is recorded.

    Args:
        shape: The shape.
        op_name: The operator that the message names.
        expected_shape_type: Types of the shape.
        expected_element_type: Types of the entries of a list or tuple; None allows all.
        expected_tensor_dtype: dtypes of a shape, or an entry, that is a Tensor; None allows all.
    """
    if recording_program() is None:
        return
    check_type(shape, "shape", expected_shape_type, op_name)
    if isinstance(shape, _core.Tensor):
        entries = [shape]
    elif expected_element_type is None:
        return
    else:
        entries = shape
        for entry in entries:
            check_type(entry, "element of shape", expected_element_type, op_name)
    for entry in entries:
        if expected_tensor_dtype is not None and isinstance(entry, _core.Tensor):
            check_dtype(entry.dtype, "shape", expected_tensor_dtype, op_name, "Cast it.")

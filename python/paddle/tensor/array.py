# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of tensors: Python lists that are indexed by tensors."""

import contextlib

from .. import _core
from ..framework.dtypes import convert
from ..framework.modes import recording_program
from . import concat, stack
from .creation import assign, full, to_tensor


class TensorArray(list):
    """An array of a static program: a list of its values that has the marks of a value."""

    stop_gradient, persistable = True, False


def _position(fn, i):
    """The position as a number; as the variable that it is where only the running program knows it."""
    if isinstance(i, _core.Tensor):
        if list(i.shape) not in ([1], []):
            raise ValueError(f"{fn}: i has shape {list(i.shape)}; it must have one element.")
        if _core.pir.is_symbolic(i):
            with contextlib.suppress(TypeError, RuntimeError):
                return int(i)
            return i
        return int(i)
    if isinstance(i, int) and recording_program() is not None:
        return i
    raise AssertionError(f"{fn}: i has type {type(i).__name__}; it must be a Tensor of one integer.")


def _is_dynamic_list(array):
    return type(array).__name__ == "DynamicList"


def _in_captured_loop():
    from ..jit.control_flow.context import active

    return getattr(active, "loop_depth", 0) > 0


def _require_list(fn, array):
    if isinstance(array, list) or _is_dynamic_list(array):
        return
    kind = TypeError if recording_program() is not None else AssertionError
    raise kind(f"{fn}: array has type {type(array).__name__}; it must be a list.")


def _as_dynamic_list(values):
    from ..jit.control_flow.values.dynamic_list import DynamicList

    return DynamicList.of(values, values[0])


def create_array(dtype, initialized_list=None):
    """A list for tensors of one dtype.

    Args:
        dtype: Data type of the tensors.
        initialized_list: List or tuple of first tensors.

    Returns:
        A list.

    Raises:
        TypeError: `initialized_list` is no list or tuple of Tensors.
    """
    made = list if recording_program() is None else TensorArray
    if initialized_list is None:
        return made()
    if not isinstance(initialized_list, (list, tuple)):
        raise TypeError(
            f"create_array: initialized_list has type {type(initialized_list).__name__}; it must be a list or tuple."
        )
    for value in initialized_list:
        if not isinstance(value, _core.Tensor):
            raise TypeError(f"create_array: initialized_list holds a {type(value).__name__}; it must hold Tensors.")
    return made(initialized_list)


def array_write(x, i, array=None):
    """Puts `x` at position `i` of an array, or at its end.

    Args:
        x: A Tensor.
        i: Position, an integer Tensor of one element; at most the length of the array.
        array: The list; None makes one.

    Returns:
        The list.

    Raises:
        AssertionError: `i` is no Tensor, lies beyond the end, or `array` is no list.
        ValueError: Only the running program knows `i`, outside of a loop.
    """
    if array is None:
        array = create_array(getattr(x, "dtype", None))
    _require_list("array_write", array)
    if not isinstance(x, _core.Tensor) and recording_program() is not None:
        raise TypeError(f"array_write: x has type {type(x).__name__}; it must be a variable.")
    at = _position("array_write", i)
    if _is_dynamic_list(array):
        array.write(at, x)
        return array
    if isinstance(at, _core.Tensor):
        if _in_captured_loop():
            array.append(x)  # the loop is recorded again, with a list of which the program decides the length
            return array
        raise ValueError(
            f"array_write: i is computed from values that only the running program knows, and the array is a list of "
            f"{len(array)} variables; pass the array through while_loop, which makes a list of dynamic length of it."
        )
    if at > len(array):
        raise AssertionError(f"array_write: i has value {at}; the array has {len(array)} tensors and grows one by one.")
    if at == len(array):
        array.append(x)
    else:
        array[at] = x
    return array


def array_read(array, i):
    """The Tensor at position `i` of an array.

    Args:
        array: The list.
        i: Position, an integer Tensor of one element.

    Raises:
        IndexError: There is no such position.
    """
    _require_list("array_read", array)
    at = _position("array_read", i)
    return _as_dynamic_list(array)[at] if isinstance(at, _core.Tensor) and not _is_dynamic_list(array) else array[at]


def array_length(array):
    """The number of tensors in an array; in a static program a variable of shape [1]."""
    _require_list("array_length", array)
    if _is_dynamic_list(array):
        return array.length().reshape([1])
    if recording_program() is not None:
        return _core.ops.full([1], len(array), _core.int64)
    return len(array)


def tensor_array_to_tensor(input, axis=1, use_stack=False, name=None):
    """The tensors of an array as one, and their extents along the axis.

    Args:
        input: List of tensors.
        axis: Axis along which they are joined.
        use_stack: Whether the axis is new.

    Returns:
        (Tensor, int32 Tensor of the extents).
    """
    if _is_dynamic_list(input):
        joined = input.stacked(axis) if use_stack else input.concatenated(axis)
        extent = 1 if use_stack else input.tensor.shape[1:][axis]
        return joined, full([1], extent, "int32").expand([input.tensor.shape[0]])
    if not isinstance(input, (list, tuple)):
        raise TypeError(f"tensor_array_to_tensor: input has type {type(input).__name__}; it must be a list of Tensors.")
    joined = stack(input, axis) if use_stack else concat(input, axis)
    extents = [int(t.shape[axis]) if -t.ndim <= axis < t.ndim else 1 for t in input]
    return joined, to_tensor(extents, dtype="int32")


def create_tensor(dtype, name=None, persistable=False):
    """A tensor without elements, for `paddle.assign` and others to fill.

    Args:
        dtype: Its dtype.
        name: Its name; None: a generated one.
        persistable: Whether it is state of a program.
    """
    made = _core.ops.full([0], 0, convert(dtype))
    if name is not None:
        made.name = name
    made.persistable = bool(persistable)
    return made


def fill_constant(shape, dtype, value, force_cpu=False, out=None, place=None, name=None):
    """A tensor filled with a number.

    Args:
        shape: Its shape: integers, tensors of one integer, or an integer tensor.
        dtype: Its dtype.
        value: The number, or a Tensor of one element.
        force_cpu: Whether it is on the CPU, whatever the current device is.
        out: A Tensor that takes the result.
        place: Device of the result; None for the current one.
        name: Unused.
    """
    if isinstance(value, str):
        value = float(value)
    made = full(shape, value, dtype, device="cpu" if force_cpu else place)
    return made if out is None else assign(made, out)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of tensors: Python lists that are indexed by tensors."""

from .. import _core
from ..framework.dtypes import convert
from ..framework.modes import recording_program


def _position(fn, i):
    if isinstance(i, _core.Tensor):
        if list(i.shape) not in ([1], []):
            raise ValueError(f"{fn}: i has shape {list(i.shape)}; it must have one element.")
        return int(i)
    raise AssertionError(f"{fn}: i has type {type(i).__name__}; it must be a Tensor of one integer.")


def _require_list(fn, array):
    if not isinstance(array, list):
        raise AssertionError(f"{fn}: array has type {type(array).__name__}; it must be a list.")


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
    if initialized_list is None:
        return []
    if not isinstance(initialized_list, (list, tuple)):
        raise TypeError(
            f"create_array: initialized_list has type {type(initialized_list).__name__}; it must be a list or tuple."
        )
    for value in initialized_list:
        if not isinstance(value, _core.Tensor):
            raise TypeError(f"create_array: initialized_list holds a {type(value).__name__}; it must hold Tensors.")
    return list(initialized_list)


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
    """
    array = [] if array is None else array
    _require_list("array_write", array)
    at = _position("array_write", i)
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
    return array[_position("array_read", i)]


def array_length(array):
    """The number of tensors in an array; in a static program a variable of shape [1]."""
    _require_list("array_length", array)
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
    import paddle

    if not isinstance(input, (list, tuple)):
        raise TypeError(f"tensor_array_to_tensor: input has type {type(input).__name__}; it must be a list of Tensors.")
    joined = paddle.stack(input, axis) if use_stack else paddle.concat(input, axis)
    extents = [int(t.shape[axis]) if -t.ndim <= axis < t.ndim else 1 for t in input]
    return joined, paddle.to_tensor(extents, dtype="int32")


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
        force_cpu: Kept: this build computes on the CPU.
        out: A Tensor that takes the result.
        place: Kept: this build computes on the CPU.
        name: Unused.
    """
    import paddle

    if isinstance(value, str):
        value = float(value)
    made = paddle.full(shape, value, dtype)
    return made if out is None else paddle.assign(made, out)

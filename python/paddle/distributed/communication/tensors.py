# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Between tensors and the arrays that a group sends: checks, copies out, copies in."""

import warnings

import numpy as np

from ..._core import Tensor
from ..._core import ops as _ops
from .group import _get_global_group
from .reduce import ReduceOp

_KINDS = {
    ReduceOp.SUM: "sum",
    ReduceOp.MAX: "max",
    ReduceOp.MIN: "min",
    ReduceOp.PROD: "prod",
    ReduceOp.AVG: "sum",
}
_NARROW = ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2")


def members(operation, group):
    """The ProcessGroup of a group; None, with a warning, where this process is no member.

    Raises:
        RuntimeError: The default group is asked for and does not exist.
    """
    group = _get_global_group() if group is None else group
    if group.rank < 0:
        warnings.warn(f"{operation}: this process is not in the group of ranks {group.ranks}.", stacklevel=3)
        return None
    return group.process_group


def member_of(operation, name, rank, group):
    """Number in the group of the process with a rank in the job."""
    group = _get_global_group() if group is None else group
    place = group.get_group_rank(rank)
    if place < 0:
        raise ValueError(f"{operation}: {name} has value {rank}; the group has ranks {group.ranks}.")
    return place


def peer(operation, name, rank, group):
    """(the ProcessGroup, the number in it) of another member; (None, number) where this process is no member.

    Raises:
        ValueError: It is this process, or not in the group.
    """
    group = _get_global_group() if group is None else group
    place = group.get_group_rank(rank)
    if place < 0 or place == group.rank:
        raise ValueError(
            f"{operation}: {name} has value {rank}; the group has ranks {group.ranks} and this process is rank "
            f"{group.get_global_rank(group.rank)}, so there is no peer of that rank."
        )
    return members(operation, group), place


def check_tensor(operation, name, value):
    """Raise TypeError unless it is a Tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{operation}: {name} has type {type(value).__name__}; it must be a Tensor.")


def check_list(operation, name, tensors, size):
    """Raise unless it holds one Tensor a member, all of one dtype."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{operation}: {name} has type {type(tensors).__name__}; it must be a list of Tensors.")
    if len(tensors) != size:
        raise ValueError(f"{operation}: {name} has {len(tensors)} entries; the group has {size} members.")
    for entry in tensors:
        check_tensor(operation, f"an entry of {name}", entry)
        if entry.dtype != tensors[0].dtype:
            raise ValueError(
                f"{operation}: {name} has entries of dtype {tensors[0].dtype.name} and {entry.dtype.name}; they must "
                "have one dtype."
            )


def check_like(operation, target, source, target_shape=None):
    """Raise unless the output has the dtype of the input and its shape, or `target_shape`."""
    check_tensor(operation, "the output", target)
    check_tensor(operation, "the input", source)
    shape = list(source.shape if target_shape is None else target_shape)
    if list(target.shape) != shape or target.dtype != source.dtype:
        raise ValueError(
            f"{operation}: the output has shape {list(target.shape)} and dtype {target.dtype.name}; with an input of "
            f"shape {list(source.shape)} it must have shape {shape} and dtype {source.dtype.name}."
        )


def array_of(tensor):
    """A copy of the elements: 16-bit integers stand for bfloat16, bytes for 8-bit floats."""
    return np.ascontiguousarray(tensor.detach().numpy())


def fill(tensor, array):
    """Write what `array_of` or a reduction gave into a tensor."""
    if tensor.dtype.name in _NARROW and array.dtype == np.float32:
        tensor.set_value(_ops.cast(Tensor(array), tensor.dtype))
    else:
        tensor.set_value(array.reshape(tensor.shape))


def new_like(tensor, array):
    """A new tensor of the dtype of another, with elements that `array_of` gave."""
    made = _ops.full(list(array.shape), 0, tensor.dtype)
    made.set_value(array)
    return made


class Reduction:
    """One of ReduceOp as arrays go through it: 16- and 8-bit floats in float32, an average as a sum.

    Raises:
        ValueError: The reduction does not support the dtype.
    """

    def __init__(self, operation, op, dtype, size):
        self.kind, self._average, self._size = _KINDS[op], op == ReduceOp.AVG, size
        self._narrow = dtype.name in _NARROW
        unordered = dtype.name.startswith("complex") and self.kind in ("max", "min")
        if unordered or (self._average and dtype.name == "bool"):
            raise ValueError(f"{operation}: the reduction does not support dtype {dtype.name}; cast the tensor first.")

    def array_of(self, tensor):
        """The elements of a tensor, ready to be combined."""
        return array_of(_ops.cast(tensor.detach(), "float32") if self._narrow else tensor)

    def fill(self, tensor, array):
        """Write the combination into a tensor."""
        if self._average:
            whole = array.dtype.kind in "iu"
            array = array // array.dtype.type(self._size) if whole else array / array.dtype.type(self._size)
        fill(tensor, array)

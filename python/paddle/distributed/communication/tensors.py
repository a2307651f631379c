# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What collectives ask of their tensors."""

import warnings

from ..._core import Tensor
from ..._core import ops as _ops
from .core_group import empty
from .group import _get_global_group
from .reduce import ReduceOp


def members(operation, group):
    """The CoreGroup of a group; None, with a warning, where this process is no member.

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
    """(the CoreGroup, the number in it) of another member; (None, number) where this process is no member.

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


def new_like(tensor):
    """A new tensor of the host with the shape and dtype of another."""
    return empty(tensor.shape, tensor.dtype)


class Reduction:
    """One of ReduceOp as the core has it: averages of integers are sums, divided behind it.

    Raises:
        ValueError: The reduction does not support the dtype.
    """

    def __init__(self, operation, op, dtype, size):
        name = dtype.name
        unordered = name.startswith("complex") and op in (ReduceOp.MAX, ReduceOp.MIN)
        if unordered or (op == ReduceOp.AVG and name == "bool"):
            raise ValueError(f"{operation}: the reduction does not support dtype {name}; cast the tensor first.")
        self._divides = op == ReduceOp.AVG and name.startswith(("int", "uint"))
        self.kind, self._size = ReduceOp.SUM if self._divides else op, size

    def finish(self, tensor):
        """What is left to do with the sum; None, or a function."""
        if not self._divides:
            return None
        return lambda: tensor.set_value(_ops.floor_divide(tensor, _ops.full([], self._size, tensor.dtype)))

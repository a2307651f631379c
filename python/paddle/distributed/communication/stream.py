# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The collectives with a choice of stream.  On the host there is one, so `use_calc_stream` changes
nothing."""

from . import collectives as _c
from .reduce import ReduceOp


def all_gather(tensor_or_tensor_list, tensor, group=None, sync_op=True, use_calc_stream=False):
    """Gather into a list, or into one tensor along the first axis."""
    if isinstance(tensor_or_tensor_list, _c.Tensor):
        _c.group_of_one("all_gather", group)
        _c._write("all_gather", tensor_or_tensor_list, tensor)
        return _c.Task()
    return _c.all_gather(tensor_or_tensor_list, tensor, group, sync_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """Reduce over the group, in place."""
    return _c.all_reduce(tensor, op, group, sync_op)


def alltoall(out_tensor_or_tensor_list, in_tensor_or_tensor_list, group=None, sync_op=True, use_calc_stream=False):
    """Exchange entries between the members."""
    return _c.alltoall(out_tensor_or_tensor_list, in_tensor_or_tensor_list, group, sync_op)


def alltoall_single(
    out_tensor,
    in_tensor,
    out_split_sizes=None,
    in_split_sizes=None,
    group=None,
    sync_op=True,
    use_calc_stream=False,
):
    """Exchange slices of one tensor between the members."""
    return _c.alltoall_single(out_tensor, in_tensor, in_split_sizes, out_split_sizes, group, sync_op)


def broadcast(tensor, src, group=None, sync_op=True, use_calc_stream=False):
    """Copy the tensor of one member to all."""
    return _c.broadcast(tensor, src, group, sync_op)


def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """Gather on one member."""
    return _c.gather(tensor, gather_list, dst, group, sync_op)


def recv(tensor, src=0, group=None, sync_op=True, use_calc_stream=False):
    """Receive from one member."""
    return _c.recv(tensor, src, group, sync_op)


def reduce(tensor, dst=0, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """Reduce on one member."""
    return _c.reduce(tensor, dst, op, group, sync_op)


def reduce_scatter(tensor, tensor_or_tensor_list, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """Reduce and hand each member its entry."""
    return _c.reduce_scatter(tensor, tensor_or_tensor_list, op, group, sync_op)


def scatter(tensor, tensor_or_tensor_list=None, src=0, group=None, sync_op=True, use_calc_stream=False):
    """Hand each member its entry of one member's list."""
    if isinstance(tensor_or_tensor_list, _c.Tensor):
        tensor_or_tensor_list = [tensor_or_tensor_list]
    return _c.scatter(tensor, tensor_or_tensor_list, src, group, sync_op)


def send(tensor, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """Send to one member."""
    return _c.send(tensor, dst, group, sync_op)

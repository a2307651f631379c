# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The collectives with a choice of stream.  On the host there is one, so `use_calc_stream` changes
nothing."""

from . import collectives as _c
from .group import _get_global_group
from .reduce import ReduceOp

__all__ = [
    "all_gather",
    "all_reduce",
    "alltoall",
    "alltoall_single",
    "broadcast",
    "gather",
    "recv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "send",
]


def all_gather(tensor_or_tensor_list, tensor, group=None, sync_op=True, use_calc_stream=False):
    """Gather the tensors of all members, by rank.

    Args:
        tensor_or_tensor_list: A list, to which they are appended; or a Tensor, along whose first axis they are written.
        tensor: The tensor of this member; all have one shape and dtype.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    if isinstance(tensor_or_tensor_list, _c.Tensor):
        return _c.all_gather_into(tensor_or_tensor_list, tensor, group, sync_op)
    return _c.all_gather(tensor_or_tensor_list, tensor, group, sync_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """Reduce a tensor over the group, in place on every member.

    Args:
        tensor: The Tensor.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.all_reduce(tensor, op, group, sync_op)


def alltoall(out_tensor_or_tensor_list, in_tensor_or_tensor_list, group=None, sync_op=True, use_calc_stream=False):
    """Send entry r of a list to member r.

    Args:
        out_tensor_or_tensor_list: Gets what each member sent here, by rank; a list or a Tensor.
        in_tensor_or_tensor_list: What is sent, by rank; a list or a Tensor.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
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
    """Send slice r of a tensor, along its first axis, to member r.

    Args:
        out_tensor: Gets what each member sent here, by rank.
        in_tensor: What is sent.
        out_split_sizes: Rows from each member; None: equally many.
        in_split_sizes: Rows for each member; None: equally many.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.alltoall_single(out_tensor, in_tensor, in_split_sizes, out_split_sizes, group, sync_op)


def broadcast(tensor, src, group=None, sync_op=True, use_calc_stream=False):
    """Copy the tensor of one member to every other.

    Args:
        tensor: Sent by rank `src`, written in place in the others.
        src: Rank of the sender in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.broadcast(tensor, src, group, sync_op)


def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """Append the tensors of all members, by rank, to a list on one of them.

    Args:
        tensor: The tensor of this member; all have one shape and dtype.
        gather_list: The list, needed on rank dst.
        dst: Rank of the receiver in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.gather(tensor, gather_list, dst, group, sync_op)


def recv(tensor, src=0, group=None, sync_op=True, use_calc_stream=False):
    """Receive a tensor from rank `src` of the job.

    Args:
        tensor: Written in place.
        src: Rank of the sender in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.recv(tensor, src, group, sync_op)


def reduce(tensor, dst=0, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """Reduce a tensor over the group, in place on rank `dst` of the job.

    Args:
        tensor: The Tensor.
        dst: Rank of the receiver in the job.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.reduce(tensor, dst, op, group, sync_op)


def reduce_scatter(tensor, tensor_or_tensor_list, op=ReduceOp.SUM, group=None, sync_op=True, use_calc_stream=False):
    """Reduce a list over the group and write entry r into the tensor of member r.

    Args:
        tensor: Written in place.
        tensor_or_tensor_list: One tensor a member, by rank; or one tensor that holds them along its first axis.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.reduce_scatter(tensor, tensor_or_tensor_list, op, group, sync_op)


def scatter(tensor, tensor_or_tensor_list=None, src=0, group=None, sync_op=True, use_calc_stream=False):
    """Write entry r of the list of one member into the tensor of member r.

    Args:
        tensor: Written in place.
        tensor_or_tensor_list: The entries, by rank, or one tensor of them; used in rank `src`.
        src: Rank of the sender in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    if isinstance(tensor_or_tensor_list, _c.Tensor):
        members = (_get_global_group() if group is None else group).nranks
        tensor_or_tensor_list = _c._rows("scatter", tensor_or_tensor_list, members)
    return _c.scatter(tensor, tensor_or_tensor_list, src, group, sync_op)


def send(tensor, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """Send a tensor to rank `dst` of the job.

    Args:
        tensor: What is sent.
        dst: Rank of the receiver in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
        use_calc_stream: Unused: there is one stream.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    return _c.send(tensor, dst, group, sync_op)

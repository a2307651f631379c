# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives on tensors.

What a call sends is read when it is called. With `sync_op` False the group goes on in a thread of its own, and the
outputs are written before `wait()` of the returned task returns. In a group of one process every reduction is the
identity and every exchange a copy to oneself.
"""

import itertools

from ..._core import Tensor
from . import tensors as _t
from .group import Group
from .objects import (
    all_gather_object,
    broadcast_object_list,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from .point_to_point import irecv, isend, recv, send
from .reduce import ReduceOp, check
from .tasks import Task


def _rows(operation, tensor, size):
    """Equal parts of a tensor along its first axis."""
    if tensor.ndim == 0 or tensor.shape[0] % size:
        raise ValueError(
            f"{operation}: the tensor has shape {list(tensor.shape)}; {size} members cannot split its first axis evenly."
        )
    return list(tensor.reshape([size, tensor.shape[0] // size, *tensor.shape[1:]]))


def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce a tensor over the group, in place on every member.

    Args:
        tensor: The Tensor; of one shape and dtype in all members.
        op: A reduction of ReduceOp: SUM, MAX, MIN, PROD or AVG.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.

    Raises:
        RuntimeError: `init_parallel_env` was not called, or a member does not answer.

    Example:
        >>> _ = paddle.distributed.init_parallel_env()
        >>> loss = paddle.to_tensor([1.0, 2.0])
        >>> _ = paddle.distributed.all_reduce(loss, paddle.distributed.ReduceOp.SUM)
        >>> loss.tolist()  # of a job of one process
        [1.0, 2.0]
    """
    _t.check_tensor("all_reduce", "tensor", tensor)
    check("all_reduce", op)
    processes = _t.members("all_reduce", group)
    if processes is None or processes.size == 1:
        return processes and Task()
    reduction = _t.Reduction("all_reduce", op, tensor.dtype, processes.size)
    return processes.all_reduce(tensor, tensor, reduction.kind, sync_op, reduction.finish(tensor))


def reduce(tensor, dst, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce a tensor over the group, in place on rank `dst` of the job.

    Args:
        tensor: The Tensor.
        dst: Rank of the receiver in the job.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    _t.check_tensor("reduce", "tensor", tensor)
    check("reduce", op)
    root, processes = _t.member_of("reduce", "dst", dst, group), _t.members("reduce", group)
    if processes is None or processes.size == 1:
        return processes and Task()
    reduction = _t.Reduction("reduce", op, tensor.dtype, processes.size)
    then = reduction.finish(tensor) if processes.rank == root else None
    return processes.reduce(tensor, tensor, root, reduction.kind, sync_op, then)


def broadcast(tensor, src, group=None, sync_op=True):
    """Copy the tensor of one member to every other.

    Args:
        tensor: Sent by rank `src`, written in place in the others.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.

    Example:
        >>> _ = paddle.distributed.init_parallel_env()
        >>> x = paddle.to_tensor([1.0])
        >>> _ = paddle.distributed.broadcast(x, src=0)
        >>> x.tolist()
        [1.0]
    """
    _t.check_tensor("broadcast", "tensor", tensor)
    root, processes = _t.member_of("broadcast", "src", src, group), _t.members("broadcast", group)
    if processes is None or processes.size == 1:
        return processes and Task()
    return processes.broadcast(tensor, root, sync_op)


def _gathered(operation, tensor_list, tensor, processes):
    """Tensors that receive those of all members, and what is to be done with them then."""
    if tensor_list:
        _t.check_list(operation, "tensor_list", tensor_list, processes.size)
        for entry in tensor_list:
            _t.check_like(operation, entry, tensor)
        return list(tensor_list), None
    made = [_t.new_like(tensor) for _ in range(processes.size)]
    return made, lambda: tensor_list.extend(made)


def all_gather(tensor_list, tensor, group=None, sync_op=True):
    """Gather the tensors of all members, by rank.

    Args:
        tensor_list: An empty list, to which they are appended, or one tensor a member, which are written in place.
        tensor: The tensor of this member; all have one shape and dtype.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.

    Example:
        >>> _ = paddle.distributed.init_parallel_env()
        >>> found = []
        >>> _ = paddle.distributed.all_gather(found, paddle.to_tensor([1, 2]))
        >>> [t.tolist() for t in found]  # of a job of one process
        [[1, 2]]
    """
    _t.check_tensor("all_gather", "tensor", tensor)
    processes = _t.members("all_gather", group)
    if processes is None:
        return None
    parts, put = _gathered("all_gather", tensor_list, tensor, processes)
    return processes.all_gather(parts, tensor, sync_op, put)


def all_gather_into(tensor, part, group=None, sync_op=True):
    """Write the tensors of all members into one, along its first axis or along a further first one."""
    _t.check_tensor("all_gather", "tensor", part)
    processes = _t.members("all_gather", group)
    if processes is None:
        return None
    if tensor.dtype != part.dtype or tensor.size != part.size * processes.size:
        _t.check_like("all_gather", tensor, part, [processes.size, *part.shape])
    whole = _t.new_like(tensor)
    parts = list(whole.reshape([processes.size, *part.shape]))
    return processes.all_gather(parts, part, sync_op, lambda: tensor.set_value(whole))


def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True):
    """Append the tensors of all members, by rank, to `gather_list` on rank `dst` of the job.

    Args:
        tensor: The tensor of this member; all have one shape and dtype.
        gather_list: The list, needed on rank dst.
        dst: Rank of the receiver in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.

    Raises:
        ValueError: There is no list on rank dst, or dst is not in the group.
    """
    _t.check_tensor("gather", "tensor", tensor)
    root, processes = _t.member_of("gather", "dst", dst, group), _t.members("gather", group)
    if processes is None:
        return None
    here = processes.rank == root
    if here and gather_list is None:
        raise ValueError("gather: gather_list is None on the destination; pass a list.")
    parts, put = _gathered("gather", gather_list, tensor, processes) if here else ([], None)
    return processes.gather(parts, tensor, root, sync_op, put)


def scatter(tensor, tensor_list=None, src=0, group=None, sync_op=True):
    """Write entry r of the list of one member into the tensor of member r.

    Args:
        tensor: Written in place.
        tensor_list: The entries, by rank; used in rank `src`.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.
    """
    _t.check_tensor("scatter", "tensor", tensor)
    root, processes = _t.member_of("scatter", "src", src, group), _t.members("scatter", group)
    if processes is None:
        return None
    if processes.rank == root:
        _t.check_list("scatter", "tensor_list", tensor_list or [], processes.size)
        for entry in tensor_list:
            _t.check_like("scatter", tensor, entry)
    return processes.scatter(tensor, tensor_list, root, sync_op)


def reduce_scatter(tensor, tensor_list, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce a list over the group and write entry r into the tensor of member r.

    Args:
        tensor: Written in place.
        tensor_list: One tensor a member, by rank; or one tensor that holds them along its first axis.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    _t.check_tensor("reduce_scatter", "tensor", tensor)
    check("reduce_scatter", op)
    processes = _t.members("reduce_scatter", group)
    if processes is None:
        return None
    if isinstance(tensor_list, Tensor):
        tensor_list = _rows("reduce_scatter", tensor_list, processes.size)
    _t.check_list("reduce_scatter", "tensor_list", tensor_list, processes.size)
    for entry in tensor_list:
        _t.check_like("reduce_scatter", tensor, entry)
    reduction = _t.Reduction("reduce_scatter", op, tensor.dtype, processes.size)
    # The result may share memory with an entry.
    whole = _t.new_like(tensor)
    finish = reduction.finish(whole)

    def put():
        if finish is not None:
            finish()
        tensor.set_value(whole)

    return processes.reduce_scatter(whole, tensor_list, reduction.kind, sync_op, put)


def alltoall(out_tensor_list, in_tensor_list, group=None, sync_op=True):
    """Send entry r of a list to member r.

    Args:
        out_tensor_list: Gets what each member sent here, by rank: an empty list, or one tensor a member.
        in_tensor_list: What is sent, by rank.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.
    """
    if isinstance(out_tensor_list, Tensor):
        return alltoall_single(out_tensor_list, in_tensor_list, None, None, group, sync_op)
    processes = _t.members("alltoall", group)
    if processes is None:
        return None
    _t.check_list("alltoall", "in_tensor_list", in_tensor_list, processes.size)
    if out_tensor_list:
        _t.check_list("alltoall", "out_tensor_list", out_tensor_list, processes.size)
    targets = list(out_tensor_list)
    # The results may share memory with what is sent.
    got = [_t.new_like(t) for t in (targets or in_tensor_list)]

    def put():
        for target, part in zip(targets, got, strict=False):
            target.set_value(part)
        if not targets:
            out_tensor_list.extend(got)

    return processes.all_to_all(got, in_tensor_list, sync_op, put)


all_to_all = alltoall


def _splits(name, sizes, rows, size):
    if sizes is None:
        if rows % size:
            raise ValueError(f"alltoall_single: {size} members cannot split {rows} rows evenly; pass {name}.")
        return [rows // size] * size
    if len(sizes) != size or sum(sizes) != rows or min(sizes) < 0:
        raise ValueError(f"alltoall_single: {name} has value {list(sizes)}; {size} numbers of sum {rows} are expected.")
    return list(sizes)


def _pieces(tensor, rows):
    """Parts of a tensor, which share its memory, along its first axis."""
    ends = list(itertools.accumulate(rows))
    return [tensor[end - n : end] for n, end in zip(rows, ends, strict=True)]


def alltoall_single(out_tensor, in_tensor, in_split_sizes=None, out_split_sizes=None, group=None, sync_op=True):
    """Send slice r of a tensor, along its first axis, to member r.

    Args:
        out_tensor: Gets what each member sent here, by rank.
        in_tensor: What is sent.
        in_split_sizes: Rows for each member; None: equally many.
        out_split_sizes: Rows from each member; None: equally many.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    processes = _t.members("alltoall_single", group)
    if processes is None:
        return None
    for name, tensor in (("out_tensor", out_tensor), ("in_tensor", in_tensor)):
        _t.check_tensor("alltoall_single", name, tensor)
        if tensor.ndim == 0:
            raise ValueError(f"alltoall_single: {name} has no axes; it must have rows.")
    _t.check_like("alltoall_single", out_tensor, in_tensor, [out_tensor.shape[0], *in_tensor.shape[1:]])
    given = _splits("in_split_sizes", in_split_sizes, in_tensor.shape[0], processes.size)
    taken = _splits("out_split_sizes", out_split_sizes, out_tensor.shape[0], processes.size)
    if given[processes.rank] != taken[processes.rank]:
        raise ValueError(
            f"alltoall_single: this member keeps {given[processes.rank]} rows by in_split_sizes and gets "
            f"{taken[processes.rank]} from itself by out_split_sizes; they must be equal."
        )
    sent = _pieces(in_tensor, given)
    whole = _t.new_like(out_tensor)
    return processes.all_to_all(_pieces(whole, taken), sent, sync_op, lambda: out_tensor.set_value(whole))


__all__ = [
    "Group",
    "ReduceOp",
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "alltoall",
    "alltoall_single",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "irecv",
    "isend",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives on Python objects, which travel pickled: members of a job trust one another."""

import contextlib

from .group import _get_global_group
from .tensors import member_of, members, peer


@contextlib.contextmanager
def _named(operation):
    """A block whose errors are those of an operation: objects travel as tensors of bytes."""
    try:
        yield
    except RuntimeError as error:
        raise RuntimeError(f"{operation}: {error}") from error


def all_gather_object(object_list, obj, group=None):
    """Append the objects of all members, by rank, to a list.

    Args:
        object_list: The list; what it holds stays in front.
        obj: The object of this member; it can be pickled.
        group: A Group, or None for the whole job.

    Example:
        >>> _ = paddle.distributed.init_parallel_env()
        >>> found = []
        >>> paddle.distributed.all_gather_object(found, {"loss": 0.5})
        >>> found  # of a job of one process
        [{'loss': 0.5}]
    """
    processes = members("all_gather_object", group)
    if processes is None:
        return
    with _named("all_gather_object"):
        object_list.extend(processes.all_gather_objects(obj))


def broadcast_object_list(object_list, src, group=None):
    """Replace the entries of a list by those of one member.

    Args:
        object_list: Objects that can be pickled, equally many in every member.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.
    """
    root = member_of("broadcast_object_list", "src", src, group)
    processes = members("broadcast_object_list", group)
    if processes is None or processes.size == 1:
        return
    with _named("broadcast_object_list"):
        found = processes.broadcast_object(list(object_list), root)
    if processes.rank != root:
        object_list[:] = found


def scatter_object_list(out_object_list, in_object_list=None, src=0, group=None):
    """Append entry r of the list of rank `src` to the list of member r.

    Args:
        out_object_list: The list that grows.
        in_object_list: One object a member, used in rank `src`; they can be pickled.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.
    """
    root = member_of("scatter_object_list", "src", src, group)
    processes = members("scatter_object_list", group)
    if processes is None:
        return
    given = list(in_object_list or [])
    if processes.rank == root and len(given) != processes.size:
        raise ValueError(
            f"scatter_object_list: in_object_list has {len(given)} entries; the group has {processes.size} members."
        )
    with _named("scatter_object_list"):
        out_object_list.append(processes.scatter_objects(given, root))


def _peer_of(operation, name, rank, group, in_group):
    if rank is None and in_group is not None:
        rank = (_get_global_group() if group is None else group).get_global_rank(in_group)
    return peer(operation, name, rank, group)


def send_object_list(object_list, dst=None, group=None, dst_in_group=None):
    """Send objects to rank `dst` of the job, or to member `dst_in_group` of the group."""
    processes, member = _peer_of("send_object_list", "dst", dst, group, dst_in_group)
    if processes is not None:
        processes.send_object(list(object_list), member)


def recv_object_list(object_list, src=None, group=None, src_in_group=None):
    """Receive objects into a list from rank `src` of the job, or from member `src_in_group` of the group."""
    processes, member = _peer_of("recv_object_list", "src", src, group, src_in_group)
    if processes is not None:
        object_list[:] = processes.receive_object(member)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups of processes.

A group knows its members by their rank in the job.  The default group holds all of them and exists
once `init_parallel_env` has been called.
"""

import itertools
import os
import warnings

from ...framework import execution_context
from ...framework.execution_context import job_size, own_rank
from ..transport import job
from .core_group import CoreGroup

_DEFAULT = 0
_FIRST_OWN = 10  # Identifiers below are kept for the default group and its subgroups.
_groups, _made = {}, itertools.count(_FIRST_OWN)


class Group:
    """Some processes of the job, in order.

    Args:
        rank_in_group: Rank of this process in the group, or -1 outside of it.
        id: Number of the group.
        ranks: Ranks of the members in the job.
        pg: The CoreGroup; None: made when it is first needed.
        name: Name for messages.
        limit: Seconds that a member may take to come to a collective; None: those of the job.
    """

    def __init__(self, rank_in_group, id, ranks, pg=None, name=None, limit=None):
        self._rank_in_group = rank_in_group
        self._world_size = len(ranks) if rank_in_group >= 0 else -1
        self._id = id
        self._ranks = list(ranks)
        self._pg = pg
        self._name = name
        self._limit = limit

    @property
    def rank(self):
        """Rank of this process in the group, or -1."""
        return self._rank_in_group

    @property
    def ranks(self):
        """Ranks of the members in the job."""
        return self._ranks

    @property
    def nranks(self):
        """Number of members."""
        return len(self._ranks)

    @property
    def name(self):
        """Name for messages."""
        return self._name

    @property
    def process_group(self):
        """The CoreGroup; None outside of the group.

        Raises:
            RuntimeError: The group has other members, and this rank is not connected with them.
        """
        if self._pg is None and self.rank >= 0:
            if self.nranks > 1 and not job.is_connected():
                raise RuntimeError(
                    f"The group has ranks {self.ranks} and this rank is not connected with the others; call "
                    "paddle.distributed.init_parallel_env() first, in a job of several ranks."
                )
            # Operators of the core use the groups of number 0.
            self._pg = CoreGroup(self.id + 1, self.ranks, self._limit)
        return self._pg

    @property
    def world_size(self):
        """Number of members, or -1 outside of the group."""
        return self._world_size

    @property
    def backend(self):
        """Name of the transport."""
        return "GLOO"

    @property
    def id(self):
        """Number of the group."""
        return self._id

    def is_member(self):
        """Whether this process belongs to the group and the group has others."""
        return self.rank >= 0 and self.nranks >= 2

    def get_group_rank(self, rank):
        """Rank in the group of the process with a rank in the job; -1 outside of it."""
        return self._ranks.index(rank) if rank in self._ranks else -1

    def get_global_rank(self, rank):
        """Rank in the job of the member with a rank in the group."""
        return self._ranks[rank] if 0 <= rank < len(self._ranks) else -1

    def __repr__(self):
        ranks = ", ".join(map(str, self._ranks))
        return f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: {ranks}; name: {self.name}"


def _known():
    """The groups of the thread's context by number."""
    context = execution_context.bound()
    return _groups if context is None else context.groups


def initialize_default():
    """Create the default group, once: connect this process with all others of its job.

    Raises:
        RuntimeError: A process of the job does not answer.
    """
    if _DEFAULT not in _known():
        size, rank = job_size(), own_rank()
        alone = size == 1 or execution_context.bound() is not None  # such ranks share a process
        if not alone:
            first = os.getenv("PADDLE_TRAINER_ENDPOINTS", "").split(",")[0]
            job.connect(rank, size, os.getenv("PADDLE_MASTER") or first)
        _known()[_DEFAULT] = Group(rank, _DEFAULT, range(size), name="_default_pg")
        if not alone:
            barrier()
    return _known()[_DEFAULT]


def is_initialized():
    """Whether the default group exists."""
    return _DEFAULT in _known()


def _get_global_group():
    if _DEFAULT not in _known():
        raise RuntimeError("The global group is not initialized; call paddle.distributed.init_parallel_env() first.")
    return _known()[_DEFAULT]


def group_of_one(operation, group):
    """The group, which must hold this process alone.

    Raises:
        RuntimeError: The default group is asked for and does not exist.
        NotImplementedError: The group has other members.
    """
    group = _get_global_group() if group is None else group
    if group.nranks > 1:
        raise NotImplementedError(
            f"{operation}: the group has ranks {group.ranks}; paddle has it for groups of one process."
        )
    return group


def new_group(ranks=None, backend=None, timeout=None, nccl_comm_init_option=0, nccl_config=None):
    """Make a group.

    Args:
        ranks: Ranks of the members in the job; None: all.
        backend: 'gloo' or None.
        timeout: A timedelta that a member may take to come to a call before the group is given up; None: half an hour, after
            which the job is.
    """
    if backend not in (None, "gloo"):
        raise ValueError(f"new_group: backend has value {backend!r}; paddle has 'gloo'.")
    world = job_size()
    members = sorted(set(range(world) if ranks is None else ranks))
    outside = [r for r in members if not 0 <= r < world]
    if outside:
        raise ValueError(f"new_group: ranks has {outside}; the job has ranks 0 to {world - 1}.")
    context = execution_context.bound()
    number = next(_made if context is None else context.group_numbers)
    rank = members.index(own_rank()) if own_rank() in members else -1
    limit = {} if timeout is None else {"limit": timeout.total_seconds()}
    _known()[number] = Group(rank, number, members, name=f"_default_pg{number}", **limit)
    return _known()[number]


def get_group(id=0):
    """The group of that number, or None with a warning."""
    if id not in _known():
        warnings.warn(f"get_group: group {id} does not exist.", stacklevel=2)
    return _known().get(id)


def destroy_process_group(group=None):
    """Forget a group; None: all, which ends the connections with the other processes."""
    if group is None:
        _known().clear()
        if execution_context.bound() is None:
            job.disconnect()
    elif _known().pop(group.id, None) is None:
        raise ValueError(f"destroy_process_group: {group} does not exist.")


def _check_exists(function, group):
    if group is not None and group.id not in _known() and group is not _get_global_group():
        raise ValueError(f"{function}: {group} does not exist.")


def shutdown_process_group(group=None):
    """Close the connections of a group, or of all; they are those of the job, which stay until it ends.

    Raises:
        ValueError: The group does not exist.
    """
    _check_exists("shutdown_process_group", group)


def restart_process_group(group=None):
    """Open the connections of a group, or of all, again; they are those of the job, which stay until it ends.

    Raises:
        ValueError: The group does not exist.
    """
    _check_exists("restart_process_group", group)


def get_backend(group=None):
    """Name of the transport of the group."""
    return (_get_global_group() if group is None else group).backend


def is_available():
    """Whether the distributed package can be used."""
    return True


def barrier(group=None):
    """Wait until every member of the group has come here.

    Args:
        group: A Group, or None for the whole job.

    Example:
        >>> _ = paddle.distributed.init_parallel_env()
        >>> paddle.distributed.barrier()
    """
    group = _get_global_group() if group is None else group
    if group.rank < 0:
        warnings.warn(f"barrier: this process is not in the group of ranks {group.ranks}.", stacklevel=2)
    elif group.nranks > 1:
        group.process_group.barrier()


def wait(tensor, group=None, use_calc_stream=True):
    """Wait for what was started in a group; what `sync_op` True did is done when its call returns."""
    group = _get_global_group() if group is None else group
    if group.rank >= 0:
        group.process_group.finish()

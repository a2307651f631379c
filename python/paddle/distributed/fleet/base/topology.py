# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Topology of a hybrid-parallel job: the ranks as a grid with one axis per kind of parallelism."""

import itertools
from functools import reduce

from ....framework.execution_context import job_size, objects_of_rank, own_rank
from ...communication.group import initialize_default, new_group

_AXES = ["data", "pipe", "sharding", "sep", "context", "model"]
_ONES = [1, 1, 1, 1, 1, 1]


def hybrid_groups():
    """The HybridCommunicateGroup of this rank, once fleet has made it."""
    return objects_of_rank().get(hybrid_groups)


def set_hybrid_groups(groups):
    """Note the HybridCommunicateGroup of this rank."""
    objects_of_rank()[hybrid_groups] = groups


class ParallelMode:
    """The kinds of parallelism."""

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


class CommunicateTopology:
    """Ranks in row-major order over named axes.

    Args:
        hybrid_group_names: Names of the axes, the slowest first.
        dims: Their lengths.
    """

    def __init__(self, hybrid_group_names=_AXES, dims=_ONES):
        self._parallel_names = list(hybrid_group_names)
        self._dims = list(dims)
        if len(self._parallel_names) != len(self._dims):
            raise ValueError(f"CommunicateTopology: {len(self._parallel_names)} names and {len(self._dims)} dims.")
        self._coordinates = list(itertools.product(*(range(d) for d in self._dims)))
        self._world_size = reduce(lambda a, b: a * b, self._dims, 1)
        self._ranks = {coordinate: rank for rank, coordinate in enumerate(self._coordinates)}

    def get_hybrid_group_names(self):
        """Names of the axes."""
        return self._parallel_names

    def get_dim(self, axis_name):
        """Length of an axis."""
        return self._dims[self._parallel_names.index(axis_name)]

    get_dim_size = get_dim

    def world_size(self):
        """Number of ranks."""
        return self._world_size

    def get_rank(self, **args):
        """Rank at a coordinate, given by axis names."""
        return self._ranks[tuple(args[name] for name in self._parallel_names)]

    def get_coord(self, rank):
        """Coordinate of a rank, by axis names as attributes of a named tuple."""
        from collections import namedtuple

        return namedtuple("Coordinate", self._parallel_names)(*self._coordinates[rank])

    def get_axis_list(self, axis_name, index):
        """Ranks whose coordinate on the axis is `index`."""
        axis = self._parallel_names.index(axis_name)
        return [rank for coordinate, rank in self._ranks.items() if coordinate[axis] == index]

    def get_comm_list(self, axis_name):
        """Groups of ranks that differ on one axis alone."""
        return self._lines([self._parallel_names.index(axis_name)])

    def get_fused_ranks(self, fused_axis):
        """Groups of ranks that differ on the named axes alone."""
        return self._lines([self._parallel_names.index(name) for name in fused_axis])

    def _lines(self, moving):
        groups = {}
        for coordinate, rank in self._ranks.items():
            fixed = tuple(c for axis, c in enumerate(coordinate) if axis not in moving)
            groups.setdefault(fixed, []).append(rank)
        return list(groups.values())

    def get_rank_from_stage(self, global_rank, **kwargs):
        """Rank at the coordinate of `global_rank` with some axes replaced."""
        return self.get_rank(**{**self.get_coord(global_rank)._asdict(), **kwargs})


class HybridCommunicateGroup:
    """The groups of this process, one per axis of the topology.

    Args:
        topology: A CommunicateTopology.
        hybrid_configs: Settings of the strategy; kept for programs that pass them.
    """

    def __init__(self, topology, hybrid_configs=None):
        self._topo = topology
        self.nranks = topology.world_size()
        self.global_rank = own_rank()
        processes = job_size()
        if self.nranks != processes:
            raise ValueError(
                f"HybridCommunicateGroup: the degrees ask for {self.nranks} processes and the job has {processes}; their "
                "product must be the number of processes."
            )
        initialize_default()
        self._coordinate = topology.get_coord(self.global_rank)
        self._groups = {name: self._line([name]) for name in topology.get_hybrid_group_names()}

    def _line(self, axes):
        """The group of the processes that differ from this one on the axes alone."""
        return new_group(next(line for line in self._topo.get_fused_ranks(axes) if self.global_rank in line))

    def get_parallel_mode(self):
        """The outermost kind of parallelism in use."""
        for axis, mode in (
            ("pipe", ParallelMode.PIPELINE_PARALLEL),
            ("model", ParallelMode.TENSOR_PARALLEL),
            ("sharding", ParallelMode.SHARDING_PARALLEL),
            ("sep", ParallelMode.SEGMENT_PARALLEL),
        ):
            if self._size(axis) > 1:
                return mode
        return ParallelMode.DATA_PARALLEL

    def topology(self):
        """The CommunicateTopology."""
        return self._topo

    def get_global_rank(self):
        """Rank of this process in the job."""
        return self.global_rank

    def _size(self, axis):
        return self._topo.get_dim(axis) if axis in self._groups else 1

    def _rank(self, axis):
        return getattr(self._coordinate, axis, 0)

    def _group(self, axis):
        return self._groups[axis]

    def get_data_parallel_rank(self):
        """Coordinate on the data axis."""
        return self._rank("data")

    def get_data_parallel_world_size(self):
        """Length of the data axis."""
        return self._size("data")

    def get_data_parallel_group(self):
        """Group along the data axis."""
        return self._group("data")

    def get_data_parallel_group_src_rank(self):
        """First rank of the data group."""
        return self._group("data").ranks[0]

    def get_model_parallel_rank(self):
        """Coordinate on the model axis."""
        return self._rank("model")

    def get_model_parallel_world_size(self):
        """Length of the model axis."""
        return self._size("model")

    def get_model_parallel_group(self):
        """Group along the model axis."""
        return self._group("model")

    def get_model_parallel_group_src_rank(self):
        """First rank of the model group."""
        return self._group("model").ranks[0]

    def get_stage_id(self):
        """Coordinate on the pipe axis."""
        return self._rank("pipe")

    get_pipe_parallel_rank = get_stage_id

    def get_pipe_parallel_world_size(self):
        """Length of the pipe axis."""
        return self._size("pipe")

    def get_pipe_parallel_group(self):
        """Group along the pipe axis."""
        return self._group("pipe")

    def is_first_stage(self):
        """Whether this process runs the first stage."""
        return self.get_stage_id() == 0

    def is_last_stage(self):
        """Whether this process runs the last stage."""
        return self.get_stage_id() == self.get_pipe_parallel_world_size() - 1

    def get_p2p_groups(self):
        """Groups of neighbouring stages; None with one stage."""
        return None

    def get_sharding_parallel_rank(self):
        """Coordinate on the sharding axis."""
        return self._rank("sharding")

    def get_sharding_parallel_world_size(self):
        """Length of the sharding axis."""
        return self._size("sharding")

    def get_sharding_parallel_group(self):
        """Group along the sharding axis."""
        return self._group("sharding")

    def get_sharding_parallel_group_src_rank(self):
        """First rank of the sharding group."""
        return self._group("sharding").ranks[0]

    def get_sep_parallel_rank(self):
        """Coordinate on the sequence axis."""
        return self._rank("sep")

    def get_sep_parallel_world_size(self):
        """Length of the sequence axis."""
        return self._size("sep")

    def get_sep_parallel_group(self):
        """Group along the sequence axis."""
        return self._group("sep")

    def get_sep_parallel_group_src_rank(self):
        """First rank of the sequence group."""
        return self._group("sep").ranks[0]

    def get_context_parallel_rank(self):
        """Coordinate on the context axis."""
        return self._rank("context")

    def get_context_parallel_world_size(self):
        """Length of the context axis."""
        return self._size("context")

    def get_context_parallel_group(self):
        """Group along the context axis."""
        return self._group("context")

    def get_moe_sharding_parallel_world_size(self):
        """Length of the expert-sharding axis; 0 without experts."""
        return 0

    def get_check_parallel_group(self, sharding=False):
        """Group over which gradients are checked and clipped."""
        return self._group("model")

    def get_rank_from_stage(self, stage_id, **kwargs):
        """Rank of the process at another stage."""
        return self._topo.get_rank_from_stage(self.global_rank, pipe=stage_id, **kwargs)

    def create_fuse_group(self, fused_strategy_list, nccl_config=None):
        """The groups that this process is in along several axes at once, the first with two of them or more.

        Args:
            fused_strategy_list: Names of the axes.
            nccl_config: Kept for programs that pass it.

        Returns:
            (list of the ranks of each group, list of the groups).
        """
        ranks = self._topo.get_fused_ranks(list(fused_strategy_list))
        own = [line for line in ranks if self.global_rank in line]
        return own, [new_group(line) for line in own]

    def _fused(self, *axes):
        if axes not in self._groups:
            self._groups[axes] = self.create_fuse_group(axes)[1][0]
        return self._groups[axes]

    def get_dp_sep_parallel_group(self):
        """Group along the data and the sequence axis."""
        return self._fused("data", "sep")

    def get_pp_mp_parallel_group(self):
        """Group along the pipe and the model axis."""
        return self._fused("pipe", "model")

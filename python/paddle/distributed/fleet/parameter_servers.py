# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of fleet that need parameter servers, a coordinator or other processes."""

from ... import _legacy


class ServerCalls:
    """Methods of Fleet that need parameter servers: each raises NotImplementedError, as paddle has none."""

    locals().update(_legacy.absent_names("paddle.distributed.fleet.Fleet", __name__))


class CollectiveTimes:
    """Methods of Fleet that time collectives between processes: in a job of one there is nothing to time."""

    def collective_perf(self, comm_type, round=50, size_and_time={}):  # noqa: B006
        """Time a collective and warn where it takes longer than it may.

        Args:
            comm_type: "allreduce", "reduce", "broadcast", "allgather" or "reduce_scatter".
            round: How often it runs for each size.
            size_and_time: Seconds that a size in bytes may take.

        Raises:
            ValueError: comm_type is another one.
        """
        known = ("allreduce", "reduce", "broadcast", "allgather", "reduce_scatter")
        if comm_type not in known:
            raise ValueError(f"fleet.collective_perf: comm_type has value {comm_type!r}; it must be one of {known}.")

    def allreduce_perf(self, iteration, x, group, perf_size, perf_threshold_time, warmup=False):
        """Time a reduction for all."""

    def reduce_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time a reduction for one."""

    def broadcast_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time a copy to all."""

    def allgather_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time the joining of tensors."""

    def reduce_scatter_perf(self, iteration, x, group, perf_size, perf_threshold_time):
        """Time a reduction of which each keeps a part."""

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Fleet`: one object that knows the job, and makes models and optimizers fit for it."""

import functools
import os

from ..communication import barrier, initialize_default_group
from .base import topology
from .base.distributed_strategy import DistributedStrategy
from .base.role_maker import PaddleCloudRoleMaker
from .base.topology import CommunicateTopology, HybridCommunicateGroup
from .parameter_servers import CollectiveTimes, ServerCalls
from .utils import log_util

_AXIS_OF_DEGREE = {
    "dp": "data",
    "pp": "pipe",
    "sharding": "sharding",
    "sep": "sep",
    "cp": "context",
    "mp": "model",
}


def _needs_init(method):
    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if self._role_maker is None:
            raise AttributeError(f"fleet.{method.__name__}: fleet is not initialised; call fleet.init() first.")
        return method(self, *args, **kwargs)

    return call


class Fleet(ServerCalls, CollectiveTimes):
    """The job as this process sees it; `paddle.distributed.fleet` holds one.

    What init() makes (`_hcg`, `_topology`, `_user_defined_strategy`) is absent before: programs ask with hasattr().
    """

    def __init__(self):
        self._role_maker = self._user_optimizer = None
        self._is_collective = False

    def init(self, role_maker=None, is_collective=False, strategy=None, log_level="INFO"):
        """Read the environment and build the topology.

        Args:
            role_maker: A role maker; None: from the environment.
            is_collective: True: every process trains, without parameter servers.
            strategy: A DistributedStrategy.
            log_level: Level of fleet's logger.

        Raises:
            NotImplementedError: The job has more than one process, or parameter servers.
        """
        log_util.set_log_level(log_level)
        if strategy is not None and not isinstance(strategy, DistributedStrategy):
            raise TypeError(f"fleet.init: strategy has type {type(strategy).__name__}; pass a DistributedStrategy.")
        self._user_defined_strategy = strategy or DistributedStrategy()
        self._role_maker = role_maker or PaddleCloudRoleMaker(is_collective=is_collective)
        self._is_collective = is_collective or getattr(role_maker, "_is_collective", False)
        if self._role_maker._is_server():
            raise NotImplementedError("fleet.init: the role is a parameter server, which this build does not have.")
        if self.worker_num() > 1:
            raise NotImplementedError(
                f"fleet.init: the job has {self.worker_num()} processes; this build has no communication between "
                f"processes."
            )
        initialize_default_group()
        self._init_hybrid()
        return self

    def _init_hybrid(self):
        configs = self._user_defined_strategy.hybrid_configs
        order = [*self._user_defined_strategy.hybrid_parallel_order]
        if "cp" not in order:
            order.insert(order.index("mp"), "cp")
        degrees = {part: configs[f"{part}_degree"] for part in order}
        if degrees.get("dp", 1) == -1:
            degrees["dp"] = 1
        self._topology = CommunicateTopology(
            [_AXIS_OF_DEGREE[part] for part in order], [degrees[part] for part in order]
        )
        self._hcg = topology._HYBRID_PARALLEL_GROUP = HybridCommunicateGroup(self._topology, configs)

    @_needs_init
    def get_hybrid_communicate_group(self):
        """The HybridCommunicateGroup."""
        return self._hcg

    @_needs_init
    def get_hybrid_parallel_topology(self):
        """The CommunicateTopology."""
        return self._topology

    @_needs_init
    def is_first_worker(self):
        """Whether this is worker 0."""
        return self.worker_index() == 0

    @_needs_init
    def worker_index(self):
        """Number of this worker."""
        return self._role_maker._worker_index()

    rank = worker_index

    @_needs_init
    def worker_num(self):
        """Number of workers."""
        return self._role_maker._worker_num()

    nranks = world_size = worker_num

    def node_num(self):
        """Number of machines."""
        return 1

    def local_rank(self):
        """Number of this worker on its machine."""
        return int(os.getenv("PADDLE_RANK_IN_NODE", "0"))

    rank_in_node = local_rank

    def local_device_ids(self):
        """Devices of this worker."""
        return [0]

    def world_device_ids(self):
        """Devices of all workers."""
        return [[0]]

    @_needs_init
    def is_worker(self):
        """Whether this process trains."""
        return self._role_maker._is_worker()

    @_needs_init
    def is_server(self):
        """Whether this process is a parameter server."""
        return self._role_maker._is_server()

    def is_coordinator(self):
        """Whether this process coordinates a federated job."""
        return False

    @_needs_init
    def worker_endpoints(self, to_string=False):
        """Addresses of the workers."""
        endpoints = self._role_maker._get_trainer_endpoints()
        return ",".join(endpoints) if to_string else endpoints

    def server_index(self):
        """Number of this parameter server; 0 in a job without any."""
        return 0

    def server_num(self):
        """Number of parameter servers."""
        return 0

    def server_endpoints(self, to_string=False):
        """Addresses of parameter servers."""
        return "" if to_string else []

    @_needs_init
    def barrier_worker(self):
        """Wait until every worker has come here."""
        barrier()

    @_needs_init
    def distributed_model(self, model):
        """The model as this job runs it: a PipelineLayer gets its schedule, others stay as they are."""
        from .meta_parallel import NoPipelineParallel, PipelineLayer

        if isinstance(model, PipelineLayer):
            return NoPipelineParallel(model, self._user_defined_strategy, self._hcg)
        return model

    @_needs_init
    def distributed_optimizer(self, optimizer, strategy=None):
        """The optimizer as this job runs it; with one process, as it is."""
        if strategy is not None:
            self._user_defined_strategy = strategy
        self._user_optimizer = optimizer
        return optimizer

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """`minimize` of the optimizer that `distributed_optimizer` was called with last.

        Raises:
            AttributeError: It was not called.
        """
        if self._user_optimizer is None:
            raise AttributeError("fleet.minimize: there is no optimizer; call fleet.distributed_optimizer first.")
        return self._user_optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)

    def distributed_scaler(self, scaler):
        """The GradScaler as this job runs it; with one process, as it is."""
        return scaler

    def all_reduce(self, input, mode="sum"):
        """Reduce a number or array over the workers."""
        if mode not in ("sum", "min", "max"):
            raise ValueError(f"fleet.all_reduce: mode has value {mode!r}; pass 'sum', 'min' or 'max'.")
        return input

    @property
    def util(self):
        """Small collectives over the workers."""
        return UtilBase()


class UtilBase:
    """Small collectives and the share of a file list, for this process."""

    def all_reduce(self, input, mode="sum", comm_world="worker"):
        """Reduce a number or array over the workers."""
        return Fleet.all_reduce(None, input, mode)

    def barrier(self, comm_world="worker"):
        """Wait until every worker has come here."""
        barrier()

    def all_gather(self, input, comm_world="worker"):
        """Values of all workers."""
        return [input]

    def get_file_shard(self, files):
        """Files that this worker reads."""
        if not isinstance(files, list):
            raise TypeError(f"get_file_shard: files has type {type(files).__name__}; pass a list of paths.")
        return list(files)

    def get_heter_file_shard(self, files):
        """Files that this worker reads where workers are of several kinds: all of them."""
        return self.get_file_shard(files)

    def print_on_rank(self, message, rank_id):
        """Print on one worker."""
        from ..parallel import get_rank

        if get_rank() == rank_id:
            print(message)


fleet = Fleet()

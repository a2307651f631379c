# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Fleet`: one object that knows the job, and makes models and optimizers fit for it."""

import functools
import math
import os

import numpy as np

from ..._core import Tensor
from ...framework import modes
from ...framework.execution_context import OfRank
from ..communication import ReduceOp, all_gather_object, all_reduce, barrier, initialize_default_group
from ..parallel import get_rank, get_world_size
from .base import topology
from .base.distributed_strategy import DistributedStrategy
from .base.role_maker import PaddleCloudRoleMaker
from .base.topology import CommunicateTopology, HybridCommunicateGroup, ParallelMode
from .layers.mpu.random import model_parallel_random_seed
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


class Fleet(OfRank, ServerCalls, CollectiveTimes):
    """The job as this process sees it; `paddle.distributed.fleet` holds one, and its functions are the methods of that one.

    A program calls `init`, then `distributed_model` and `distributed_optimizer`; with one process it trains as without
    them. What init() makes (`_hcg`, `_topology`, `_user_defined_strategy`) is absent before: programs ask with hasattr().

    Example:
        >>> from paddle.distributed import fleet
        >>> strategy = fleet.DistributedStrategy()
        >>> strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 1, "pp_degree": 1}
        >>> _ = fleet.init(is_collective=True, strategy=strategy)
        >>> model = fleet.distributed_model(paddle.nn.Linear(4, 1))
        >>> optimizer = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1, parameters=model.parameters()))
        >>> model(paddle.ones([2, 4])).mean().backward()
        >>> optimizer.step()
        >>> fleet.worker_num(), fleet.worker_index()
        (1, 0)
    """

    _defaults = {"_role_maker": None, "_user_optimizer": None, "_is_collective": False}

    def init(self, role_maker=None, is_collective=False, strategy=None, log_level="INFO"):
        """Connect the processes of the job and lay them out as the strategy says.

        Args:
            role_maker: A role maker; None: from the environment that the launcher sets.
            is_collective: True: every process trains, without parameter servers.
            strategy: A DistributedStrategy; its `hybrid_configs` hold the degrees of data, pipeline, sharding, sequence and
                tensor parallelism, whose product is the number of processes (`dp_degree` -1: what the others leave).
            log_level: Level of fleet's logger, a name or a number.

        Returns:
            The Fleet.

        Raises:
            NotImplementedError: The job has parameter servers.
            TypeError: `strategy` is no DistributedStrategy.
            ValueError: The product of the degrees is not the number of processes.
            RuntimeError: A process of the job does not answer.

        Example:
            >>> _ = paddle.distributed.fleet.init(is_collective=True)
            >>> paddle.distributed.fleet.is_first_worker()
            True
        """
        log_util.set_log_level(log_level)
        if strategy is not None and not isinstance(strategy, DistributedStrategy):
            raise TypeError(f"fleet.init: strategy has type {type(strategy).__name__}; pass a DistributedStrategy.")
        self._user_defined_strategy = strategy or DistributedStrategy()
        self._role_maker = role_maker or PaddleCloudRoleMaker(is_collective=is_collective)
        self._is_collective = is_collective or getattr(role_maker, "_is_collective", False)
        if self._role_maker._is_server():
            raise NotImplementedError("fleet.init: the role is a parameter server, which paddle does not have.")
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
            others = math.prod(degree for part, degree in degrees.items() if part != "dp")
            degrees["dp"] = max(get_world_size() // others, 1)
        self._topology = CommunicateTopology(
            [_AXIS_OF_DEGREE[part] for part in order], [degrees[part] for part in order]
        )
        self._hcg = HybridCommunicateGroup(self._topology, configs)
        topology.set_hybrid_groups(self._hcg)
        if self._hcg.get_model_parallel_world_size() > 1:
            seed = self._user_defined_strategy.tensor_parallel_configs["tensor_init_seed"]
            model_parallel_random_seed(seed if seed >= 0 else 2048)

    @_needs_init
    def get_hybrid_communicate_group(self):
        """The groups of processes that `init` made, one for each kind of parallelism.

        Returns:
            A HybridCommunicateGroup.

        Raises:
            AttributeError: `init` was not called.

        Example:
            >>> _ = paddle.distributed.fleet.init(is_collective=True)
            >>> hcg = paddle.distributed.fleet.get_hybrid_communicate_group()
            >>> hcg.get_model_parallel_world_size(), hcg.get_data_parallel_rank()
            (1, 0)
        """
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
        """Number of this worker, from 0 on.

        Raises:
            AttributeError: `init` was not called.
        """
        return self._role_maker._worker_index()

    rank = worker_index

    @_needs_init
    def worker_num(self):
        """Number of workers.

        Raises:
            AttributeError: `init` was not called.
        """
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
        """The model as this job runs it: a PipelineLayer gets its schedule, others a wrapper of the kind of parallelism.

        With one process the others stay as they are.

        Args:
            model: A Layer.

        Returns:
            A Layer, which is called as the model is; of a PipelineLayer one whose `train_batch` runs the schedule.

        Raises:
            AttributeError: `init` was not called.
            TypeError: pp_degree is greater than 1 and the model is no PipelineLayer.
        """
        from ..parallel import DataParallel
        from . import meta_parallel

        strategy = self._user_defined_strategy
        if isinstance(model, meta_parallel.PipelineLayer):
            if self._hcg.get_pipe_parallel_world_size() == 1:
                return meta_parallel.NoPipelineParallel(model, strategy, self._hcg)
            several = model.get_num_virtual_stages() > 1
            kind = meta_parallel.PipelineParallelWithInterleave if several else meta_parallel.PipelineParallel
            return kind(model, self._hcg, strategy)
        if get_world_size() == 1:
            return model
        mode = self._hcg.get_parallel_mode()
        if mode == ParallelMode.DATA_PARALLEL:
            return DataParallel(model, find_unused_parameters=strategy.find_unused_parameters)
        if mode == ParallelMode.PIPELINE_PARALLEL:
            raise TypeError(
                f"fleet.distributed_model: pp_degree is {self._hcg.get_pipe_parallel_world_size()} and the model is a "
                f"{type(model).__name__}; make it a fleet.meta_parallel.PipelineLayer."
            )
        wrappers = {
            ParallelMode.TENSOR_PARALLEL: meta_parallel.TensorParallel,
            ParallelMode.SHARDING_PARALLEL: meta_parallel.ShardingParallel,
            ParallelMode.SEGMENT_PARALLEL: meta_parallel.SegmentParallel,
        }
        return wrappers[mode](model, self._hcg, strategy=strategy)

    def distributed_optimizer(self, optimizer, strategy=None):
        """The optimizer as this job runs it: where DataParallel does not average gradients, its `step` does.

        With one process, or with data parallelism alone, it is the optimizer itself.

        Args:
            optimizer: An Optimizer.
            strategy: A DistributedStrategy instead of that of `init`.

        Returns:
            An Optimizer.

        Raises:
            AttributeError: `init` was not called, and no static program is recorded by a single process.
        """
        if self._role_maker is None and (modes.in_dynamic_mode() or get_world_size() > 1):
            raise AttributeError("fleet.distributed_optimizer: fleet is not initialised; call fleet.init() first.")
        if strategy is not None:
            self._user_defined_strategy = strategy
        if get_world_size() > 1 and self._hcg.get_parallel_mode() != ParallelMode.DATA_PARALLEL:
            from .meta_optimizers.dygraph_optimizer import HybridParallelOptimizer

            optimizer = HybridParallelOptimizer(optimizer, self._hcg, self._user_defined_strategy)
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

    @_needs_init
    def distributed_scaler(self, scaler):
        """The GradScaler as this job runs it: steps are skipped by all processes together.

        With one process, or with data parallelism alone, it is as it was.

        Args:
            scaler: A GradScaler.

        Raises:
            AttributeError: `init` was not called.
        """
        if get_world_size() > 1 and self._hcg.get_parallel_mode() != ParallelMode.DATA_PARALLEL:
            from .meta_parallel.sharding.group_sharded_utils import skip_together

            skip_together(scaler)
        return scaler

    def all_reduce(self, input, mode="sum"):
        """Reduce a number or array over the workers.

        Args:
            input: A number, a list of numbers or a NumPy array; of one shape in all workers.
            mode: 'sum', 'min' or 'max'.

        Returns:
            The result, a NumPy array where `input` is one.

        Raises:
            ValueError: There is no such mode.
        """
        kinds = {"sum": ReduceOp.SUM, "min": ReduceOp.MIN, "max": ReduceOp.MAX}
        if mode not in kinds:
            raise ValueError(f"fleet.all_reduce: mode has value {mode!r}; pass 'sum', 'min' or 'max'.")
        if get_world_size() == 1:
            return input
        given = np.asarray(input)
        held = Tensor(given.reshape(-1))
        all_reduce(held, kinds[mode])
        out = held.numpy().reshape(given.shape)
        return out if isinstance(input, np.ndarray) else out.tolist()

    @property
    def util(self):
        """Small collectives over the workers."""
        return UtilBase()


class UtilBase:
    """Small collectives and the share of a file list, for this process.

    Args:
        role_maker: The role of this process; None: that which `fleet.init` was given, or the launcher's environment.
    """

    def __init__(self, role_maker=None):
        self._own_role = role_maker

    @property
    def role_maker(self):
        """The role of this process, as it is when it is asked for."""
        return self._own_role or fleet._role_maker or PaddleCloudRoleMaker(is_collective=True)

    def all_reduce(self, input, mode="sum", comm_world="worker"):
        """Reduce a number or array over the workers."""
        return Fleet.all_reduce(None, input, mode)

    def barrier(self, comm_world="worker"):
        """Wait until every worker has come here."""
        barrier()

    def all_gather(self, input, comm_world="worker"):
        """Values of all workers."""
        if get_world_size() == 1:
            return [input]
        found = []
        all_gather_object(found, input)
        return found

    def get_file_shard(self, files):
        """Files that this worker reads: a run of the list, the first workers one more where they do not divide evenly."""
        if not isinstance(files, list):
            raise TypeError(f"get_file_shard: files has type {type(files).__name__}; pass a list of paths.")
        index, workers = self.role_maker._worker_index(), self.role_maker._worker_num()
        each, more = divmod(len(files), workers)
        first = index * each + min(index, more)
        return files[first : first + each + (index < more)]

    def get_heter_file_shard(self, files):
        """Files that this worker reads where workers are of several kinds: all of them."""
        return self.get_file_shard(files)

    def print_on_rank(self, message, rank_id):
        """Print on one worker."""
        if get_rank() == rank_id:
            print(message)


fleet = Fleet()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The process's place in a job: rank, world size, the environment that a launcher sets, and data
parallelism.

Rank and world size come from PADDLE_TRAINER_ID and PADDLE_TRAINERS_NUM.  Rank 0 listens at PADDLE_MASTER, or at the
first of PADDLE_TRAINER_ENDPOINTS, where the processes of the job learn one another's addresses.
"""

import contextlib
import os
import warnings

from ..framework.execution_context import job_size, own_rank
from ..nn.layer.layers import Layer
from . import parallel_helper  # noqa: F401
from .communication import broadcast
from .communication import group as _group
from .gradient_averaging import GradientAverager


class ParallelEnv:
    """The settings of the launcher for this process, read from the environment when constructed.

    Example:
        >>> env = paddle.distributed.ParallelEnv()
        >>> env.rank, env.world_size
        (0, 1)
    """

    def __init__(self):
        self._rank = own_rank()
        self._world_size = job_size()
        self._device_type = os.getenv("PADDLE_XCCL_BACKEND", "")
        self._device_id = int(os.getenv("FLAGS_selected_gpus", "0").split(",")[0] or 0)
        self._trainer_endpoints = os.getenv("PADDLE_TRAINER_ENDPOINTS", "").split(",")
        self._current_endpoint = os.getenv("PADDLE_CURRENT_ENDPOINT", "")

    @property
    def rank(self):
        """Number of this process in the job, from 0."""
        return self._rank

    @property
    def world_size(self):
        """Number of processes of the job."""
        return self._world_size

    @property
    def device_id(self):
        """Number of the device that the launcher chose."""
        return self._device_id

    @property
    def device_type(self):
        """Kind of the device that the launcher chose; empty: the default."""
        return self._device_type

    @property
    def current_endpoint(self):
        """Address of this process, or an empty string."""
        return self._current_endpoint

    @property
    def trainer_endpoints(self):
        """Addresses of all processes."""
        return self._trainer_endpoints

    @property
    def nrings(self):
        """Number of communication rings."""
        return 1

    @property
    def pg_timeout(self):
        """Time limit of a collective, in milliseconds."""
        return 1800000

    local_rank = rank
    nranks = world_size
    dev_id = device_id


def init_parallel_env(nccl_config=None):
    """Connect the processes of the job, as `paddle.distributed.launch` or `spawn` started them.

    Args:
        nccl_config: Unused: processes talk over TCP.

    Returns:
        The default Group, of all processes.

    Raises:
        RuntimeError: A process of the job does not answer.

    Example:
        >>> group = paddle.distributed.init_parallel_env()
        >>> paddle.distributed.get_world_size()
        1
    """
    return _group.initialize_default()


def get_rank(group=None):
    """Rank of this process in the group, or in the job; -1 when it is no member of the group.

    Args:
        group: A Group, or None for the whole job.

    Example:
        >>> paddle.distributed.get_rank()
        0
    """
    return ParallelEnv().rank if group is None else group.get_group_rank(ParallelEnv().rank)


def get_world_size(group=None):
    """Number of processes of the group, or of the job.

    Args:
        group: A Group, or None for the whole job.

    Example:
        >>> paddle.distributed.get_world_size()
        1
    """
    return ParallelEnv().world_size if group is None else group.world_size


def sync_params_buffers(
    model, comm_group=None, src_rank=0, is_model_parallel=False, fuse_params=True, is_moe_sharding_parallel=False
):
    """Make parameters and buffers those of a member, on every process of the group.

    Args:
        model: The Layer.
        comm_group: A Group; None: the default group.
        src_rank: Rank of that member in the job.
        is_model_parallel: Whether parameters that are split over processes (`is_distributed`) stay as they are.
        fuse_params: Unused: each tensor is sent as it is.
        is_moe_sharding_parallel: Whether parameters of experts are sent too.
    """
    if get_world_size(comm_group) < 2:
        return
    seen = set()
    for tensor in (*model.parameters(), *model.buffers()):
        kept = getattr(tensor, "no_sync", False) or (is_model_parallel and getattr(tensor, "is_distributed", False))
        if id(tensor) not in seen and not kept:
            seen.add(id(tensor))
            broadcast(tensor, src_rank, comm_group)


class DataParallel(Layer):
    """Run a layer on the process's share of each batch; gradients are averaged over the group.

    Parameters and buffers become those of the first member. When a backward pass ends, every `grad` of a parameter is
    replaced by its mean over the group, where a member without one counts as zeros.

    Args:
        layers: The Layer.
        strategy: Kept for programs that pass it.
        comm_buffer_size: Size in MB of the buffers in which gradients are joined.
        last_comm_buffer_size: Unused: the last buffer is as large as the others.
        find_unused_parameters: Whether a backward pass may reach no parameter at all in some member.
        group: A Group, or None for the whole job.

    Raises:
        TypeError: `layers` is no Layer.
        RuntimeError: The job has several processes and `init_parallel_env` was not called.

    Example:
        >>> _ = paddle.distributed.init_parallel_env()
        >>> model = paddle.DataParallel(paddle.nn.Linear(4, 1))
        >>> model(paddle.ones([2, 4])).mean().backward()
        >>> model.parameters()[0].grad.shape
        paddle.Size([4, 1])
    """

    def __init__(
        self,
        layers,
        strategy=None,
        comm_buffer_size=25,
        last_comm_buffer_size=1,
        find_unused_parameters=False,
        group=None,
    ):
        if not isinstance(layers, Layer):
            raise TypeError(f"DataParallel: layers has type {type(layers).__name__}; it must be a paddle.nn.Layer.")
        super().__init__(layers.full_name() + "_data_parallel")
        if not _group.is_initialized():
            warnings.warn("DataParallel: the program runs as one process, so the layer runs as it is.", stacklevel=2)
        self._layers = layers
        self.group = group
        self.find_unused_parameters = find_unused_parameters
        self.grad_need_sync = True
        self._strategy = strategy
        self.comm_buffer_size = comm_buffer_size
        self.last_comm_buffer_size = last_comm_buffer_size
        self._averager = None
        if get_world_size(group) > 1:
            members = _group._get_global_group() if group is None else group
            sync_params_buffers(layers, members, members.ranks[0])
            self._averager = GradientAverager(self, members, comm_buffer_size)

    @contextlib.contextmanager
    def no_sync(self):
        """A context in which gradients are accumulated and not averaged over the job; the first backward pass behind it averages
        the sums.

        Example:
            >>> model = paddle.DataParallel(paddle.nn.Linear(2, 1))
            >>> with model.no_sync():
            ...     model(paddle.ones([4, 2])).mean().backward()
            >>> model(paddle.ones([4, 2])).mean().backward()
        """
        before, self.grad_need_sync = self.grad_need_sync, False
        try:
            yield
        finally:
            self.grad_need_sync = before

    def forward(self, *inputs, **kwargs):
        """Call the layer."""
        out = self._layers(*inputs, **kwargs)
        if self._averager is not None and self.find_unused_parameters:
            self._averager.watch(out)
        return out

    def scale_loss(self, loss):
        """The loss itself; averaging belongs to the gradients."""
        return loss

    def apply_collective_grads(self):
        """Average the gradients now; nothing to do in a group of one."""
        if self._averager is not None:
            self._averager.average()

    def state_dict(self, destination=None, include_sublayers=True, structured_name_prefix=""):
        """State of the wrapped layer, under its own names.

        Args:
            destination: A dict that takes the state; None: a new one.
            include_sublayers: Whether the state of the layers below is there too.
            structured_name_prefix: Stands in front of every name.
        """
        return self._layers.state_dict(
            destination=destination,
            include_sublayers=include_sublayers,
            structured_name_prefix=structured_name_prefix,
        )

    def set_state_dict(self, state_dict, use_structured_name=True):
        """Load a state of the wrapped layer.

        Args:
            state_dict: What `state_dict` gave.
            use_structured_name: False: the keys are names of variables.

        Returns:
            (names that the state lacks, names that the layer lacks).
        """
        return self._layers.set_state_dict(state_dict, use_structured_name=use_structured_name)

    set_dict = set_state_dict
    load_dict = set_state_dict

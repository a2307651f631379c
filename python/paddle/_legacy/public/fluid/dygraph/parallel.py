# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training by several processes: `ParallelEnv`, `DataParallel`."""

from ... import distributed as _distributed
from ...distributed import ParallelEnv

Env = ParallelEnv


class ParallelStrategy:
    """What a process knows of the others: `nranks`, `local_rank`, `trainer_endpoints`, `current_endpoint`."""

    def __init__(self):
        env = ParallelEnv()
        self.nranks, self.local_rank = env.nranks, env.local_rank
        self.trainer_endpoints, self.current_endpoint = env.trainer_endpoints, env.current_endpoint


def prepare_context(strategy=None):
    """Begin to work with the other processes; what it knows of them, None where there are none."""
    strategy = ParallelStrategy() if strategy is None else strategy
    if strategy.nranks < 2:
        return None
    _distributed.init_parallel_env()
    return strategy


class DataParallel(_distributed.DataParallel):
    """A layer whose gradients are means over processes; see `paddle.DataParallel`.

    Args:
        layers: The layer.
        strategy: What `prepare_context` gave; kept.
    """

    def __init__(self, layers, strategy=None, **settings):
        super().__init__(layers, **settings)

    def scale_loss(self, loss):
        """The loss: gradients are means already."""
        return loss

    def apply_collective_grads(self):
        """Nothing: gradients are joined during backward()."""


def sync_params_buffers(model, comm_group=None, src_rank=0, is_model_parallel=False):
    """Give all processes the parameters and buffers of one of them."""
    for value in (*model.parameters(), *model.buffers()):
        _distributed.broadcast(value, src_rank, comm_group)


__all__ = ["DataParallel", "ParallelEnv", "prepare_context"]

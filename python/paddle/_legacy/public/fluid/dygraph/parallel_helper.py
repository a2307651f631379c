# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether several processes train."""

from ... import distributed as _distributed


def _is_data_parallel_mode():
    """Whether there are other processes."""
    return _distributed.ParallelEnv().nranks > 1


def _is_parallel_ctx_initialized():
    """Whether this process works with them."""
    return _distributed.is_initialized()


def _broadcast_parameters(parameters):
    """Give all processes the parameters of the first one."""
    for parameter in parameters:
        _distributed.broadcast(parameter, 0)

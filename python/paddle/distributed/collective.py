# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives under the names of earlier versions."""

from .communication import *  # noqa: F403
from .communication.group import (  # noqa: F401
    Group,
    _get_global_group,
    destroy_process_group,
    get_group,
    is_initialized,
    new_group,
)
from .communication.reduce import ReduceOp  # noqa: F401
from .fleet.layers.mpu.mp_ops import _c_concat, _c_identity, _c_split, _mp_allreduce  # noqa: F401


def _get_default_group():
    """The group of all processes; init_parallel_env() makes it."""
    if not is_initialized():
        raise AssertionError(
            "_get_default_group: there is no group; call paddle.distributed.init_parallel_env() first."
        )
    return _get_global_group()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups and collectives."""

from . import stream
from .batch_isend_irecv import P2POp, batch_isend_irecv
from .collectives import (
    all_gather,
    all_gather_object,
    all_reduce,
    all_to_all,
    alltoall,
    alltoall_single,
    broadcast,
    broadcast_object_list,
    gather,
    irecv,
    isend,
    recv,
    recv_object_list,
    reduce,
    reduce_scatter,
    scatter,
    scatter_object_list,
    send,
    send_object_list,
)
from .group import (
    Group,
    barrier,
    destroy_process_group,
    get_backend,
    get_group,
    is_available,
    is_initialized,
    new_group,
    wait,
)
from .group import initialize_default as initialize_default_group
from .reduce import ReduceOp

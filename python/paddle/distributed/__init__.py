# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training as a job of several processes.

A program that runs as one process finds every name working on a group of one.  This build has no
transport between processes, so what needs a second one raises NotImplementedError.
"""

from .. import _lazy
from .auto_parallel import (
    ColWiseParallel,
    ContextParallel,
    DistAttr,
    LocalLayer,
    Partial,
    Placement,
    PrepareContextParallel,
    PrepareLayerInput,
    PrepareLayerOutput,
    ProcessMesh,
    ReduceType,
    Replicate,
    RowWiseParallel,
    SequenceParallelBegin,
    SequenceParallelDisable,
    SequenceParallelEnable,
    SequenceParallelEnd,
    Shard,
    ShardingStage1,
    ShardingStage2,
    ShardingStage3,
    SplitPoint,
    dtensor_from_fn,
    get_mesh,
    in_auto_parallel_align_mode,
    parallelize,
    reshard,
    set_mesh,
    shard_dataloader,
    shard_layer,
    shard_op,
    shard_optimizer,
    shard_scaler,
    shard_tensor,
    unshard_dtensor,
)
from .communication import (
    P2POp,
    ReduceOp,
    all_gather,
    all_gather_object,
    all_reduce,
    alltoall,
    alltoall_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    broadcast_object_list,
    destroy_process_group,
    gather,
    get_backend,
    get_group,
    irecv,
    is_available,
    is_initialized,
    isend,
    new_group,
    recv,
    recv_object_list,
    reduce,
    reduce_scatter,
    scatter,
    scatter_object_list,
    send,
    send_object_list,
    stream,
    wait,
)
from .fleet.base.topology import ParallelMode
from .flex_checkpoint.dcp.sharded_weight import ShardedStateDict, ShardedWeight, build_sharded_state_dict, shard_weight
from .flex_checkpoint.dcp.state_dict import load_merged_state_dict, load_state_dict, save_state_dict
from .parallel import DataParallel, ParallelEnv, get_rank, get_world_size, init_parallel_env
from .sharding import group_sharded_parallel, save_group_sharded_model
from .spawn import spawn

__getattr__ = _lazy.attribute_hook(
    __name__,
    (
        "fleet",
        "communication",
        "collective",
        "auto_parallel",
        "fsdp",
        "io",
        "sharding",
        "flex_checkpoint",
        "rpc",
        "utils",
        "backup_env",
        "passes",
    ),
    {
        "restart_process_group": ("paddle.distributed.communication.group", "restart_process_group"),
        "shutdown_process_group": ("paddle.distributed.communication.group", "shutdown_process_group"),
        "Strategy": ("paddle.distributed.auto_parallel.strategy", "Strategy"),
        "local_map": ("paddle.distributed.auto_parallel.local_map", "local_map"),
        "DistModel": ("paddle.distributed.auto_parallel.dist_model", "DistModel"),
        "to_static": ("paddle.distributed.auto_parallel.dist_model", "to_static"),
        "launch": ("paddle.distributed.launch.main", "launch"),
        "split": ("paddle.distributed.fleet.layers.split", "split"),
        **{
            name: ("paddle.distributed.communication.gloo", name)
            for name in ("gloo_barrier", "gloo_init_parallel_env", "gloo_release")
        },
        "InMemoryDataset": ("paddle.distributed.fleet.dataset", "InMemoryDataset"),
        "QueueDataset": ("paddle.distributed.fleet.dataset", "QueueDataset"),
        **{
            name: ("paddle.distributed.entry_attr", name)
            for name in ("CountFilterEntry", "ProbabilityEntry", "ShowClickEntry")
        },
    },
)

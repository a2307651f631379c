# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Automatic parallelism from annotations: meshes, placements and placed tensors."""

from .api import (
    ColWiseParallel,
    LocalLayer,
    RowWiseParallel,
    SequenceParallelBegin,
    SequenceParallelDisable,
    SequenceParallelEnable,
    SequenceParallelEnd,
    ShardingStage1,
    ShardingStage2,
    ShardingStage3,
    dtensor_from_fn,
    in_auto_parallel_align_mode,
    parallelize,
    reshard,
    shard_dataloader,
    shard_layer,
    shard_optimizer,
    shard_scaler,
    shard_tensor,
    unshard_dtensor,
)
from .placement import Partial, Placement, ReduceType, Replicate, Shard
from .process_mesh import ProcessMesh, create_mesh, get_mesh, set_mesh
from .strategy import Strategy

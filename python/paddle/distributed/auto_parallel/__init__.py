# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Automatic parallelism from annotations: meshes, placements and placed tensors."""

from .api import (
    LocalLayer,
    ShardingStage1,
    ShardingStage2,
    ShardingStage3,
    dtensor_from_fn,
    in_auto_parallel_align_mode,
    reshard,
    shard_layer,
    shard_optimizer,
    shard_scaler,
    shard_tensor,
    unshard_dtensor,
)
from .context_parallel import ContextParallel, PrepareContextParallel
from .dist_attr import DistAttr
from .engine import Engine
from .high_level import create_nccl_config, enable_auto_dp, to_distributed
from .interface import exclude_ops_in_recompute, parallel_manual_seed, recompute, shard_op
from .placed_batches import shard_dataloader
from .placement import Partial, Placement, ReduceType, Replicate, Shard
from .plans import (
    ColWiseParallel,
    ConvParallel,
    PrepareLayerInput,
    PrepareLayerOutput,
    RowWiseParallel,
    SequenceParallelBegin,
    SequenceParallelDisable,
    SequenceParallelEnable,
    SequenceParallelEnd,
    SplitPoint,
    parallelize,
)
from .process_mesh import ProcessMesh, create_mesh, get_mesh, set_mesh
from .ring_attention import RingConv2d, RingFlashAttention
from .strategy import Strategy

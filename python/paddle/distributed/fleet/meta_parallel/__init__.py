# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers and model wrappers of hybrid-parallel jobs."""

from ..layers.mpu import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RNGStatesTracker,
    RowParallelLinear,
    VocabParallelEmbedding,
    get_rng_state_tracker,
    model_parallel_random_seed,
)
from .parallel_layers import LayerDesc, LocalSharedLayerDesc, PipelineLayer, SharedLayerDesc
from .pipeline_parallel import NoPipelineParallel, PipelineParallel, PipelineParallelWithInterleave
from .pp_utils.forward_backward_overlap_utils import ScheduleChunk, ScheduleNode
from .spec_utils import LayerSpec, build_spec_layer, get_spec_layer, import_spec_layer
from .wrappers import MetaParallelBase, SegmentParallel, ShardingParallel, TensorParallel

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`distributed_model` and the wrappers that it may return."""

from . import distributed_model
from .meta_parallel import (
    PipelineParallel,
    PipelineParallelWithInterleave,
    SegmentParallel,
    ShardingParallel,
    TensorParallel,
)

__all__ = [
    "PipelineParallel",
    "PipelineParallelWithInterleave",
    "SegmentParallel",
    "ShardingParallel",
    "TensorParallel",
    "distributed_model",
]

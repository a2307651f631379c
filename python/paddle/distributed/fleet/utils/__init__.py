# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of hybrid-parallel programs."""

from ..recompute.recompute import recompute
from . import hybrid_parallel_util, log_util, mix_precision_utils, sequence_parallel_utils, timer_helper
from .fs import LocalFS
from .hdfs import HDFSClient

__all__ = ["HDFSClient", "LocalFS", "recompute"]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers of hybrid-parallel jobs."""

from .dygraph_optimizer import DygraphShardingOptimizer, DygraphShardingOptimizerV2, HybridParallelOptimizer

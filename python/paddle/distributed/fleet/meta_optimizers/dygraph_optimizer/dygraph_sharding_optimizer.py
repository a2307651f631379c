# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers whose state is split over the sharding group (ZeRO stage 1)."""

from .hybrid_parallel_optimizer import HybridParallelOptimizer


class DygraphShardingOptimizer(HybridParallelOptimizer):
    """State split by parameter; a group of one holds all of it."""

    def __init__(self, optimizer, hcg):
        super().__init__(optimizer, hcg)

    def reduce_gradients(self, parameter_list, hcg):
        """Sum the gradients over the sharding group."""


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """State split within parameters; a group of one holds all of it."""

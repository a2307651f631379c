# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers whose state is split over the sharding group (ZeRO stage 1)."""

from ....sharding.sharded_optimizer import ShardedOptimizer


class DygraphShardingOptimizer(ShardedOptimizer):
    """State split over the sharding group of a hybrid-parallel job, by parameter.

    Args:
        optimizer: The optimizer, with all parameters.
        hcg: The HybridCommunicateGroup.
    """

    def __init__(self, optimizer, hcg):
        super().__init__(optimizer, hcg.get_sharding_parallel_group())
        self._hcg = hcg

    @property
    def _rank2params(self):
        return dict(enumerate(self._ownership.of_each))

    @property
    def _param2rank(self):
        return {p.name: self._ownership.owner(p) for p in self._ownership.parameters}

    def filter_parameters(self, parameter_list, hcg):
        """Those of a list of parameters that this member updates."""
        return self._ownership.of(self._ownership.group.rank, parameter_list)


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """The same: no parameter is cut into parts."""

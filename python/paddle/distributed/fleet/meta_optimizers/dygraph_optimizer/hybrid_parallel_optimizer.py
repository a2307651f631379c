# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An optimizer that knows the topology of its job."""

from ....sharding.global_norm import ClipGradOverGroups, clip_over_groups
from ....sharding.sharded_optimizer import minimize
from ...utils.hybrid_parallel_util import fused_allreduce_gradients
from .dygraph_sharding_optimizer import DygraphShardingOptimizer


def _axes_of_parameters(hcg):
    """Groups whose members update different parameters."""
    return [hcg.get_sharding_parallel_group(), hcg.get_pipe_parallel_group()]


class HybridParallelClipGrad(ClipGradOverGroups):
    """ClipGradByGlobalNorm over all parts of a model: of stages, of split optimizer state, and of parameters that are split
    over the model axis.

    Args:
        clip: The ClipGradByGlobalNorm.
        hcg: The HybridCommunicateGroup.
    """

    def __init__(self, clip, hcg):
        super().__init__(clip, _axes_of_parameters(hcg), hcg.get_model_parallel_group())
        self._hcg = hcg


class HybridParallelOptimizer:
    """Averages gradients over the processes that have other data, clips by their norm over all parameters, then steps.

    With a sharding axis each member of it updates a part of the parameters (DygraphShardingOptimizer).

    Args:
        optimizer: The optimizer.
        hcg: The HybridCommunicateGroup.
        strategy: The DistributedStrategy.
    """

    def __init__(self, optimizer, hcg, strategy=None):
        self._hcg, self._strategy = hcg, strategy
        self._sharding_enable = self._dp_enable = self._sep_enable = False
        if hcg is not None:
            axes, model_group = _axes_of_parameters(hcg), hcg.get_model_parallel_group()
            if any(group.nranks > 1 for group in (*axes, model_group)):
                clip_over_groups(optimizer, axes, model_group)
            self._sharding_enable = hcg.get_sharding_parallel_world_size() > 1
            self._dp_enable = hcg.get_data_parallel_world_size() > 1
            self._sep_enable = hcg.get_sep_parallel_world_size() > 1
        self._inner_opt = DygraphShardingOptimizer(optimizer, hcg) if self._sharding_enable else optimizer

    def step(self):
        """Bring the gradients together, and update the parameters."""
        parameters = list(self._inner_opt._parameter_list)
        if self._dp_enable or self._sep_enable:
            fused_allreduce_gradients(parameters, self._hcg)
        if self._sharding_enable:
            self._inner_opt.reduce_gradients(parameters, self._hcg)
        self._step(parameters)

    def _step(self, parameters_list):
        """Update the parameters, whose gradients are together already."""
        self._inner_opt.step()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step`, behind `loss.backward()`; while a static program is recorded, `minimize` of the optimizer."""
        return minimize(self, loss, startup_program, parameters, no_grad_set)

    def clear_grad(self, set_to_zero=True):
        """Forget the gradients."""
        self._inner_opt.clear_grad(set_to_zero)

    def __getattr__(self, name):
        if name == "_inner_opt":
            raise AttributeError(name)
        return getattr(self._inner_opt, name)

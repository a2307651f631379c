# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An optimizer that knows the topology of its job."""

from ..... import _core
from .....nn import ClipGradByGlobalNorm
from ....communication import all_reduce
from ....communication.group import group_of_one
from ...utils.hybrid_parallel_util import fused_allreduce_gradients


class HybridParallelClipGrad:
    """ClipGradByGlobalNorm over all parts of parameters that are split over the model axis.

    Args:
        clip: The ClipGradByGlobalNorm.
        hcg: The HybridCommunicateGroup.
    """

    def __init__(self, clip, hcg):
        self._clip, self._hcg = clip, hcg

    def __call__(self, params_grads):
        """Pairs of parameter and gradient to pairs with clipped gradients."""
        squares = {True: _core.ops.full([1], 0.0, "float32"), False: _core.ops.full([1], 0.0, "float32")}
        for parameter, gradient in params_grads:
            if gradient is not None and getattr(parameter, "need_clip", True):
                split = bool(getattr(parameter, "is_distributed", False))
                squares[split] = squares[split] + gradient.astype("float32").square().sum()
        all_reduce(squares[True], group=self._hcg.get_model_parallel_group())
        norm, limit = (squares[True] + squares[False]).sqrt(), self._clip.clip_norm
        factor = limit / _core.ops.maximum(norm, _core.ops.full([1], limit, "float32"))
        return [
            (p, g * factor.astype(g.dtype) if g is not None and getattr(p, "need_clip", True) else g)
            for p, g in params_grads
        ]


class HybridParallelOptimizer:
    """Averages gradients over the data-parallel group, clips over the model-parallel one, then steps.

    Args:
        optimizer: The optimizer.
        hcg: The HybridCommunicateGroup.
        strategy: The DistributedStrategy.
    """

    def __init__(self, optimizer, hcg, strategy=None):
        self._inner_opt = optimizer
        self._hcg = hcg
        self._strategy = strategy
        if hcg is None:
            return
        for axis in (hcg.get_sharding_parallel_group(), hcg.get_pipe_parallel_group()):
            group_of_one(type(self).__name__, axis)
        clip = optimizer._grad_clip
        if hcg.get_model_parallel_world_size() > 1 and isinstance(clip, ClipGradByGlobalNorm):
            optimizer._grad_clip = HybridParallelClipGrad(clip, hcg)

    def step(self):
        """Update the parameters."""
        if self._hcg is not None:
            fused_allreduce_gradients(self._inner_opt._parameter_list, self._hcg)
        self._inner_opt.step()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Backward and step."""
        return self._inner_opt.minimize(loss, startup_program, parameters, no_grad_set)

    def clear_grad(self, set_to_zero=True):
        """Forget the gradients."""
        self._inner_opt.clear_grad(set_to_zero)

    def __getattr__(self, name):
        if name == "_inner_opt":
            raise AttributeError(name)
        return getattr(self._inner_opt, name)

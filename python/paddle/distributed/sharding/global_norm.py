# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Clipping by the norm of all gradients of a model whose parameters are spread over processes."""

from ... import _core
from ...nn import ClipGradByGlobalNorm
from ..communication import all_reduce

ops = _core.ops


class ClipGradOverGroups(ClipGradByGlobalNorm):
    """ClipGradByGlobalNorm whose norm counts the gradients of other members too.

    Args:
        clip: The ClipGradByGlobalNorm.
        groups: Groups whose members have different parameters; one after the other they join the sums of squares.
        model_group: Group over which the parameters with `is_distributed` are split, and only they; or None.
    """

    def __init__(self, clip, groups, model_group=None):
        super().__init__(clip.clip_norm)
        self._clip, self._model_group = clip, model_group
        self._groups = [group for group in groups if group.nranks > 1]

    def _dygraph_clip(self, params_grads):
        params_grads = [(p, g) for p, g in params_grads if g is not None]
        squares = {split: ops.full([1], 0.0, "float64") for split in (True, False)}
        for parameter, gradient in params_grads:
            # Of weights that stages share, the first stage counts.
            if getattr(parameter, "need_clip", True) and getattr(parameter, "is_firstly_shared", True):
                split = bool(getattr(parameter, "is_distributed", False))
                squares[split] = squares[split] + ops.sum(ops.square(ops.cast(gradient, "float64")))
        if self._model_group is not None and self._model_group.nranks > 1:
            all_reduce(squares[True], group=self._model_group)
        total = squares[True] + squares[False]
        for group in self._groups:
            all_reduce(total, group=group)
        limit = ops.full([1], self.clip_norm, "float64")
        factor = limit / ops.maximum(ops.sqrt(total), limit)
        return [(p, g * ops.cast(factor, g.dtype) if getattr(p, "need_clip", True) else g) for p, g in params_grads]


def innermost(optimizer):
    """The optimizer within wrappers, each of which has the next one as `_inner_opt`."""
    while "_inner_opt" in vars(optimizer):
        optimizer = optimizer._inner_opt
    return optimizer


def clip_over_groups(optimizer, groups, model_group=None):
    """Let an optimizer that clips by the global norm, itself or a group of its parameters, count other members too."""
    holders = [(vars(innermost(optimizer)), "_grad_clip"), *((g, "grad_clip") for g in optimizer._groups)]
    for holder, name in holders:
        clip = holder.get(name)
        if isinstance(clip, ClipGradByGlobalNorm) and not isinstance(clip, ClipGradOverGroups):
            holder[name] = ClipGradOverGroups(clip, groups, model_group)

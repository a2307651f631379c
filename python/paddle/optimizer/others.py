# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers written as composites: `RMSProp`, `Adagrad`."""

from .. import _core
from ..framework.memory import write
from .optimizer import Optimizer

ops = _core.ops


class RMSProp(Optimizer):
    """Steps by the root of a running mean of squares (Hinton's lecture 6e).

    Args:
        rho: Weight of the old mean.
        epsilon: Added below the root.
        momentum: Factor on the previous step.
        centered: Take the square of the running mean off.
    """

    def __init__(
        self,
        learning_rate,
        rho=0.95,
        epsilon=1e-06,
        momentum=0.0,
        centered=False,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        self._rho, self._epsilon, self._momentum = rho, epsilon, momentum
        self._centered = centered
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        square = self._accumulator("mean_square", param)
        center = self._accumulator("mean_grad", param)
        step = self._accumulator("momentum", param)
        write(square, square * self._rho + grad * grad * (1 - self._rho))
        spread = square
        if self._centered:
            write(center, center * self._rho + grad * (1 - self._rho))
            spread = square - center * center
        lr = ops.cast(self._lr_for(param), param.dtype)
        write(step, step * self._momentum + grad * ops.rsqrt(spread + self._epsilon) * lr)
        write(param, param - step)


class Adagrad(Optimizer):
    """Steps by the root of the sum of squares (Duchi et al. 2011)."""

    def __init__(
        self,
        learning_rate,
        epsilon=1e-06,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
        initial_accumulator_value=0.0,
    ):
        self._epsilon, self._initial = epsilon, initial_accumulator_value
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        moment = self._accumulator("moment", param, self._initial)
        write(moment, moment + grad * grad)
        lr = ops.cast(self._lr_for(param), param.dtype)
        write(param, param - lr * grad / (ops.sqrt(moment) + self._epsilon))

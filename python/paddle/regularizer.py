# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weight decay added to gradients: `L1Decay`, `L2Decay`."""

from . import _core
from .framework.checked_numbers import real

__all__ = ["L1Decay", "L2Decay"]


class WeightDecayRegularizer:
    """Base of the regularizers; a call returns what is added to the gradient."""

    def __init__(self, coeff=0.0):
        self._coeff = real(type(self).__name__, "coeff", coeff)

    @property
    def _regularization_coeff(self):
        return self._coeff


class L1Decay(WeightDecayRegularizer):
    """Adds `coeff * sign(param)` to the gradient: the derivative of coeff times the sum of absolute values.

    Args:
        coeff: The coefficient.

    Example:
        >>> attr = paddle.ParamAttr(regularizer=paddle.regularizer.L1Decay(0.01))
        >>> layer = paddle.nn.Linear(2, 2, weight_attr=attr)
    """

    def __call__(self, param, grad=None, block=None):
        return _core.ops.sign(param) * self._coeff

    def __str__(self):
        return f"L1Decay, coeff={self._coeff:f}"


class L2Decay(WeightDecayRegularizer):
    """Adds `coeff * param` to the gradient: the derivative of coeff / 2 times the sum of squares.

    Args:
        coeff: The coefficient.

    Example:
        >>> layer = paddle.nn.Linear(2, 2)
        >>> sgd = paddle.optimizer.SGD(0.1, layer.parameters(), weight_decay=paddle.regularizer.L2Decay(0.01))
    """

    def __call__(self, param, grad=None, block=None):
        return param * self._coeff

    def __str__(self):
        return f"L2Decay, coeff={self._coeff:f}"


L1DecayRegularizer = L1Decay
L2DecayRegularizer = L2Decay

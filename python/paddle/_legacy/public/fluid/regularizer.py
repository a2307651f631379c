# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Regularizers by `regularization_coeff`."""

from .. import regularizer as _present
from ..regularizer import WeightDecayRegularizer


class L1DecayRegularizer(_present.L1Decay):
    """Adds regularization_coeff * sign(parameter) to the gradient.

    Args:
        regularization_coeff: The coefficient.
    """

    def __init__(self, regularization_coeff=0.0):
        super().__init__(regularization_coeff)


class L2DecayRegularizer(_present.L2Decay):
    """Adds regularization_coeff * parameter to the gradient.

    Args:
        regularization_coeff: The coefficient.
    """

    def __init__(self, regularization_coeff=0.0):
        super().__init__(regularization_coeff)


L1Decay, L2Decay = L1DecayRegularizer, L2DecayRegularizer

__all__ = ["L1Decay", "L1DecayRegularizer", "L2Decay", "L2DecayRegularizer", "WeightDecayRegularizer"]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers and learning-rate schedules."""

from . import adadelta, adagrad, adamax, adamw, lamb, lr, momentum, rmsprop
from .adam import Adam, AdamW
from .adaptive import ASGD, Adadelta, Adagrad, Adamax, Lamb, NAdam, RAdam, RMSProp, Rprop
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import SGD, Momentum

__all__ = [
    "ASGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "LBFGS",
    "Lamb",
    "Momentum",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSProp",
    "Rprop",
    "SGD",
]

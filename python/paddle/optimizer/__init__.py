# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers and learning-rate schedules."""

from . import lr
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .others import Adagrad, RMSProp
from .sgd import SGD, Momentum

__all__ = ["Adagrad", "Adam", "AdamW", "Momentum", "Optimizer", "RMSProp", "SGD"]

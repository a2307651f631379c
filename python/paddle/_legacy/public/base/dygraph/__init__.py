# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Eager mode under its older path."""

from ...framework.modes import enable_grad, no_grad
from .base import disable_dygraph, enable_dygraph, enabled, grad, guard, param_guard, to_variable
from .tracer import Tracer

no_grad_ = no_grad

__all__ = [
    "Tracer",
    "disable_dygraph",
    "enable_dygraph",
    "enable_grad",
    "enabled",
    "grad",
    "guard",
    "no_grad",
    "param_guard",
    "to_variable",
]

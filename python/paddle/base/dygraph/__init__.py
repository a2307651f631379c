# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Eager mode under its older path."""

from ...framework.modes import enable_grad, no_grad
from .base import guard, param_guard, to_variable
from .tracer import Tracer

__all__ = ["Tracer", "enable_grad", "guard", "no_grad", "param_guard", "to_variable"]

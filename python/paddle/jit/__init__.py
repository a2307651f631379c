# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Capture of Python functions as programs, and saved programs."""

from .api import StaticFunction, ignore_module, not_to_static, to_static
from .saved import TranslatedLayer, load, save
from .spec import InputSpec
from .symint import SymInt

__all__ = [
    "to_static",
    "save",
    "load",
    "TranslatedLayer",
    "not_to_static",
    "ignore_module",
    "set_code_level",
    "set_verbosity",
    "enable_to_static",
]


def set_code_level(level=100, also_to_stdout=False):
    """Accepted for compatibility: captured functions have no transformed source to print."""


def set_verbosity(level=0, also_to_stdout=False):
    """Accepted for compatibility: sets nothing."""


def enable_to_static(enable_to_static_bool):
    """Turns capture on or off for all functions; off runs them as plain Python."""
    StaticFunction.enabled = bool(enable_to_static_bool)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Capture of Python functions as programs, and saved programs."""

from .. import _lazy
from ..framework.symint import SymInt
from .api import ignore_module, not_to_static, to_static
from .compile_budget import compile_budget
from .explain import Explanation, explain
from .saved import TranslatedLayer, load, save
from .spec import InputSpec
from .static_function import StaticFunction
from .verbosity import set_code_level, set_verbosity

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


__getattr__ = _lazy.attribute_hook(
    __name__, ("dy2static", "marker", "pir_translated_layer", "sot", "translated_layer", "utils"), {}
)


def enable_to_static(enable_to_static_bool):
    """Turn capture on or off for all functions; off runs them as plain Python.

    Args:
        enable_to_static_bool: Whether it is on.
    """
    StaticFunction.enabled = bool(enable_to_static_bool)

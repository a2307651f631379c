# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Capture of Python functions under its PaddlePaddle path."""

from ..control_flow.convert import convert_callee as Call
from . import convert_call_func, error, logging_utils, utils
from .program_translator import convert_to_static

__all__ = ["Call", "convert_call_func", "convert_to_static", "error", "logging_utils", "utils"]

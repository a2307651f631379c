# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs and their guards under another of their paths."""

from ..framework.data_checks import convert_np_dtype_to_dtype_
from ..framework.parameter import create_parameter
from ..static import Program, data, default_main_program, default_startup_program, program_guard
from ..static.program import switch_main_program, switch_startup_program

__all__ = [
    "Program",
    "convert_np_dtype_to_dtype_",
    "create_parameter",
    "data",
    "default_main_program",
    "default_startup_program",
    "program_guard",
    "switch_main_program",
    "switch_startup_program",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What captured functions call in the place of a function, under its PaddlePaddle path."""

from ..control_flow.convert import convert_callee as convert_call
from ..control_flow.convert import ignore_modules as add_ignore_module

__all__ = ["add_ignore_module", "convert_call"]

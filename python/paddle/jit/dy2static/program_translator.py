# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions under their PaddlePaddle path."""

from ..api import ProgramTranslator
from ..concrete import ConcreteProgram, ProgramCache
from ..control_flow.convert import convert as convert_to_static
from ..static_function import StaticFunction
from .function_spec import FunctionSpec

ASTStaticFunction = SymbolicStaticFunction = StaticFunction

__all__ = [
    "ASTStaticFunction",
    "ConcreteProgram",
    "FunctionSpec",
    "ProgramCache",
    "ProgramTranslator",
    "StaticFunction",
    "SymbolicStaticFunction",
    "convert_to_static",
]

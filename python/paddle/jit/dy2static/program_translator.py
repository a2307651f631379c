# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions under their PaddlePaddle path."""

from ..api import ProgramTranslator, StaticFunction
from ..ast import convert as convert_to_static
from ..concrete import ConcreteProgram, ProgramCache

ASTStaticFunction = SymbolicStaticFunction = StaticFunction

__all__ = [
    "ASTStaticFunction",
    "ConcreteProgram",
    "ProgramCache",
    "ProgramTranslator",
    "StaticFunction",
    "SymbolicStaticFunction",
    "convert_to_static",
]

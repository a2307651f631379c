# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of programs under another of their paths."""

from ..jit.spec import InputSpec
from .program import data

__all__ = ["InputSpec", "data"]

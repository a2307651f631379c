# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs whose operators are taken apart into basic ones."""

from . import decomp
from .decomp import decompose

__all__ = ["decompose"]

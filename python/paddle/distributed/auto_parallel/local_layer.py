# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LocalLayer` under its module path."""

from .api import LocalLayer

__all__ = ["LocalLayer"]

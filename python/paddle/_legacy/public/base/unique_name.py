# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unique names under their older path."""

from ..utils.unique_name import generate, guard, switch

__all__ = ["generate", "guard", "switch"]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of labelled sounds, from files that are there or fetched once."""

from .esc50 import ESC50
from .tess import TESS

__all__ = ["ESC50", "TESS"]

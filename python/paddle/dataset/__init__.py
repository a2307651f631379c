# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of small datasets, in the style of PaddlePaddle 1: functions that return iterators."""

from . import common, mnist

__all__ = ["common", "mnist"]

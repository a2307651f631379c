# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The layer classes."""

from ... import _paths
from .layers import Layer

__getattr__ = _paths.names_of("paddle.nn")

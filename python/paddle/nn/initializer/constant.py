# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The initializers of one value, under the module path that programs import them from."""

from . import Constant, ConstantInitializer

__all__ = ["Constant", "ConstantInitializer"]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Adadelta` under the module path that programs import it from."""

from .adaptive import Adadelta

__all__ = ["Adadelta"]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Momentum` under the module path that programs import it from."""

from .sgd import Momentum

__all__ = ["Momentum"]

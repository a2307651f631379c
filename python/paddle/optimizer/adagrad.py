# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Adagrad` under the module path that programs import it from."""

from .adaptive import Adagrad

__all__ = ["Adagrad"]

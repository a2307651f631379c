# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Adamax` under the module path that programs import it from."""

from .adaptive import Adamax

__all__ = ["Adamax"]

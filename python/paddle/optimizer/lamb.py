# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Lamb` under the module path that programs import it from."""

from .adaptive import Lamb

__all__ = ["Lamb"]

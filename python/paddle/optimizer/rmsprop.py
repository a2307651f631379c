# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`RMSProp` under the module path that programs import it from."""

from .adaptive import RMSProp

__all__ = ["RMSProp"]

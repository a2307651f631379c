# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`AdamW` under the module path that programs import it from."""

from .adam import AdamW

__all__ = ["AdamW"]

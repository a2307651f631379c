# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`FusedDropoutAdd` under its module's own name."""

from .fused_transformer import FusedDropoutAdd

__all__ = ["FusedDropoutAdd"]

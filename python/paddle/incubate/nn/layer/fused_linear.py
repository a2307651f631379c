# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`FusedLinear` under its module's own name."""

from .fused_transformer import FusedLinear

__all__ = ["FusedLinear"]

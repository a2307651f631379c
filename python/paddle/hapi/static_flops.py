# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The table that `paddle.flops` prints."""

from .dynamic_flops import Table

__all__ = ["Table"]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of profiles under another of their paths."""

from . import SortedKeys, SummaryView

__all__ = ["SortedKeys", "SummaryView"]

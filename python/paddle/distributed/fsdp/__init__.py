# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters split over processes that put them together where they are needed."""

from .fully_shard import fully_shard

__all__ = ["fully_shard"]

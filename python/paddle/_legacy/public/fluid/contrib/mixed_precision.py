# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision of programs; see `paddle.static.amp`."""

from ...static.amp import AutoMixedPrecisionLists, decorate, fp16_guard

__all__ = ["AutoMixedPrecisionLists", "decorate", "fp16_guard"]

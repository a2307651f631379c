# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Low-rank adaptation of decoders: training, merging, and adapters in files."""

from .adapter import Adapter, rank_of
from .layers import TARGETS, LoRALinear, adapted, adapter, apply, merge, parameters, unload

__all__ = [
    "TARGETS",
    "Adapter",
    "LoRALinear",
    "adapted",
    "adapter",
    "apply",
    "merge",
    "parameters",
    "rank_of",
    "unload",
]

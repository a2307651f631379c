# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions and layers that join several steps of a network."""

from ... import _lazy
from . import functional
from .layer import (
    FusedBiasDropoutResidualLayerNorm,
    FusedDropout,
    FusedDropoutAdd,
    FusedFeedForward,
    FusedLinear,
    FusedMultiHeadAttention,
    FusedMultiTransformer,
    FusedTransformerEncoderLayer,
)

__all__ = [
    "FusedBiasDropoutResidualLayerNorm",
    "FusedDropout",
    "FusedDropoutAdd",
    "FusedFeedForward",
    "FusedLinear",
    "FusedMultiHeadAttention",
    "FusedMultiTransformer",
    "FusedTransformerEncoderLayer",
    "functional",
]

_submodules = ("attn_bias", "memory_efficient_attention")
__getattr__ = _lazy.attribute_hook(__name__, _submodules, {})

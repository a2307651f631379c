# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers over the joined functions."""

from . import fused_dropout_add, fused_linear
from .fused_dropout_nd import FusedDropout
from .fused_multi_transformer import FusedMultiTransformer
from .fused_transformer import (
    FusedBiasDropoutResidualLayerNorm,
    FusedDropoutAdd,
    FusedFeedForward,
    FusedLinear,
    FusedMultiHeadAttention,
    FusedTransformerEncoderLayer,
)

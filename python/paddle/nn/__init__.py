# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers, functions on tensors for networks, initializers and gradient clipping."""

from .. import _paths
from ..framework.parameter import EagerParamBase as Parameter
from . import attention, functional, init, initializer, quant, utils
from .clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from .decode import BeamSearchDecoder, dynamic_decode
from .layer import loss
from .layer.activation import *
from .layer.channels import *
from .layer.class_loss import *
from .layer.common import *
from .layer.container import LayerDict, LayerList, ParameterDict, ParameterList, Sequential
from .layer.conv import *
from .layer.conv_transpose_forms import *
from .layer.layers import Layer
from .layer.loss import *
from .layer.margin_loss import *
from .layer.norm import *
from .layer.padding import *
from .layer.pooling import *
from .layer.rnn import *
from .layer.transformer import (
    MultiHeadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from .layer.vision import *
from .utils import spectral_norm

ModuleList = LayerList
ModuleDict = LayerDict
Module = Layer

# What `from paddle.nn import *` brings: the layers and what belongs to them.
__all__ = ["dynamic_decode", *(n for n, v in globals().items() if isinstance(v, type))]

_paths.attach(__name__)

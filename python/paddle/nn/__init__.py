# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers, functions on tensors for networks, initializers and gradient clipping."""

from .. import _paths
from ..framework.parameter import EagerParamBase as Parameter
from . import attention, functional, init, initializer, quant, utils
from .clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from .decode import BeamSearchDecoder, dynamic_decode
from .layer import loss
from .layer.activation import *  # noqa: F403
from .layer.channels import *  # noqa: F403
from .layer.class_loss import *  # noqa: F403
from .layer.common import *  # noqa: F403
from .layer.container import LayerDict, LayerList, ParameterDict, ParameterList, Sequential
from .layer.conv import *  # noqa: F403
from .layer.layers import Layer
from .layer.loss import *  # noqa: F403
from .layer.margin_loss import *  # noqa: F403
from .layer.norm import *  # noqa: F403
from .layer.padding import *  # noqa: F403
from .layer.pooling import *  # noqa: F403
from .layer.rnn import *  # noqa: F403
from .layer.transformer import (
    MultiHeadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from .layer.vision import *  # noqa: F403
from .utils import spectral_norm

ModuleList = LayerList
ModuleDict = LayerDict
Module = Layer

# What `from paddle.nn import *` brings: the layers and what belongs to them.
__all__ = ["dynamic_decode", *(n for n, v in globals().items() if isinstance(v, type))]

_paths.attach(__name__)

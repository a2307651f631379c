# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoders of language models and encoders of texts as layers, from new weights, GGUF files and folders in Hugging Face's layout."""

from .attention import ContiguousCache
from .calibration import Calibration
from .config import AttentionForm, DecoderConfig, Experts, Latent, Rotary
from .decoder import Decoder
from .encoder import Encoder, EncoderConfig
from .gguf_export import save_gguf
from .hugging_face_export import save_folder
from .key_balance import KeyBalance, measure_key_balance
from .loading import load_model
from .weights import BlockWeight, QuantizedEmbedding, QuantizedLinear

__all__ = [
    "AttentionForm",
    "BlockWeight",
    "Calibration",
    "ContiguousCache",
    "Decoder",
    "DecoderConfig",
    "Encoder",
    "EncoderConfig",
    "Experts",
    "Latent",
    "KeyBalance",
    "QuantizedEmbedding",
    "QuantizedLinear",
    "Rotary",
    "load_model",
    "measure_key_balance",
    "save_folder",
    "save_gguf",
]

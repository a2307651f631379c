# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`load_model`: a decoder from a file or a folder."""

import os

from ..formats.gguf import GGUFFile
from ..formats.hugging_face import Folder
from . import gguf_models, hugging_face_models
from .decoder import Decoder


def load_model(source, dtype="float32", dequantize=False):
    """The decoder of a GGUF file, or of a folder in Hugging Face's layout.

    Args:
        source: Path of a GGUF file, or of a folder with config.json and safetensors files; or a GGUFFile or Folder that is
            open, so that a tokenizer is made of the same one.
        dtype: dtype of computation, and of weights that are not quantised.
        dequantize: Quantised weights become trainable Tensors of that dtype.

    Returns:
        A Decoder in eval mode. Quantised weights are packed, in memory of their own.

    Raises:
        ValueError: The file is damaged, or has an architecture, a rule or a type of weights that cannot be read.
        FileNotFoundError: There is no such file.
    """
    if isinstance(source, (str, os.PathLike)):
        source = Folder(source) if os.path.isdir(source) else GGUFFile(source)
    if isinstance(source, Folder):
        config = hugging_face_models.config_of(source.config, source.generation)
        weights = hugging_face_models.Weights(source.tensor, config, source.config)
    else:
        config = gguf_models.config_of(source)
        weights = gguf_models.Weights(source, config, dtype if dequantize else None)
    model = Decoder(config, weights, dtype)
    model.eval()
    return model

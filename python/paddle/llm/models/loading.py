# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`load_model`: a decoder from a file or a folder."""

import os

from ..formats.gguf import GGUFFile
from . import gguf_models, hugging_face_models
from .decoder import Decoder


def load_model(path, dtype="float32", dequantize=False):
    """The decoder of a GGUF file, or of a folder in Hugging Face's layout.

    Args:
        path: A GGUF file, or a folder with config.json and safetensors files.
        dtype: dtype of computation, and of weights that are not quantised.
        dequantize: Quantised weights become trainable Tensors of that dtype.

    Returns:
        A Decoder in eval mode. Quantised weights are packed; the file is no longer mapped.

    Raises:
        ValueError: The file is damaged, or has an architecture, a rule or a type of weights that cannot be read.
        FileNotFoundError: There is no such file.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        config, weights = hugging_face_models.open_folder(path)
    else:
        file = GGUFFile(path)
        config = gguf_models.config_of(file)
        weights = gguf_models.Weights(file, config, dtype if dequantize else None)
    model = Decoder(config, weights, dtype)
    model.eval()
    return model

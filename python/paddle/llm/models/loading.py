# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`load_model`: a decoder or an encoder from a file or a folder."""

import os

from ..formats.gguf import GGUFFile
from ..formats.hugging_face import Folder
from . import encoder_files, gguf_models, hugging_face_models
from .decoder import Decoder
from .encoder import Encoder
from .pdparams import SavedWeights, has_pdparams


def load_model(source, dtype="float32", dequantize=False, pack=True, progress=None):
    """The decoder or encoder of a GGUF file, or of a folder in Hugging Face's layout.

    Args:
        source: Path of a GGUF file, or of a folder with config.json and safetensors files or one `.pdparams` file; or a
            GGUFFile or Folder that is open, so that a tokenizer is made of the same one.
        dtype: dtype of computation, and of weights that are not quantised.
        dequantize: Quantised weights become trainable Tensors of that dtype.
        pack: Whether the weights that stay quantised are packed; otherwise they are as the file has them, which rounds nothing
            and is slower.
        progress: Called with (weights that are read, their number) while a decoder is read.

    Returns:
        A Decoder, or an Encoder for texts' embeddings, in eval mode. Packed weights are in memory of their own.

    Raises:
        ValueError: The file is damaged, or has an architecture, a rule or a type of weights that cannot be read.
        FileNotFoundError: There is no such file.
    """
    if isinstance(source, (str, os.PathLike)):
        source = Folder(source) if os.path.isdir(source) else GGUFFile(source)
    if isinstance(source, Folder) and source.config.get("model_type") in encoder_files.FOLDERS:
        model = Encoder(encoder_files.folder_config(source), encoder_files.folder_weights(source), dtype)
        model.eval()
        return model
    if isinstance(source, GGUFFile) and source.metadata.get("general.architecture") in encoder_files.GGUF_ARCHITECTURES:
        weights = encoder_files.gguf_weights(source, dtype if dequantize else None)
        model = Encoder(encoder_files.gguf_config(source), weights, dtype)
        model.eval()
        return model
    if isinstance(source, Folder):
        config = hugging_face_models.config_of(source.config, source.generation)
        weights, total = _folder_weights(source, config, dtype if dequantize else None, pack)
    else:
        config = gguf_models.config_of(source)
        weights, total = gguf_models.Weights(source, config, dtype if dequantize else None, pack), len(source)
    if progress is not None:
        weights = _counted(weights, progress, total)
    model = Decoder(config, weights, dtype)
    model.eval()
    return model


def _counted(weights, progress, total):
    """The same weights, telling how many have been read."""
    done = 0

    def read(name):
        nonlocal done
        found = weights(name)
        done += found is not None
        progress(min(done, total), total)
        return found

    return read


def _folder_weights(folder, config, dequantize, pack):
    """The weights of a Folder by the decoder's names, and how many it has."""
    saved = SavedWeights(folder) if has_pdparams(folder) else None
    if saved is not None and saved.is_own:
        return saved, len(saved.state)
    tensors, total = (folder.tensor, len(folder)) if saved is None else (saved, len(saved.state))
    return hugging_face_models.Weights(tensors, config, folder.config, dequantize, pack), total

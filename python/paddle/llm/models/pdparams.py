# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights that `paddle.save` has written, beside a config.json: of a Decoder, or by the names of Hugging Face's layout with the
prefix of the architecture (`llama.layers.0...`), as PaddleNLP has them."""

import re

from ... import _core
from ...framework.io import load

_EMBEDDING = re.compile(r"(?:(\w+)\.)?embed_tokens\.weight")


def has_pdparams(folder):
    """Whether the weights of a Folder are there in this form and in no other."""
    return not folder.has_safetensors() and bool(folder.names(".pdparams"))


class SavedWeights:
    """The weights of a `.pdparams` file of a Folder.

    Args:
        folder: The Folder.

    Attributes:
        is_own: Whether names are the decoder's.

    Raises:
        ValueError: There are several such files, or the file holds something else.
    """

    def __init__(self, folder):
        names = folder.names(".pdparams")
        if len(names) != 1:
            raise ValueError(
                f"{folder.path}: there are {len(names)} files of weights, {', '.join(names)}; one is read."
            )
        self.path = folder.file(names[0])
        self.state = load(self.path)
        if not isinstance(self.state, dict) or not all(isinstance(key, str) for key in self.state):
            raise ValueError(f"{self.path}: the file holds no weights by their names.")
        if any(key.endswith(".blocks") for key in self.state):
            raise ValueError(
                f"{self.path}: the weights are quantised, and their formats are not in the file; save the model by "
                "save_folder or save_gguf."
            )
        self.is_own = "embedding.weight" in self.state
        found = next((m for key in self.state if (m := _EMBEDDING.fullmatch(key))), None)
        if not self.is_own and found is None:
            raise ValueError(f"{self.path}: there is no embedding.weight and no embed_tokens.weight.")
        self.prefix = "" if self.is_own or found[1] is None else found[1] + "."

    def __call__(self, name):
        """The Tensor of the decoder's name, or of the name in Hugging Face's layout; matrices as [outputs, inputs]."""
        if not self.is_own and name.startswith("model."):
            name = self.prefix + name.removeprefix("model.")
        found = self.state.get(name)
        if found is None:
            return None
        found = found if isinstance(found, _core.Tensor) else _core.to_tensor(found)
        is_linear = found.ndim == 2 and name.endswith(".weight") and "embed" not in name
        return _core.ops.transpose(found, [1, 0]) if is_linear else found

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of language models: GGUF, and folders in Hugging Face's layout."""

from .gguf import GGUFFile, GGUFTensor
from .gguf_writer import quantize_q8_0, write_gguf
from .hugging_face import Folder

__all__ = ["Folder", "GGUFFile", "GGUFTensor", "quantize_q8_0", "write_gguf"]

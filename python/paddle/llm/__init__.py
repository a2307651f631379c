# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Language models: readers of their files, tokenizers, and decoders as layers."""

from .. import _lazy

__all__ = ["formats", "load_model", "load_tokenizer", "models", "tokenizers"]

_MODULES = {"formats", "models", "tokenizers"}
_FROM = {
    "load_model": ("paddle.llm.models", "load_model"),
    "load_tokenizer": ("paddle.llm.tokenizers", "load_tokenizer"),
}
__getattr__ = _lazy.attribute_hook(__name__, _MODULES, _FROM)

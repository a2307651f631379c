# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Language models: readers of their files, tokenizers, and decoders as layers."""

from .. import _lazy

__all__ = ["formats", "models", "tokenizers", "load_model"]

_MODULES = {"formats", "models", "tokenizers"}
_FROM = {"load_model": ("paddle.llm.models", "load_model")}
__getattr__ = _lazy.attribute_hook(__name__, _MODULES, _FROM)

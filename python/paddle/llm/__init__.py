# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Language models: readers of their files, tokenizers, decoders as layers, an engine and a server."""

from .. import _lazy

__all__ = [
    "LLM",
    "SamplingParams",
    "chat",
    "engine",
    "formats",
    "load_model",
    "load_tokenizer",
    "lora",
    "models",
    "server",
    "tokenizers",
]

_MODULES = {"chat", "engine", "formats", "lora", "models", "server", "tokenizers"}
_FROM = {
    "LLM": ("paddle.llm.engine", "LLM"),
    "SamplingParams": ("paddle.llm.engine", "SamplingParams"),
    "load_model": ("paddle.llm.models", "load_model"),
    "load_tokenizer": ("paddle.llm.tokenizers", "load_tokenizer"),
}
__getattr__ = _lazy.attribute_hook(__name__, _MODULES, _FROM)

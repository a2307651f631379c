# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers of language models: of GGUF files, and of tokenizer.json."""

from .library import LibraryTokenizer
from .loading import load_tokenizer
from .pieces import PieceTokenizer
from .tokenizer import Detokenizer, Tokenizer

__all__ = ["Detokenizer", "LibraryTokenizer", "PieceTokenizer", "Tokenizer", "load_tokenizer"]

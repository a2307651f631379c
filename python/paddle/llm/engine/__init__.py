# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An engine that answers many requests of a language model at once."""

from .embedding import Embedder, EmbeddingEngine
from .engine import Engine, Piece, QueueFull, Request, TokenLogProb
from .language_model import LLM, Answer
from .sampling import SamplingParams

__all__ = [
    "LLM",
    "Answer",
    "Embedder",
    "EmbeddingEngine",
    "Engine",
    "Piece",
    "QueueFull",
    "Request",
    "SamplingParams",
    "TokenLogProb",
]

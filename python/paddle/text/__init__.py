# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Text: Viterbi decoding, and datasets from local files or fetched once."""

from .corpora import Imdb, Imikolov, Movielens
from .datasets import UCIHousing
from .translations import WMT14, WMT16, Conll05st
from .viterbi_decode import ViterbiDecoder, viterbi_decode

__all__ = [
    "Conll05st",
    "Imdb",
    "Imikolov",
    "Movielens",
    "UCIHousing",
    "ViterbiDecoder",
    "WMT14",
    "WMT16",
    "viterbi_decode",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Text: Viterbi decoding, and datasets from local files or fetched once."""

from .datasets import UCIHousing
from .viterbi_decode import ViterbiDecoder, viterbi_decode

__all__ = ["UCIHousing", "ViterbiDecoder", "viterbi_decode"]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The tokenizer that GGUF files call `llama`: SentencePiece pieces that are joined by score, bytes as the last resort
(Kudo and Richardson, "SentencePiece", 2018; Sennrich et al. 2016)."""

import heapq
import re
from array import array

import numpy

from .tokenizer import Tokenizer

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SPACE = "\u2581"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_WORDS_KEPT = 1 << 16


class PieceTokenizer(Tokenizer):
    """Pieces with scores. A text is cut at user-defined pieces; what is left is taken as characters, of which the
    neighbours whose union has the best score are joined, the leftmost first among equals, until no union is a piece.

    Args:
        pieces: The text of every token; a space is U+2581, in user-defined pieces a plain space.
        scores: A float for each.
        kinds: The kind of each, an int: NORMAL, ... BYTE.
        space_prefix: Whether a space is put in front of a text.
        unknown_id: Token for what has no bytes either.
        more: Of Tokenizer.

    Raises:
        ValueError: The lists have other lengths, or a byte piece is none.
    """

    def __init__(self, pieces, scores, kinds, space_prefix=False, unknown_id=None, **more):
        if not len(pieces) == len(scores) == len(kinds):
            raise ValueError(
                f"PieceTokenizer: there are {len(pieces)} pieces, {len(scores)} scores and {len(kinds)} kinds; the numbers "
                "must be equal."
            )
        # Vocabularies have hundreds of thousands of pieces, nearly all normal; only the others are looked at one by one.
        kinds = numpy.asarray(kinds)
        others = numpy.flatnonzero(kinds != NORMAL).tolist()
        special = numpy.isin(kinds, (CONTROL, UNKNOWN))
        super().__init__({pieces[i]: i for i in numpy.flatnonzero(special).tolist()}, **more)
        self.pieces, self.scores = pieces, array("d", numpy.asarray(scores, numpy.float64))
        self.space_prefix, self.unknown_id = space_prefix, unknown_id
        self.ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self.bytes, self.whole = {}, {}
        for i in others:
            piece, kind = pieces[i], kinds[i]
            if self.ids.get(piece) == i:
                del self.ids[piece]
            if kind == BYTE:
                found = _BYTE.fullmatch(piece)
                if found is None:
                    raise ValueError(f"PieceTokenizer: piece {i} is {piece!r}; a byte is written like '<0x0A>'.")
                self.bytes[int(found[1], 16)] = i
            elif kind == USER_DEFINED and piece:
                self.whole[piece] = i
        self._byte_values = {token: bytes([value]) for value, token in self.bytes.items()}
        longest_first = sorted(self.whole, key=len, reverse=True)
        self._cut = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if self.whole else None
        # A text falls into words, whose tokens can be remembered, if it has none of the pieces with a space inside.
        self._across = [piece for piece in _with_inner_space(pieces) if piece in self.ids]
        self._word = re.compile(f"{SPACE}?[^{SPACE}]+|{SPACE}")
        self._known = {}

    @property
    def vocab_size(self):
        """Number of tokens."""
        return len(self.pieces)

    @property
    def strips_first_space(self):
        """Whether a decoded text loses the space that encoding put in front."""
        return self.space_prefix

    def token_bytes(self, token):
        value = self._byte_values.get(token)
        if value is not None:
            return value
        return self.pieces[token].replace(SPACE, " ").encode()

    def all_bytes(self, count):
        # Hundreds of thousands: only special ones and bytes are looked at one by one.
        joined = "\0".join(self.pieces).replace(SPACE, " ").encode()
        found = joined.split(b"\0")
        if len(found) != len(self.pieces):
            return super().all_bytes(count)
        for token in (*self._special_texts, *self._byte_values):
            found[token] = self.piece_bytes(token)
        return found[:count] + [b""] * (count - len(found))

    def encode_plain(self, text, is_start):
        parts = self._cut.split(text) if self._cut else [text]
        tokens, prefix = [], " " if self.space_prefix and is_start else ""
        for i, part in enumerate(parts):
            if i % 2:
                tokens.append(self.whole[part])
                prefix = ""
            elif part:
                tokens += self._words((prefix + part).replace(" ", SPACE))
                prefix = ""
        return tokens

    def _words(self, text):
        if any(piece in text for piece in self._across):
            return self._join(text)
        tokens, known = [], self._known
        for word in self._word.findall(text):
            found = known.get(word)
            if found is None:
                found = self._join(word)
                if len(known) >= _WORDS_KEPT:
                    known.clear()
                known[word] = found
            tokens += found
        return tokens

    def _join(self, text):
        """Tokens of a text without user-defined pieces."""
        token = self.ids.get(text)
        if token is not None and len(text) == 1:
            return [token]
        ids, scores = self.ids, self.scores
        parts = list(text)
        count = len(parts)
        after, before = list(range(1, count + 1)), list(range(-1, count - 1))
        queue = []

        def propose(left, right):
            union = parts[left] + parts[right]
            token = ids.get(union)
            if token is not None:
                heapq.heappush(queue, (-scores[token], left, right, union))

        for left in range(count - 1):
            propose(left, left + 1)
        while queue:
            _, left, right, union = heapq.heappop(queue)
            if not parts[left] or not parts[right] or parts[left] + parts[right] != union:
                continue
            parts[left], parts[right] = union, ""
            after[left] = follower = after[right]
            if follower < count:
                before[follower] = left
                propose(left, follower)
            if before[left] >= 0:
                propose(before[left], left)
        tokens = []
        for part in filter(None, parts):
            token = ids.get(part)
            tokens += [token] if token is not None else self._byte_tokens(part)
        return tokens

    def _byte_tokens(self, character):
        values = character.encode()
        if all(value in self.bytes for value in values):
            return [self.bytes[value] for value in values]
        if self.unknown_id is None:
            raise ValueError(
                f"encode: {character!r} is no piece, and the vocabulary has no bytes and no unknown token."
            )
        return [self.unknown_id]


def _with_inner_space(pieces):
    """The pieces that have a space behind their first character, found in one pass over all of them."""
    whole = "\0" + "\0".join(pieces) + "\0"
    ends = (whole.rfind("\0", 0, found.end()) for found in re.finditer(f"[^\0]{SPACE}", whole))
    return list(dict.fromkeys(whole[end + 1 : whole.find("\0", end + 1)] for end in ends))

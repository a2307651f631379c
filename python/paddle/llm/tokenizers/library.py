# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers that the package `tokenizers` runs: of tokenizer.json, and byte-level BPE of GGUF files."""

import json
import re

from .tokenizer import TURN_TEXTS, Tokenizer

SPACE = "\u2581"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def need_library():
    """The package `tokenizers`."""
    try:
        import tokenizers
    except ImportError:
        raise ImportError(
            "this model's tokenizer needs the package tokenizers; install it by: pip install paddle-core[llm]"
        ) from None
    return tokenizers


def byte_of_character():
    """Byte-level BPE (Radford et al. 2019) writes a byte as a visible character: itself, or one from U+0100 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    found = {chr(value): value for value in visible}
    hidden = (value for value in range(256) if value not in visible)
    return found | {chr(256 + i): value for i, value in enumerate(hidden)}


class LibraryTokenizer(Tokenizer):
    """A tokenizer of the package `tokenizers`.

    Args:
        inner: The `tokenizers.Tokenizer`.
        style: How its tokens spell bytes: "bytes" (byte-level BPE), "pieces" (U+2581 and <0x0A>), or None where tokens
            cannot be made into text one by one.
        whole: Text of added tokens that are not special -> id.
        strips_first_space: Whether a decoded text loses its first space.
        more: Of Tokenizer.
    """

    def __init__(self, inner, style, whole=None, strips_first_space=False, **more):
        super().__init__(**more)
        inner.encode_special_tokens = True  # the text of special tokens is text; Tokenizer.encode finds the tokens
        inner.no_padding()
        inner.no_truncation()
        self.inner, self.style, self.strips_first_space = inner, style, strips_first_space
        self._whole = {number: text for text, number in (whole or {}).items()}
        self._byte_of = byte_of_character() if style == "bytes" else None

    @property
    def vocab_size(self):
        """Number of tokens."""
        return self.inner.get_vocab_size(with_added_tokens=True)

    def encode_plain(self, text, is_start):
        return self.inner.encode(text, add_special_tokens=False).ids

    def encode_whole(self, text):
        return self.inner.encode(text, add_special_tokens=True).ids

    def token_bytes(self, token):
        whole = self._whole.get(token)
        if whole is not None:
            return whole.encode()
        piece = self.inner.id_to_token(token)
        if piece is None:
            return b""  # a row of the embedding without a token
        if self.style == "bytes":
            return bytes(self._byte_of[c] for c in piece) if all(c in self._byte_of for c in piece) else piece.encode()
        if self.style == "pieces":
            found = _BYTE.fullmatch(piece)
            return bytes([int(found[1], 16)]) if found else piece.replace(SPACE, " ").encode()
        raise ValueError(
            "decode: this tokenizer's tokens are no bytes of text; only byte-level and SentencePiece ones are."
        )


def from_json(text, bos_id=None, eos_ids=(), adds_bos=None):
    """The tokenizer of a tokenizer.json.

    Args:
        text: Its text.
        bos_id: Token in front of a text.
        eos_ids: Tokens that end an answer.
        adds_bos: Whether `bos_id` comes first; None: whether the file's template begins with it.

    Raises:
        ValueError: The text is no tokenizer.json.
        ImportError: The package tokenizers is missing.
    """
    library = need_library()
    try:
        settings = json.loads(text)
        turns = [token for token in settings.get("added_tokens") or [] if token.get("content") in TURN_TEXTS]
        if not all(token.get("special") for token in turns):
            for token in turns:
                token["special"] = True
            text = json.dumps(settings)
        inner = library.Tokenizer.from_str(text)
    except Exception as error:  # the library raises Exception itself
        raise ValueError(f"tokenizer.json: the file is no tokenizer ({error}).") from None
    added = [token for token in settings.get("added_tokens") or [] if token.get("content")]
    specials = {token["content"]: token["id"] for token in added if token.get("special")}
    decoder = json.dumps(settings.get("decoder"))
    style = (
        "bytes" if '"ByteLevel"' in decoder else "pieces" if '"ByteFallback"' in decoder or SPACE in decoder else None
    )
    if adds_bos is None:
        empty = inner.encode("", add_special_tokens=True).ids
        bos_id = empty[0] if empty and bos_id is None else bos_id
        adds_bos = bool(empty) and empty[0] == bos_id
    return LibraryTokenizer(
        inner,
        style,
        whole={token["content"]: token["id"] for token in added if not token.get("special")},
        strips_first_space='"Strip"' in decoder,
        specials=specials,
        bos_id=bos_id,
        eos_ids=eos_ids,
        adds_bos=adds_bos,
        stripping={token["content"] for token in added if token.get("special") and token.get("rstrip")},
    )


_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def _words_and_digits(digits):
    return (
        _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )


_LLAMA3, _QWEN2 = _words_and_digits(r"\p{N}{1,3}"), _words_and_digits(r"\p{N}")
# `tokenizer.ggml.pre` -> (the patterns of words, one after another, whether a word that is a token stays whole). Each has been compared with
# what llama.cpp makes of a vocabulary of that name.
WORD_PATTERNS = {
    "gpt-2": ((_GPT2,), False),
    "mpt": ((_GPT2,), False),
    "starcoder": ((r"\p{N}", _GPT2), False),
    "refact": ((r"\p{N}", _GPT2), False),
    "command-r": ((r"\p{N}", _GPT2), False),
    "llama-bpe": ((_LLAMA3,), True),
    "qwen2": ((_QWEN2,), False),
}


def byte_level(pieces, kinds, merges, patterns, keeps_words, **more):
    """Byte-level BPE of the vocabulary of a GGUF file.

    Args:
        pieces: The text of every token.
        kinds: The kind of each, as in `pieces.py`.
        merges: "left right", the first one first.
        patterns: Regular expressions that cut a text into words, one after another.
        keeps_words: Whether a word that is a token stays whole, whatever the merges say.
        more: Of Tokenizer.
    """
    from .pieces import CONTROL, UNKNOWN, USER_DEFINED

    library = need_library()
    pairs = [tuple(merge.split(" ", 1)) for merge in merges]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError("tokenizer.ggml.merges: a merge has no space between its two parts.")
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    missing = next(
        (p for p in pairs if p[0] not in vocabulary or p[1] not in vocabulary or p[0] + p[1] not in vocabulary), None
    )
    if missing is not None:
        raise ValueError(f"tokenizer.ggml.merges: {missing!r} are or make no tokens.")
    inner = library.Tokenizer(library.models.BPE(vocabulary, pairs, ignore_merges=keeps_words))
    inner.pre_tokenizer = library.pre_tokenizers.Sequence(
        [
            *(library.pre_tokenizers.Split(library.Regex(pattern), "isolated") for pattern in patterns),
            library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    whole = {
        piece: i for i, (piece, kind) in enumerate(zip(pieces, kinds, strict=True)) if kind == USER_DEFINED and piece
    }
    inner.add_tokens([library.AddedToken(text, normalized=False) for text in whole])
    specials = {p: i for i, (p, kind) in enumerate(zip(pieces, kinds, strict=True)) if kind in (CONTROL, UNKNOWN) and p}
    return LibraryTokenizer(inner, "bytes", whole, specials=specials, **more)

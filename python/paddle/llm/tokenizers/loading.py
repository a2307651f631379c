# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`load_tokenizer`: the tokenizer of a GGUF file, or of a folder in Hugging Face's layout."""

import os

import numpy

from ..formats.gguf import GGUFFile
from ..formats.hugging_face import Folder
from . import library
from .pieces import CONTROL, USER_DEFINED, PieceTokenizer
from .tokenizer import TURN_TEXTS

_KEY = "tokenizer.ggml."


def load_tokenizer(source):
    """The tokenizer of a model.

    Args:
        source: Path of a GGUF file or a folder, or a GGUFFile or Folder that is open.

    Returns:
        A Tokenizer.

    Raises:
        ValueError: The file is damaged, or its kind of tokenizer is not there.
        ImportError: The package that runs it is missing.
    """
    if isinstance(source, (str, os.PathLike)):
        source = Folder(source) if os.path.isdir(source) else GGUFFile(source)
    return _of_folder(source) if isinstance(source, Folder) else _of_gguf(source)


def _of_gguf(file):
    kind = file.value(_KEY + "model", str)
    pieces = file.value(_KEY + "tokens", list)
    kinds = _numbers(file, "token_type", len(pieces), 1)
    turns = [i for i in numpy.flatnonzero(kinds == USER_DEFINED).tolist() if pieces[i] in TURN_TEXTS]
    if turns:
        kinds = kinds.copy()
        kinds[turns] = CONTROL
    # The rules of a kind of vocabulary, where the file says nothing.
    more = dict(
        bos_id=_token(file, "bos_token_id", len(pieces)),
        eos_ids=tuple(
            dict.fromkeys(
                token
                for key in ("eos_token_id", "eot_token_id", "eom_token_id")
                if (token := _token(file, key, len(pieces))) is not None
            )
        ),
        adds_bos=_flag(file, "add_bos_token", kind == "llama"),
    )
    if kind == "llama":
        scores = _numbers(file, "scores", len(pieces), None)
        prefix = _flag(file, "add_space_prefix", True)
        return PieceTokenizer(pieces, scores, kinds, prefix, _token(file, "unknown_token_id", len(pieces)), **more)
    if kind == "gpt2":
        words = file.value(_KEY + "pre", str)
        if words not in library.WORD_PATTERNS:
            known = ", ".join(library.WORD_PATTERNS)
            raise ValueError(f"{file.path}: words are cut as {words!r} says; these rules are there: {known}.")
        if words == "llama-bpe":
            more["adds_bos"] = _flag(file, "add_bos_token", True)
        merges = file.value(_KEY + "merges", list)
        return library.byte_level(pieces, kinds, merges, *library.WORD_PATTERNS[words], **more)
    raise ValueError(f"{file.path}: the tokenizer is {kind!r}; llama and gpt2 can be read.")


def _flag(file, key, default):
    found = file.metadata.get(_KEY + key, default)
    if not isinstance(found, bool):
        raise ValueError(f"{file.path}: {_KEY + key!r} has the value {found!r}; it must be true or false.")
    return found


def _token(file, key, count):
    found = file.metadata.get(_KEY + key)
    if found is not None and (not isinstance(found, int) or not 0 <= found < count):
        raise ValueError(f"{file.path}: {_KEY + key!r} has the value {found!r}; it must be a token, less than {count}.")
    return found


def _numbers(file, key, count, default):
    found = file.metadata.get(_KEY + key)
    if found is None and default is not None:
        return numpy.full(count, default)
    if not isinstance(found, numpy.ndarray) or len(found) != count:
        raise ValueError(f"{file.path}: {_KEY + key!r} is no array of {count} numbers.")
    return found


def _of_folder(folder):
    if folder.has("tokenizer.gguf") and not folder.has("tokenizer.json"):
        return _of_gguf(GGUFFile(folder.file("tokenizer.gguf")))
    if not folder.has("tokenizer.json"):
        raise ValueError(f"{folder.path}: there is no tokenizer.json; save the tokenizer in that form.")
    with open(folder.file("tokenizer.json"), encoding="utf-8") as file:
        text = file.read()
    config = {**folder.config, **folder.config.get("text_config", {})}
    ends = [config.get("eos_token_id"), folder.generation.get("eos_token_id")]
    ends = dict.fromkeys(n for end in ends for n in (end if isinstance(end, list) else [end]) if n is not None)
    return library.from_json(text, config.get("bos_token_id"), tuple(ends))

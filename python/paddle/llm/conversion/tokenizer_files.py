# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What belongs to a tokenizer, from one form of files to the other."""

import json
import os
import re

import numpy

from ..formats.folder_writer import copy_others
from ..formats.gguf import GGUFFile
from ..formats.gguf_writer import write_gguf
from ..formats.hugging_face import Folder
from ..tokenizers.library import SPACE, WORD_PATTERNS
from ..tokenizers.loading import load_tokenizer
from ..tokenizers.pieces import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED

_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
# Texts that tell tokenizers apart; two of them must give the same tokens.
SAMPLES = (
    "Hello, world!  It's 12345 o'clock.\n\n\tdef f(x): return x**2 - 1e-5",
    " leading and trailing  ",
    "naïve café — Ελληνικά, 你好，世界, こんにちは, русский, 🤗🎉 ok",
    "<|im_start|>user\n<s>[INST] it'LL \r\n\x00\u200b end</s>",
    "aaaa    bbbb\u00a0\u3000c 1 22 333 4444",
)


def write_for_folder(source, folder):
    """Writes the tokenizer of a GGUFFile or a Folder into a folder: the same files, or `tokenizer.gguf`, a GGUF file without
    tensors, and the chat template."""
    if isinstance(source, Folder):
        return copy_others(source.path, folder)
    metadata = gguf_metadata(source)
    if not metadata:
        return None
    write_gguf(os.path.join(folder, "tokenizer.gguf"), metadata, {})
    template = source.metadata.get("tokenizer.chat_template")
    if isinstance(template, str):
        with open(os.path.join(folder, "chat_template.jinja"), "w", encoding="utf-8") as file:
            file.write(template)
    return None


def gguf_metadata(source):
    """The entries of a tokenizer for a GGUF file, of a GGUFFile or a Folder; none where a folder has no tokenizer.

    Raises:
        ValueError: The tokenizer of the folder has a rule that GGUF files do not express.
    """
    if isinstance(source, GGUFFile):
        return {
            key: value
            for key, value in source.metadata.items()
            if key.startswith("tokenizer.") or key == "general.name"
        }
    if source.has("tokenizer.gguf"):
        return gguf_metadata(GGUFFile(source.file("tokenizer.gguf")))
    return _of_json(source) if source.has("tokenizer.json") else {}


def _of_json(folder):
    settings = folder.json("tokenizer.json")
    model = settings.get("model") or {}
    if model.get("type") != "BPE":
        raise ValueError(
            f"{folder.file('tokenizer.json')}: a tokenizer of type {model.get('type')!r} has no place in GGUF files; BPE has."
        )
    tokenizer = load_tokenizer(folder)
    vocabulary, added = model["vocab"], settings.get("added_tokens") or []
    merges = [merge.split(" ", 1) if isinstance(merge, str) else merge for merge in model["merges"]]
    size = max([*vocabulary.values(), *(token["id"] for token in added)]) + 1
    pieces, kinds = [f"[PAD{i}]" for i in range(size)], numpy.full(size, UNKNOWN, "int32")
    is_bytes = '"ByteLevel"' in json.dumps(settings.get("pre_tokenizer")) + json.dumps(settings.get("decoder"))
    for piece, i in vocabulary.items():
        pieces[i], kinds[i] = piece, BYTE if not is_bytes and _BYTE.fullmatch(piece) else NORMAL
    for token in added:
        pieces[token["id"]] = token["content"]
        kinds[token["id"]] = CONTROL if token.get("special") else USER_DEFINED
    found = {
        "tokenizer.ggml.model": "gpt2" if is_bytes else "llama",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.add_bos_token": bool(tokenizer.adds_bos),
    }
    ends = {
        "bos": tokenizer.bos_id,
        "eos": next(iter(tokenizer.eos_ids), None),
        "eot": next(iter(tokenizer.eos_ids[1:]), None),
    }
    found |= {f"tokenizer.ggml.{key}_token_id": value for key, value in ends.items() if value is not None}
    if is_bytes:
        found["tokenizer.ggml.merges"] = [" ".join(merge) for merge in merges]
        found["tokenizer.ggml.pre"] = _word_rule(folder, settings, bool(model.get("ignore_merges")))
    else:
        unknown = vocabulary.get(model.get("unk_token") or "<unk>")
        if unknown is not None:
            kinds[unknown] = UNKNOWN
            found["tokenizer.ggml.unknown_token_id"] = unknown
        found["tokenizer.ggml.scores"] = _scores(pieces, merges)
        rules = json.dumps([settings.get("normalizer"), settings.get("pre_tokenizer")])
        is_first = '"Prepend"' in rules or '"always"' in rules or '"first"' in rules
        found["tokenizer.ggml.add_space_prefix"] = is_first
    found |= _chat_template(folder)
    _require_same(folder, tokenizer, found)
    return found


def _scores(pieces, merges):
    """Of each piece, by the first merge that makes it; others come last."""
    ranks = {}
    for rank, (left, right) in enumerate(merges):
        ranks.setdefault(left + right, rank)
    return numpy.array([-float(ranks.get(piece, len(merges))) for piece in pieces], "float32")


def _word_rule(folder, settings, keeps_words):
    """The name in GGUF files of how words are cut."""
    before = settings.get("pre_tokenizer") or {}
    steps = before.get("pretokenizers", [before])
    patterns = tuple(
        step["pattern"]["Regex"] for step in steps if step.get("type") == "Split" and "Regex" in step["pattern"]
    )
    digits = [step for step in steps if step.get("type") == "Digits" and step.get("individual_digits")]
    if any(step.get("type") == "ByteLevel" and step.get("use_regex", True) for step in steps):
        patterns = (*((r"\p{N}",) if digits else ()), *WORD_PATTERNS["gpt-2"][0])
    for name, rule in WORD_PATTERNS.items():
        if rule == (patterns, keeps_words):
            return name
    raise ValueError(
        f"{folder.file('tokenizer.json')}: words are cut by {patterns}; GGUF files have names for other rules only: "
        f"{', '.join(WORD_PATTERNS)}."
    )


def _chat_template(folder):
    if folder.has("chat_template.jinja"):
        with open(folder.file("chat_template.jinja"), encoding="utf-8") as file:
            return {"tokenizer.chat_template": file.read()}
    config = folder.json("tokenizer_config.json") if folder.has("tokenizer_config.json") else {}
    found = config.get("chat_template")
    return {"tokenizer.chat_template": found} if isinstance(found, str) else {}


def _require_same(folder, tokenizer, metadata):
    """ValueError where the tokenizer of these entries gives other tokens."""
    import tempfile

    with tempfile.TemporaryDirectory() as beside:
        path = os.path.join(beside, "tokenizer.gguf")
        write_gguf(path, metadata, {})
        other = load_tokenizer(path)
    pieces = [piece.replace(SPACE, " ") for piece in metadata["tokenizer.ggml.tokens"][:2000]]
    for text in (*SAMPLES, "".join(pieces), " ".join(pieces)):
        if tokenizer.encode(text) != other.encode(text):
            raise ValueError(
                f"{folder.file('tokenizer.json')}: the tokenizer has a rule that GGUF files do not express: it makes other tokens "
                f"of {text[:60]!r}."
            )

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers of GGUF files give the tokens that llama.cpp gives, on 10,000 strings: prose and code, characters of many scripts and
none, runs of white space, and the text of special tokens, which is text or tokens."""

import json
import random
from pydoc_data.topics import topics

import numpy as np
import pytest
from paddle.llm.models import Decoder, DecoderConfig, Rotary, save_gguf
from paddle.llm.tokenizers import load_tokenizer
from paddle.llm.tokenizers.library import WORD_PATTERNS

from tests.python.llm import peers

COUNT = 10_000
PROSE = "\n".join(topics.values())
# First and last characters of ranges: scripts, symbols, controls, joiners, private use.
RANGES = (
    "20-7E A0-24F 300-36F 370-3FF 400-4FF 590-6FF 900-97F E00-E7F 1100-11FF 2000-206F 2190-23FF 3000-30FF 4E00-9FFF AC00-D7A3 "
    "1F300-1F9FF 20000-200FF E000-E0FF FE00-FE0F 1-1F 7F-9F"
)
RANGES = [tuple(int(end, 16) for end in one.split("-")) for one in RANGES.split()]
SPACES = [
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\t",
    "\r\n",
    "\u00a0",
    "\u2003",
    "\u3000",
    " \n",
    "\n ",
    "\t\t",
    " " * 9,
    "\v",
    "\f",
]
SPACES += ["\u2028", "\u0085"]
WORDS = "it's I'LL we've don't 's 'S 123 4567 3.14 0x1F def return == -> ... !!! a_b CamelCase caf\u00e9 na\u00efve \u00df \u0130".split()
WORDS += "\u017f \u2167 \u00bd \u00b2 \u0663\u0664 \u4e00\u4e8c \U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea e\u0301".split()


def strings(count, specials):
    """Strings of six kinds, the same ones every time."""
    rng = random.Random(5)

    def character(ends):
        return chr(rng.randint(*ends))

    for i in range(count):
        length = rng.randrange(1, 30)
        if i % 6 == 0:
            at = rng.randrange(len(PROSE) - 200)
            yield PROSE[at : at + rng.randrange(1, 200)]
        elif i % 6 == 1:
            yield "".join(character(rng.choice(RANGES)) for _ in range(length))
        elif i % 6 == 2:
            yield "".join(rng.choice([*SPACES, "a", "x1", "."]) for _ in range(length))
        elif i % 6 == 3:
            yield rng.choice(["", " "]).join(rng.choice(WORDS + SPACES) for _ in range(length))
        elif i % 6 == 4:
            yield "".join(
                rng.choice([*specials, "hello", " ", "\n", "<", "|", ">", "</s>"]) for _ in range(rng.randrange(1, 8))
            )
        else:
            ends = rng.choice(RANGES)
            yield "".join(rng.choice([character(ends), rng.choice(SPACES), rng.choice(WORDS)]) for _ in range(length))


def require_same(path):
    theirs = peers.load("llama_cpp").Llama(str(path), vocab_only=True, verbose=False)
    own = load_tokenizer(str(path))
    for text in strings(COUNT, list(own.specials)[:40]):
        for special in (False, True):
            expected = theirs.tokenize(text.encode(), add_bos=False, special=special)
            assert own.encode(text, bos=False, special=special) == expected, (text, special)


def test_pieces_of_gemma():
    require_same(peers.gemma())


@pytest.mark.parametrize("rule", ["qwen2", "llama-bpe", "gpt-2"])
def test_byte_level_pieces(tmp_path, rule):
    """A vocabulary that is learnt here, in a small file."""
    library = peers.load("tokenizers")
    patterns, _ = WORD_PATTERNS[rule]
    made = library.Tokenizer(library.models.BPE())
    before = library.pre_tokenizers
    made.pre_tokenizer = before.Sequence(
        [
            *(before.Split(library.Regex(pattern), "isolated") for pattern in patterns),
            before.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = library.trainers.BpeTrainer(
        vocab_size=3000, initial_alphabet=before.ByteLevel.alphabet(), special_tokens=specials, show_progress=False
    )
    made.train_from_iterator([PROSE[:200_000], *strings(3000, specials)], trainer)
    learnt = json.loads(made.to_str())["model"]
    pieces = sorted(learnt["vocab"], key=learnt["vocab"].get)
    kinds = np.ones(len(pieces), "int32")
    kinds[:3] = 3
    metadata = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": rule,
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": [merge if isinstance(merge, str) else " ".join(merge) for merge in learnt["merges"]],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 0,
    }
    config = DecoderConfig("llama", len(pieces), 32, 32, 1, 2, 1, 16, Rotary(16))
    save_gguf(Decoder(config), tmp_path / "x.gguf", "F16", metadata)
    require_same(tmp_path / "x.gguf")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Damaged files of language models: GGUF files, and folders with config.json, tokenizer.json and safetensors, plain and quantised.

Each is either read, and then gives tokens and logits, or refused with an exception that says why: ValueError, or what
the operating system says of files. Memory is bounded by what the process may map.

    PYTHONPATH=python python -m tests.fuzz.model_files --seconds 60 [--first SEED]

prints every seed that breaks a reader; `--first SEED --count 1` runs it again.
"""

import argparse
import contextlib
import faulthandler
import json
import os
import pathlib
import random
import resource
import shutil
import struct
import sys
import tempfile
import time
import traceback

import numpy as np
import paddle
from paddle.llm.formats import Folder, GGUFFile
from paddle.llm.models import Decoder, DecoderConfig, Experts, Rotary, load_model, save_folder, save_gguf
from paddle.llm.tokenizers import load_tokenizer

ROOM_BYTES = 1 << 30  # that a damaged file may make the process map, beside what it has
ACCEPTED = (ValueError, FileNotFoundError)
NUMBERS = [
    0,
    1,
    2,
    3,
    31,
    127,
    128,
    255,
    256,
    1 << 16,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 40,
    1 << 61,
    (1 << 64) - 1,
]
VALUES = [
    None,
    True,
    -1,
    0,
    1,
    2,
    7,
    1 << 31,
    1 << 62,
    0.5,
    -1e30,
    1e308,
    "",
    "x",
    "gelu",
    [],
    [1],
    [[1]],
    {},
    {"a": 1},
    "\ud800",
]


def small_config(vocab_size, architecture="llama", **more):
    """Of models with all kinds of weights, and no more of them than needed."""
    sizes = dict(hidden_size=128, intermediate_size=128, num_layers=1, num_heads=4, num_kv_heads=2, head_dim=32)
    rotary = more.pop("rotary", Rotary(32))
    return DecoderConfig(architecture, vocab_size, rotary=rotary, max_positions=64, **{**sizes, **more})


def gguf_tokenizer():
    """The entries of a vocabulary of pieces."""
    pieces = [
        "<unk>",
        "<s>",
        "</s>",
        *(f"<0x{value:02X}>" for value in range(256)),
        "\u2581",
        *"abcdefghij",
        "ab",
        "abc",
    ]
    pieces += ["<x>"] * (-len(pieces) % 8)
    kinds = [2, 3, 3, *[6] * 256, *[1] * (len(pieces) - 259)]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": np.array(kinds, "int32"),
        "tokenizer.ggml.scores": -np.arange(len(pieces), dtype="float32"),
        "tokenizer.ggml.eos_token_id": 2,
    }


def byte_level():
    """A tokenizer.json of bytes alone."""
    visible = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {value: chr(value) for value in visible}
    hidden = [value for value in range(256) if value not in letters]
    letters |= {value: chr(256 + i) for i, value in enumerate(hidden)}
    vocabulary = {letters[value]: value for value in range(256)} | {"ab": 256, "abc": 257}
    return {
        "version": "1.0",
        "added_tokens": [
            {
                "id": 258,
                "content": "<|end|>",
                "special": True,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
            }
        ],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": ["a b", "ab c"]},
    }


def write_good_ones(place):
    """The files and folders that are damaged."""
    metadata = gguf_tokenizer()
    vocab_size = len(metadata["tokenizer.ggml.tokens"])
    experts = Experts(2, 1, 128, (0,))
    for name, config in (
        ("llama", small_config(vocab_size)),
        ("mixtral", small_config(vocab_size, "mixtral", experts=experts)),
        ("qwen2", small_config(vocab_size, "qwen2", qkv_bias=True)),
    ):
        paddle.seed(1)
        model = Decoder(config)
        save_gguf(model, place / f"{name}.gguf", "Q8_0", metadata)
        for scheme in (None, "wint4", "fp8"):
            folder = place / f"{name}-{scheme}"
            save_folder(model, folder, scheme)
            (folder / "tokenizer.json").write_text(json.dumps(byte_level()))
    return sorted(place.iterdir())


def damaged_bytes(rng, data, first):
    """Bytes with some changed, most of them among the `first`."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        end = min(len(data), first) if rng.random() < 0.9 else len(data)
        if not end:
            break
        at = rng.randrange(end)
        how = rng.randrange(6)
        if how == 0:
            data[at] = rng.randrange(256)
        elif how == 1:
            data[at : at + 8] = struct.pack("<Q", rng.choice(NUMBERS))
        elif how == 2:
            data[at : at + 4] = struct.pack("<I", rng.choice(NUMBERS) & 0xFFFFFFFF)
        elif how == 3:
            del data[at : at + rng.choice([1, 4, 8, 64])]
        elif how == 4:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 4, 8])))
        else:
            del data[rng.randrange(len(data)) :]
    return bytes(data)


def damaged_json(rng, value):
    """The same object with one value changed, taken away or put elsewhere."""
    places = []

    def walk(node):
        items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, inner in list(items)[:64]:
            places.append((node, key))
            walk(inner)

    walk(value)
    for _ in range(rng.choice([1, 1, 3])):
        node, key = rng.choice(places)
        with contextlib.suppress(KeyError, IndexError):
            if rng.random() < 0.25:
                del node[key]
            else:
                other = rng.choice(places)
                same = json.loads(json.dumps(other[0][other[1]]))
                node[key] = same if rng.random() < 0.3 else rng.choice(VALUES)
    return value


def damage(rng, good, place):
    """A damaged copy of a file or folder at `place`."""
    if good.is_file():
        place.write_bytes(damaged_bytes(rng, good.read_bytes(), 12_000))
        return
    shutil.copytree(good, place)
    which = rng.choice(["config.json", "config.json", "tokenizer.json", "model.safetensors", "model.safetensors"])
    path = place / which
    if which.endswith(".json") and rng.random() < 0.8:
        path.write_text(json.dumps(damaged_json(rng, json.loads(path.read_text()))))
    elif rng.random() < 0.5 and which == "model.safetensors":
        data = path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        text = json.dumps(damaged_json(rng, json.loads(data[8 : 8 + length]))).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])
    else:
        path.write_bytes(damaged_bytes(rng, path.read_bytes(), 4_000))


def use(path):
    """Reads a model as `paddle serve` does, and runs it."""
    source = Folder(path) if path.is_dir() else GGUFFile(path)
    ids = load_tokenizer(source).encode("abc \u00e9<|end|>")
    model = load_model(source)
    ids = [token for token in ids if token < model.config.vocab_size][:8] or [0]
    with paddle.no_grad():
        model(paddle.to_tensor([ids]))


def attempt(seed, goods, place):
    """What is wrong with a seed, or None; and whether the file was refused."""
    rng = random.Random(seed)
    damaged = place / "damaged"
    damage(rng, rng.choice(goods), damaged)
    try:
        use(damaged)
        return None, False
    except ACCEPTED:
        return None, True
    except Exception:
        return traceback.format_exc(), True
    finally:
        if damaged.is_dir():
            shutil.rmtree(damaged)
        else:
            damaged.unlink()


def mapped_bytes():
    """What the process has mapped."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def run(seconds, count, first):
    """(seeds that broke a reader with what was raised, files that were refused, files in all)."""
    failures, refused, total = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "good").mkdir()
        goods = write_good_ones(place / "good")
        for good in goods:
            use(good)
        room = mapped_bytes() + ROOM_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (room, resource.getrlimit(resource.RLIMIT_AS)[1]))
        end = time.monotonic() + seconds
        while time.monotonic() < end and total < count:
            wrong, was_refused = attempt(first + total, goods, place)
            if wrong is not None:
                failures.append((first + total, wrong))
            refused += was_refused
            total += 1
    return failures, refused, total


def main():
    """Runs until the time is over; the exit code."""
    faulthandler.enable()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=1 << 62)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    failures, refused, total = run(options.seconds, options.count, options.first)
    for seed, wrong in failures:
        print(f"seed {seed}:\n{wrong}", file=sys.stderr)
    print(f"{total} files, {refused} refused, {len(failures)} broke a reader: {[seed for seed, _ in failures]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing folders in Hugging Face's layout: config.json, and safetensors files whose tensors are made one by one."""

import json
import math
import os
import shutil

import numpy

from ...framework.safetensors_file import CODE_OF
from .stored import written_whole

# What a tokenizer, chats and generation need, beside the weights.
OTHER_FILES = (
    "generation_config.json",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer.gguf",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "chat_template.jinja",
    "chat_template.json",
)
SHARD_BYTES = 4_000_000_000
_SIZES = {"float8_e4m3fn": 1, "bfloat16": 2}


def write_folder(path, config, tensors, write_others, progress=None, shard_bytes=SHARD_BYTES):
    """Write a folder; it is there when all of it is written.

    Args:
        path: The folder, which must not be there yet.
        config: The dict of config.json.
        tensors: Name -> StoredTensor.
        write_others: Called with the folder, to write further files.
        progress: Called with (tensors that are written, their number).
        shard_bytes: A file has no more, unless a single tensor has.

    Raises:
        FileExistsError: There is something of that name.
    """
    if os.path.exists(path):
        raise FileExistsError(f"{os.fspath(path)!r} is there already; remove it, or choose another name.")
    shards = _shards(tensors, shard_bytes)
    with written_whole(path, is_folder=True) as folder:
        write_others(folder)
        places, done = {}, 0

        def written():
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, len(tensors))

        for i, names in enumerate(shards):
            name = "model.safetensors" if len(shards) == 1 else f"model-{i + 1:05}-of-{len(shards):05}.safetensors"
            _write_file(os.path.join(folder, name), {key: tensors[key] for key in names}, written)
            places.update(dict.fromkeys(names, name))
        if len(shards) > 1:
            total = sum(map(_bytes, tensors.values()))
            index = {"metadata": {"total_size": total}, "weight_map": places}
            _write_json(os.path.join(folder, "model.safetensors.index.json"), index)
        _write_json(os.path.join(folder, "config.json"), config)


def copy_others(source, folder):
    """Copies the OTHER_FILES that the folder `source` has."""
    for name in OTHER_FILES:
        if os.path.isfile(os.path.join(source, name)):
            shutil.copyfile(os.path.join(source, name), os.path.join(folder, name))


def _bytes(tensor):
    size = _SIZES.get(tensor.dtype) or numpy.dtype(tensor.dtype).itemsize
    return math.prod(tensor.shape) * size


def _shards(tensors, most):
    found, room = [[]], most
    for name, tensor in tensors.items():
        size = _bytes(tensor)
        if size > room and found[-1]:
            found.append([])
            room = most
        found[-1].append(name)
        room -= size
    return found


def _write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def _write_file(path, tensors, written):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        begin, end = end, end + _bytes(tensor)
        header[name] = {"dtype": CODE_OF[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for name, tensor in tensors.items():
            array = numpy.ascontiguousarray(tensor.read())
            if array.nbytes != _bytes(tensor):
                raise ValueError(f"{name!r} has {array.nbytes} bytes; {tensor.dtype} of {tensor.shape} has others.")
            file.write(array.reshape(-1).view(numpy.uint8))
            written()

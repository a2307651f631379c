# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a checkpoint of parts.

`{rank}_{id}.distcp.{token}`, one for each process, is a safetensors file of the parts that it wrote; `{id}.metadata` is JSON: the
tensors, their parts by file, offset and shape, and checksums of the files by block. A checkpoint is there when its metadata
is, which comes last and at once, so that whoever stops a save leaves the one before.
"""

import json
import os
import re
import zlib

import numpy as np

from .... import _core
from ....framework.memory import from_bits
from ....framework.safetensors_file import CODE_OF

FORMAT = "paddle checkpoint of parts 1"
BLOCK = 4 << 20  # bytes to a checksum
_DTYPES = {code: name for name, code in CODE_OF.items()}


def data_name(rank, number):
    """Name of the file of a process."""
    return f"{rank}_{number}.distcp"


def numbers(path):
    """The numbers of the checkpoints in a folder, oldest first."""
    if not os.path.isdir(path):
        return []
    found = (re.fullmatch(r"(\d+)\.metadata", name) for name in os.listdir(path))
    return sorted(int(match[1]) for match in found if match)


def bits_of(tensor):
    """The elements of a tensor as an array that NumPy has a type for; of others their bits."""
    array = np.ascontiguousarray(tensor.numpy()).reshape(tensor.shape)  # the function gives axes to a number
    narrow = tensor.dtype.name == "bfloat16" or tensor.dtype.name.startswith("float8")
    return array.view(np.uint16 if tensor.dtype.itemsize == 2 else np.uint8) if narrow else array


def tensor_of(array, dtype):
    """The tensor of a dtype's name from an array as `bits_of` gives it."""
    narrow = dtype == "bfloat16" or dtype.startswith("float8")
    return from_bits(array, getattr(_core, dtype)) if narrow else _core.to_tensor(array)


def array_type(dtype):
    """NumPy's type of the elements of a dtype's name, or of their bits."""
    if dtype == "bfloat16":
        return np.dtype("<u2")
    return np.dtype("u1") if dtype.startswith("float8") else np.dtype(dtype)


def write_data(path, arrays):
    """Write a safetensors file, on the disk when this returns.

    Args:
        arrays: Key -> (array of bits, name of the dtype).

    Returns:
        A dict with `bytes` and `checksums` of the file.

    Raises:
        ValueError: safetensors files do not hold a dtype.
    """
    header, end = {}, 0
    order = sorted(arrays, key=lambda key: (-arrays[key][0].dtype.itemsize, key))
    for key in order:
        array, dtype = arrays[key]
        if dtype not in CODE_OF:
            raise ValueError(f"save_state_dict: {key!r} has dtype {dtype}, which safetensors files do not hold.")
        header[key] = {"dtype": CODE_OF[dtype], "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    checksums, pending = [], b""
    with open(path, "wb") as file:
        for piece in (len(text).to_bytes(8, "little") + text, *(memoryview(arrays[k][0]).cast("B") for k in order)):
            file.write(piece)
            at = 0
            while at < len(piece):
                take = min(BLOCK - len(pending), len(piece) - at)
                if not pending and take == BLOCK:
                    checksums.append(zlib.crc32(piece[at : at + take]))
                else:
                    pending += bytes(piece[at : at + take])
                    if len(pending) == BLOCK:
                        checksums.append(zlib.crc32(pending))
                        pending = b""
                at += take
        if pending:
            checksums.append(zlib.crc32(pending))
        file.flush()
        os.fsync(file.fileno())
    return {"bytes": 8 + len(text) + end, "checksums": checksums}


def write_json(path, value):
    """Write a file that is there whole or not at all."""
    partial = f"{path}.partial"
    with open(partial, "w") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class DataFile:
    """A file of parts that is read where it is needed; every block that is read is held against its checksum."""

    def __init__(self, path, known):
        self._path, self._known, self._checked = path, known, set()
        size = os.path.getsize(path)
        if size != known["bytes"]:
            raise ValueError(f"load_state_dict: {path} has {size} bytes and was written with {known['bytes']}.")
        self._bytes = np.memmap(path, np.uint8, "r")
        length = int.from_bytes(self._bytes[:8].tobytes(), "little")
        self._check(0, 8 + length)
        self._start, self._header = 8 + length, json.loads(self._bytes[8 : 8 + length].tobytes())

    def _check(self, begin, end):
        for block in range(begin // BLOCK, -(-end // BLOCK)):
            if block in self._checked:
                continue
            if zlib.crc32(self._bytes[block * BLOCK : (block + 1) * BLOCK]) != self._known["checksums"][block]:
                raise ValueError(
                    f"load_state_dict: {self._path} is damaged: bytes {block * BLOCK} to {(block + 1) * BLOCK} are not "
                    "those that were written."
                )
            self._checked.add(block)

    def read(self, key, index):
        """The elements of a part at a tuple of slices, as an array of bits."""
        entry = self._header[key]
        kind, shape = array_type(_DTYPES[entry["dtype"]]), tuple(entry["shape"])
        begin, end = entry["data_offsets"]
        row = (end - begin) // max(shape[0], 1) if shape else end - begin
        first, last = (index[0].start, index[0].stop) if shape else (0, 1)
        self._check(self._start + begin + first * row, self._start + begin + last * row)
        part = np.ndarray(shape, kind, self._bytes, self._start + begin)
        return part[index]


def read_json(path):
    """The value of a JSON file; ValueError where it is none."""
    with open(path, "rb") as file:
        return json.loads(file.read())

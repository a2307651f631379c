# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The record of one tensor on disk: version, level of detail, description, raw bytes."""

import struct

from .. import _core
from .memory import from_bits
from .varint import read_varint, to_varint

# Numbers of dtypes in the description.
_CODES = {
    0: "bool",
    1: "int16",
    2: "int32",
    3: "int64",
    4: "float16",
    5: "float32",
    6: "float64",
    20: "uint8",
    21: "int8",
    22: "bfloat16",
    23: "complex64",
    24: "complex128",
    32: "float8_e4m3fn",
    33: "float8_e5m2",
}
_HEAD = struct.Struct("<IQIi")


def encode(tensor):
    """The bytes of a record."""
    from .io import _array

    code = {name: number for number, name in _CODES.items()}[tensor.dtype.name]
    text = b"\x08" + to_varint(code) + b"".join(b"\x10" + to_varint(n) for n in tensor.shape)
    return _HEAD.pack(0, 0, 0, len(text)) + text + _array(tensor).tobytes()


def is_record(data):
    """True when bytes begin like a record (a pickle of protocol 2 or later begins with 0x80)."""
    return len(data) >= _HEAD.size and data[:4] == b"\0\0\0\0"


def decode(data):
    """The tensor of a record; ValueError when the bytes are damaged."""
    _, levels, version, size = _HEAD.unpack_from(data)
    start = _HEAD.size
    if levels or version or not 0 <= size <= len(data) - start:
        raise ValueError("load: the head of the tensor record is damaged.")
    text, body = data[start : start + size], data[start + size :]
    code, shape, at = None, [], 0
    while at < len(text):
        tag, at = read_varint(text, at)
        if tag == 8:
            code, at = read_varint(text, at)
        elif tag == 16:
            n, at = read_varint(text, at)
            shape.append(n)
        elif tag == 18:
            length, at = read_varint(text, at)
            end = at + length
            if end > len(text):
                raise ValueError("load: the description of the tensor is damaged.")
            while at < end:
                n, at = read_varint(text, at)
                shape.append(n)
        else:
            raise ValueError("load: the description of the tensor is damaged.")
    return _tensor(code, shape, body)


def _tensor(code, shape, body):
    import math

    import numpy

    name = _CODES.get(code)
    if name is None:
        raise ValueError(f"load: the record has the unknown dtype number {code}.")
    dtype = getattr(_core, name)
    if math.prod(shape) * dtype.itemsize != len(body):
        raise ValueError(f"load: the record has {len(body)} bytes for shape {shape} and dtype {name}.")
    raw = {"bfloat16": "int16", "float8_e4m3fn": "int8", "float8_e5m2": "int8"}.get(name, name)
    array = numpy.frombuffer(body, dtype=raw).reshape(shape).copy()
    return _core.to_tensor(array) if raw == name else from_bits(array, dtype)

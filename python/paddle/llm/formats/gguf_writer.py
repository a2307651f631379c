# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing GGUF files: metadata, and tensors in float32, float16 or Q8_0."""

import struct

import numpy

from .gguf import ARRAY, DEFAULT_ALIGNMENT, MAGIC, SCALAR_LAYOUTS, SCALARS, STRING, TENSOR_TYPES, TYPE_NUMBERS

VERSION = 3
_NUMBER_OF = {numpy.dtype(name).newbyteorder("="): number for number, name in SCALARS.items()}
_INT, _LONG, _UNSIGNED, _UNSIGNED_LONG, _FLOAT, _BOOL = 5, 11, 4, 10, 6, 7


def write_gguf(path, metadata, tensors):
    """Write a GGUF file of version 3.

    Args:
        path: The file.
        metadata: Key -> bool, int, float (as float32), str, NumPy scalar (in its own type), NumPy array, or list of str.
        tensors: Name -> (array, type): floats of 1 to 4 dimensions, the contiguous one last, to be held as "F32", "F16"
            or "Q8_0"; or uint8 [rows, bytes of a row] of any other type, which are blocks already.

    Raises:
        ValueError: A value or a type cannot be held, or rows are no whole number of blocks.
    """
    entries, parts, offset = [], [], 0
    for name, (array, kind) in tensors.items():
        shape, data = _encoded(name, array, kind)
        extents = struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
        entries.append(_text(name) + extents + struct.pack("<IQ", TYPE_NUMBERS[kind], offset))
        parts.append(data)
        offset += len(data) + -len(data) % DEFAULT_ALIGNMENT
    header = [MAGIC, struct.pack("<IQQ", VERSION, len(tensors), len(metadata))]
    header += [_text(key) + _value(key, value) for key, value in metadata.items()]
    head = b"".join(header + entries)
    with open(path, "wb") as file:
        for part in [head, *parts]:
            file.write(part)
            file.write(b"\0" * (-len(part) % DEFAULT_ALIGNMENT))


def quantize_q8_0(array):
    """Floats [..., columns] as uint8 [rows, bytes of a row] in Q8_0: a float16 scale for 32 int8 numbers."""
    blocks = numpy.asarray(array, numpy.float32).reshape(-1, array.shape[-1] // 32, 32)
    scale = numpy.abs(blocks).max(-1, keepdims=True) / numpy.float32(127)
    with numpy.errstate(divide="ignore"):
        inverse = numpy.where(scale == 0, numpy.float32(0), 1 / scale)
    scaled = blocks * inverse
    numbers = (numpy.sign(scaled) * numpy.floor(numpy.abs(scaled) + numpy.float32(0.5))).astype(numpy.int8)
    halves = scale.astype("<f2").view(numpy.uint8)
    return numpy.concatenate([halves, numbers.view(numpy.uint8)], -1).reshape(len(blocks), -1)


def _text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(key, value):
    if isinstance(value, str):
        return struct.pack("<I", STRING) + _text(value)
    if isinstance(value, numpy.ndarray):
        kind = _NUMBER_OF.get(value.dtype)
        if kind is None or value.ndim != 1:
            raise ValueError(f"write_gguf: {key!r} is an array of {value.dtype} and shape {list(value.shape)}.")
        return struct.pack("<IIQ", ARRAY, kind, len(value)) + value.astype(SCALARS[kind]).tobytes()
    if isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value):
        return struct.pack("<IIQ", ARRAY, STRING, len(value)) + b"".join(map(_text, value))
    if isinstance(value, numpy.generic) and value.dtype in _NUMBER_OF:
        kind = _NUMBER_OF[value.dtype]
    elif isinstance(value, bool):
        kind = _BOOL
    elif isinstance(value, float):
        kind = _FLOAT
    elif isinstance(value, int) and -(2**63) <= value < 2**64:
        kind = (
            (_UNSIGNED if value < 2**32 else _UNSIGNED_LONG) if value >= 0 else (_INT if value >= -(2**31) else _LONG)
        )
    else:
        raise ValueError(f"write_gguf: {key!r} has a value of type {type(value).__name__} that metadata does not hold.")
    return struct.pack("<I", kind) + struct.pack(SCALAR_LAYOUTS[kind], value)


def _encoded(name, array, kind):
    """The extents and the bytes of a tensor."""
    if kind not in TYPE_NUMBERS:
        raise ValueError(f"write_gguf: {name!r} is to be {kind!r}; it must be one of {', '.join(TYPE_NUMBERS)}.")
    found = TENSOR_TYPES[TYPE_NUMBERS[kind]]
    if array.dtype == numpy.uint8:
        if array.ndim != 2 or array.shape[1] % found.bytes:
            raise ValueError(f"write_gguf: {name!r} has shape {list(array.shape)}; rows of {kind} are whole blocks.")
        return (array.shape[0], array.shape[1] // found.bytes * found.weights), array.tobytes()
    if not 1 <= array.ndim <= 4 or array.shape[-1] % found.weights:
        raise ValueError(
            f"write_gguf: {name!r} has shape {list(array.shape)}; {kind} needs 1 to 4 dimensions and rows of a multiple of "
            f"{found.weights}."
        )
    if kind in ("F32", "F16"):
        return array.shape, array.astype("<f4" if kind == "F32" else "<f2").tobytes()
    if kind != "Q8_0":
        raise ValueError(f"write_gguf: {name!r} is to be {kind}; floats are written as F32, F16 or Q8_0.")
    return array.shape, quantize_q8_0(array).tobytes()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing GGUF files: metadata, and tensors in float32, float16, or quantised in blocks."""

import math
import struct

import numpy

from ... import _core
from .gguf import ARRAY, DEFAULT_ALIGNMENT, MAGIC, SCALAR_LAYOUTS, SCALARS, STRING, TENSOR_TYPES, TYPE_NUMBERS
from .stored import StoredWeight, written_whole

VERSION = 3
FLOATS = {"F32": "<f4", "F16": "<f2"}
# Types that floats can be written as.
ENCODED = (*FLOATS, "Q8_0", "Q5_0", "Q4_K", "Q6_K")
_NUMBER_OF = {numpy.dtype(name).newbyteorder("="): number for number, name in SCALARS.items()}
_INT, _LONG, _UNSIGNED, _UNSIGNED_LONG, _FLOAT, _BOOL = 5, 11, 4, 10, 6, 7


def write_gguf(path, metadata, tensors, progress=None):
    """Write a GGUF file of version 3. The file is there when all of it is written.

    Args:
        path: The file.
        metadata: Key -> bool, int, float (as float32), str, NumPy scalar (in its own type), NumPy array, or list of str.
        tensors: Name -> (array, type): floats of 1 to 4 dimensions, the contiguous one last, as an array or a StoredWeight, to
            be held as one of ENCODED; or uint8 [rows, bytes of a row] of any other type, which are blocks already.
        progress: Called with (tensors that are written, their number).

    Raises:
        ValueError: A value or a type cannot be held, or rows are no whole number of blocks.
    """
    entries, offset = [], 0
    for name, (tensor, kind) in tensors.items():
        shape, size = _extents(name, tensor, kind)
        extents = struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
        entries.append(_text(name) + extents + struct.pack("<IQ", TYPE_NUMBERS[kind], offset))
        offset += size + -size % DEFAULT_ALIGNMENT
    header = [MAGIC, struct.pack("<IQQ", VERSION, len(tensors), len(metadata))]
    header += [_text(key) + _value(key, value) for key, value in metadata.items()]
    head = b"".join(header + entries)
    with written_whole(path) as beside, open(beside, "wb") as file:
        file.write(head)
        file.write(b"\0" * (-len(head) % DEFAULT_ALIGNMENT))
        for done, (tensor, kind) in enumerate(tensors.values(), 1):
            data = _encoded(tensor, kind)
            file.write(data)
            file.write(b"\0" * (-data.nbytes % DEFAULT_ALIGNMENT))
            if progress is not None:
                progress(done, len(tensors))


def quantize_q8_0(array):
    """Floats [..., columns] as uint8 [rows, bytes of a row] in Q8_0: a float16 scale for 32 int8 numbers."""
    return _blocks(numpy.asarray(array), "Q8_0")


def _blocks(array, kind):
    rows = numpy.ascontiguousarray(array.reshape(-1, array.shape[-1]), numpy.float32)
    return _core.ops.quantize_q(_core.to_tensor(rows), kind).numpy()


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


def _extents(name, tensor, kind):
    """The extents and the number of bytes of a tensor."""
    if kind not in TYPE_NUMBERS:
        raise ValueError(f"write_gguf: {name!r} is to be {kind!r}; it must be one of {', '.join(TYPE_NUMBERS)}.")
    found, shape = TENSOR_TYPES[TYPE_NUMBERS[kind]], tuple(tensor.shape)
    if getattr(tensor, "dtype", None) == numpy.uint8:
        if len(shape) != 2 or shape[1] % found.bytes:
            raise ValueError(f"write_gguf: {name!r} has shape {list(shape)}; rows of {kind} are whole blocks.")
        return (shape[0], shape[1] // found.bytes * found.weights), tensor.nbytes
    if not 1 <= len(shape) <= 4 or shape[-1] % found.weights:
        raise ValueError(
            f"write_gguf: {name!r} has shape {list(shape)}; {kind} needs 1 to 4 dimensions and rows of a multiple of "
            f"{found.weights}."
        )
    if kind not in ENCODED:
        raise ValueError(f"write_gguf: {name!r} is to be {kind}; floats are written as {', '.join(ENCODED)}.")
    return shape, math.prod(shape) // found.weights * found.bytes


def _encoded(tensor, kind):
    """The bytes of a tensor, as an array."""
    array = tensor.read() if isinstance(tensor, StoredWeight) else tensor
    if array.dtype != numpy.uint8:
        array = array.astype(FLOATS[kind]) if kind in FLOATS else _blocks(array, kind)
    return numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8)

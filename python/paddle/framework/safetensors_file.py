# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files in the safetensors format: eight bytes with the length of a JSON header, the header, which has the dtype, shape
and place of each tensor, and the elements."""

import contextlib
import json

from .. import _core
from .memory import from_bits

_CODES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}
# The code of a dtype's name.
CODE_OF = {name: code for code, name in _CODES.items()}
_METADATA = "__metadata__"
_ALIGNMENT = 8


def holds(obj):
    """Whether an object can be such a file: a dict of tensors by name."""
    return isinstance(obj, dict) and all(isinstance(k, str) and isinstance(v, _core.Tensor) for k, v in obj.items())


def encode(tensors):
    """The bytes of a file with the tensors of a dict; wide elements come first, so that all are aligned."""
    import numpy

    header, parts, end = {}, [], 0
    for key in sorted(tensors, key=lambda k: (-tensors[k].dtype.itemsize, k)):
        tensor = tensors[key]
        if tensor.dtype.name not in CODE_OF:
            raise ValueError(f"save: {key!r} has dtype {tensor.dtype.name}, which safetensors files do not hold.")
        part = numpy.ascontiguousarray(tensor.detach().numpy()).tobytes()
        header[key] = {
            "dtype": CODE_OF[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [end, end + len(part)],
        }
        parts.append(part)
        end += len(part)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def decode(data, as_numpy=False):
    """The tensors of a file's bytes by name, or arrays.

    Raises:
        ValueError: The bytes are no safetensors file, or its header and its length disagree.
    """
    return {key: read(as_numpy) for key, read in readers(data).items()}


def readers(data):
    """What reads each tensor of a file's bytes, or of a mapping of it: a function of `as_numpy`, by name.

    Raises:
        ValueError: As `decode`, for the header at once and for a tensor when it is read.
    """
    length = int.from_bytes(data[:8], "little")
    with _refusals():
        header = json.loads(data[8 : 8 + length])
        entries = {key: value for key, value in header.items() if key != _METADATA}

    def reader(entry):
        def read(as_numpy=False):
            with _refusals():
                return _tensor(data, 8 + length, entry, as_numpy)

        return read

    return {key: reader(entry) for key, entry in entries.items()}


@contextlib.contextmanager
def _refusals():
    try:
        yield
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"load: the file is no safetensors file ({type(error).__name__}: {error}).") from None


def _tensor(data, start, entry, as_numpy):
    import math

    import numpy

    dtype, shape = getattr(_core, _CODES[entry["dtype"]]), entry["shape"]
    begin, end = entry["data_offsets"]
    whole = all(isinstance(n, int) and n >= 0 for n in [*shape, begin])
    if not whole or start + end > len(data) or math.prod(shape) * dtype.itemsize != end - begin:
        raise ValueError(f"load: bytes {begin} to {end} of the file are no {dtype.name} tensor of shape {shape}.")
    values = numpy.frombuffer(data, _array_type(dtype), math.prod(shape), start + begin).reshape(shape)
    if as_numpy:
        return values.copy()
    if dtype.name == "bfloat16" or dtype.name.startswith("float8"):
        return from_bits(values, dtype)
    return _core.to_tensor(values)


def _array_type(dtype):
    """NumPy's type, or that of the raw bits where it has none."""
    if dtype.name == "bfloat16":
        return "<u2"
    return "u1" if dtype.name.startswith("float8") else dtype.name

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""GGUF files: a header with metadata and a table of tensors, then the tensors' bytes.

The file is mapped, and tensors are views of the mapping. Nothing in the file is believed before it is checked: sizes
and offsets are compared with what the file holds, counts with what could fit, and the nesting of arrays is bounded.
"""

import math
import mmap
import os
import struct
from typing import NamedTuple

import numpy

MAGIC = b"GGUF"
DEFAULT_ALIGNMENT = 32
MAX_DIMENSIONS = 4
MAX_NESTING = 4
# Bytes of the shortest metadata entry (an empty key, a type, one byte) and the shortest tensor entry.
_LEAST_ENTRY, _LEAST_TENSOR = 13, 24

# Number of a metadata type -> NumPy's type; 8 is a string, 9 an array.
SCALARS = {
    0: "<u1",
    1: "<i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "?",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
STRING, ARRAY = 8, 9
SCALAR_LAYOUTS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}


class TensorType(NamedTuple):
    """A type of tensors: so many weights are stored in so many bytes."""

    name: str
    weights: int
    bytes: int

    @property
    def is_quantized(self):
        return self.weights > 1


# By the number that the file has for it.
TENSOR_TYPES = {
    0: TensorType("F32", 1, 4),
    1: TensorType("F16", 1, 2),
    2: TensorType("Q4_0", 32, 18),
    3: TensorType("Q4_1", 32, 20),
    6: TensorType("Q5_0", 32, 22),
    7: TensorType("Q5_1", 32, 24),
    8: TensorType("Q8_0", 32, 34),
    10: TensorType("Q2_K", 256, 84),
    11: TensorType("Q3_K", 256, 110),
    12: TensorType("Q4_K", 256, 144),
    13: TensorType("Q5_K", 256, 176),
    14: TensorType("Q6_K", 256, 210),
    20: TensorType("IQ4_NL", 32, 18),
    30: TensorType("BF16", 1, 2),
}
TYPE_NUMBERS = {found.name: number for number, found in TENSOR_TYPES.items()}


class GGUFTensor(NamedTuple):
    """A tensor of a file. `shape` has the contiguous extent last; `data` is uint8 [rows, bytes of a row], a view."""

    name: str
    type: TensorType
    shape: tuple
    data: numpy.ndarray


class GGUFFile:
    """The metadata and tensors of a GGUF file (version 2 or 3, little-endian).

    Args:
        path: The file.

    Attributes:
        metadata: Key -> value: int, float, bool, str, or an array (numpy.ndarray of numbers, list of str).
        tensors: Name -> GGUFTensor, in the order of the file.

    The file stays mapped as long as this object or an array of one of its tensors lives.

    Raises:
        ValueError: The bytes are no such file; the message names the file, the field and its offset.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        with open(self.path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < 24:
                raise ValueError(f"{self.path}: the file has {size} bytes; a GGUF file has at least 24.")
            # Copy on write, so that arrays over it may be lent to tensors; nobody writes to them.
            self._mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        header = _Header(self.path, self._mapping)
        version, tensors, entries = header.counts()
        self.version = version
        self.metadata = header.metadata(entries)
        self.alignment = self.metadata.get("general.alignment", DEFAULT_ALIGNMENT)
        if not isinstance(self.alignment, int) or self.alignment < 1 or self.alignment & (self.alignment - 1):
            header.fail("general.alignment", header.at, f"has the value {self.alignment}; it must be a power of two")
        self.tensors = header.tensors(tensors, self.alignment)

    def __len__(self):
        """Number of tensors."""
        return len(self.tensors)

    def __repr__(self):
        return f"GGUFFile({self.path!r}, {len(self.metadata)} metadata entries, {len(self.tensors)} tensors)"

    def release(self, name):
        """Gives back the memory that a tensor's bytes have taken since they were read; they are read anew where they are
        used again."""
        data = self.tensors[name].data
        begin = data.ctypes.data - numpy.frombuffer(self._mapping, numpy.uint8).ctypes.data
        page = begin // mmap.PAGESIZE * mmap.PAGESIZE
        if data.nbytes and hasattr(self._mapping, "madvise"):
            self._mapping.madvise(mmap.MADV_DONTNEED, page, begin + data.nbytes - page)

    def value(self, key, kind, default=None):
        """A metadata value of a kind.

        Args:
            key: Its key.
            kind: int, float (an int is one, too), bool, str, or list for an array.
            default: What is returned where the key is missing; without one that is an error.

        Raises:
            ValueError: The key is missing, or has a value of another kind.
        """
        found = self.metadata.get(key)
        if found is None:
            if default is None:
                raise ValueError(f"{self.path}: the metadata has no {key!r}, which is needed.")
            return default
        if kind is float and type(found) is int:
            found = float(found)
        kinds = (list, numpy.ndarray) if kind is list else kind
        if not isinstance(found, kinds) or (kind is int and isinstance(found, bool)):
            raise ValueError(
                f"{self.path}: {key!r} has a value of type {type(found).__name__}; it must be {kind.__name__}."
            )
        return found


class _Header:
    """Reads the header of a mapped file from its start."""

    def __init__(self, path, data):
        self.path, self.data, self.at = path, data, 0

    def fail(self, field, offset, problem):
        raise ValueError(f"{self.path}: {field} at byte {offset} {problem}.")

    def need(self, count, field):
        """Refuses a field of `count` bytes that the file does not hold."""
        if count > len(self.data) - self.at:
            self.fail(field, self.at, f"needs {count} bytes, and the file ends after {len(self.data) - self.at}")

    def number(self, layout, field):
        count = struct.calcsize(layout)
        self.need(count, field)
        found = struct.unpack_from(layout, self.data, self.at)[0]
        self.at += count
        return found

    def string(self, field):
        length, start = self.number("<Q", field), self.at
        self.need(length, field)
        self.at += length
        try:
            return self.data[start : self.at].decode()
        except UnicodeDecodeError as error:
            self.fail(field, start, f"is no text in UTF-8 ({error.reason} at its byte {error.start})")

    def counts(self):
        if self.data[:4] != MAGIC:
            self.fail("magic", 0, f"is {self.data[:4]!r}; a GGUF file begins with {MAGIC!r}")
        self.at = 4
        version = self.number("<I", "version")
        if version not in (2, 3):
            reason = "a big-endian file" if version & 0xFFFF == 0 and version else "another version"
            self.fail("version", 4, f"is {version} ({reason}); little-endian files of version 2 and 3 can be read")
        tensors, entries = self.number("<Q", "tensor_count"), self.number("<Q", "metadata_kv_count")
        left = len(self.data) - self.at
        if tensors * _LEAST_TENSOR + entries * _LEAST_ENTRY > left:
            self.fail(
                "tensor_count", 8, f"is {tensors}, with {entries} entries of metadata; {left} bytes cannot hold them"
            )
        return version, tensors, entries

    def metadata(self, count):
        found = {}
        for i in range(count):
            start = self.at
            key = self.string(f"key {i} of the metadata")
            if key in found:
                self.fail(f"key {key!r}", start, "is there twice")
            found[key] = self.value(self.number("<I", key), key, 0)
        return found

    def value(self, kind, key, depth):
        if kind == STRING:
            return self.string(key)
        if kind == ARRAY:
            return self.array(key, depth)
        if kind not in SCALAR_LAYOUTS:
            self.fail(key, self.at - 4, f"has the type {kind}, which is none of metadata")
        return self.number(SCALAR_LAYOUTS[kind], key)

    def array(self, key, depth):
        if depth >= MAX_NESTING:
            self.fail(key, self.at, f"holds arrays in more than {MAX_NESTING} levels")
        kind, start = self.number("<I", key), self.at
        length = self.number("<Q", key)
        if kind in SCALARS:
            dtype = numpy.dtype(SCALARS[kind])
            self.need(length * dtype.itemsize, key)
            found = numpy.frombuffer(self.data, dtype, length, self.at).copy()  # does not keep the file mapped
            self.at += found.nbytes
            return found
        if kind not in (STRING, ARRAY):
            self.fail(key, start - 4, f"holds the type {kind}, which is none of metadata")
        least = 8 if kind == STRING else 12
        self.need(length * least, key)
        if kind == STRING:
            return self.strings(length, key)
        return [self.array(key, depth + 1) for _ in range(length)]

    def strings(self, count, key):
        """A vocabulary has hundreds of thousands of them, so this loop calls little."""
        data, at, size = self.data, self.at, len(self.data)
        length_of, found = struct.Struct("<Q").unpack_from, []
        try:
            for _ in range(count):
                end = at + 8 + length_of(data, at)[0]
                if end > size:
                    self.fail(
                        f"{key}[{len(found)}]", at, f"needs {end - at} bytes, and the file ends after {size - at}"
                    )
                found.append(data[at + 8 : end].decode())
                at = end
        except struct.error:
            self.fail(f"{key}[{len(found)}]", at, f"needs 8 bytes, and the file ends after {size - at}")
        except UnicodeDecodeError as error:
            self.fail(f"{key}[{len(found)}]", at, f"is no text in UTF-8 ({error.reason} at its byte {error.start})")
        self.at = at
        return found

    def tensors(self, count, alignment):
        entries = [self.tensor_entry(i) for i in range(count)]
        start = -(-self.at // alignment) * alignment
        everything = numpy.frombuffer(self.data, numpy.uint8)
        found = {}
        for name, kind, shape, offset, place in entries:
            if name in found:
                self.fail(f"tensor {name!r}", place, "is there twice")
            columns, rows = shape[-1], math.prod(shape[:-1])
            if columns % kind.weights:
                self.fail(
                    f"tensor {name!r}",
                    place,
                    f"has rows of {columns}; {kind.name} has blocks of {kind.weights} weights",
                )
            row_bytes = columns // kind.weights * kind.bytes
            begin, end = start + offset, start + offset + rows * row_bytes
            if offset % alignment or end > len(self.data):
                self.fail(
                    f"tensor {name!r}",
                    place,
                    f"has shape {list(shape)}, type {kind.name} and offset {offset}, so it lies in bytes {begin} to {end}; "
                    f"the file has {len(self.data)}, and offsets are multiples of {alignment}",
                )
            data = everything[begin:end].reshape(rows, row_bytes)
            found[name] = GGUFTensor(name, kind, shape, data)
        return found

    def tensor_entry(self, i):
        place = self.at
        name = self.string(f"name of tensor {i}")
        field = f"tensor {name!r}"
        rank = self.number("<I", field)
        if not 1 <= rank <= MAX_DIMENSIONS:
            self.fail(field, place, f"has {rank} dimensions; there can be 1 to {MAX_DIMENSIONS}")
        shape = tuple(self.number("<Q", field) for _ in range(rank))[::-1]
        if not all(1 <= extent <= 1 << 40 for extent in shape):
            self.fail(field, place, f"has shape {list(shape)}; an extent is at least 1 and at most 2^40")
        number = self.number("<I", field)
        if number not in TENSOR_TYPES:
            known = ", ".join(kind.name for kind in TENSOR_TYPES.values())
            self.fail(field, place, f"has the type {number}, which cannot be read; these can be: {known}")
        return name, TENSOR_TYPES[number], shape, self.number("<Q", field), place

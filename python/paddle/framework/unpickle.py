# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading pickles of arrays, numbers, strings and containers from files that nobody vouches for.

Nothing of a file runs: the few globals that such files name are stand-ins that make arrays, bytes and
containers. Memory is bounded by the size of the file.
"""

import functools
import io as _io
import math
import pickle
import pickletools

from .dtypes import convert
from .random import GeneratorState


class _StandIn:
    """What a global of a file becomes: it can be called, and nothing can be set on it."""

    __slots__ = ("_function",)

    def __init__(self, function):
        object.__setattr__(self, "_function", function)

    def __call__(self, *args):
        return self._function(*args)

    def __setattr__(self, name, value):
        raise ValueError("load: the file sets attributes of a function; it is not loaded.")


class _Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        found = _allowed(module, name)
        if found is None:
            raise ValueError(
                f"load: the file asks for {module}.{name}, which files of tensors do not need; it is not loaded."
            )
        return found

    def persistent_load(self, pid):
        raise ValueError("load: the file has a persistent id; it is not loaded.")


def loads(data):
    """The object of a pickle; ValueError when it is damaged or asks for more than containers of numbers."""
    return loads_first(data)[0]


def loads_first(data):
    """The object of the pickle that `data` begins with, and the number of its bytes."""
    return _unpickled(data, _io.BytesIO(data))


def _unpickled(data, stream):
    try:
        end = _check_indices(data)
        stream.seek(0)
        return _Unpickler(stream, encoding="latin1").load(), end
    except RecursionError:
        raise ValueError("load: the file is nested too deeply.") from None
    except Exception as error:
        if isinstance(error, ValueError) and str(error).startswith("load: "):
            raise
        raise ValueError(f"load: the file is not one that paddle.save wrote, or it is damaged ({error}).") from None


def load_file(f):
    """The object of a pickle that an open file holds, of which no copy is made."""
    return _unpickled(_Window(f), f)[0]


class _Window:
    """The bytes of a file, some of them in memory at a time."""

    def __init__(self, f):
        self._file, self._size = f, f.seek(0, _io.SEEK_END)
        self._begin, self._held = 0, b""

    def __len__(self):
        return self._size

    def __getitem__(self, at):
        if isinstance(at, int):
            return self._bytes(at, 1)[0]
        return self._bytes(at.start, at.stop - at.start)

    def _bytes(self, at, count):
        count = min(count, self._size - at)
        start = at - self._begin
        if start < 0 or start + count > len(self._held):
            self._file.seek(at)
            self._begin, self._held, start = at, self._file.read(max(count, 1 << 16)), 0
        return self._held[start : start + count]

    def find(self, what, at):
        while at < self._size:
            part = self._bytes(at, 1 << 12)
            found = part.find(what)
            if found >= 0:
                return at + found
            at += len(part)
            if not part:  # the file became shorter
                break
        return -1


@functools.cache
def _operations():
    """Code of an operation: (bytes of its argument, or what tells them)."""
    return {ord(op.code): 0 if op.arg is None else op.arg.n for op in pickletools.opcodes}


_WIDTHS = {
    pickletools.TAKEN_FROM_ARGUMENT1: 1,
    pickletools.TAKEN_FROM_ARGUMENT4: 4,
    pickletools.TAKEN_FROM_ARGUMENT4U: 4,
    pickletools.TAKEN_FROM_ARGUMENT8U: 8,
}
_LINES = {ord("i"): 2, ord("c"): 2}  # operations whose argument is two lines


def _check_indices(data):
    """Where the pickle ends. Refuses an index into the memo that the file is too short for: the unpickler takes memory
    up to it."""
    operations, at, size = _operations(), 0, len(data)
    while at < size:
        code = data[at]
        at += 1
        argument = operations.get(code)
        if argument is None:
            raise ValueError(f"load: the file is damaged: there is no operation {code:#04x} at byte {at - 1}.")
        if argument >= 0:
            index = int.from_bytes(data[at : at + 4], "little") if code == ord("r") else 0
            at += argument
        elif argument == pickletools.UP_TO_NEWLINE:
            begin = at
            for _ in range(_LINES.get(code, 1)):
                at = data.find(b"\n", at) + 1 or size + 1
            text = data[begin : at - 1] if code == ord("p") else b"0"
            index = int(text) if text.isdigit() and len(text) < 20 else size
        else:
            width = _WIDTHS[argument]
            at += width + int.from_bytes(data[at : at + width], "little")
            index = 0
        if index > size or at > size:
            raise ValueError("load: the file is damaged or was cut short.")
        if code == ord("."):
            return at


def _allowed(module, name):
    if module in ("numpy.core.multiarray", "numpy._core.multiarray"):
        return {"_reconstruct": _RECONSTRUCT, "scalar": _SCALAR}.get(name)
    if module == "numpy" and name in ("ndarray", "dtype"):
        return _NDARRAY if name == "ndarray" else _DTYPE
    if module in ("numpy.core.numeric", "numpy._core.numeric") and name == "_frombuffer":
        return _FROMBUFFER
    if (module, name) == ("_codecs", "encode"):
        return _ENCODE
    if module in ("builtins", "__builtin__"):
        return {"tuple": tuple, "bytes": _BYTES, "complex": complex, "set": set}.get(name)
    if (module, name) == ("collections", "OrderedDict"):
        from collections import OrderedDict

        return OrderedDict
    if module.split(".")[0] == "paddle" and name in ("dtype", "DType"):
        return _CONVERT
    if (module, name) == ("paddle.framework.random", "GeneratorState"):
        return _GENERATOR_STATE
    return None


def _encode_latin(text, encoding="latin1"):
    """Protocol 2 writes bytes as text in latin-1."""
    if encoding not in ("latin1", "latin-1"):
        raise ValueError(f"load: the file has bytes in {encoding!r}; only latin1 is known.")
    return text.encode("latin1")


def _bytes(*args):
    """Protocol 2 writes b"" as bytes()."""
    if args:
        raise ValueError("load: the file makes bytes of a number; it is not loaded.")
    return b""


def _array_class(*_):
    raise ValueError("load: the file makes an array without values; it is not loaded.")


class _Dtype:
    """The dtype of a pickle. NumPy's own believes any state that a file gives it."""

    __slots__ = ("_text", "_order")

    def __init__(self, text, *_):
        if not isinstance(text, str):
            raise ValueError("load: the file has a dtype without a name.")
        self._text, self._order = text, "="

    def __setstate__(self, state):
        plain = isinstance(state, tuple) and len(state) >= 5 and state[2:5] == (None, None, None)
        if not plain or state[1] not in ("<", ">", "|", "="):
            raise ValueError(f"load: the file has a dtype {self._text!r} of an unknown form.")
        self._order = state[1]

    def made(self):
        """The numpy.dtype."""
        import numpy

        if self._text.lstrip("<>|=") not in _NUMBERS:
            raise ValueError(f"load: the file has an array of dtype {self._text}; tensors hold numbers only.")
        dtype = numpy.dtype(self._text)
        return dtype if self._order in "|=" else dtype.newbyteorder(self._order)


_NUMBERS = {"b1", "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}


def _made(dtype):
    if not isinstance(dtype, _Dtype):
        raise ValueError("load: the file has an array without a dtype.")
    return dtype.made()


@functools.cache
def _array_type():
    import numpy

    class PickledArray(numpy.ndarray):
        """An array that looks at the state which a file gives it."""

        def __setstate__(self, state):
            if not (isinstance(state, tuple) and len(state) == 5):
                raise ValueError("load: the file has an array of an unknown form.")
            _, shape, dtype, by_columns, data = state
            dtype = _made(dtype)
            if isinstance(data, str):
                data = data.encode("latin1")
            sizes = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
            if not sizes or len(shape) > 32 or not isinstance(data, bytes):
                raise ValueError("load: the file has an array of an unknown form.")
            if math.prod(shape) * dtype.itemsize != len(data):
                raise ValueError(
                    f"load: the file has an array of shape {list(shape)} with {len(data)} bytes of values."
                )
            super().__setstate__((1, shape, dtype, bool(by_columns), data))

    return PickledArray


def _reconstruct(kind, shape, code):
    """An empty array (numpy's own takes any class and shape)."""
    import numpy

    if kind is not _NDARRAY or shape != (0,):
        raise ValueError("load: the file has an array of an unknown class.")
    return _array_type()((0,), numpy.int8)


def _scalar(dtype, data=b""):
    """A NumPy number."""
    import numpy

    dtype = _made(dtype)
    data = data.encode("latin1") if isinstance(data, str) else data
    if not isinstance(data, bytes) or len(data) != dtype.itemsize:
        raise ValueError("load: the file has a number of an unknown form.")
    return numpy.frombuffer(data, dtype)[0]


def _frombuffer(buffer, dtype, shape, order):
    """The array of pickle protocol 5."""
    import numpy

    if order not in ("C", "F"):
        raise ValueError("load: the file has an array of an unknown form.")
    return numpy.frombuffer(buffer, dtype=_made(dtype)).reshape(shape, order=order).copy()


_RECONSTRUCT, _SCALAR, _DTYPE = _StandIn(_reconstruct), _StandIn(_scalar), _StandIn(_Dtype)
_NDARRAY, _FROMBUFFER, _BYTES = _StandIn(_array_class), _StandIn(_frombuffer), _StandIn(_bytes)
_ENCODE, _CONVERT, _GENERATOR_STATE = _StandIn(_encode_latin), _StandIn(convert), _StandIn(GeneratorState)

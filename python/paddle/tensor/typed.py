# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`FloatTensor`, `LongTensor` and their like: a tensor of one dtype from sizes or from data; `Size`."""

from .. import _core
from .creation import to_tensor

__all__ = [
    "FloatTensor",
    "DoubleTensor",
    "HalfTensor",
    "BFloat16Tensor",
    "ByteTensor",
    "CharTensor",
    "ShortTensor",
    "IntTensor",
    "LongTensor",
    "BoolTensor",
    "Size",
]


def _factory(name, dtype):
    def new(cls, *args, **kwargs):
        device = kwargs.pop("device", None)
        if kwargs:
            raise TypeError(f"{name}: unexpected argument {min(kwargs)!r}; pass sizes, or data and device.")
        wanted = getattr(_core, dtype)
        if not args:
            return _core.ops.full([0], 0, wanted)
        if all(hasattr(a, "__index__") and not isinstance(a, _core.Tensor) for a in args):
            return _core.ops.full([a.__index__() for a in args], 0, wanted)
        if isinstance(args[0], Size):
            return _core.ops.full(list(args[0]), 0, wanted)
        return to_tensor(args[0], wanted, device)

    doc = (
        f"A {dtype} tensor: `{name}(2, 3)` of a shape (of zeros), `{name}([1, 2])` of values, "
        f"`{name}()` without an element."
    )
    return type(name, (), {"__new__": new, "__doc__": doc, "__module__": "paddle"})


FloatTensor = _factory("FloatTensor", "float32")
DoubleTensor = _factory("DoubleTensor", "float64")
HalfTensor = _factory("HalfTensor", "float16")
BFloat16Tensor = _factory("BFloat16Tensor", "bfloat16")
ByteTensor = _factory("ByteTensor", "uint8")
CharTensor = _factory("CharTensor", "int8")
ShortTensor = _factory("ShortTensor", "int16")
IntTensor = _factory("IntTensor", "int32")
LongTensor = _factory("LongTensor", "int64")
BoolTensor = _factory("BoolTensor", "bool")


Size = _core.Size


class TensorSize(int):
    """The number of elements of a tensor; called, its shape, or the extent of one dimension."""

    def __new__(cls, count, shape):
        self = super().__new__(cls, count)
        self._shape = shape
        return self

    def __call__(self, dim=None):
        return self._shape if dim is None else self._shape[dim]

    def __reduce__(self):
        return int, (int(self),)

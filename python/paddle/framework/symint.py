# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`SymInt`: what `x.shape[i]` is for a dynamic extent while a program is captured."""

import operator

from .. import _core
from .modes import recording_program

_pir = _core.pir


def _bits(value):
    if type(value) is SymInt:
        return value._dim
    return int(value) if type(value) in (int, bool) else None


def _wrap(bits):
    return SymInt(bits) if _pir.dim_is_symbolic(bits) else bits


def is_known(extent):
    """Whether a SymInt has an example, so that comparisons of it are decided while the program is captured."""
    return _pir.dim_is_known(extent._dim)


def is_open(value):
    """Whether a value is an extent that has no example: int() of it raises."""
    return type(value) is SymInt and not is_known(value)


def comes_late(value):
    """Whether a number is known only when the captured program runs: an open extent, or a Tensor of the program."""
    return is_open(value) or (isinstance(value, _core.Tensor) and _pir.is_symbolic(value))


def numbers_of(tensor):
    """The numbers of a Tensor: a list, or one without axes. Those of a captured program stay Tensors."""
    if not _pir.is_symbolic(tensor):
        return tensor.tolist()
    return list(tensor.unbind(0)) if tensor.ndim else tensor


def are_same(first, second):
    """Whether two shapes are written alike; unlike `==` nothing is assumed of open extents that differ."""
    return [_bits(n) for n in first] == [_bits(n) for n in second]


def number(extent):
    """The 0-d int64 tensor that holds a SymInt when the program runs."""
    return _number(extent)


def _number(dim):
    """The 0-d int64 tensor that holds the extent when the program runs."""
    return _core.ops.numel(_core.ops.full([dim], False, "bool"))


def _with_tensor(self, other, operation, swapped):
    """`operation` on the extent's value: a tensor of the dtype that a Python int would give."""
    number = _number(self)
    if isinstance(other, _core.Tensor) and operation is not operator.truediv and other.dtype != _core.bool:
        number = number.astype(other.dtype)
    return operation(other, number) if swapped else operation(number, other)


def _arithmetic(name, swapped=False):
    operation = getattr(operator, name)

    def method(self, other):
        bits = _bits(other)
        if bits is None:
            known = isinstance(other, (_core.Tensor, float))
            return _with_tensor(self, other, operation, swapped) if known else NotImplemented
        a, b = (bits, self._dim) if swapped else (self._dim, bits)
        return _wrap(_pir.dim_arithmetic(name, a, b))

    return method


def _real(name, swapped=False):
    """An operation whose result is no integer, so a tensor."""
    operation = getattr(operator, name)

    def method(self, other):
        other = _number(other) if type(other) is SymInt else other
        if not isinstance(other, (_core.Tensor, int, float)):
            return NotImplemented
        return _with_tensor(self, other, operation, swapped)

    return method


def _comparison(name):
    operation = getattr(operator, name)

    def method(self, other):
        if type(other) is int and (other < 0 or (other == 0 and name != "eq")) and recording_program() is not None:
            return operation(-1, other)  # what programs expect of an extent that varies
        other = _bits(other)
        return NotImplemented if other is None else _pir.dim_compare(name, self._dim, other)

    return method


def _extreme(name, tensors, plain):
    def chosen(first, second):
        if type(first) is SymInt or type(second) is SymInt:
            a, b = _bits(first), _bits(second)
            if a is not None and b is not None:
                return _wrap(_pir.dim_arithmetic(name, a, b))
        tensor = next((v for v in (first, second) if isinstance(v, _core.Tensor)), None)
        if tensor is None:
            return plain(first, second)
        return tensors(*(beside(v, tensor) for v in (first, second)))

    return chosen


def beside(value, tensor):
    """An extent or a Python number as a tensor of the dtype of another one; tensors stay."""
    if isinstance(value, _core.Tensor):
        return value
    if type(value) is SymInt:
        return _number(value).astype(tensor.dtype)
    return _core.ops.full([], value, tensor.dtype)


# The smaller or larger of two sizes: integers, extents or tensors. min() and max() of Python would decide while the
# program is captured, by a guess where an extent has no example.
smaller = _extreme("min", _core.ops.minimum, min)
larger = _extreme("max", _core.ops.maximum, max)


class SymInt:
    """A symbolic extent. Arithmetic with integers keeps it symbolic; with tensors and real numbers it gives a
    tensor. int() and range() pin it to the example of the capture, and raise where there is none (export)."""

    __slots__ = ("_dim",)

    def __init__(self, dim):
        self._dim = dim

    __add__, __radd__ = _arithmetic("add"), _arithmetic("add", True)
    __sub__, __rsub__ = _arithmetic("sub"), _arithmetic("sub", True)
    __mul__, __rmul__ = _arithmetic("mul"), _arithmetic("mul", True)
    __floordiv__, __rfloordiv__ = _arithmetic("floordiv"), _arithmetic("floordiv", True)
    __mod__, __rmod__ = _arithmetic("mod"), _arithmetic("mod", True)
    __truediv__, __rtruediv__ = _real("truediv"), _real("truediv", True)
    __pow__, __rpow__ = _real("pow"), _real("pow", True)
    __eq__, __ne__ = _comparison("eq"), _comparison("ne")
    __le__, __lt__ = _comparison("le"), _comparison("lt")
    __ge__, __gt__ = _comparison("ge"), _comparison("gt")

    def __divmod__(self, other):
        return self // other, self % other

    def as_tensor(self):
        """The 0-d int64 tensor that holds the extent when the program runs."""
        return _number(self)

    def __neg__(self):
        return 0 - self

    def __hash__(self):
        return hash(self._dim)

    def __index__(self):
        return _pir.dim_pin(self._dim)

    def __int__(self):
        return _pir.dim_pin(self._dim)

    def __bool__(self):
        return bool(self != 0)

    def __float__(self):
        return float(int(self))

    def __repr__(self):
        return "-1" if recording_program() is not None else _pir.dim_text(self._dim)


_pir.set_symint_type(SymInt)

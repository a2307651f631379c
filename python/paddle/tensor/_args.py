# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the composites: aliases of keywords, shapes, axes and results."""

import functools

from .. import _core
from ..framework.call_forms import aliases, listed, packed, refused
from ..framework.checked_numbers import shown
from ..framework.devices import pinned, placed
from ..framework.dtypes import convert, is_floating
from ..framework.memory import write
from ..framework.modes import in_dynamic_mode

Tensor = _core.Tensor
ops = _core.ops


def shape_arg(shape):
    """A shape for an operator: a sequence, or the Tensor that holds it."""
    if type(shape) is list or type(shape) is tuple:
        return shape
    if isinstance(shape, Tensor):
        shape = ops.cast(shape, "int64") if shape.dtype.is_floating_point else shape
        # A program holds a shape as extents, some of which are known only when it runs.
        return list(ops.unbind(ops.reshape(shape, [-1]), 0)) if _core.is_capturing() and shape.size else shape
    if hasattr(shape, "__len__"):
        return list(shape)
    return [shape.__index__()] if hasattr(shape, "__index__") else [shape]  # the operator refuses what is no shape


def check_tensor(op, **values):
    """Raises ArgumentTypeError (a TypeError and a ValueError) unless all the values are Tensors."""
    for name, value in values.items():
        if not isinstance(value, Tensor):
            kind = type(value).__name__
            remedy = f"; pass paddle.to_tensor({name})" if kind in ("ndarray", "list", "tuple") else ""
            raise _core.ArgumentTypeError(f"{op}: argument {name} must be a Tensor, got {kind}{remedy}.")


_PROGRAM_KINDS = {
    "floating": ("float16", "bfloat16", "float32", "float64"),
    "floating and complex": ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    "int64": ("int64",),
    "no bool": ("int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64"),
}


def program_operands(op, kind, **values):
    """Raises TypeError where a static program is recorded and a value is a Tensor of another kind of dtypes.

    Programs of PaddlePaddle refuse them as they are recorded; calls that run at once may compute them.

    Args:
        kind: A key of `_PROGRAM_KINDS`.
    """
    if in_dynamic_mode():
        return
    for name, value in values.items():
        if isinstance(value, Tensor) and value.dtype.name not in _PROGRAM_KINDS[kind]:
            wanted = ", ".join(_PROGRAM_KINDS[kind])
            raise TypeError(
                f"{op}: {name} has dtype {value.dtype.name}; in a static program it must be one of {wanted}. Cast it."
            )


def tensors_of(op, name, value):
    """Several Tensors as a list, from a list, a tuple or the rows of one Tensor.

    Raises:
        ArgumentTypeError: It is no list, or an element is no Tensor (a TypeError and a ValueError).
    """
    values = list(value) if isinstance(value, (list, tuple, Tensor)) else [value]
    for i, item in enumerate(values):
        if not isinstance(item, Tensor):
            what = f"element {i} of argument {name}" if isinstance(value, (list, tuple)) else f"argument {name}"
            wanted = "a Tensor" if isinstance(value, (list, tuple)) else "a list of Tensors"
            raise _core.ArgumentTypeError(f"{op}: {what} must be {wanted}, got {type(item).__name__}.")
    return values


def as_tensor(value, like=None):
    """`value` as a Tensor (of the dtype of `like` for Python numbers)."""
    if isinstance(value, Tensor):
        return value
    return _core.to_tensor(value, None if like is None else like.dtype)


def is_later(value):
    """Whether a value is a tensor that gets its values when the program that is recorded runs."""
    return isinstance(value, Tensor) and _core.pir.is_symbolic(value)


class AxisError(_core.ArgumentIndexError, _core.ArgumentValueError):
    """An axis that a tensor does not have: PaddlePaddle raises IndexError here and AssertionError there."""


def axis_of(axis, ndim, op, extra=0):
    """A non-negative axis."""
    rank = max(ndim + extra, 1)  # a 0-d tensor has the axes 0 and -1, as one of one element
    try:
        known = -rank <= axis < rank
    except (TypeError, ValueError):
        raise _core.ArgumentTypeError(f"{op}: axis {shown(axis)}; it must be an int.") from None
    if not known:
        raise AxisError(f"{op}: axis has value {axis}; with {ndim} dimensions it must be in [{-rank}, {rank}).")
    return axis + rank if axis < 0 else axis


def index_and_axis(index, axis):
    """(index, axis) of two arguments that come in this order or, as in PyTorch, the other way round."""
    return (axis, index) if isinstance(axis, Tensor) and not isinstance(index, Tensor) else (index, axis)


def finish(result, out=None, requires_grad=False, device=None, pin_memory=False):
    """Write into `out` when given, and mark as a leaf that wants a gradient. `device` is where it was asked for,
    `pin_memory` whether in memory of the host that copies to that device are fast from."""
    if device is not None:
        result = placed(result, device)
    if pin_memory:
        result = pinned(result, device)
    if out is not None:
        result = _core.write_out(out, result, "out")
    if requires_grad:
        result.stop_gradient = False
    return result


def writes_out(fn):
    """Decorator of a function that takes the keyword `out`, which its signature does not name."""

    @functools.wraps(fn)
    def call(*args, **kwargs):
        if "out" not in kwargs:
            return fn(*args, **kwargs)
        out = kwargs.pop("out")
        result = fn(*args, **kwargs)
        if not isinstance(result, tuple) or out is None:
            return finish(result, out)
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise _core.ArgumentValueError(f"{fn.__name__}: argument out must be a tuple of {len(result)} Tensors.")
        return tuple(map(finish, result, out))

    return call


__all__ = [
    "Tensor",
    "aliases",
    "as_tensor",
    "axis_of",
    "check_tensor",
    "convert",
    "finish",
    "index_and_axis",
    "is_floating",
    "listed",
    "ops",
    "packed",
    "refused",
    "shape_arg",
    "tensors_of",
    "write",
    "writes_out",
]

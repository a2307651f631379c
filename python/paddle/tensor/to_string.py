# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How a Tensor is printed, and `set_printoptions`."""

import math
import numbers

from .. import _core
from ..framework.modes import eager_region, recording_program, use_pir_api

_options = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, sci_mode=None, linewidth=None):
    """Set how tensors are printed; None keeps a setting.

    Args:
        precision: Digits after the point.
        threshold: Number of elements above which the middle is left out.
        edgeitems: Elements shown at each end of an axis then.
        sci_mode: Whether numbers are printed as 1.0e+00.
        linewidth: Columns of a line.

    Raises:
        TypeError: A number is none.
    """
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "sci_mode": sci_mode,
        "linewidth": linewidth,
    }
    for key, value in given.items():
        if value is not None and key != "sci_mode" and not isinstance(value, numbers.Real):
            raise TypeError(f"set_printoptions: {key} has value {value!r}; it must be a number.")
    _options.update({key: value for key, value in given.items() if value is not None})


def _number(value, kind):
    if kind == "bool":
        return "True" if value else "False"
    if kind == "int":
        return str(int(value))
    if kind == "complex":
        digits = _options["precision"]
        form = "e" if _options["sci_mode"] else "f"
        imaginary = f"{value.imag:.{digits}{form}}"  # as PaddlePaddle: behind a plus wherever it is not below zero
        return f"({value.real:.{digits}{form}}{'+' if value.imag >= 0 else ''}{imaginary}j)"
    value = float(value)
    if value != value:
        return "nan"
    digits = _options["precision"]
    if _options["sci_mode"]:
        return f"{value:.{digits}e}"
    if value in (float("inf"), float("-inf")) or value == int(value):
        return f"{value:.0f}."
    return f"{value:.{digits}f}"


def _below_zero(value):
    """As numpy compares numbers: complex ones by their real parts, and by their imaginary ones where those are 0."""
    return (value.real, value.imag) < (0, 0)


def _cells(values, kind):
    """A function that gives a number's text, padded to a column: to the left, and where there are numbers below zero,
    with a place for the sign if the column is wide enough."""
    width = max((len(_number(value, kind)) for value in values), default=0)
    signs = any(map(_below_zero, values))

    def cell(value):
        text = _number(value, kind)
        if signs and len(text) < width and not _below_zero(value):
            text = " " + text
        return text.ljust(width)

    return cell


def _format(array, cell, indent, shape):
    """The text of `array`, the printed part of a tensor of that shape."""
    if array.ndim == 0:
        return cell(array.item())
    rows = range(len(array))
    if len(array) < shape[0]:
        rows = [*rows[: len(rows) // 2], None, *rows[len(rows) // 2 :]]
    parts = ["..." if r is None else _format(array[r], cell, indent + 1, shape[1:]) for r in rows]
    if array.ndim == 1:
        # Every element takes a column and its ", ", the last one and the dots too.
        widest = max((len(part) for part in parts if part != "..."), default=0)
        most = max(1, (_options["linewidth"] - indent) // (widest + 2))
        lines = [", ".join(parts[i : i + most]) for i in range(0, len(parts), most)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    gap = ",\n" + "\n" * (array.ndim - 2) + " " * (indent + 1)
    return "[" + gap.join(parts) + "]"


def _ends(values):
    """The first and last elements along every long axis, so that no more of a large tensor is copied."""
    edge, ops = _options["edgeitems"], _core.ops
    for axis, size in enumerate(values.shape):
        if size > 2 * edge:
            ends = [ops.slice(values, [axis], [start], [start + edge]) for start in (0, size - edge)]
            values = ops.concat(ends, axis)
    return values


def array_text(tensor, indent):
    """The text of the values, whose first line begins in column `indent`."""
    import numpy

    with eager_region():
        values = tensor.detach()
        shape = list(values.shape)
        # The rows of a tensor without elements are printed too.
        if math.prod(n for n in shape if n) > _options["threshold"]:
            values = _ends(values)
        if tensor.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            values = values.astype("float32")
        array = numpy.asarray(values.numpy())
    kind = {"b": "bool", "i": "int", "u": "int", "c": "complex"}.get(array.dtype.kind, "float")
    return _format(array, _cells(array.reshape(-1).tolist(), kind), indent, shape)


# The elements of programs, as their text names them, where that is not a letter and a number of bits.
_ELEMENTS = {"bool": "b", "bfloat16": "bf16", "uint8": "u8"}


def _element(dtype):
    name = dtype.name
    return _ELEMENTS.get(name) or name[0] + name.lstrip("abcdefghijklmnopqrstuvwxyz")


def _value_text(value):
    """The text of a value of a program; one that no operator of a program gives has no such fields."""
    from ..static.values import get_defining_op

    extents = "".join(f"{n if isinstance(n, int) else -1}x" for n in value.shape)
    fields = [f"dtype=tensor<{extents}{_element(value.dtype)}>", f"stop_gradient={value.stop_gradient}"]
    operator = get_defining_op(value)
    if operator is not None:
        results = [v for r in operator.results() for v in (r if isinstance(r, list) else [r])]
        index = next(i for i, result in enumerate(results) if result is value)
        fields = [f"define_op_name={operator.name()}", f"index={index}", *fields]
    return f"Value({', '.join(fields)})"


def to_string(tensor):
    """The text of `repr(tensor)`; of a value of a program, what gives it, its shape and dtype."""
    if (recording_program() is not None or _core.is_capturing()) and not tensor._is_initialized():
        if use_pir_api():
            return _value_text(tensor)
        shape = ", ".join(str(n) for n in tensor.shape)
        return f"var {tensor.name} : shape({shape}).dtype({tensor.dtype.name}).stop_gradient({tensor.stop_gradient})"
    if not tensor._is_initialized():
        return "Tensor(Not initialized)"
    head = (
        f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype.name}, place={tensor.place}, "
        f"stop_gradient={tensor.stop_gradient},\n       "
    )
    return head + array_text(tensor, 7) + ")"


def install():
    """Make `repr` of a Tensor use this module."""
    _core.set_printer(to_string)

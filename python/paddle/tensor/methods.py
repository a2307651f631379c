# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The methods of Tensor that are made from composites, where the extension has none."""

from .. import _core
from .._bind import find, set_method
from ..framework.dtypes import convert
from ..framework.memory import write

_COMPOSITES = (
    "allclose",
    "isclose",
    "equal_all",
    "isin",
    "is_empty",
    "add_n",
    "outer",
    "inner",
    "dot",
    "mv",
    "mm",
    "bmm",
    "addmm",
    "lerp",
    "diff",
    "trace",
    "diagonal",
    "diag",
    "diag_embed",
    "neg",
    "frac",
    "deg2rad",
    "rad2deg",
    "logaddexp",
    "hypot",
    "count_nonzero",
    "clamp",
    "sgn",
    "nansum",
    "nanmean",
    "norm",
    "dist",
    "tensordot",
    "kron",
    "cross",
    "split",
    "tensor_split",
    "chunk",
    "unbind",
    "unstack",
    "moveaxis",
    "t",
    "view",
    "view_as",
    "unflatten",
    "flatten",
    "broadcast_to",
    "expand_as",
    "tolist",
    "numel",
    "rank",
    "is_floating_point",
    "is_integer",
    "is_complex",
    "masked_fill",
    "repeat_interleave",
    "roll",
    "flip",
    "rot90",
    "ravel",
    "take",
    "index_fill",
    "var",
    "std",
    "median",
    "quantile",
    "bernoulli",
    "multinomial",
    "cast",
    "hsplit",
    "vsplit",
    "dsplit",
    "increment",
    "zeros_like",
    "ones_like",
    "where",
    "argmax",
    "argmin",
    "argsort",
    "sort",
    "nonzero",
    "cumsum",
    "cumprod",
    "take_along_axis",
    "put_along_axis",
    "index_sample",
    "unique",
    "bucketize",
    "bincount",
    "kthvalue",
    "mode",
    "masked_scatter",
)
# Operators that records spell for the module only.
_OPERATORS = ("gather", "multiply", "transpose", "tril", "triu", "t")


def _dtype_method(name):
    def method(self):
        return _core.ops.cast(self, getattr(_core, name))

    method.__doc__ = f"The values as {name}."
    return method


def _copy(self, other):
    """Write the values of `other` into this tensor."""
    return write(self, _core.ops.expand(other, self.shape))


def _in_place(make):
    def method(self, *args, **kwargs):
        return write(self, make(self, *args, **kwargs))

    return method


def _normal(self, mean=0.0, std=1.0, name=None):
    return _core.ops.gaussian(self.shape, mean, std, 0, self.dtype)


def _uniform(self, min=-1.0, max=1.0, seed=0, name=None):
    return _core.ops.uniform(self.shape, self.dtype, float(min), float(max), seed)


def _fill(self, value):
    return _core.ops.full(self.shape, value, self.dtype)


def _zero(self):
    return _core.ops.full(self.shape, 0, self.dtype)


def _masked_fill(self, mask, value, name=None):
    return self.masked_fill(mask, value)


def _new(value):
    def method(self, *size, dtype=None, device=None, requires_grad=False, pin_memory=False):
        shape = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
        made = _core.ops.full(list(shape), value, convert(dtype, self.dtype))
        made.stop_gradient = not requires_grad
        return made

    return method


def _new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    made = _core.ops.full(list(size), fill_value, convert(dtype, self.dtype))
    made.stop_gradient = not requires_grad
    return made


def _type_as(self, other):
    return _core.ops.cast(self, other.dtype)


def _repeat(self, *repeats):
    counts = repeats[0] if len(repeats) == 1 and isinstance(repeats[0], (list, tuple)) else repeats
    return _core.ops.tile(self, list(counts))


def _register_grad_methods(tensor_type):
    methods = {
        "copy_": _copy,
        "normal_": _in_place(_normal),
        "uniform_": _in_place(_uniform),
        "fill_": _in_place(_fill),
        "zero_": _in_place(_zero),
        "masked_fill_": _in_place(_masked_fill),
        "put_along_axis_": _in_place(_put_along_axis),
        "new_zeros": _new(0),
        "new_ones": _new(1),
        "new_full": _new_full,
        "type_as": _type_as,
        "repeat": _repeat,
        "dim": lambda self: self.ndim,
        "ndimension": lambda self: self.ndim,
        "requires_grad_": _requires_grad_,
    }
    for short, name in (
        ("float", "float32"),
        ("double", "float64"),
        ("half", "float16"),
        ("int", "int32"),
        ("long", "int64"),
        ("bool", "bool"),
        ("bfloat16", "bfloat16"),
        ("short", "int16"),
    ):
        methods[short] = _dtype_method(name)
    for name, fn in methods.items():
        if not hasattr(tensor_type, name):
            set_method(name, fn)


def _requires_grad_(self, requires_grad=True):
    """Set whether a gradient is computed for this tensor."""
    self.stop_gradient = not requires_grad
    return self


def _method_of(fn):
    return lambda self, *args, **kwargs: fn(self, *args, **kwargs)


def _put_along_axis(self, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    return self.put_along_axis(indices, values, axis, reduce, include_self, broadcast)


def install(namespace):
    """Attach the composites and the helpers above to Tensor."""
    tensor_type = _core.Tensor
    for name in _COMPOSITES:
        if not hasattr(tensor_type, name) and name in namespace:
            set_method(name, namespace[name])
    for name in _OPERATORS:
        native = find("paddle", name)
        if native is not None and not hasattr(tensor_type, name):
            set_method(name, _method_of(native))
    if not hasattr(tensor_type, "mul"):
        set_method("mul", lambda self, y, name=None, *, out=None: self * y)
    _register_grad_methods(tensor_type)
    if not hasattr(tensor_type, "T"):
        tensor_type.T = property(lambda self: _core.ops.transpose(self, list(range(self.ndim - 1, -1, -1))))
    if not hasattr(tensor_type, "mT"):
        tensor_type.mT = property(lambda self: namespace["matrix_transpose"](self))
    if not hasattr(tensor_type, "requires_grad"):
        tensor_type.requires_grad = property(
            lambda self: not self.stop_gradient,
            lambda self, value: setattr(self, "stop_gradient", not value),
        )

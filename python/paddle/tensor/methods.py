# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The methods of Tensor that are made from composites, where the extension has none."""

from .. import _core
from .._bind import set_method
from ..framework.devices import check_device, pinned
from ..framework.dtypes import convert
from . import inplace, mesh_properties
from ._args import packed, shape_arg

_COMPOSITES = (
    "isin",
    "add_n",
    "outer",
    "inner",
    "mm",
    "diff",
    "diag",
    "frac",
    "deg2rad",
    "rad2deg",
    "logaddexp",
    "hypot",
    "count_nonzero",
    "clip",
    "clamp",
    "sgn",
    "increment",
    "nanmean",
    "norm",
    "tensordot",
    "cdist",
    "renorm",
    "vander",
    "multi_dot",
    "matrix_transpose",
    "householder_product",
    "qr",
    "lu",
    "eigvalsh",
    "solve",
    "lstsq",
    "pinv",
    "cond",
    "cov",
    "corrcoef",
    "ormqr",
    "cholesky_inverse",
    "svd_lowrank",
    "pca_lowrank",
    "polar",
    "isreal",
    "split",
    "tensor_split",
    "chunk",
    "unbind",
    "moveaxis",
    "t",
    "view",
    "view_as",
    "unflatten",
    "flatten",
    "rank",
    "is_floating_point",
    "is_integer",
    "is_complex",
    "repeat_interleave",
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
    "hsplit",
    "vsplit",
    "dsplit",
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
    "unique",
    "bucketize",
    "masked_scatter",
    "argwhere",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shape",
    "broadcast_shapes",
    "combinations",
    "cummax",
    "cummin",
    "cumulative_trapezoid",
    "diagflat",
    "diagonal_scatter",
    "frexp",
    "gammainc",
    "histogram_bin_edges",
    "histogramdd",
    "is_tensor",
    "isneginf",
    "isposinf",
    "ldexp",
    "logcumsumexp",
    "logit",
    "msort",
    "multigammaln",
    "nan_to_num",
    "nanmedian",
    "nanquantile",
    "narrow",
    "reverse",
    "scatter_add",
    "scatter_nd",
    "scatter_reduce",
    "select_scatter",
    "slice_scatter",
    "signbit",
    "sinc",
    "take_along_dim",
    "trapezoid",
    "unique_consecutive",
)
_DTYPE_METHODS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "byte": "uint8",
    "char": "int8",
    "cfloat": "complex64",
    "cdouble": "complex128",
    **{
        name: name
        for name in (
            "bool",
            "uint8",
            "int8",
            "int16",
            "int32",
            "int64",
            "float16",
            "bfloat16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        )
    },
}


def _dtype_method(name):
    def method(self):
        return self.astype(getattr(_core, name))

    method.__doc__ = f"The values as {name}."
    return method


def _new(value):
    @packed(1, "size", "shape")
    def method(self, size, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
        return _new_full(
            self, size, value, dtype=dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory
        )

    method.__doc__ = f"A tensor of {value} of the same dtype."
    return method


def _new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of one value of the same dtype."""
    place = self.place if device is None else check_device(device)
    made = _core.ops.full(shape_arg(size), fill_value, convert(dtype, self.dtype), place)
    if pin_memory:
        made = pinned(made, place)
    made.stop_gradient = not requires_grad
    return made


def _type_as(self, other):
    """The values in the dtype of another tensor.

    Args:
        other: A Tensor.

    Example:
        >>> paddle.to_tensor([1.5]).type_as(paddle.to_tensor([1])).tolist()
        [1]
    """
    return self.astype(other.dtype)


@packed(1, "repeats")
def _repeat(self, repeats):
    """The tensor repeated along its axes, `x.repeat(2, 3)` or `x.repeat([2, 3])`.

    Args:
        repeats: How often along each axis; new axes come first.

    Returns:
        A Tensor.

    Example:
        >>> paddle.to_tensor([1, 2]).repeat(2, 2).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return _core.ops.tile(self, shape_arg(repeats))


def _apply(self, func):
    """The result of a Python function on this tensor, which must not need a gradient."""
    if not self.stop_gradient:
        raise RuntimeError(
            "apply: the tensor needs a gradient, which a Python function does not give; detach() it first."
        )
    return func(self)


def _apply_(self, func):
    """As `apply`, written into this tensor."""
    return _core.assign_inplace(self, _apply(self, func), "apply_")


def _is_same_shape(self, y, /):
    """Whether two tensors have one shape."""
    return list(self.shape) == list(y.shape)


def _split_with_sizes(self, split_sizes, dim=0):
    """Parts of the given extents along an axis."""
    return list(_core.ops.split(self, list(split_sizes), dim))


def _view_as_complex(self):
    """Pairs along the last axis as complex numbers."""
    return _core.ops.as_complex(self)


def _view_as_real(self):
    """Complex numbers as pairs along a new last axis."""
    return _core.ops.as_real(self)


def _get_device(self):
    """The number of the device; -1 for the CPU."""
    return -1 if self.place.is_cpu_place() else self.place.get_device_id()


def _requires_grad_(self, requires_grad=True):
    """Set whether a gradient is computed for this tensor."""
    self.stop_gradient = not requires_grad
    return self


_METHODS = {
    "new_zeros": _new(0),
    "new_ones": _new(1),
    "new_empty": _new(0),
    "new_full": _new_full,
    "apply": _apply,
    "apply_": _apply_,
    "is_same_shape": _is_same_shape,
    "split_with_sizes": _split_with_sizes,
    "view_as_complex": _view_as_complex,
    "view_as_real": _view_as_real,
    "get_device": _get_device,
    "type_as": _type_as,
    "repeat": _repeat,
    "requires_grad_": _requires_grad_,
    "__complex__": lambda self: complex(self.item()),
    "__long__": lambda self: int(self.item()),
    "__nonzero__": bool,
    "__reversed__": lambda self: (self[i] for i in range(len(self) - 1, -1, -1)),
    **{name: _dtype_method(dtype) for name, dtype in _DTYPE_METHODS.items()},
}


def install(namespace):
    """Attach the composites of `namespace` and the methods above to Tensor."""
    tensor_type = _core.Tensor
    for name in (*_COMPOSITES, *inplace.__all__):
        if not hasattr(tensor_type, name):  # a record may spell it as a method
            set_method(name, namespace[name])
    tensor_type.__div__, tensor_type.__rdiv__ = tensor_type.__truediv__, tensor_type.__rtruediv__
    for name, fn in _METHODS.items():
        set_method(name, fn)
    tensor_type.is_cuda = property(lambda self: not self.place.is_cpu_place(), doc="Whether the memory is a GPU's.")
    tensor_type.layout = property(lambda self: "NCHW", doc="The order of the axes.")
    mesh_properties.install()

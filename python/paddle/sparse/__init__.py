# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors in coordinate (COO) and compressed row (CSR) form, and functions of them."""

from .. import _lazy
from .binary import add, divide, is_same_shape, mask_as, multiply, subtract
from .creation import sparse_coo_tensor, sparse_csr_tensor
from .linalg import pca_lowrank
from .manipulation import coalesce, reshape, slice, sum, transpose
from .product import addmm, masked_matmul, matmul, mv
from .unary import (
    abs,
    asin,
    asinh,
    atan,
    atanh,
    cast,
    deg2rad,
    expm1,
    isnan,
    log1p,
    neg,
    pow,
    rad2deg,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)

__all__ = [
    "abs",
    "add",
    "addmm",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cast",
    "coalesce",
    "deg2rad",
    "divide",
    "expm1",
    "is_same_shape",
    "isnan",
    "log1p",
    "mask_as",
    "masked_matmul",
    "matmul",
    "multiply",
    "mv",
    "neg",
    "pca_lowrank",
    "pow",
    "rad2deg",
    "reshape",
    "sin",
    "sinh",
    "slice",
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "sqrt",
    "square",
    "subtract",
    "sum",
    "tan",
    "tanh",
    "transpose",
]

__getattr__ = _lazy.attribute_hook(__name__, {"nn"}, {})

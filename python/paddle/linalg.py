# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra."""

from . import _lazy
from .tensor import (
    bmm,
    cross,
    dist,
    dot,
    matrix_norm,
    matrix_transpose,
    multi_dot,
    norm,
    vector_norm,
)

__all__ = [
    "bmm",
    "cross",
    "dist",
    "dot",
    "matrix_norm",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "vector_norm",
]

__getattr__ = _lazy.attribute_hook(__name__, (), {"matmul": ("paddle", "matmul")})

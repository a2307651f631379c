# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F822
"""Linear algebra. Functions that are one operator come from the operator records."""

from . import _lazy
from .tensor import (
    bmm,  # noqa: F401
    cholesky_inverse,
    cond,
    corrcoef,
    cov,
    cross,
    dist,  # noqa: F401
    dot,  # noqa: F401
    eigvalsh,
    householder_product,
    lstsq,
    lu,
    lu_solve,
    matrix_norm,
    matrix_rank,
    matrix_transpose,
    multi_dot,
    norm,
    ormqr,
    pca_lowrank,
    pinv,
    qr,
    solve,
    svd_lowrank,
    vecdot,
    vector_norm,
)

__all__ = [
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cond",
    "corrcoef",
    "cov",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "fp8_fp8_half_gemm_fused",
    "householder_product",
    "inv",
    "lstsq",
    "lu",
    "lu_solve",
    "lu_unpack",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "ormqr",
    "pca_lowrank",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svd_lowrank",
    "svdvals",
    "triangular_solve",
    "vecdot",
    "vector_norm",
]

__getattr__ = _lazy.attribute_hook(
    __name__,
    (),
    {
        "matmul": ("paddle", "matmul"),
        "diagonal": ("paddle", "diagonal"),
        "fp8_fp8_half_gemm_fused": ("paddle.tensor.float8", "fp8_fp8_half_gemm_fused"),
    },
)

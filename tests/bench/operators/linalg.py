# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of products, factorizations and Fourier transforms."""

import numpy as np

from . import between, complexes, integers, normal, of, row

X = (0,)
XY = (0, 1)
PLACES = (integers(0, 1024, 100_000), integers(0, 1024, 100_000))
BATCH = (64, 128, 128)  # what an iterative factorization gets


def positive_definite(rng, shape):
    a = rng.standard_normal(shape)
    return a @ np.swapaxes(a, -1, -2) / shape[-1] + np.eye(shape[-1])


def symmetric(rng, shape):
    a = rng.standard_normal(shape)
    return a + np.swapaxes(a, -1, -2)


def upper(rng, shape):
    return np.triu(rng.standard_normal(shape)) / shape[-1] + np.eye(shape[-1])


def lower(rng, shape):
    return np.tril(rng.standard_normal(shape)) / shape[-1] + np.eye(shape[-1])


def regular(rng, shape):
    return rng.standard_normal(shape) / np.sqrt(shape[-1]) + 2 * np.eye(shape[-1])


def factorization(op, torch, value, check=True, grad=X, **more):
    return row(op, [value], lambda o, x: getattr(o, op)(x), torch, checked=check, grad=grad, **more)


def factors(o, x, b):
    """What lu_solve takes."""
    return (b, *o.lu(x, True)[:2])


ROWS = [
    row(
        "matmul",
        [normal(), normal()],
        lambda o, x, y: o.matmul(x, y),
        lambda t, x, y, **kw: t.matmul(x, y, **kw),
        out=True,
        grad=XY,
    ),
    row(
        "matmul",
        [normal(1024, 1024), normal(1024, 64)],
        lambda o, x, y: o.matmul(x, y),
        lambda t, x, y, **kw: t.matmul(x, y, **kw),
        out=True,
        grad=XY,
        variant="narrow",
    ),
    row(
        "linear",
        [normal(1024, 1024), normal(1024, 256), normal(256)],
        lambda o, x, w, b: o.linear(x, w, b),
        lambda t, x, w, b: t.nn.functional.linear(x, w.T, b),
        grad=(0, 1, 2),
    ),
    row(
        "bmm",
        [normal(64, 128, 128), normal(64, 128, 128)],
        lambda o, x, y: o.bmm(x, y),
        lambda t, x, y, **kw: t.bmm(x, y, **kw),
        out=True,
        grad=XY,
    ),
    row(
        "mv",
        [normal(), normal(1024)],
        lambda o, x, y: o.mv(x, y),
        lambda t, x, y, **kw: t.mv(x, y, **kw),
        out=True,
        grad=XY,
    ),
    row(
        "dot",
        [normal(1 << 20), normal(1 << 20)],
        lambda o, x, y: o.dot(x, y),
        lambda t, x, y, **kw: t.dot(x, y, **kw),
        out=True,
        grad=XY,
    ),
    row(
        "addmm",
        [normal(), normal(1024, 256), normal(256, 1024)],
        lambda o, a, x, y: o.addmm(a, x, y, 0.5, 2.0),
        lambda t, a, x, y, **kw: t.addmm(a, x, y, beta=0.5, alpha=2.0, **kw),
        out=True,
        grad=(0, 1, 2),
    ),
    row(
        "matmul_epilogue",
        [normal(1024, 256), normal(256, 1024), normal(1024)],
        lambda o, x, y, b: o.matmul_epilogue(x, y, b, None, False, "relu"),
        lambda t, x, y, b: t.addmm(b, x, y).relu(),
        grad=(0, 1, 2),
    ),
    row(
        "baddbmm",
        [normal(*BATCH), normal(*BATCH), normal(*BATCH)],
        lambda o, a, x, y: o.baddbmm(a, x, y, 0.5, 2.0),
        lambda t, a, x, y, **kw: t.baddbmm(a, x, y, beta=0.5, alpha=2.0, **kw),
        out=True,
        grad=(0, 1, 2),
    ),
    row(
        "kron",
        [normal(32, 32), normal(32, 32)],
        lambda o, x, y: o.kron(x, y),
        lambda t, x, y, **kw: t.kron(x, y, **kw),
        out=True,
        grad=XY,
        note="rows of 32 elements, whose steps cost more than they hold",
    ),
    row(
        "cross",
        [normal(349525, 3), normal(349525, 3)],
        lambda o, x, y: o.cross(x, y, 1),
        lambda t, x, y, **kw: t.linalg.cross(x, y, dim=1, **kw),
        out=True,
        grad=XY,
    ),
    factorization("cholesky", lambda t, x, **kw: t.linalg.cholesky(x, **kw), of(positive_definite), out=True),
    factorization(
        "cholesky",
        lambda t, x, **kw: t.linalg.cholesky(x, **kw),
        of(positive_definite, *BATCH),
        out=True,
        variant="batch",
    ),
    row(
        "cholesky_solve",
        [normal(), of(lower)],
        lambda o, b, a: o.cholesky_solve(b, a, False),
        lambda t, b, a, **kw: t.cholesky_solve(b, a, **kw),
        out=True,
        grad=XY,
    ),
    row(
        "triangular_solve",
        [of(upper), normal()],
        lambda o, a, b: o.triangular_solve(a, b, True, False, False),
        lambda t, a, b, **kw: t.linalg.solve_triangular(a, b, upper=True, **kw),
        out=True,
        grad=XY,
    ),
    factorization("qr", lambda t, x, **kw: t.linalg.qr(x, **kw), normal(), check=False, out=True),
    factorization(
        "svd", lambda t, x, **kw: t.linalg.svd(x, full_matrices=False, **kw), normal(*BATCH), check=False, out=True
    ),
    factorization("svdvals", lambda t, x, **kw: t.linalg.svdvals(x, **kw), normal(*BATCH), out=True),
    row(
        "pinv",
        [normal(*BATCH), between(0, 1, 1)],
        lambda o, x, r: o.pinv(x, r, False),
        lambda t, x, r: t.linalg.pinv(x, rtol=1e-15),
        ours_setup=lambda o, x, r: (x, o.full([], 1e-15, "float32")),
        checked=False,
        grad=X,
    ),
    factorization("eigh", lambda t, x, **kw: t.linalg.eigh(x, **kw), of(symmetric, *BATCH), out=True),
    factorization("eigvalsh", lambda t, x, **kw: t.linalg.eigvalsh(x, **kw), of(symmetric, *BATCH), out=True),
    factorization("eig", lambda t, x, **kw: t.linalg.eig(x, **kw), normal(*BATCH), check=False, out=True),
    factorization("eigvals", lambda t, x, **kw: t.linalg.eigvals(x, **kw), normal(*BATCH), check=False, out=True),
    factorization("lu", lambda t, x, **kw: t.linalg.lu_factor(x, **kw), normal(), out=True),
    row(
        "lu_unpack",
        [normal()],
        lambda o, a, p: o.lu_unpack(a, p),
        lambda t, a, p: t.lu_unpack(a, p),
        ours_setup=lambda o, x: o.lu(x, True)[:2],
        torch_setup=lambda t, x: t.linalg.lu_factor(x),
    ),
    row(
        "solve",
        [of(regular), normal(1024, 64)],
        lambda o, x, y: o.solve(x, y),
        lambda t, x, y, **kw: t.linalg.solve(x, y, **kw),
        out=True,
        grad=XY,
    ),
    row(
        "lu_solve",
        [of(regular), normal()],
        lambda o, b, a, p: o.lu_solve(b, a, p, "N"),
        lambda t, b, a, p, **kw: t.linalg.lu_solve(a, p, b, **kw),
        out=True,
        ours_setup=factors,
        torch_setup=lambda t, x, b: (b, *t.linalg.lu_factor(x)),
    ),
    factorization("inverse", lambda t, x, **kw: t.linalg.inv(x, **kw), of(regular), out=True),
    factorization("det", lambda t, x, **kw: t.linalg.det(x, **kw), of(regular, *BATCH), out=True),
    factorization(
        "slogdet",
        lambda t, x, **kw: t.linalg.slogdet(x, **kw),
        of(regular, *BATCH),
        check=False,
        out=True,
        note="LAPACK of OpenBLAS here, of MKL there; the gradient takes an inverse",
    ),
    row(
        "matrix_power",
        [of(regular, *BATCH)],
        lambda o, x: o.matrix_power(x, 5),
        lambda t, x, **kw: t.linalg.matrix_power(x, 5, **kw),
        out=True,
        grad=X,
    ),
    factorization(
        "matrix_exp", lambda t, x: t.linalg.matrix_exp(x), of(lambda rng, s: rng.standard_normal(s) / 12, *BATCH)
    ),
    row(
        "householder_product",
        [normal(*BATCH), between(0, 0.02, 64, 128)],
        lambda o, x, tau: o.householder_product(x, tau),
        lambda t, x, tau, **kw: t.linalg.householder_product(x, tau, **kw),
        out=True,
        grad=XY,
    ),
    row(
        "lstsq",
        [normal(32, 256, 128), normal(32, 256, 16)],
        lambda o, x, y: o.lstsq(x, y, 1e-6, "gels"),
        lambda t, x, y: t.linalg.lstsq(x, y, driver="gels"),
        note="LAPACK of OpenBLAS here, of MKL there",
    ),
    row(
        "fft_c2c",
        [complexes()],
        lambda o, x: o.fft_c2c(x, [1], "backward", True),
        lambda t, x, **kw: t.fft.fft(x, dim=1, **kw),
        out=True,
        grad=X,
    ),
    row(
        "fft_c2c",
        [complexes()],
        lambda o, x: o.fft_c2c(x, [0, 1], "backward", True),
        lambda t, x, **kw: t.fft.fft2(x, **kw),
        out=True,
        grad=X,
        variant="two axes",
    ),
    row(
        "fft_r2c",
        [normal()],
        lambda o, x: o.fft_r2c(x, [1], "backward", True, True),
        lambda t, x, **kw: t.fft.rfft(x, dim=1, **kw),
        out=True,
        grad=X,
    ),
    row(
        "fft_c2r",
        [complexes(1024, 513)],
        lambda o, x: o.fft_c2r(x, [1], "backward", False, 1024),
        lambda t, x, **kw: t.fft.irfft(x, 1024, dim=1, **kw),
        out=True,
        grad=X,
    ),
    row(
        "stft",
        [normal(8, 131072), between(0, 1, 512)],
        lambda o, x, w: o.stft(x, w, 512, 256, False, True),
        lambda t, x, w: t.stft(x, 512, 256, window=w, center=False, return_complex=True),
        grad=X,
        note="composed of frames, window and transform",
    ),
    row(
        "coo_matmul",
        [*PLACES, normal(100_000), normal(1024, 64)],
        lambda o, rows, cols, v, y: o.coo_matmul(rows, cols, v, y, 1024),
        lambda t, rows, cols, v, y: t.sparse_coo_tensor(t.stack([rows, cols]), v, (1024, 1024)) @ y,
        grad=(2, 3),
    ),
    row(
        "coo_dots",
        [*PLACES, normal(1024, 64), normal(1024, 64)],
        lambda o, rows, cols, x, y: o.coo_dots(rows, cols, x, y),
        lambda t, rows, cols, x, y: (x[rows] * y[cols]).sum(1),
        grad=(2, 3),
    ),
    row(
        "expert_matmul",
        [normal(1, 2048), normal(64, 1408, 2048), integers(0, 64, 1, 6)],
        lambda o, x, w, ids: o.expert_matmul(x, w, ids),
        lambda t, x, w, ids: t.einsum("ti,tcoi->tco", x, w[ids]),
        variant="one token, 6 of 64",
    ),
    row(
        "expert_matmul",
        [normal(256, 512), normal(16, 512, 512), integers(0, 16, 256, 2)],
        lambda o, x, w, ids: o.expert_matmul(x, w, ids),
        lambda t, x, w, ids: t.einsum("ti,tcoi->tco", x, w[ids]),
        grad=XY,
    ),
    row(
        "expert_outer",
        [normal(256, 2, 512), normal(256, 512), integers(0, 16, 256, 2)],
        lambda o, x, y, ids: o.expert_outer(x, y, ids, 16),
        lambda t, x, y, ids: t.zeros(16, 512, 512).index_add(
            0, ids.reshape(-1), t.einsum("tcm,tn->tcmn", x, y).reshape(-1, 512, 512)
        ),
    ),
    row(
        "manhattan_distances",
        [normal(1024, 32), normal(1024, 32)],
        lambda o, x, y: o.manhattan_distances(x, y),
        lambda t, x, y: t.cdist(x, y, p=1.0, compute_mode="donot_use_mm_for_euclid_dist"),
        grad=XY,
    ),
    row(
        "euclidean_distances",
        [normal(1024, 32), normal(1024, 32)],
        lambda o, x, y: o.euclidean_distances(x, y),
        lambda t, x, y: t.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist"),
        grad=XY,
    ),
    row(
        "chebyshev_distances",
        [normal(1024, 32), normal(1024, 32)],
        lambda o, x, y: o.chebyshev_distances(x, y),
        lambda t, x, y: t.cdist(x, y, p=float("inf"), compute_mode="donot_use_mm_for_euclid_dist"),
        grad=XY,
    ),
    row(
        "weighted_differences",
        [normal(512, 512), normal(512, 32), normal(512, 32)],
        lambda o, w, x, y: o.weighted_differences(w, x, y),
        lambda t, w, x, y: (w.unsqueeze(-1) * (x.unsqueeze(-2) - y.unsqueeze(-3))).sum(-2),
        grad=(0, 1, 2),
    ),
    row(
        "weighted_signs",
        [normal(512, 512), normal(512, 32), normal(512, 32)],
        lambda o, w, x, y: o.weighted_signs(w, x, y),
        lambda t, w, x, y: (w.unsqueeze(-1) * t.sign(x.unsqueeze(-2) - y.unsqueeze(-3))).sum(-2),
        grad=(0,),
    ),
]

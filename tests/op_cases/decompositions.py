# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of matrix decompositions. Factors that are determined up to signs or phases are compared by
what does not depend on them."""

import numpy as np
import paddle
import scipy.linalg

from tests.op_cases import Case

TYPES = ("float64", "float32")
COMPLEX = ("complex128", "complex64")


def _numbers(rng, shape, complex_):
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if complex_ else x


def _square(rng, shape, complex_=False):
    """Well-conditioned: eigenvalues and singular values apart."""
    return _numbers(rng, shape, complex_) + 2.0 * np.diag(np.arange(1, shape[-1] + 1))


def _adjoint(x):
    return np.swapaxes(x, -1, -2).conj()


def _positive(x):
    """As the operators of a call: positive definite matrices made from any."""
    n = x.shape[-1]
    return paddle.matmul(x, paddle.conj(x), transpose_y=True) + paddle.eye(n, dtype=x.dtype)


def _np_positive(x):
    return x @ _adjoint(x) + np.eye(x.shape[-1])


def _hermitian(x):
    order = [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2]
    return (x + paddle.conj(paddle.transpose(x, order))) / 2


def _np_hermitian(x):
    return (x + _adjoint(x)) / 2


def _both(make):
    """A real row and a complex one without derivatives by finite differences of complex inputs."""
    return [make(False), make(True)]


def _id(name, complex_):
    return f"{name} complex" if complex_ else name


def _dtypes(complex_):
    return COMPLEX if complex_ else TYPES


def _cholesky(complex_, upper=False, shape=(2, 3, 3)):
    def ref(x, upper):
        factor = np.linalg.cholesky(_np_positive(x))
        return _adjoint(factor) if upper else factor

    return Case(
        op="cholesky",
        args=lambda rng: dict(x=_numbers(rng, shape, complex_), upper=upper),
        ref=ref,
        call=lambda op, x, upper: op(_positive(x), upper),
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x",),
        id=_id("upper" if upper else f"lower {shape}", complex_),
    )


def _triangle(x, upper, unit):
    part = np.triu(x, 1 if unit else 0) if upper else np.tril(x, -1 if unit else 0)
    return part + np.eye(x.shape[-1]) if unit else part


def _triangular(complex_, upper, transpose, unit, x_shape=(2, 3, 3), y_shape=(2, 3, 2)):
    def ref(x, y, upper, transpose, unitriangular):
        a = _triangle(x, upper, unitriangular)
        return np.linalg.solve(np.swapaxes(a, -1, -2) if transpose else a, y)

    return Case(
        op="triangular_solve",
        args=lambda rng: dict(
            x=_square(rng, x_shape, complex_),
            y=_numbers(rng, y_shape, complex_),
            upper=upper,
            transpose=transpose,
            unitriangular=unit,
        ),
        ref=ref,
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x", "y"),
        id=_id(f"{upper} {transpose} {unit} {x_shape}", complex_),
    )


def _cholesky_solve(upper):
    def ref(x, y, upper):
        a = _triangle(y, upper, False)
        return np.linalg.solve(_adjoint(a) @ a if upper else a @ _adjoint(a), x)

    return Case(
        op="cholesky_solve",
        args=lambda rng: dict(x=_numbers(rng, (2, 3, 2), False), y=_square(rng, (3, 3)), upper=upper),
        ref=ref,
        dtypes=TYPES,
        grad=("x", "y"),
        atol=1e-5,
        id="upper" if upper else "lower",
    )


def _qr(shape, mode, complex_=False, grad=True):
    def ref(x, mode):
        pairs = [
            scipy.linalg.qr(m, mode={"reduced": "economic", "complete": "full", "r": "economic"}[mode])
            for m in x.reshape(-1, *x.shape[-2:])
        ]
        q, r = (np.stack(f).reshape(*x.shape[:-2], *f[0].shape) for f in zip(*pairs, strict=True))
        return (None if mode == "r" else q), r

    def call(op, x, mode):
        q, r = op(x, mode)
        return (r,) if mode == "r" else (q, r)

    return Case(
        op="qr",
        args=lambda rng: dict(x=_numbers(rng, shape, complex_) + np.eye(*shape[-2:]), mode=mode),
        ref=ref if mode != "r" else (lambda x, mode: (ref(x, mode)[1],)),
        call=call,
        dtypes=_dtypes(complex_),
        grad=("x",) if grad and not complex_ else (),
        rtol=1e-4,
        atol=1e-5,
        id=_id(f"{mode} {shape}", complex_),
    )


def _svd(shape, full, complex_=False):
    def call(op, x, full_matrices):
        u, s, vh = op(x, full_matrices)
        k = min(x.shape[-2:])
        u, vh = u[..., :k], vh[..., :k, :]
        weight = paddle.arange(1, k + 1).astype(s.dtype)
        return s, paddle.matmul(u * weight, vh), paddle.matmul(u * weight, paddle.conj(u), transpose_y=True)

    def ref(x, full_matrices):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        weight = np.arange(1, s.shape[-1] + 1)
        return s, (u * weight) @ vh, (u * weight) @ _adjoint(u)

    return Case(
        op="svd",
        args=lambda rng: dict(
            x=_numbers(rng, shape, complex_) + 3 * np.eye(*shape[-2:]) * np.arange(1, shape[-1] + 1), full_matrices=full
        ),
        ref=ref,
        call=call,
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x",),
        rtol=1e-4,
        atol=1e-4,
        id=_id(f"{shape} {'full' if full else 'thin'}", complex_),
    )


def _eigh(part, complex_):
    def call(op, x, UPLO):
        w, v = op(_hermitian(x), UPLO)
        weight = paddle.arange(1, x.shape[-1] + 1).astype(w.dtype)
        return w, paddle.matmul(v * weight, paddle.conj(v), transpose_y=True)

    def ref(x, UPLO):
        w, v = np.linalg.eigh(_np_hermitian(x), UPLO)
        return w, (v * np.arange(1, x.shape[-1] + 1)) @ _adjoint(v)

    return Case(
        op="eigh",
        args=lambda rng: dict(x=_square(rng, (2, 3, 3), complex_), UPLO=part),
        ref=ref,
        call=call,
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x",),
        rtol=1e-4,
        atol=1e-5,
        id=_id(part, complex_),
    )


def _eig_matrix(rng, complex_):
    """Real eigenvalues far apart, so that their order is known."""
    return _numbers(rng, (2, 3, 3), complex_) * 0.3 + np.diag([1.0, 4.0, 9.0])


def _eig(complex_):
    def call(op, x):
        w, v = op(x)
        return paddle.real(w), paddle.abs(v)

    def ref(x):
        w, v = np.linalg.eig(x)
        return w.real, abs(v)

    return Case(
        op="eig",
        args=lambda rng: dict(x=_eig_matrix(rng, complex_)),
        ref=ref,
        call=call,
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x",),
        grad_order=2,
        rtol=1e-4,
        atol=1e-5,
        id=_id("real", complex_),
    )


def _lu(shape, complex_=False):
    def ref(x, pivot):
        factors = [scipy.linalg.lu_factor(m) for m in x.reshape(-1, *x.shape[-2:])]
        return (
            np.stack([f for f, _ in factors]).reshape(x.shape),
            (np.stack([p for _, p in factors]) + 1).astype("int32").reshape(*x.shape[:-2], -1),
            np.zeros(x.shape[:-2], "int32"),
        )

    return Case(
        op="lu",
        args=lambda rng: dict(x=_numbers(rng, shape, complex_), pivot=True),
        ref=ref,
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x",),
        rtol=1e-4,
        atol=1e-5,
        id=_id(f"{shape}", complex_),
    )


def _lu_unpack(shape):
    def ref(x, y, unpack_ludata, unpack_pivots):
        p, l, u = (np.stack(f) for f in zip(*[scipy.linalg.lu(m) for m in x_of(x, y)], strict=True))
        return p, l, u

    def x_of(lu, pivots):
        out = []
        for f, piv in zip(lu, pivots, strict=True):
            k = min(f.shape)
            l = np.tril(f, -1)[:, :k] + np.eye(f.shape[0], k)
            a = l @ np.triu(f)[:k]
            for i in reversed(range(k)):
                a[[i, piv[i] - 1]] = a[[piv[i] - 1, i]]
            out.append(a)
        return out

    def arguments(rng):
        factors = [scipy.linalg.lu_factor(rng.standard_normal(shape[1:])) for _ in range(shape[0])]
        return dict(
            x=np.stack([f for f, _ in factors]),
            y=(np.stack([p for _, p in factors]) + 1).astype("int32"),
            unpack_ludata=True,
            unpack_pivots=True,
        )

    return Case(op="lu_unpack", args=arguments, ref=ref, dtypes=TYPES, grad=("x",), rtol=1e-3, atol=1e-4, id=str(shape))


def _lu_solve(trans, complex_=False):
    def arguments(rng):
        lu, piv = scipy.linalg.lu_factor(_square(rng, (3, 3), complex_))
        return dict(b=_numbers(rng, (2, 3, 2), complex_), lu=lu, pivots=(piv + 1).astype("int32"), trans=trans)

    def ref(b, lu, pivots, trans):
        return np.stack([scipy.linalg.lu_solve((lu, pivots - 1), m, trans="NTC".index(trans)) for m in b])

    return Case(
        op="lu_solve",
        args=arguments,
        ref=ref,
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("b", "lu"),
        rtol=1e-4,
        id=_id(trans, complex_),
    )


def _solve(x_shape, y_shape, complex_=False):
    def ref(x, y):
        return (
            np.linalg.solve(x, y[..., None])[..., 0]
            if y.ndim < x.ndim and y.shape[-1:] == x.shape[-1:] and (y.ndim == 1 or y.shape == x.shape[:-1])
            else np.linalg.solve(x, y)
        )

    return Case(
        op="solve",
        args=lambda rng: dict(x=_square(rng, x_shape, complex_), y=_numbers(rng, y_shape, complex_)),
        ref=ref,
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x", "y"),
        rtol=1e-4,
        atol=1e-5,
        id=_id(f"{x_shape} {y_shape}", complex_),
    )


def _of_square(op, ref, complex_=False, grad=True, shape=(2, 3, 3), name="", **rest):
    return Case(
        op=op,
        args=lambda rng: dict(x=_square(rng, shape, complex_), **rest),
        ref=ref,
        dtypes=_dtypes(complex_),
        grad=("x",) if grad and not complex_ else (),
        rtol=1e-4,
        atol=1e-5,
        id=_id(name or str(shape), complex_),
    )


def _slogdet(x):
    sign, log = np.linalg.slogdet(x)
    return np.stack([sign, log.astype(x.dtype)])


def _matrix_power(x, n):
    return np.linalg.matrix_power(x, n)


def _small(rng, complex_, size=1.0):
    return dict(x=_numbers(rng, (2, 3, 3), complex_) * size)


def _householder(x, tau):
    out = np.broadcast_to(np.eye(x.shape[-2]), (x.shape[0],) + (x.shape[-2],) * 2).astype(x.dtype)
    for i in range(tau.shape[-1]):
        v = np.where(np.arange(x.shape[-2]) > i, x[..., i], 0) + (np.arange(x.shape[-2]) == i)
        out = out @ (np.eye(x.shape[-2]) - tau[..., i, None, None] * v[..., :, None] * v[..., None, :])
    return out[..., : x.shape[-1]]


def _pinv(complex_, hermitian):
    shape = (2, 3, 3) if hermitian else (2, 4, 3)
    return Case(
        op="pinv",
        args=lambda rng: dict(x=_numbers(rng, shape, complex_), rcond=np.float64(1e-9), hermitian=hermitian),
        ref=lambda x, rcond, hermitian: np.linalg.pinv(_np_hermitian(x) if hermitian else x),
        call=lambda op, x, rcond, hermitian: op(
            _hermitian(x) if hermitian else x, rcond.astype(paddle.real(x).dtype), hermitian
        ),
        dtypes=_dtypes(complex_),
        grad=() if complex_ else ("x",),
        rtol=1e-3,
        atol=1e-4,
        id=_id("hermitian" if hermitian else "tall", complex_),
    )


def _lstsq(driver, x_shape=(2, 5, 3)):
    def ref(x, y, rcond, driver):
        solution = np.stack([np.linalg.lstsq(a, b, rcond=None)[0] for a, b in zip(x, y, strict=True)])
        tall = x.shape[-2] > x.shape[-1]
        left = (abs(y - x @ solution) ** 2).sum(-2) if tall and driver != "gelsy" else np.zeros(0)
        values = np.linalg.svd(x, compute_uv=False) if driver in ("gelsd", "gelss") else np.zeros(0)
        return solution, left, np.full(x.shape[0], min(x.shape[-2:]), "int32"), values

    return Case(
        op="lstsq",
        args=lambda rng: dict(
            x=rng.standard_normal(x_shape), y=rng.standard_normal((*x_shape[:-1], 2)), rcond=1e-9, driver=driver
        ),
        ref=ref,
        dtypes=TYPES,
        grad=("x", "y"),
        rtol=1e-3,
        atol=1e-4,
        id=f"{driver} {x_shape}",
    )


CASES = [
    *_both(_cholesky),
    _cholesky(False, upper=True),
    _cholesky(True, upper=True),
    _cholesky(False, shape=(1, 1)),
    _cholesky(False, shape=(0, 3, 3)),
    *[_triangular(False, u, t, d) for u in (True, False) for t in (True, False) for d in (True, False)],
    *[_triangular(True, u, t, False) for u in (True, False) for t in (True, False)],
    _triangular(False, True, False, False, (3, 3), (2, 3, 2)),
    _triangular(False, True, False, False, (2, 1, 3, 3), (4, 3, 2)),
    _cholesky_solve(False),
    _cholesky_solve(True),
    _qr((2, 4, 3), "reduced"),
    _qr((2, 3, 3), "reduced"),
    _qr((2, 3, 5), "reduced"),
    _qr((4, 3), "r"),
    _qr((2, 4, 3), "complete", grad=False),
    _qr((2, 3, 5), "complete"),
    _qr((2, 4, 3), "reduced", complex_=True),
    *[_svd(shape, full) for shape in ((2, 4, 3), (2, 3, 4), (3, 3)) for full in (False, True)],
    *[_svd(shape, False, True) for shape in ((2, 4, 3), (2, 3, 4), (3, 3))],
    *[_pinv(c, h) for c in (False, True) for h in (False, True)],
    Case(
        op="svdvals",
        args=lambda rng: dict(x=rng.standard_normal((2, 4, 3))),
        ref=lambda x: np.linalg.svd(x, compute_uv=False),
        dtypes=TYPES,
        grad=("x",),
    ),
    *[_eigh(part, c) for part in "LU" for c in (False, True)],
    Case(
        op="eigvalsh",
        args=lambda rng: dict(x=_square(rng, (2, 3, 3)), uplo="L", is_test=False),
        ref=lambda x, uplo, is_test: np.linalg.eigvalsh(_np_hermitian(x)),
        call=lambda op, x, uplo, is_test: op(_hermitian(x), uplo, is_test),
        dtypes=TYPES,
        grad=("x",),
    ),
    _eig(False),
    _eig(True),
    Case(
        op="eigvals",
        args=lambda rng: dict(x=_eig_matrix(rng, False)),
        ref=lambda x: np.linalg.eigvals(x).real,
        call=lambda op, x: paddle.real(op(x)),
        dtypes=TYPES,
        grad=("x",),
    ),
    Case(
        op="eigvals",
        args=lambda rng: dict(x=np.array([[0.0, 2.0, 0.1], [-2.0, 0.0, 0.0], [0.3, 0.0, 5.0]])),
        ref=lambda x: np.sort_complex(np.linalg.eigvals(x)).imag,
        call=lambda op, x: paddle.imag(op(x))[paddle.argsort(paddle.imag(op(x)) * 0.001 + paddle.real(op(x)))],
        dtypes=("float64",),
        id="conjugate pair",
    ),
    *[_lu(shape) for shape in ((2, 3, 3), (2, 4, 3), (2, 3, 5))],
    _lu((2, 3, 3), True),
    *[_lu_unpack(shape) for shape in ((2, 3, 3), (2, 4, 3), (2, 3, 4))],
    *[_lu_solve(t) for t in "NTC"],
    *[_lu_solve(t, True) for t in "NTC"],
    _solve((2, 3, 3), (2, 3, 2)),
    _solve((3, 3), (2, 3, 2)),
    _solve((2, 3, 3), (2, 3)),
    _solve((3, 3), (3,)),
    _solve((2, 1, 3, 3), (4, 3, 2)),
    _solve((2, 3, 3), (2, 3, 2), True),
    *[_of_square("inverse", np.linalg.inv, c) for c in (False, True)],
    *[_of_square("det", np.linalg.det, c) for c in (False, True)],
    *[_of_square("slogdet", _slogdet, c) for c in (False, True)],
    *[_of_square("matrix_power", _matrix_power, grad=n != 0, n=n, name=str(n)) for n in (3, 1, 0, -2)],
    *[
        Case(
            op="matrix_exp",
            args=lambda rng, c=c, size=size: _small(rng, c, size),
            ref=lambda x: np.stack([scipy.linalg.expm(m) for m in x]),
            dtypes=_dtypes(c),
            grad=() if c or size > 2 else ("x",),
            rtol=1e-4 if size < 2 else 2e-3,
            atol=1e-5,
            id=_id(f"times {size}", c),
        )
        for c, size in ((False, 1.0), (False, 4.0), (True, 1.0))
    ],
    Case(
        op="householder_product",
        args=lambda rng: dict(x=rng.standard_normal((2, 4, 3)), tau=rng.standard_normal((2, 2))),
        ref=_householder,
        dtypes=TYPES,
        grad=("x", "tau"),
        atol=1e-5,
    ),
    *[_lstsq(driver) for driver in ("gels", "gelsy", "gelsd", "gelss")],
    _lstsq("gels", (2, 3, 5)),
    *[
        Case(
            op="diag_embed",
            args=lambda rng, o=offset, a=dim1, b=dim2: dict(
                input=rng.standard_normal((2, 3)), offset=o, dim1=a, dim2=b
            ),
            ref=lambda input, offset, dim1, dim2: _embedded(input, offset, dim1, dim2),
            grad=("input",),
            id=f"{offset} {dim1} {dim2}",
        )
        for offset, dim1, dim2 in ((0, -2, -1), (1, 0, 2), (-1, 1, 0))
    ],
    Case(
        op="trace",
        args=lambda rng: dict(x=rng.standard_normal((2, 3, 4)), offset=-1, axis1=2, axis2=1),
        ref=lambda x, offset, axis1, axis2: np.trace(x, offset, axis1, axis2),
        grad=("x",),
    ),
]


def _embedded(x, offset, dim1, dim2):
    n = x.shape[-1] + abs(offset)
    out = np.zeros((n, n, *x.shape[:-1]), x.dtype)
    for i in range(x.shape[-1]):
        out[i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(out, (0, 1), (dim1, dim2))

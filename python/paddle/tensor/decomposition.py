# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Composites over matrix decompositions, and calling forms that operators do not have."""

from .. import _core
from ..framework.symint import beside, larger
from ._args import aliases, as_tensor, axis_of, check_tensor, finish, ops, writes_out

__all__ = [
    "qr",
    "lu",
    "lu_solve",
    "eigvalsh",
    "solve",
    "lstsq",
    "pinv",
    "matrix_rank",
    "cond",
    "cov",
    "corrcoef",
    "ormqr",
    "cholesky_inverse",
    "svd_lowrank",
    "pca_lowrank",
    "vecdot",
]

_EPS = {"float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23, "complex128": 2.0**-52}


def _is_complex(x):
    return x.dtype in (_core.complex64, _core.complex128)


def _eps(x):
    return _EPS.get(x.dtype.name, 2.0**-23)


def _divisor(count, like):
    """A number of degrees of freedom to divide by, NaN where none are left."""
    if isinstance(count, int):
        return float(max(count, 0) or float("nan"))
    return beside(larger(count, 0), like)  # what is divided is 0 there


def _swap(x):
    """The last two axes exchanged."""
    order = [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2]
    return ops.transpose(x, order)


def _adjoint(x):
    return ops.conj(_swap(x)) if _is_complex(x) else _swap(x)


def _square(x, op):
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(
            f"{op}: x has shape {list(x.shape)}; its last two dimensions must be equal; pass square matrices."
        )


@aliases(input="x", A="x")
@writes_out
def qr(x, mode="reduced", name=None):
    """The QR decomposition.

    Args:
        x: Matrices [..., m, n], real or complex.
        mode: 'reduced' (q [..., m, k], r [..., k, n] with k = min(m, n)), 'complete' (q [..., m, m]), or 'r'.

    Returns:
        (q, r), or r alone for mode 'r'.
    """
    q, r = ops.qr(x, mode)
    return r if mode == "r" else (q, r)


@aliases(A="x")
def lu(x, pivot=True, get_infos=False, name=None):
    """The LU decomposition with row exchanges.

    Args:
        x: Matrices [..., m, n].
        pivot: Must be True.
        get_infos: Also return the position of the first zero pivot (0: none).

    Returns:
        (lu, pivots), or (lu, pivots, infos). Pivots count from 1.
    """
    factors, pivots, infos = ops.lu(x, pivot)
    return (factors, pivots, infos) if get_infos else (factors, pivots)


def lu_solve(b, lu, pivots, trans="N", name=None):
    """The solution of A x = b from the LU factors of A.

    Args:
        b: Right-hand sides [..., n, k].
        lu: Factors [..., n, n] that `lu` returned.
        pivots: Pivots [..., n] that `lu` returned.
        trans: 'N', 'T' (A transposed), or 'C' or 'H' (conjugate transpose).
    """
    return ops.lu_solve(b, lu, pivots, "C" if trans == "H" else trans)


@aliases(A="x")
def eigvalsh(x, UPLO="L", name=None):
    """Eigenvalues, ascending, of Hermitian matrices, of which the triangle `UPLO` is read."""
    check_tensor("eigvalsh", x=x)
    return ops.eigvalsh(x, UPLO, x.stop_gradient)


@aliases(A="x", B="y")
def solve(x, y, left=True, name=None, *, out=None):
    """The solution X of x X = y, or of X x = y with `left=False`.

    Args:
        x: Square matrices [..., n, n].
        y: [..., n, k], or vectors [..., n]; [..., k, n] with `left=False`.

    Raises:
        ValueError: A matrix is singular.
    """
    if left:
        return finish(ops.solve(x, y), out)
    return finish(_swap(ops.solve(_swap(x), _swap(y))), out)


def lstsq(x, y, rcond=None, driver=None, name=None):
    """Least-squares solutions of x s = y.

    Args:
        x: Matrices [..., m, n].
        y: Right-hand sides [..., m, k].
        rcond: Singular values below `rcond` times the largest count as 0; default: epsilon * max(m, n).
        driver: 'gels', 'gelsy' (default), 'gelsd' or 'gelss' of LAPACK.

    Returns:
        (solution, residuals, rank, singular_values); what a driver does not compute is empty.
    """
    check_tensor("lstsq", x=x, y=y)
    if rcond is None:
        known = [extent for extent in x.shape[-2:] if isinstance(extent, int)]  # others: when the program runs
        rcond = _eps(x) * max(known, default=1)
    driver = "gelsy" if driver is None else driver
    solution, residuals, rank, values = ops.lstsq(x, y, float(rcond), driver)
    if driver == "gels":  # it takes full rank for granted
        rank = ops.full([0], 0, "int64")
    return solution, residuals, rank, values


@aliases(input="x", A="x")
@writes_out
def pinv(x, rcond=1e-15, hermitian=False, name=None):
    """The Moore-Penrose inverses of matrices.

    Args:
        x: Matrices [..., m, n].
        rcond: Singular values up to `rcond` times the largest count as 0: a number or a Tensor [...].
        hermitian: x is Hermitian; its eigenvalues are used.
    """
    check_tensor("pinv", x=x)
    return ops.pinv(x, as_tensor(rcond).astype(_real_name(x)), hermitian)


def _real_name(x):
    return {"complex64": "float32", "complex128": "float64"}.get(x.dtype.name, x.dtype.name)


def _values(x, hermitian):
    """Absolute singular values, in any order."""
    return ops.abs(ops.eigvalsh(x, "L", True)) if hermitian else ops.svdvals(x)


def _tolerance(value, values):
    value = as_tensor(value, values)
    value = value if value.dtype == values.dtype else ops.cast(value, values.dtype)
    return ops.unsqueeze(value, [-1]) if value.ndim else value


@aliases(input="x", A="x")
@writes_out
def matrix_rank(x, tol=None, hermitian=False, atol=None, rtol=None, name=None):
    """The number of singular values above a tolerance.

    Args:
        x: Matrices [..., m, n].
        tol: Absolute tolerance, a number or a Tensor that broadcasts to [...].
        hermitian: x is Hermitian; its eigenvalues are used.
        atol, rtol: Absolute tolerance and one relative to the largest value; the larger one counts.
            With none given, rtol is epsilon * max(m, n).
    """
    check_tensor("matrix_rank", x=x)
    if tol is not None and (atol is not None or rtol is not None):
        raise ValueError("matrix_rank: tol and atol or rtol are given; they exclude each other; pass one kind.")
    if x.ndim < 2:
        raise ValueError(f"matrix_rank: x has shape {list(x.shape)}; it must hold matrices; reshape it.")
    x = x.detach()
    values = _values(x, hermitian)
    if 0 in values.shape:
        return ops.full(values.shape[:-1], 0, "int64")
    absolute = tol if tol is not None else atol
    if rtol is None:
        rtol = 0.0 if absolute is not None else _eps(x) * max(x.shape[-2:])
    largest = ops.max(values, [-1], True)
    limit = ops.maximum(_tolerance(0.0 if absolute is None else absolute, values), largest * _tolerance(rtol, values))
    return ops.sum(ops.cast(values > limit, "int64"), [-1], None, False)


@aliases(A="x")
def cond(x, p=None, name=None):
    """Condition numbers of matrices.

    Args:
        x: Matrices [..., m, n]; square unless p is None, 2 or -2.
        p: None or 2 (by singular values), -2, 'fro', 'nuc', 1, -1, inf or -inf.
    """
    check_tensor("cond", x=x)
    from .linalg import matrix_norm

    if p in (None, 2, -2):
        values = ops.svdvals(x)
        largest, smallest = ops.max(values, [-1], False), ops.min(values, [-1], False)
        return smallest / largest if p == -2 else largest / smallest
    _square(x, "cond")
    return ops.cast(matrix_norm(x, p), _real_name(x)) * ops.cast(matrix_norm(ops.inverse(x), p), _real_name(x))


@aliases(input="x")
def cov(x, rowvar=True, ddof=True, fweights=None, aweights=None, name=None):
    """The covariance matrix of variables.

    Args:
        x: Observations: one variable a row ([variables, observations]), or one vector. The result
            of one variable is 0-d.
        rowvar: False: one variable a column.
        ddof: Divide by n - 1 (True) or n.
        fweights: Integers [observations], how often each counts.
        aweights: Weights [observations].
    """
    check_tensor("cov", x=x)
    if x.ndim not in (1, 2):
        raise ValueError(f"cov: x has shape {list(x.shape)}; it must have one or two dimensions; reshape it.")
    if not rowvar and x.ndim == 2:
        x = _swap(x)
    table = ops.reshape(x, [1, -1]) if x.ndim == 1 else x
    count = table.shape[1]
    weights, total = None, count
    for given, what in ((fweights, "fweights"), (aweights, "aweights")):
        if given is None:
            continue
        if given.ndim != 1 or given.shape[0] != count:
            raise ValueError(
                f"cov: {what} has shape {list(given.shape)} and there are {count} observations; it must have one per "
                f"observation; reshape it."
            )
        if what == "fweights" and not given.dtype.name.startswith(("int", "uint")):
            raise ValueError(f"cov: fweights has dtype {given.dtype.name}; it must hold integers, the counts; cast it.")
        if not _core.is_capturing() and given.size and bool(ops.min(given) < 0):
            raise ValueError(f"cov: {what} holds negative numbers; weights must be at least 0.")
        given = ops.cast(given, table.dtype)
        weights = given if weights is None else weights * given
    if weights is None:
        centered = table - ops.mean(table, [1], True)
        factor = total - (1 if ddof else 0)
        product = ops.matmul(centered, _adjoint(centered)) / _divisor(factor, table)
    else:
        total = ops.sum(weights, [], None, False)
        centered = table - ops.sum(table * weights, [1], None, True) / total
        if not ddof:
            factor = total
        elif aweights is None:
            factor = total - 1
        else:
            factor = total - ops.sum(weights * ops.cast(aweights, table.dtype), [], None, False) / total
        product = ops.matmul(centered * weights, _adjoint(centered)) / factor
    return ops.reshape(product, []) if table.shape[0] == 1 else product


@aliases(input="x")
def corrcoef(x, rowvar=True, name=None):
    """The matrix of correlation coefficients of variables (rows, or columns with `rowvar=False`)."""
    check_tensor("corrcoef", x=x)
    c = cov(x, rowvar)
    if c.ndim == 0:
        return c / c
    spread = ops.sqrt(ops.diagonal(c, 0, 0, 1))
    return ops.clip(c / ops.unsqueeze(spread, [1]) / ops.unsqueeze(spread, [0]), -1.0, 1.0)


def ormqr(x, tau, y, left=True, transpose=False, name=None):
    """Products with the orthogonal matrix Q of Householder reflectors.

    Args:
        x: Reflectors [..., m, k], as `householder_product` takes them.
        tau: Their factors [..., k].
        y: Matrices [..., m, n] (`left`) or [..., n, m].
        left: Q y; else y Q.
        transpose: Take the conjugate transpose of Q.
    """
    check_tensor("ormqr", x=x, tau=tau, y=y)
    missing = x.shape[-2] - x.shape[-1]
    if missing > 0:
        zeros = ops.full([*x.shape[:-1], missing], 0.0, x.dtype)
        x = ops.concat([x, zeros], -1)
    q = ops.householder_product(x, tau)
    q = _adjoint(q) if transpose else q
    return ops.matmul(q, y) if left else ops.matmul(y, q)


def cholesky_inverse(x, upper=False, name=None):
    """The inverse of A = x x^H (x^H x with `upper`) from its Cholesky factor x [n, n]."""
    check_tensor("cholesky_inverse", x=x)
    _square(x, "cholesky_inverse")
    from .creation import eye

    n = x.shape[-1]
    return ops.cholesky_solve(eye(n, dtype=x.dtype), x, upper)


def _range_finder(x, q, niter, shift=None):
    """Orthonormal columns that span nearly what q columns of x span (Halko et al. 2009, algorithm 4.4)."""

    def times(a):
        product = ops.matmul(x, a)
        return product if shift is None else product - ops.matmul(shift, a)

    def back(a):
        product = ops.matmul(_adjoint(x), a)
        return product if shift is None else product - ops.matmul(_adjoint(shift), a)

    start = ops.gaussian([*x.shape[:-2], x.shape[-1], q], 0.0, 1.0, 0, _real_name(x))
    start = start if start.dtype == x.dtype else ops.cast(start, x.dtype)
    basis = ops.qr(times(start), "reduced")[0]
    for _ in range(niter):
        basis = ops.qr(times(ops.qr(back(basis), "reduced")[0]), "reduced")[0]
    return basis


def svd_lowrank(x, q=None, niter=2, M=None, name=None):
    """Approximate singular value decomposition of rank q, by random projection.

    Args:
        x: Matrices [..., m, n].
        q: The rank; default min(6, m, n).
        niter: Power iterations; more are more accurate.
        M: Subtracted from x first; broadcasts to its shape.

    Returns:
        (u [..., m, q], s [..., q], v [..., n, q]) with x nearly u diag(s) v^H.
    """
    check_tensor("svd_lowrank", x=x)
    m, n = x.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"svd_lowrank: q is {q} and x has shape {list(x.shape)}; q must be in [0, {min(m, n)}].")
    if niter < 0:
        raise ValueError(f"svd_lowrank: niter has value {niter}; it must not be negative.")
    shift = None if M is None else ops.expand(M, x.shape)
    wide = m < n
    if wide:
        x, shift = _adjoint(x), None if shift is None else _adjoint(shift)
    basis = _range_finder(x, q, niter, shift)
    small = ops.matmul(_adjoint(basis), x if shift is None else x - shift)
    u, s, vh = ops.svd(small, False)
    u, v = ops.matmul(basis, u), _adjoint(vh)
    return (v, s, u) if wide else (u, s, v)


def pca_lowrank(x, q=None, center=True, niter=2, name=None):
    """Principal components of the rows of x [..., m, n]: `svd_lowrank` of the centered matrix.

    Args:
        q: Number of components; default min(6, m, n).
        center: Subtract the mean of each column.
        niter: Power iterations.
    """
    check_tensor("pca_lowrank", x=x)
    if x.ndim < 2:
        raise ValueError(f"pca_lowrank: x has shape {list(x.shape)}; it must hold matrices; reshape it.")
    if center:
        x = x - ops.mean(x, [-2], True)
    return svd_lowrank(x, q, niter)


@aliases(dim="axis")
@writes_out
def vecdot(x, y, axis=-1, name=None):
    """Inner products along an axis; a complex `x` is conjugated.

    Args:
        x: A Tensor of numbers.
        y: A Tensor whose shape broadcasts with that of x.
        axis: The axis that is summed over, negative from the end.
        name: Unused.

    Returns:
        A Tensor of the broadcast shape without the axis.

    Raises:
        ArgumentValueError: The axis is out of range.

    Example:
        >>> paddle.vecdot(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([1.0, 10.0])).tolist()
        [21.0, 43.0]
    """
    check_tensor("vecdot", x=x, y=y)
    axis_of(axis, max(x.ndim, y.ndim), "vecdot")
    x = ops.conj(x) if _is_complex(x) else x
    product = x * y
    return ops.sum(product, [axis], product.dtype, False)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""paddle.linalg: composites against NumPy and SciPy, calling forms, errors."""

import subprocess
import sys

import numpy as np
import paddle
import pytest
import scipy.spatial

L = paddle.linalg
RNG = np.random.default_rng(3)
A = RNG.standard_normal((2, 3, 4))
SQUARE = RNG.standard_normal((2, 3, 3)) + 3 * np.eye(3)


def close(got, expected, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(got), expected, rtol=tolerance, atol=tolerance)


def t(x):
    return paddle.to_tensor(x)


@pytest.mark.parametrize("p", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_norms_of_two_axes_are_those_of_numpy(p):
    close(L.norm(t(A), p, [0, 2]), np.linalg.norm(A, p, (0, 2)))
    close(L.norm(t(A), p, [0, 2], keepdim=True), np.linalg.norm(A, p, (0, 2), keepdims=True))
    close(L.matrix_norm(t(A + 1j * A), p), np.linalg.norm(A + 1j * A, p, (-2, -1)))


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3.5, np.inf, -np.inf])
def test_norms_of_one_axis_and_of_all_elements(p):
    close(L.norm(t(A), p, 1), np.linalg.norm(A, p, 1))
    close(L.vector_norm(t(A), p), np.linalg.norm(A.ravel(), p))
    close(
        L.vector_norm(t(A), p, [0, 2], keepdim=True),
        np.linalg.norm(A.transpose(1, 0, 2).reshape(3, -1), p, 1).reshape(1, 3, 1),
    )
    close(t(A).norm(p), np.linalg.norm(A.ravel(), p))


def test_the_gradient_of_a_norm_at_zero_is_zero():
    x = paddle.zeros([3])
    x.stop_gradient = False
    L.norm(x).backward()
    close(x.grad, np.zeros(3))


@pytest.mark.parametrize("p", [None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf])
def test_cond(p):
    close(L.cond(t(SQUARE), p), np.linalg.cond(SQUARE, p))


def test_covariance_and_correlation():
    x = A[0]
    f, a = np.array([1, 2, 1, 3]), np.array([0.5, 1.0, 2.0, 1.0])
    close(L.cov(t(x)), np.cov(x))
    close(L.cov(t(x), rowvar=False, ddof=False), np.cov(x, rowvar=False, ddof=0))
    close(L.cov(t(x), fweights=t(f), aweights=t(a)), np.cov(x, fweights=f, aweights=a))
    close(L.cov(t(x), ddof=False, aweights=t(a)), np.cov(x, ddof=0, aweights=a))
    close(L.cov(t(x[0])), np.cov(x[0]))
    close(L.corrcoef(t(x)), np.corrcoef(x))


def test_matrix_rank():
    low = A[:, :, :2] @ A[:, :2, :]
    assert L.matrix_rank(t(low)).tolist() == [2, 2]
    assert L.matrix_rank(t(low), tol=1e9).tolist() == [0, 0]
    assert L.matrix_rank(t(low), tol=t(np.array([1e9, 1e-9]))).tolist() == [0, 2]
    assert int(L.matrix_rank(paddle.eye(3), hermitian=True)) == 3
    assert L.matrix_rank(t(low)).dtype == paddle.int64


def test_low_rank_approximations_reproduce_low_rank_matrices():
    low = RNG.standard_normal((2, 8, 2)) @ RNG.standard_normal((2, 2, 5))
    u, s, v = L.svd_lowrank(t(low), q=3)
    close(paddle.matmul(u * s.unsqueeze(-2), v, transpose_y=True), low, 1e-6)
    u, s, v = L.svd_lowrank(t(low.transpose(0, 2, 1)), q=3)
    close(paddle.matmul(u * s.unsqueeze(-2), v, transpose_y=True), low.transpose(0, 2, 1), 1e-6)
    u, s, v = L.pca_lowrank(t(low), q=3)
    close(paddle.matmul(u * s.unsqueeze(-2), v, transpose_y=True), low - low.mean(-2, keepdims=True), 1e-6)


def test_calling_forms():
    q, r = L.qr(t(A))
    close(paddle.matmul(q, r), A)
    assert L.qr(t(A), mode="r").shape == [2, 3, 4]
    lu, pivots, infos = L.lu(t(SQUARE), get_infos=True)
    assert infos.tolist() == [0, 0] and pivots.dtype == paddle.int32
    p, lower, upper = L.lu_unpack(lu, pivots)
    close(paddle.matmul(paddle.matmul(p, lower), upper), SQUARE)
    b = t(A)
    close(L.lu_solve(b, lu, pivots), np.linalg.solve(SQUARE, A))
    close(L.solve(t(SQUARE), b), np.linalg.solve(SQUARE, A))
    close(L.solve(t(SQUARE), t(A.transpose(0, 2, 1)), left=False), A.transpose(0, 2, 1) @ np.linalg.inv(SQUARE))
    close(L.inv(t(SQUARE)), np.linalg.inv(SQUARE))
    close(L.pinv(t(A)), np.linalg.pinv(A))
    factor = np.linalg.cholesky(SQUARE[0] @ SQUARE[0].T)
    close(L.cholesky_inverse(t(factor)), np.linalg.inv(SQUARE[0] @ SQUARE[0].T))
    close(t(SQUARE[0]).cov(), np.cov(SQUARE[0]))
    solution, residuals, rank, values = L.lstsq(
        t(A.transpose(0, 2, 1)), t(RNG.standard_normal((2, 4, 2))), driver="gelsd"
    )
    assert (
        solution.shape == [2, 3, 2] and residuals.shape == [2, 2] and rank.tolist() == [3, 3] and values.shape == [2, 3]
    )


def test_ormqr_multiplies_by_the_whole_of_q():
    x, tau = RNG.standard_normal((4, 3)), RNG.standard_normal(3) * 0.1
    q = np.eye(4)
    for i in range(3):
        v = np.where(np.arange(4) > i, x[:, i], 0) + (np.arange(4) == i)
        q = q @ (np.eye(4) - tau[i] * np.outer(v, v))
    y = RNG.standard_normal((4, 2))
    close(L.ormqr(t(x), t(tau), t(y)), q @ y)
    close(L.ormqr(t(x), t(tau), t(y), transpose=True), q.T @ y)
    close(L.ormqr(t(x), t(tau), t(y.T), left=False), y.T @ q)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, np.inf])
def test_cdist(p):
    x, y = RNG.standard_normal((30, 3)), RNG.standard_normal((4, 3))
    expected = np.linalg.norm(x[:, None] - y[None], p, -1)
    close(paddle.cdist(t(x), t(y), p), expected, 1e-6)
    if p == 2:
        close(expected, scipy.spatial.distance.cdist(x, y))


def test_products():
    a, b, c = (RNG.standard_normal(s) for s in ((3, 20), (20, 2), (2, 5)))
    close(L.multi_dot([t(a), t(b), t(c)]), a @ b @ c)
    close(L.multi_dot([t(a[0]), t(b), t(c[:, 0])]), a[0] @ b @ c[:, 0])
    z = A + 1j * A[::-1]
    close(L.vecdot(t(z), t(A)), (z.conj() * A).sum(-1))
    close(paddle.vander(t(A[0, 0]), 5), np.vander(A[0, 0], 5))
    close(paddle.vander(t(A[0, 0]), increasing=True), np.vander(A[0, 0], increasing=True))
    norms = np.linalg.norm(A.reshape(2, -1), axis=1)
    close(paddle.renorm(t(A), 2.0, 0, 1.0), A / norms.clip(1)[:, None, None], 1e-6)


def test_results_do_not_depend_on_the_number_of_threads():
    big = RNG.standard_normal((200, 200))
    before = L.inv(t(big)).numpy()
    close(before, np.linalg.inv(big), 1e-8)
    many = RNG.standard_normal((500, 4, 4))
    close(L.det(t(many)), np.linalg.det(many))


@pytest.mark.parametrize(
    "call,kind",
    [
        (lambda: L.cholesky(t([[-1.0, 0.0], [0.0, 1.0]])), ValueError),
        (lambda: L.inv(paddle.zeros([2, 2])), ValueError),
        (lambda: L.inv(paddle.zeros([2, 3])), ValueError),
        (lambda: L.inv(paddle.zeros([2, 2], dtype="int64")), TypeError),
        (lambda: L.solve(paddle.zeros([2, 2]), paddle.ones([2, 2])), ValueError),
        (lambda: L.solve(paddle.eye(2), paddle.ones([3, 2])), ValueError),
        (lambda: L.qr(paddle.zeros([2, 2]), mode="x"), ValueError),
        (lambda: L.eigh(paddle.zeros([2, 2]), UPLO="x"), ValueError),
        (lambda: L.svd(paddle.zeros([2])), ValueError),
        (lambda: L.lu(paddle.zeros([2, 2]), pivot=False), ValueError),
        (lambda: L.lu_unpack(paddle.zeros([2, 2]), paddle.zeros([2], dtype="int32")), ValueError),
        (lambda: L.lu_solve(paddle.ones([2, 1]), paddle.eye(2), t(np.array([9, 9], "int32"))), ValueError),
        (lambda: L.norm(paddle.ones([2, 2]), 3, [0, 1]), ValueError),
        (lambda: L.cov(paddle.ones([2, 2, 2])), ValueError),
        (lambda: L.eig(t(np.full((2, 2), np.nan))), ValueError),
    ],
)
def test_what_cannot_be_computed_raises(call, kind):
    with pytest.raises(kind):
        call()


def test_empty_batches_and_matrices():
    assert L.inv(paddle.zeros([0, 2, 2])).shape == [0, 2, 2]
    assert float(L.det(paddle.zeros([0, 0]))) == 1.0
    assert [r.shape for r in L.svd(paddle.zeros([0, 2, 3]))] == [[0, 2, 2], [0, 2], [0, 2, 3]]
    assert L.eigvals(paddle.zeros([0, 0])).shape == [0]


def test_the_library_is_loaded_at_first_use():
    program = (
        "import paddle; loaded = lambda: 'libpaddle_linalg' in open('/proc/self/maps').read(); "
        "paddle.matmul(paddle.ones([2, 2]), paddle.ones([2, 2])); assert not loaded(); "
        "paddle.linalg.inv(paddle.eye(2)); assert loaded()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "equation, shapes",
    [
        ("ab,bc,cd->ad", [(2, 30), (30, 4), (4, 5)]),
        ("a,bc,c,ab->b", [(3,), (4, 5), (5,), (3, 4)]),
        ("bij,bjk,bkl,bl->bi", [(2, 3, 4), (2, 4, 5), (2, 5, 6), (2, 6)]),
        ("...i,...j,ij->...", [(2, 1, 3), (4, 5), (3, 5)]),
        ("ab,cd,ef->", [(2, 3), (4, 5), (6, 7)]),
        ("ii,ij,jk->k", [(3, 3), (3, 4), (4, 2)]),
    ],
)
def test_einsum_of_several_tensors_does_not_depend_on_the_order(equation, shapes):
    operands = [RNG.standard_normal(shape) for shape in shapes]
    close(paddle.einsum(equation, *map(t, operands)), np.einsum(equation, *operands))


def test_einsum_takes_the_cheap_pair_first():
    n = 20000  # left to right, the first product alone would have 20000 x 20000 elements
    x, y = np.ones((n, 1)), np.ones((1, n))
    close(paddle.einsum("ij,jk,kl->il", t(x), t(y), t(x)), np.full((n, 1), float(n)))


FORKS = """
import os, signal, threading
import paddle
a = paddle.rand([300, 300]) + 300 * paddle.eye(300)
inv = paddle.linalg.inv  # a thread that is importing at the fork would leave the child its import lock
inv(a)
done = threading.Event()
def compute():
    while not done.is_set():
        inv(a)
thread = threading.Thread(target=compute)
thread.start()
statuses = set()
for _ in range(10):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        inv(a)
        os._exit(0)
    statuses.add(os.waitpid(child, 0)[1])
done.set()
thread.join()
print(statuses)
"""


def test_a_fork_waits_for_calls_of_the_library():
    run = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() == "{0}", run.stderr


@pytest.mark.parametrize("transpose_x", [False, True])
@pytest.mark.parametrize("transpose_y", [False, True])
def test_products_of_bfloat16_are_added_in_float32(transpose_x, transpose_y):
    rng = np.random.default_rng(0)
    x, y = rng.integers(-8, 9, [3, 40, 70]), rng.integers(-8, 9, [3, 70, 33])  # exact in bfloat16
    x, y = (x.swapaxes(1, 2) if transpose_x else x), (y.swapaxes(1, 2) if transpose_y else y)
    a, b = (paddle.to_tensor(v.astype("float32")) for v in (x, y))
    out = paddle.matmul(a.bfloat16(), b.bfloat16(), transpose_x, transpose_y)
    assert (out == paddle.matmul(a, b, transpose_x, transpose_y).bfloat16()).all()
    bias = paddle.arange(33.0)
    if not (transpose_x or transpose_y):
        out = paddle.nn.functional.linear(a.bfloat16(), b[0].bfloat16(), bias.bfloat16())
        assert (out == (paddle.matmul(a, b[0]) + bias).bfloat16()).all()


@pytest.mark.parametrize("m, n, k", [(40, 1, 50), (1, 40, 50), (40, 1, 1), (1, 1, 90), (5, 7, 33)])
def test_small_products_in_every_order_of_memory(m, n, k):
    x, y = RNG.standard_normal((3, m, k)).astype("float32"), RNG.standard_normal((3, k, n)).astype("float32")
    expected = x.astype("float64") @ y
    for left in (t(x), t(x.swapaxes(1, 2).copy()).transpose([0, 2, 1])):
        for right in (t(y), t(y.swapaxes(1, 2).copy()).transpose([0, 2, 1])):
            close(paddle.matmul(left, right), expected, 1e-5)


def test_a_power_by_a_number_is_the_operator_with_a_constant_exponent():
    x = paddle.to_tensor([1.5, -2.0, 0.0], stop_gradient=False)
    for power in (lambda: paddle.pow(x, 3), lambda: x.pow(3), lambda: paddle.pow(x, y=3.0), lambda: x**3):
        out = power()
        assert out.tolist() == [3.375, -8.0, 0.0] and out.dtype == paddle.float32
        assert paddle.grad(out.sum(), x)[0].tolist() == [6.75, 12.0, 0.0]
    assert paddle.pow(paddle.to_tensor([2]), 2).dtype == paddle.int64


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["eig", "eigvals", "eigh", "eigvalsh", "svd", "svdvals", "pinv"])
def test_iterations_refuse_what_is_not_finite(name, value):
    x = np.eye(4, dtype="float32")
    x[1, 2] = x[2, 1] = value
    with pytest.raises(ValueError, match="NaN or inf"):
        getattr(paddle.linalg, name)(paddle.to_tensor(x))


@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_lstsq_refuses_what_is_not_finite(driver):
    x, y = paddle.eye(4), paddle.full([4, 1], float("inf"))
    with pytest.raises(ValueError, match="NaN or inf"):
        paddle.linalg.lstsq(x, y, driver=driver)


def test_norm_without_an_order():
    x = np.random.default_rng(3).standard_normal([2, 3, 4])
    a = paddle.to_tensor(x)
    np.testing.assert_allclose(paddle.norm(a, axis=[1, 2]).numpy(), np.linalg.norm(x, 2, axis=(1, 2)))
    for axis in (None, [], ()):
        np.testing.assert_allclose(paddle.norm(a, axis=axis).item(), np.sqrt((x * x).sum()))
        np.testing.assert_allclose(paddle.norm(a, 1, axis=axis).item(), np.abs(x).sum())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("axis", [0, 1, [0, 1]])
def test_norms_of_short_floats_whose_squares_leave_the_range(dtype, axis):
    x = paddle.to_tensor([[300.0, 400.0], [-500.0, 1200.0]], dtype)
    expected = np.linalg.norm(x.astype("float32").numpy(), axis=tuple(axis) if isinstance(axis, list) else axis)
    np.testing.assert_allclose(paddle.linalg.vector_norm(x, axis=axis).astype("float32").numpy(), expected, rtol=4e-3)


def slopes(f, x, directions, step=1e-6):
    """Derivatives of the real number f(x) along directions, by differences."""
    return [(float(f(t(x + step * d))) - float(f(t(x - step * d)))) / (2 * step) for d in directions]


def test_gradients_of_a_complex_qr():
    rng = np.random.default_rng(11)
    draw = lambda *shape: rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    x, of_q, of_r, directions = draw(4, 3), t(draw(4, 3)), t(draw(3, 3)), draw(5, 4, 3)

    def f(a):
        q, r = L.qr(a)
        return ((q * of_q).sum() + (r * of_r).sum()).real()

    leaf = t(x)
    leaf.stop_gradient = False
    g = paddle.grad(f(leaf), leaf)[0].numpy()
    close([(g.conj() * d).sum().real for d in directions], slopes(f, x, directions), 1e-6)


@pytest.mark.parametrize("driver", ["gelsy", "gelsd"])
@pytest.mark.parametrize("shape, rank", [((5, 3), 3), ((3, 5), 3), ((5, 4), 2)])
def test_gradients_of_least_squares(driver, shape, rank):
    rng = np.random.default_rng(12)
    x = rng.standard_normal((shape[0], rank)) @ rng.standard_normal((rank, shape[1]))
    y = rng.standard_normal((shape[0], 2))
    left, right = t(x), t(y)
    left.stop_gradient = right.stop_gradient = False
    solution = L.lstsq(left, right, rcond=1e-9, driver=driver)[0]
    close(solution, np.linalg.pinv(x) @ y)
    weight = t(rng.standard_normal(solution.shape))
    gx, gy = (g.numpy() for g in paddle.grad((solution * weight).sum(), [left, right]))
    # Along changes that keep the rank.
    u, s = rng.standard_normal((2, shape[0], shape[0])), rng.standard_normal((2, shape[1], shape[1]))
    changes = np.concatenate([u @ x, x @ s])
    close(
        [(gx * d).sum() for d in changes], slopes(lambda a: (L.pinv(a, 1e-9) @ t(y) * weight).sum(), x, changes), 1e-5
    )
    close(gy, np.linalg.pinv(x).T @ weight.numpy(), 1e-9)


@pytest.mark.parametrize("n, rank", [(1, 0), (2, 1), (3, 2), (3, 1), (3, 0), (4, 3), (4, 4)])
def test_derivatives_of_the_determinant_of_a_singular_matrix(n, rank):
    rng = np.random.default_rng(n)
    x = t(rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n)))
    x.stop_gradient = False
    g = paddle.grad(L.det(x), x, create_graph=True)[0]
    minor = lambda i, j: np.linalg.det(np.delete(np.delete(x.numpy(), i, 0), j, 1))
    close(g, [[(-1) ** (i + j) * minor(i, j) for j in range(n)] for i in range(n)])
    if n == 2:
        close(paddle.grad(g[0, 0], x)[0], [[0, 0], [0, 1]])


@pytest.mark.parametrize("shapes", [([3, 4], [3]), ([4, 3], [4]), ([4], [4]), ([2, 4, 3], [3]), ([2, 4, 3], [3, 3])])
def test_reflectors_of_other_shapes_are_refused(shapes):
    x, tau = map(paddle.ones, shapes)
    with pytest.raises(AssertionError, match="^householder_product: "):
        paddle.linalg.householder_product(x, tau)
    with pytest.raises(ValueError, match="matrix_transpose: x has rank 1"):
        paddle.matrix_transpose(paddle.ones([3]))


@pytest.mark.parametrize("dtype, atol", [("float32", 5e-4), ("float64", 1e-7), ("complex128", 1e-7)])
@pytest.mark.parametrize("lost", ["none", "row", "two rows", "equal rows", "diagonal", "all"])
def test_the_gradient_of_the_determinant_of_larger_matrices_that_are_singular(lost, dtype, atol):
    x = np.random.RandomState(3).randint(-3, 4, [6, 6]).astype(dtype) + (1j if "complex" in dtype else 0)
    if lost == "diagonal":
        x = np.triu(x, 1) + np.eye(6, k=1)
    x[{"row": [2], "two rows": [1, 4], "all": slice(None)}.get(lost, [])] = 0
    x[0] = x[5] if lost == "equal rows" else x[0]
    minor = lambda i, j: np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
    cofactors = [[(-1) ** (i + j) * minor(i, j) for j in range(6)] for i in range(6)]
    leaf = paddle.to_tensor(np.stack([x, np.eye(6) * 2]).astype(dtype), stop_gradient=False)
    result = L.det(leaf)
    (result.real() if "complex" in dtype else result).sum().backward()
    np.testing.assert_allclose(leaf.grad[0].numpy(), np.conj(cofactors), rtol=1e-3, atol=atol * 3**5)
    np.testing.assert_allclose(leaf.grad[1].numpy(), 32 * np.eye(6), rtol=1e-5)


def test_a_singular_matrix_has_no_gradient_of_its_logarithm():
    x = paddle.to_tensor([[[1.0, 2], [2, 4]], [[2, 0], [0, 4]]], stop_gradient=False)
    L.slogdet(x)[1].sum().backward()
    assert np.isnan(x.grad[0].numpy()).all() and x.grad[1].tolist() == [[0.5, 0], [0, 0.25]]

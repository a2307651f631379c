# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""float32 products of matrices of some size, with and without FLAGS_cpu_split_products: as of NumPy in float64, also
with infinities, NaN and numbers of extreme size."""

import contextlib

import numpy as np
import paddle
import pytest

FLAG = "FLAGS_cpu_split_products"


@contextlib.contextmanager
def flags(**values):
    before = paddle.get_flags(list(values))
    paddle.set_flags(values)
    try:
        yield
    finally:
        paddle.set_flags(before)


@pytest.fixture(params=[True, False], ids=["tiles", "no tiles"], autouse=True)
def split(request):
    with flags(**{FLAG: request.param}):
        yield request.param


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def product(x, y, **options):
    return paddle.matmul(paddle.to_tensor(x), paddle.to_tensor(y), **options).numpy()


def assert_close(out, x, y):
    """An error of a few units of rounding of what each sum adds up."""
    x, y = x.astype("float64"), y.astype("float64")
    assert (np.abs(out - x @ y) <= 6e-7 * (np.abs(x) @ np.abs(y))).all()


@pytest.mark.parametrize(
    "m, n, k", [(128, 128, 128), (130, 144, 31), (1000, 65, 100), (97, 2100, 70), (300, 161, 1601), (512, 256, 3000)]
)
def test_every_size_and_order_of_memory(m, n, k):
    x, y = normal(m, k), normal(k, n, seed=1)
    for transpose_x in (False, True):
        for transpose_y in (False, True):
            out = product(
                x.T.copy() if transpose_x else x,
                y.T.copy() if transpose_y else y,
                transpose_x=transpose_x,
                transpose_y=transpose_y,
            )
            assert_close(out, x, y)


def test_whole_numbers_are_exact():
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-90, 90, shape).astype("float32") for shape in ([200, 300], [300, 170]))
    np.testing.assert_array_equal(product(x, y), x.astype("int64") @ y.astype("int64"))


def test_parts_of_larger_tensors_and_a_bias():
    x, y, bias = normal(140, 256), normal(256, 400, seed=1), normal(150, seed=2)
    columns = paddle.to_tensor(y)[:, 30:180]
    assert_close(
        paddle.matmul(paddle.to_tensor(x)[:, 16:200], columns[16:200]).numpy(), x[:, 16:200], y[16:200, 30:180]
    )
    out = paddle.nn.functional.linear(paddle.to_tensor(x), columns, paddle.to_tensor(bias)).numpy()
    np.testing.assert_allclose(out, x.astype("float64") @ y[:, 30:180] + bias, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("rows", [160, 300])
def test_infinities_and_nan_stay_in_their_rows_and_columns(rows):
    x, y = normal(rows, 90), np.abs(normal(90, 170, seed=1))
    x[3, 5], x[150, 7], y[20, 9] = np.inf, np.nan, -np.inf
    out = product(x, y)
    with np.errstate(invalid="ignore"):
        expected = x.astype("float64") @ y.astype("float64")
    np.testing.assert_array_equal(np.isnan(out), np.isnan(expected))
    np.testing.assert_array_equal(np.isposinf(out), np.isposinf(expected))
    np.testing.assert_array_equal(np.isneginf(out), np.isneginf(expected))
    np.testing.assert_allclose(out[np.isfinite(expected)], expected[np.isfinite(expected)], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("power", [-120, -60, 40, 100])
def test_numbers_of_extreme_size(power):
    x, y = normal(130, 140) * np.float32(2.0**power), normal(140, 150, seed=1) * np.float32(2.0 ** (-power // 2))
    assert_close(product(x, y), x, y)


def test_zeros_and_numbers_that_are_far_smaller_than_the_largest():
    x, y = normal(130, 140), normal(140, 150, seed=1)
    x[5:20] = 0
    x[40:70] *= np.float32(1e-20)
    assert_close(product(x, y), x, y)


@pytest.mark.parametrize("m, n", [(300, 260), (150, 700)])
def test_threads_do_not_change_the_result(m, n):
    x, y = normal(m, 900), normal(900, n, seed=1)
    results = []
    for threads in (1, 2, 3):
        with flags(FLAGS_paddle_num_threads=threads):
            results.append(product(x, y).tobytes())
    assert len(set(results)) == 1


def test_batches_and_gradients():
    x = paddle.to_tensor(normal(3, 128, 96), stop_gradient=False)
    y = paddle.to_tensor(normal(3, 96, 130, seed=1), stop_gradient=False)
    g = normal(3, 128, 130, seed=2)
    out = paddle.matmul(x, y)
    out.backward(paddle.to_tensor(g))
    for i in range(3):
        assert_close(out[i].numpy(), x.numpy()[i], y.numpy()[i])
        assert_close(x.grad[i].numpy(), g[i], y.numpy()[i].T)
        assert_close(y.grad[i].numpy(), x.numpy()[i].T, g[i])


@pytest.mark.parametrize("m, n, k", [(16, 64, 64), (33, 100, 800), (130, 320, 1601)])
def test_weights_of_deployed_programs(m, n, k, tmp_path):
    """They are packed once; bias, residual and activation follow in cache."""

    class Block(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(k, n)

        def forward(self, x, residual):
            return paddle.nn.functional.relu(self.linear(x) + residual)

    block = Block()
    weight, bias = normal(k, n), normal(n, seed=1)
    block.linear.weight.set_value(weight)
    block.linear.bias.set_value(bias)
    block.eval()
    path = str(tmp_path / "block")
    spec = [paddle.static.InputSpec([None, size], "float32") for size in (k, n)]
    paddle.jit.save(block, path, input_spec=spec)
    predictor = paddle.inference.create_predictor(paddle.inference.Config(path + ".json", path + ".pdiparams"))
    for rows, scale in ((m, 1.0), (m + 7, 1.0), (m, 1e-25)):
        x, residual = normal(rows, k, seed=2) * np.float32(scale), normal(rows, n, seed=3)
        (out,) = predictor.run([paddle.to_tensor(x), paddle.to_tensor(residual)])
        exact = np.maximum(x.astype("float64") @ weight + bias + residual, 0)
        bound = 6e-7 * (np.abs(x).astype("float64") @ np.abs(weight) + np.abs(bias) + np.abs(residual))
        assert (np.abs(out.numpy() - exact) <= bound).all()


@pytest.mark.parametrize("threads, scale", [(1, 1.0), (3, 1.0), (2, 1e-30)])
def test_steps_of_a_recurrence(threads, scale):
    """Their weight is packed once for all steps, forward and backward; gradients may be of extreme size."""
    batch, steps, size, units = 20, 5, 30, 130
    with flags(FLAGS_paddle_num_threads=threads):
        rnn = paddle.nn.SimpleRNN(size, units)
        x = paddle.to_tensor(normal(batch, steps, size), stop_gradient=False)
        h0 = paddle.to_tensor(normal(1, batch, units, seed=1) * np.float32(scale), stop_gradient=False)
        g = normal(batch, steps, units, seed=2) * np.float32(scale)
        out, _ = rnn(x, h0)
        out.backward(paddle.to_tensor(g))
    cell = rnn[0].cell
    by_x, by_h = (w.numpy().astype("float64") for w in (cell.weight_ih, cell.weight_hh))
    bias = (cell.bias_ih + cell.bias_hh).numpy()
    h, grad = [h0.numpy()[0].astype("float64")], 0
    for t in range(steps):
        h.append(np.tanh(x.numpy()[:, t] @ by_x.T + bias + h[-1] @ by_h.T))
    d_weight, d_x = np.zeros_like(by_h), np.zeros([batch, steps, size])
    for t in reversed(range(steps)):
        inner = (g[:, t] + grad) * (1 - h[t + 1] ** 2)
        grad, d_x[:, t] = inner @ by_h, inner @ by_x
        d_weight += inner.T @ h[t]
    np.testing.assert_allclose(out.numpy(), np.stack(h[1:], 1), rtol=1e-5, atol=2e-5)
    np.testing.assert_allclose(x.grad.numpy() / scale, d_x / scale, rtol=1e-5, atol=2e-5)
    np.testing.assert_allclose(h0.grad.numpy()[0] / scale, grad / scale, rtol=1e-5, atol=2e-5)
    np.testing.assert_allclose(cell.weight_hh.grad.numpy() / scale, d_weight / scale, rtol=1e-5, atol=2e-4)


# The result is rounded to 11 or 8 bits, what it sums up to float32.
@pytest.mark.parametrize("dtype, rounding", [("float16", 2**-11), ("bfloat16", 2**-8)])
def test_parts_of_matrices_of_sixteen_bits(dtype, rounding):
    a, b = (paddle.to_tensor(np.random.default_rng(n).standard_normal((64, 200))).astype(dtype) for n in range(2))
    left, right = a[:, 7:135], b[:, 30:158]
    expected = left.astype("float64").numpy() @ right.astype("float64").numpy().T
    out = paddle.matmul(left, right, transpose_y=True).astype("float64").numpy()
    np.testing.assert_allclose(out, expected, rtol=1.01 * rounding, atol=1e-4)

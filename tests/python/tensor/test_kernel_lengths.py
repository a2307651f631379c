# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values at lengths around those where the CPU kernels go over to another way."""

import numpy as np
import paddle
import pytest

LENGTHS = (1, 2, 3, 4, 7, 8, 9, 31, 33, 64, 100)


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype("float32")


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "float64", "complex128"])
def test_rows_turned_round(dtype):
    for n in LENGTHS:
        x = (random(3, n) * 50).astype(dtype)
        np.testing.assert_array_equal(paddle.flip(paddle.to_tensor(x), [-1]).numpy(), x[:, ::-1])
    image = random(5, 20, 3)
    np.testing.assert_array_equal(paddle.flip(paddle.to_tensor(image), [1]).numpy(), image[:, ::-1])


@pytest.mark.parametrize("reduction", ["max", "min"])
def test_extremes_of_short_rows_keep_not_a_number(reduction):
    for n in LENGTHS:
        x = random(6, n)
        x[1, n // 2] = np.nan
        np.testing.assert_array_equal(
            getattr(paddle, reduction)(paddle.to_tensor(x), -1).numpy(), getattr(x, reduction)(-1)
        )


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(3000,), (7, 450), (3, 5, 211), (2, 2, 2, 300)])
def test_masks_of_every_rank(shape, dtype):
    rng = np.random.default_rng(0)
    x, mask = (rng.random(shape) * 9).astype(dtype), rng.random(shape) < 0.3
    mask[..., 8:40] = False
    np.testing.assert_array_equal(paddle.nonzero(paddle.to_tensor(x * mask)).numpy(), np.argwhere(x * mask))
    chosen = paddle.to_tensor(x)[paddle.to_tensor(mask)]
    np.testing.assert_array_equal(chosen.numpy(), x[mask])
    written, wanted = paddle.to_tensor(x), x.copy()
    written[paddle.to_tensor(mask)], wanted[mask] = chosen[::-1], x[mask][::-1]
    np.testing.assert_array_equal(written.numpy(), wanted)


def test_rows_are_written_by_mask_and_receive_gradients():
    x, rows = random(5, 4), random(3, 4)
    mask = np.array([True, False, True, False, True])
    base, value = paddle.to_tensor(x), paddle.to_tensor(rows, stop_gradient=False)
    base[paddle.to_tensor(mask)] = value
    x[mask] = rows
    np.testing.assert_array_equal(base.numpy(), x)
    (base * paddle.to_tensor(x)).sum().backward()
    np.testing.assert_array_equal(value.grad.numpy(), rows)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
@pytest.mark.parametrize("m, k, n", [(1, 3, 1), (5, 300, 1), (1, 9, 40), (7, 600, 33), (4, 16, 16), (6, 5, 3)])
def test_products_of_integers_wrap_around(dtype, m, k, n):
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    a, b = (rng.integers(info.min, info.max, s, dtype) for s in ((m, k), (k, n)))
    for x, y, flags in ((a, b, {}), (a.T.copy(), b.T.copy(), dict(transpose_x=True, transpose_y=True))):
        got = paddle.matmul(paddle.to_tensor(x), paddle.to_tensor(y), **flags)
        np.testing.assert_array_equal(got.numpy(), a @ b)
    if n == 1:
        np.testing.assert_array_equal((paddle.to_tensor(a) @ paddle.to_tensor(b[:, 0])).numpy(), a @ b[:, 0])


@pytest.mark.parametrize("rows, inner, columns", [(4, 1, 8), (5, 3, 9), (6, 64, 8), (7, 20, 24), (9, 11, 17)])
def test_small_products(rows, inner, columns):
    a, b = random(3, rows, inner), random(3, inner, columns)
    np.testing.assert_allclose(
        paddle.bmm(paddle.to_tensor(a), paddle.to_tensor(b)).numpy(), a @ b, rtol=1e-5, atol=1e-5
    )
    turned = paddle.to_tensor(np.swapaxes(b, 1, 2).copy())
    got = paddle.matmul(paddle.to_tensor(a), turned, transpose_y=True)
    np.testing.assert_allclose(got.numpy(), a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(1,), (5,), (4, 6), (5, 7), (3, 4, 5), (2, 1, 8)])
def test_all_frequencies_of_real_numbers(shape):
    x = random(*shape).astype("float64")
    np.testing.assert_allclose(paddle.fft.fftn(paddle.to_tensor(x)).numpy(), np.fft.fftn(x), atol=1e-12)
    np.testing.assert_allclose(paddle.fft.ifftn(paddle.to_tensor(x)).numpy(), np.fft.ifftn(x), atol=1e-12)
    np.testing.assert_allclose(paddle.fft.fft(paddle.to_tensor(x), axis=0).numpy(), np.fft.fft(x, axis=0), atol=1e-12)


def test_running_sums_of_lines_taken_together():
    x = random(11, 9)
    np.testing.assert_allclose(paddle.cumsum(paddle.to_tensor(x), -1).numpy(), x.cumsum(-1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(paddle.cumprod(paddle.to_tensor(x), -1).numpy(), x.cumprod(-1), rtol=1e-5)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_running_products_of_integers_wrap_around(dtype, axis):
    x = np.random.default_rng(0).integers(50, 100, (20, 21)).astype(dtype)
    expected = x.astype("uint64").cumprod(axis).astype(dtype)
    np.testing.assert_array_equal(paddle.cumprod(paddle.to_tensor(x), axis).numpy(), expected)

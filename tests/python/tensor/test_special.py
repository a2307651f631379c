# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Special functions and parts of numbers as a user calls them, against SciPy and NumPy."""

import numpy as np
import paddle
import pytest
from scipy import special

INF, NAN = float("inf"), float("nan")


def t(values, dtype=None):
    return paddle.to_tensor(values, dtype)


def close(got, expected, rtol=1e-6):
    np.testing.assert_allclose(got.numpy(), expected, rtol=rtol)


def test_ends_of_the_gamma_and_bessel_functions():
    x = [0.0, -1.0, INF, NAN]
    close(paddle.digamma(t(x)), [-INF, NAN, INF, NAN])
    close(paddle.lgamma(t(x)), [INF, INF, INF, NAN])
    close(paddle.erfinv(t([-1.0, 0, 2, NAN])), [-INF, 0, NAN, NAN])
    close(paddle.i0e(t([0.0, INF])), [1, 0])
    close(paddle.polygamma(t([0.0, -1.0, 0.5]), 1), [INF, INF, special.polygamma(1, 0.5)])


def test_integers_give_float32():
    for f in (paddle.digamma, paddle.lgamma, paddle.i0, paddle.acosh, paddle.logit, paddle.stanh):
        assert f(t([1, 2])).dtype == paddle.float32


def test_composites_equal_scipy():
    x = np.array([0.5, 1.0, 2.5])
    close(
        paddle.multigammaln(t(x + 1), 2), special.multigammaln(2.5, 2) * 0 + [special.multigammaln(v + 1, 2) for v in x]
    )
    close(paddle.gammainc(t(x), t(x + 1)), special.gammainc(x, x + 1))
    close(paddle.sinc(t([0.0, 0.5, 2.5])), np.sinc([0, 0.5, 2.5]))
    close(paddle.ldexp(t([1, 2]), t([2, -3])), [4, 0.25])
    close(paddle.hypot(t([3.0]), t([4.0])), [5])
    assert paddle.vander(t([1, 2, 3]), 3).tolist() == [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    assert paddle.vander(t([1, 2, 3]), 3, True).tolist() == [[1, 1, 1], [1, 2, 4], [1, 3, 9]]
    assert paddle.vander(t([1, 2, 3]), 0).shape == [3, 0]


def test_logit_limits_only_when_asked():
    close(paddle.logit(t([0.0, 0.5, 1.0, -0.1])), [-INF, 0, INF, NAN])
    close(paddle.logit(t([0.0, 0.5]), 1e-3), [-6.906755, 0], rtol=1e-5)


def test_frexp_takes_numbers_apart_exactly():
    x = np.array([1.0, 0.0, -3.5, 8.0, 1e-310, 5e-324, 1.7e308, INF, 2**-52.0])
    mantissa, exponent = paddle.frexp(t(x))
    m, e = np.frexp(x)
    np.testing.assert_array_equal(mantissa.numpy(), m)
    np.testing.assert_array_equal(exponent.numpy(), e)
    assert exponent.dtype == paddle.float64
    with pytest.raises(TypeError):
        paddle.frexp(t([1]))


def test_classes_of_numbers():
    x = t([0.0, -0.0, -INF, INF, NAN, -2.0])
    assert paddle.signbit(x).tolist() == [False, True, True, False, False, True]
    assert paddle.isneginf(x).tolist() == [False, False, True, False, False, False]
    assert paddle.isposinf(x).tolist() == [False, False, False, True, False, False]
    assert paddle.isreal(t([1 + 0j, 1j])).tolist() == [True, False]
    big = np.finfo("float32").max
    close(paddle.nan_to_num(x), [0, 0, -big, big, 0, -2])
    close(x.nan_to_num(1.0, 2.0, 3.0), [0, 0, 3, 2, 1, -2])
    with pytest.raises(TypeError):
        paddle.positive(t([True]))


@pytest.mark.parametrize("name", ["isneginf", "isposinf"])
def test_refusals_name_the_function_that_was_called(name):
    function = getattr(paddle, name)
    with pytest.raises(TypeError, match=f"^{name}: x has dtype complex64"):
        function(t([1j]))
    with pytest.raises(TypeError, match=f"^{name}: argument x must be a Tensor"):
        function(1.0)


def test_shifts_and_divisors():
    assert paddle.bitwise_right_shift(t([8, -8], "int32"), t([2, 1], "int32"), False).tolist() == [2, 2147483644]
    assert paddle.bitwise_left_shift(t([200, 8], "uint8"), t([2, 9], "uint8")).tolist() == [32, 0]
    assert paddle.bitwise_right_shift(t([8, -8]), t([-1, 70])).tolist() == [0, -1]
    assert paddle.gcd(t([12, 0, -6]), t([18, 0, 4])).tolist() == [6, 0, 2]
    assert paddle.lcm(t([12, 0, -6]), t([18, 0, 4])).tolist() == [36, 0, 12]
    assert paddle.divide(t([-7, 7]), t([2, 2]), rounding_mode="trunc").tolist() == [-3, 3]


def test_gammaincc_refuses_negative_numbers():
    with pytest.raises(ValueError):
        paddle.gammaincc(t([-1.0]), t([1.0]))


def test_derivatives_where_formulas_are_singular():
    for f, slope in ((paddle.sinc, 0.0), (paddle.i1, 0.5), (paddle.i0e, 0.0)):
        x = t([0.0])
        x.stop_gradient = False
        f(x).backward()
        close(x.grad, [slope])


def test_frexp_at_powers_of_two():
    x = np.array([0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 3.0, -4.0, 0.0, 2.0**-126, 2.0**127], "float32")
    mantissa, exponent = paddle.frexp(paddle.to_tensor(x))
    expected = np.frexp(x)
    np.testing.assert_array_equal(mantissa.numpy(), expected[0])
    np.testing.assert_array_equal(exponent.numpy(), expected[1])


def test_logaddexp_of_infinities_is_the_larger_one():
    x, y = [INF, -INF, -INF, INF, 0.0], [INF, -INF, INF, 1.0, -INF]
    assert paddle.logaddexp(t(x), t(y)).tolist() == np.logaddexp(x, y).tolist()


def test_logaddexp_shares_its_gradient_like_a_softmax():
    x, y = t([1.0, 2.0]), t([1.0, 5.0])
    x.stop_gradient = y.stop_gradient = False
    paddle.logaddexp(x, y).sum().backward()
    close(x.grad, 1 / (1 + np.exp(y.numpy() - x.numpy())), 1e-5)
    close(y.grad, 1 / (1 + np.exp(x.numpy() - y.numpy())), 1e-5)


def test_hypot_of_numbers_whose_squares_leave_the_range():
    x = paddle.to_tensor([3e30, 3e-30, 0.0, np.inf], "float32", stop_gradient=False)
    y = paddle.to_tensor([4e30, 4e-30, 0.0, 1.0], "float32")
    length = paddle.hypot(x, y)
    np.testing.assert_allclose(length.numpy(), [5e30, 5e-30, 0, np.inf], rtol=1e-6)
    length[:2].sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[:2], [0.6, 0.6], rtol=1e-6)


def test_the_slope_of_acosh_in_all_quadrants():
    points = np.array([a + 1j * b for a in (-2.0, -0.5, 0.5, 2.0) for b in (-1.5, 0.25, 3.0)])
    x = paddle.to_tensor(points, stop_gradient=False)
    g = paddle.grad(paddle.acosh(x).real().sum(), x)[0].numpy()
    np.testing.assert_allclose(g.conj(), 1 / (np.sqrt(points - 1) * np.sqrt(points + 1)), rtol=1e-12)
    step = 1e-6
    np.testing.assert_allclose(
        g.real, (np.arccosh(points + step) - np.arccosh(points - step)).real / (2 * step), rtol=1e-8
    )

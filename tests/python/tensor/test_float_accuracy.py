# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The vectorised float32 functions against float64: units in the last place, and special values."""

import numpy as np
import paddle
import pytest
from scipy import special

ULPS = 4
LOOSER = {"erf": 6}  # one quotient: twice as fast as two polynomials, of which one counts
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38, -3e38], np.float32)


def spread(low, high, count=100_000):
    """Values of every magnitude in [low, high], and even ones."""
    rng = np.random.default_rng(3)
    even = rng.uniform(low, high, count)
    signs = rng.choice([-1.0, 1.0], count)
    scaled = signs * 2.0 ** rng.uniform(-60, np.log2(max(abs(low), abs(high))), count)
    values = np.concatenate([even, scaled[(scaled >= low) & (scaled <= high)]])
    return np.unique(values.astype(np.float32))


def ulps(got, exact):
    """Distance in units in the last place of the exact float32 value."""
    rounded = exact.astype(np.float32)
    unit = np.maximum(np.spacing(np.abs(rounded)), np.float32(1e-45)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.abs(got.astype(np.float64) - exact) / unit


FUNCTIONS = {
    "log": (np.log, 1e-38, 1e38),
    "log2": (np.log2, 1e-38, 1e38),
    "log10": (np.log10, 1e-38, 1e38),
    "log1p": (np.log1p, -0.9999999, 1e30),
    "sin": (np.sin, -60000, 60000),
    "cos": (np.cos, -60000, 60000),
    "tan": (np.tan, -60000, 60000),
    "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -1e10, 1e10),
    "sinh": (np.sinh, -89, 89),
    "cosh": (np.cosh, -89, 89),
    "asinh": (np.arcsinh, -1e30, 1e30),
    "acosh": (np.arccosh, 1, 1e30),
    "atanh": (np.arctanh, -0.9999999, 0.9999999),
    "exp": (np.exp, -87, 88),
    "expm1": (np.expm1, -87, 88),
    "tanh": (np.tanh, -20, 20),
    "erf": (special.erf, -5, 5),
    "erfinv": (special.erfinv, -0.9999999, 0.9999999),
    "lgamma": (special.gammaln, 1e-20, 1e20),
    "digamma": (special.digamma, 1e-10, 1e20),
    "i0": (special.i0, -80, 80),
    "i0e": (special.i0e, -1e4, 1e4),
    "i1": (special.i1, -80, 80),
    "i1e": (special.i1e, -1e4, 1e4),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_exact_to_a_few_units_in_the_last_place(name):
    reference, low, high = FUNCTIONS[name]
    x = spread(low, high)
    got = getattr(paddle._C_ops, name)(paddle.to_tensor(x)).numpy()
    with np.errstate(all="ignore"):
        exact = reference(x.astype(np.float64))
    error = ulps(got, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= LOOSER.get(name, ULPS), (
        f"{name}({x[worst]!r}) is {got[worst]!r}, {error[worst]:.1f} ulp from {exact[worst]!r}"
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_zeros_infinities_nan_and_subnormal_numbers_give_what_float64_gives(name):
    x = np.tile(SPECIAL, 3)
    got = getattr(paddle._C_ops, name)(paddle.to_tensor(x)).numpy()
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name][0](x.astype(np.float64)).astype(np.float32)
    if name in ("lgamma", "digamma"):  # poles
        got, exact, x = (v[np.isin(x, (1.0, np.inf, np.float32(1e-40), np.float32(3e38)))] for v in (got, exact, x))
    if name in ("i0", "i1"):  # SciPy gives NaN at infinity
        got, exact = got[~np.isinf(x)], exact[~np.isinf(x)]
    np.testing.assert_allclose(got, exact, rtol=1e-6, atol=2e-38)
    zero = (exact == 0) & (FUNCTIONS[name][0].__class__ is np.ufunc and name not in ("erfinv", "i1", "i1e"))
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(exact[zero]))


@pytest.mark.parametrize("name", ["log", "log2", "log10", "exp"])
def test_a_special_value_changes_no_result_beside_it(name):
    x = spread(1e-3, 80, 1000)
    alone = getattr(paddle, name)(paddle.to_tensor(x)).numpy()
    for special_value in SPECIAL:
        mixed = np.append(x, special_value)
        mixed = mixed[np.argsort(np.sin(np.arange(len(mixed))))]
        got = getattr(paddle, name)(paddle.to_tensor(mixed)).numpy()
        np.testing.assert_array_equal(np.sort(got[np.isin(mixed, x)]), np.sort(alone))


def test_angles_of_many_turns_are_as_exact_as_small_ones():
    x = np.array([1e5, -3e5, 1e10, 1e30, 5.0, 0.1], np.float32)
    for name in ("sin", "cos", "tan"):
        got = getattr(paddle, name)(paddle.to_tensor(x)).numpy()
        assert ulps(got, getattr(np, name)(x.astype(np.float64))).max() <= ULPS


def test_powers_are_exact_to_a_few_units_in_the_last_place():
    rng = np.random.default_rng(1)
    x = np.concatenate([2.0 ** rng.uniform(-30, 30, 100_000), rng.uniform(0.5, 2, 100_000)]).astype(np.float32)
    y = np.concatenate([rng.uniform(-4, 4, 100_000), rng.uniform(-80, 80, 100_000)]).astype(np.float32)
    exact = x.astype(np.float64) ** y.astype(np.float64)
    inside = (exact > 1e-37) & (exact < 3e38)
    got = paddle.pow(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    assert ulps(got[inside], exact[inside]).max() <= 2


def test_powers_follow_the_rules_of_c():
    x, y = (
        a.ravel() for a in np.meshgrid(np.append(SPECIAL, [2.0, -2.0, 0.5]), np.append(SPECIAL, [2.0, 3.0, -3.0, 0.5]))
    )
    x, y = x.astype(np.float32), y.astype(np.float32)
    with np.errstate(all="ignore"):
        exact = np.power(x, y)
    got = paddle.pow(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    np.testing.assert_allclose(got, exact, rtol=1e-6, atol=2e-38)


def test_atan2_follows_the_quadrants_and_the_signs_of_zeros():
    y, x = (a.ravel().astype(np.float32) for a in np.meshgrid(SPECIAL, SPECIAL))
    got = paddle.atan2(paddle.to_tensor(y), paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(got, np.arctan2(y, x), rtol=1e-6, atol=2e-38)
    rng = np.random.default_rng(2)
    y, x = rng.standard_normal((2, 100_000)).astype(np.float32)
    got = paddle.atan2(paddle.to_tensor(y), paddle.to_tensor(x)).numpy()
    assert ulps(got, np.arctan2(y.astype(np.float64), x.astype(np.float64))).max() <= ULPS


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nextafter_steps_as_numpy_does(dtype):
    y, x = (a.ravel().astype(dtype) for a in np.meshgrid(SPECIAL, SPECIAL))
    got = paddle.nextafter(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    np.testing.assert_array_equal(got, np.nextafter(x, y))


def test_remainder_is_exact_for_quotients_of_every_size():
    rng = np.random.default_rng(4)
    x = (rng.choice([-1, 1], 100_000) * 2.0 ** rng.uniform(-20, 60, 100_000)).astype(np.float32)
    y = (rng.choice([-1, 1], 100_000) * 2.0 ** rng.uniform(-20, 20, 100_000)).astype(np.float32)
    got = paddle.remainder(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    exact = np.fmod(x, y)
    exact = np.where((exact != 0) & ((exact < 0) != (y < 0)), exact + y, exact)
    np.testing.assert_array_equal(got, exact)


def test_polygamma_is_exact_for_several_orders():
    x = spread(0.01, 50, 20_000)
    x = x[x > 0.01]
    for n in (1, 2, 5):
        got = paddle.polygamma(paddle.to_tensor(x), n).numpy()
        assert ulps(got, special.polygamma(n, x.astype(np.float64))).max() <= ULPS


@pytest.mark.parametrize("name", ["exp", "expm1", "tanh", "log", "sigmoid"])
def test_double_functions_are_within_four_units(name):
    rng = np.random.default_rng(5)
    if name == "log":
        values = np.concatenate([np.exp(rng.uniform(-740, 709, 20_000)), rng.uniform(0.5, 2, 20_000), [1.0, 5e-324]])
    else:
        values = np.concatenate([rng.uniform(-700, 700, 20_000), rng.standard_normal(40_001), [1e-300, -1e-300]])
    exact = special.expit if name == "sigmoid" else getattr(np, name)
    x = paddle.to_tensor(np.stack([values, values], 1))
    call = paddle.nn.functional.sigmoid if name == "sigmoid" else getattr(paddle, name)
    expected = exact(values)
    for got in (call(x[:, 0].clone()), call(x[:, 1])):  # dense, strided
        assert np.max(np.abs(got.numpy() - expected) / np.spacing(np.abs(expected))) <= ULPS


def test_double_functions_at_the_ends():
    x = paddle.to_tensor([0.0, -0.0, np.inf, -np.inf, np.nan, 710.0, -746.0, -740.0], dtype="float64")
    values = x.numpy()
    with np.errstate(all="ignore"):
        for name in ("exp", "expm1", "tanh"):
            np.testing.assert_array_equal(getattr(paddle, name)(x).numpy(), getattr(np, name)(values))
        np.testing.assert_array_equal(paddle.log(x).numpy()[:5], np.log(values)[:5])
    np.testing.assert_array_equal(paddle.nn.functional.sigmoid(x).numpy()[:5], special.expit(values)[:5])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_without_a_logarithm(dtype):
    values = np.array([0.0, np.inf, np.nan, 4.0, 2.5, 1e18, 1e-18], dtype)
    for exponent in (0.5, -0.5, -2.0, -1.0, 1.0, 2.0, 3.0):
        with np.errstate(all="ignore"):
            expected = values.astype("float64") ** exponent
            expected = expected.astype(dtype)
        got = paddle.pow(paddle.to_tensor(values), exponent).numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-6 if dtype == "float32" else 1e-15)


@pytest.mark.parametrize("function", ["sin", "cos"])
def test_sines_in_double_precision(function):
    rng = np.random.default_rng(5)
    turns = np.arange(-300, 300) * (np.pi / 2)
    x = np.concatenate([rng.standard_normal(3000), rng.standard_normal(3000) * 1e4, turns, [0.0, -0.0, 1e10, np.inf]])
    with np.errstate(invalid="ignore"):
        expected = getattr(np, function)(x.astype(np.longdouble)).astype("float64")
    np.testing.assert_allclose(getattr(paddle, function)(paddle.to_tensor(x)).numpy(), expected, rtol=5e-16)


WIDE = {
    "log1p": (np.log1p, -0.999999, 1e6),
    "log2": (np.log2, 1e-300, 1e300),
    "tan": (np.tan, -1e4, 1e4),
    "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -1e10, 1e10),
    "sinh": (np.sinh, -700, 700),
    "cosh": (np.cosh, -700, 700),
    "atanh": (np.arctanh, -0.999999, 0.999999),
    "erf": (special.erf, -6, 6),
}


@pytest.mark.parametrize("name", WIDE)
def test_functions_in_double_precision(name):
    reference, low, high = WIDE[name]
    rng = np.random.default_rng(6)
    even, near = rng.uniform(low, high, 20_000), rng.uniform(max(low, -1.5), min(high, 1.5), 20_000)
    x = np.concatenate([even, near, near * 1e-9, near * 1e-300])
    x = x[(x >= low) & (x <= high)]
    exact = reference(x.astype("float64" if name == "erf" else np.longdouble)).astype("float64")
    got = getattr(paddle, name)(paddle.to_tensor(np.stack([x, x], 1))).numpy()
    for column in got.T:
        np.testing.assert_array_less(np.abs(column - exact), 4 * np.spacing(np.abs(exact)))


@pytest.mark.parametrize("name", WIDE)
def test_functions_in_double_precision_at_the_ends(name):
    x = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, 1e300, -1e300, 2.0, -2.0])
    if name == "tan":
        x = x[np.abs(x) < 1e300]
    with np.errstate(all="ignore"):
        exact = WIDE[name][0](x)
    got = getattr(paddle, name)(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(got, exact, rtol=4e-16)
    np.testing.assert_array_equal(np.signbit(got[exact == 0]), np.signbit(exact[exact == 0]))


def test_powers_in_double_precision():
    rng = np.random.default_rng(7)
    x = np.concatenate([np.exp(rng.uniform(-200, 200, 20_000)), rng.uniform(0.999, 1.001, 20_000)])
    y = np.concatenate([rng.uniform(-3, 3, 20_000), rng.uniform(-1e5, 1e5, 20_000)])
    whole = rng.uniform(-20, 20, 20_000), np.floor(rng.uniform(-30, 30, 20_000))
    x, y = np.concatenate([x, whole[0]]), np.concatenate([y, whole[1]])
    exact = (x.astype(np.longdouble) ** y.astype(np.longdouble)).astype("float64")
    for columns in (1, 2):  # dense, strided
        a, b = (paddle.to_tensor(np.stack([v] * columns, 1))[:, 0] for v in (x, y))
        got = paddle.pow(a, b).numpy()
        np.testing.assert_array_less(np.abs(got - exact), 3 * np.spacing(np.abs(exact)) + 1e-320)


def test_powers_in_double_precision_follow_the_rules_of_c():
    ends = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, np.inf, -np.inf, np.nan, 1e308, 1e-310]
    x, y = (v.ravel() for v in np.meshgrid(ends, [*ends, 3.0, -3.0, 1e17, 2.0**53 - 1]))
    with np.errstate(all="ignore"):
        exact = np.power(x, y)
    got = paddle.pow(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    np.testing.assert_allclose(got, exact, rtol=1e-15)
    np.testing.assert_array_equal(np.signbit(got[exact == 0]), np.signbit(exact[exact == 0]))


def test_remainder_in_double_precision_is_exact():
    rng = np.random.default_rng(8)
    x = rng.choice([-1, 1], 50_000) * 2.0 ** rng.uniform(-40, 80, 50_000)
    y = rng.choice([-1, 1], 50_000) * 2.0 ** rng.uniform(-40, 40, 50_000)
    x[:1000] = y[:1000] * np.floor(rng.uniform(0, 2.0**40, 1000))  # multiples, up to rounding
    x[1000:1005], y[1000:1005] = [0.0, -0.0, 5.0, -5.0, 1.0], [-1.0, 1.0, np.inf, np.inf, 1e-320]
    got = paddle.remainder(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    exact = np.fmod(x, y)
    exact = np.where((exact != 0) & ((exact < 0) != (y < 0)), exact + y, exact)
    np.testing.assert_array_equal(got, exact)


def test_logs_of_powers_of_two_are_whole_in_double_precision():
    exponents = np.arange(-1074.0, 1024)
    np.testing.assert_array_equal(paddle.log2(paddle.to_tensor(2.0**exponents)).numpy(), exponents)


def test_erf_is_rounded_correctly_from_where_it_is_1():
    x = np.append(np.linspace(3.9, 30, 5000), [np.inf, 3e38]).astype(np.float32)
    x = np.tile(np.concatenate([x, -x]), 2)
    got = paddle.erf(paddle.to_tensor(x)).numpy()
    exact = special.erf(x.astype(np.float64)).astype(np.float32)
    assert (np.abs(exact) == 1).sum() > 19_000
    np.testing.assert_array_equal(got[np.abs(exact) == 1], exact[np.abs(exact) == 1])


def test_lgamma_is_as_exact_next_to_its_zeros():
    steps = np.concatenate([[0.0], np.logspace(-7, -0.5, 2000)])
    near = np.concatenate([zero + sign * steps for zero in (1, 2) for sign in (1, -1)])
    x = np.unique(np.concatenate([near, np.linspace(0.85, 2.15, 20_000)]).astype(np.float32))
    got = paddle.lgamma(paddle.to_tensor(x)).numpy()
    exact = special.gammaln(x.astype(np.float64))
    assert ulps(got, exact).max() <= 1
    np.testing.assert_array_equal(got[np.isin(x, (1.0, 2.0))], 0.0)
    assert not np.signbit(got[np.isin(x, (1.0, 2.0))]).any()

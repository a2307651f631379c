# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of one float32 inside of kernels: how far they are from the exact value, and that eager gives the same.

The bounds are those that phi_kernels/functors states. A sample of all float32 runs always; every one of them in
`make test-full`.
"""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static
from scipy import special

# Function, exact value, units in the last place, the largest size of an argument for which they hold.
FUNCTIONS = {
    "exp": (np.exp, 4, np.inf),
    "expm1": (np.expm1, 4, np.inf),
    "log": (np.log, 3, np.inf),
    "log2": (np.log2, 3, np.inf),
    "log10": (np.log10, 3, np.inf),
    "log1p": (np.log1p, 3, np.inf),
    "sqrt": (np.sqrt, 0.5, np.inf),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2, np.inf),
    "reciprocal": (lambda x: 1 / x, 0.5, np.inf),
    "tanh": (np.tanh, 4, np.inf),
    "sigmoid": (lambda x: np.where(x < -88, 0, special.expit(x)), 4, np.inf),
    "erf": (special.erf, 6, np.inf),
    "sin": (np.sin, 3, 1e3),
    "cos": (np.cos, 3, 1e3),
    "tan": (np.tan, 4, 1e3),
    "atan": (np.arctan, 3, np.inf),
    "asin": (np.arcsin, 3, np.inf),
    "acos": (np.arccos, 3, np.inf),
    "sinh": (np.sinh, 3, np.inf),
    "cosh": (np.cosh, 3, np.inf),
    "asinh": (np.arcsinh, 3, np.inf),
    "acosh": (np.arccosh, 3, np.inf),
    "atanh": (np.arctanh, 3, np.inf),
    "erfinv": (special.erfinv, 6, np.inf),
    "i0": (lambda x: np.where(np.isinf(x), np.inf, special.i0(x)), 4, np.inf),
    "i0e": (special.i0e, 4, np.inf),
    "i1": (lambda x: np.where(np.isinf(x), x, special.i1(x)), 4, np.inf),
    "i1e": (special.i1e, 4, np.inf),
}
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38, -3.4028235e38]
EDGES += [s * x for s in (1, -1) for x in (0.5, 1, 2, 87.3, 88, 88.72283, 88.8, 89, 100, 103.9, 104, 104.1, 1e4)]


def compiled_function(name):
    function = getattr(paddle, name, None) or getattr(paddle.nn.functional, name)
    # The second operator makes it a group; it passes the value on.
    return to_static(
        lambda x: paddle.assign(paddle.where(x == x, function(x), function(x))), backend="CINN", full_graph=True
    ), function


def floats(first, count, step):
    """Every `step`-th of all float32 in the order of their bits, from `first` on."""
    bits = np.arange(first, first + count * step, step, dtype=np.uint64).astype(np.uint32)
    return bits.view(np.float32)


def far_from_exact(name, x, got):
    """The worst distance in units in the last place, and where; other infinities and NaN count as infinitely far."""
    exact, _, largest = FUNCTIONS[name]
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        want = exact(x)
        nearest = want.astype(np.float32)
        unit = np.maximum(np.spacing(np.abs(nearest)).astype(np.float64), 2.0**-149)
        away = np.abs(got.astype(np.float64) - want) / np.where(np.isfinite(unit), unit, 2.0**104)
        away = np.where((got == nearest) | (np.isnan(got) & np.isnan(want)), 0.0, away)
        away = np.where(np.isnan(away), np.inf, away)
    away = np.where(np.abs(x) > largest, 0.0, away)
    return float(away.max()), float(x[away.argmax()])


def assert_bounded(name, x, program, function):
    tensor = paddle.to_tensor(x)
    got, eager = program(tensor).numpy(), function(tensor).numpy()
    worst, at = far_from_exact(name, x, got)
    assert worst <= FUNCTIONS[name][1], f"{name}({at!r}) is {worst} units in the last place off"
    same = (got == eager) | (np.isnan(got) & np.isnan(eager))
    with np.errstate(all="ignore"):
        near = np.abs(got - eager) <= 2 * np.spacing(np.abs(eager))
    assert (same | near).all(), (
        f"{name} of {x[~(same | near)][:3]} is {got[~(same | near)][:3]}, eager {eager[~(same | near)][:3]}"
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_sample_of_float32_is_near_the_exact_value(at_once, counts, name):
    program, function = compiled_function(name)
    count = counts()
    assert_bounded(name, np.float32(EDGES), program, function)
    assert_bounded(name, floats(977, 2**21, 2048), program, function)
    assert_bounded(name, np.linspace(-110, 110, 200_001, dtype=np.float32), program, function)
    assert count.launches == 3


# Of two numbers; atan2 and pow have no form in float64.
PAIRS = {
    "atan2": np.arctan2,
    "pow": np.power,
    "floor_divide": np.floor_divide,
    "remainder": np.mod,
    "copysign": np.copysign,
    "nextafter": np.nextafter,
}


@pytest.mark.parametrize(
    "name,dtype", [(n, d) for n in PAIRS for d in ("float32", "float64") if d == "float32" or n not in ("atan2", "pow")]
)
def test_functions_of_two_numbers_are_those_of_eager(at_once, counts, name, dtype):
    function = getattr(paddle, name)
    program = to_static(
        lambda x, y: paddle.assign(paddle.where(x == x, function(x, y), function(x, y))),
        backend="CINN",
        full_graph=True,
    )
    rng = np.random.default_rng(5)
    some = np.concatenate([np.array(EDGES), rng.normal(scale=10, size=41), np.arange(-5, 6)]).astype(dtype)
    x, y = np.meshgrid(some, some)
    x, y = paddle.to_tensor(x), paddle.to_tensor(y)
    count = counts()
    got, eager = program(x, y).numpy(), function(x, y).numpy()
    assert count.launches == 1
    if name == "pow":  # rounded once from double, where sums and products may be one instruction
        np.testing.assert_allclose(got, eager, rtol=1e-7)
    else:
        np.testing.assert_array_equal(got, eager)
        np.testing.assert_array_equal(np.signbit(got) & (got == 0), np.signbit(eager) & (eager == 0))
    with np.errstate(all="ignore"):
        exact = PAIRS[name](some[26:, None], some[None, 26:])
    ours = program(paddle.to_tensor(some[26:, None]), paddle.to_tensor(some[None, 26:])).numpy()
    np.testing.assert_allclose(ours, exact, rtol=1e-6, atol=1e-6 if name == "remainder" else 0)


@pytest.mark.parametrize("decimals", [0, 2, -1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int32"])
def test_rounding_is_that_of_eager(at_once, counts, dtype, decimals):
    x = paddle.to_tensor([0.5, -0.5, 1.5, 2.5, -2.5, 123.456, -77.775, 0.0, 15.0, 25.0]).astype(dtype)
    count = counts()
    program = to_static(lambda x: paddle.round(x + x, decimals) - x, backend="CINN", full_graph=True)
    want = paddle.round(x + x, decimals) - x
    np.testing.assert_array_equal(program(x).astype("float64").numpy(), want.astype("float64").numpy())
    assert count.launches == 1


@pytest.mark.parametrize("name", ["lgamma", "digamma"])
def test_the_gamma_family_gives_up_where_its_formula_ends(at_once, counts, name):
    function = getattr(paddle, name)
    program = to_static(lambda x: function(x + 1) * 2, backend="CINN", full_graph=True)
    count = counts()
    for numbers in ([0.5, 3.0, 99.0], [0.5, -3.5, 2.0]):
        x = paddle.to_tensor(numbers)
        np.testing.assert_allclose(program(x).numpy(), (function(x + 1) * 2).numpy(), rtol=1e-6)
    assert count.failed == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_float32_is_near_the_exact_value(at_once, name):
    program, function = compiled_function(name)
    for first in range(0, 2**32, 2**24):
        assert_bounded(name, floats(first, 2**24, 1), program, function)

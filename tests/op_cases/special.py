# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the special functions and of the rarer arithmetic."""

import numpy as np
from scipy import special

from tests.op_cases import ALL_FLOATS, FLOATS, Case


def _span(low, high):
    return lambda rng: dict(x=rng.uniform(low, high, (2, 5)))


def _ints(rng):
    return dict(x=rng.integers(-20, 20, (2, 3)), y=rng.integers(1, 9, (3,)))


def _floats(rng):
    return dict(x=rng.uniform(0.5, 2, (2, 3)) * np.array([1.0, -1.0, 1.0]), y=np.array([-1.5, 2.0, 0.5]))


_UNARY = dict(
    acosh=(np.arccosh, 1.2, 4),
    asinh=(np.arcsinh, -3, 3),
    atanh=(np.arctanh, -0.8, 0.8),
    lgamma=(special.gammaln, 0.3, 30),
    gammaln=(special.gammaln, 0.3, 30),
    digamma=(special.digamma, 0.3, 30),
    erfinv=(special.erfinv, -0.9, 0.9),
    i0=(special.i0, -4, 4),
    i0e=(special.i0e, 0.2, 30),
    i1=(special.i1, -4, 4),
    i1e=(special.i1e, 0.2, 30),
)
_WIDE = dict(
    lgamma=(special.gammaln, -40, 0),
    digamma=(special.digamma, -9.7, 0),
    erfinv=(special.erfinv, -1, 1),
    i0e=(special.i0e, -500, 500),
    i1=(special.i1, -80, 80),
)
_BITS = dict(bitwise_left_shift=np.left_shift, bitwise_right_shift=np.right_shift)


def _lerp(x, y, weight):
    return x + weight * (y - x)


CASES = (
    [
        Case(op=o, args=_span(a, b), ref=f, dtypes=FLOATS, grad=("x",), rtol=3e-5 if o in ("i0", "i1") else None)
        for o, (f, a, b) in _UNARY.items()
    ]
    + [
        Case(op=o, args=_span(a, b), ref=f, dtypes=("float64",), id="wide", modes=(), rtol=1e-10)
        for o, (f, a, b) in _WIDE.items()
    ]
    + [
        Case(op="digamma", args=_span(0.5, 3), ref=special.digamma, dtypes=ALL_FLOATS, id="half", rtol=2e-2, atol=2e-2),
        Case(
            op="erfinv",
            args=lambda rng: dict(x=np.array([-1.0, 1.0, 1 - 1e-15, 1e-300, 2.0, np.nan])),
            ref=special.erfinv,
            dtypes=("float64",),
            id="ends",
            rtol=1e-13,
        ),
        Case(
            op="acosh",
            args=lambda rng: dict(x=np.array([1 + 2j, -0.5j])),
            ref=np.arccosh,
            dtypes=("complex128",),
            id="c",
        ),
        Case(
            op="asinh",
            args=lambda rng: dict(x=np.array([1 + 2j, -0.5j])),
            ref=np.arcsinh,
            dtypes=("complex128",),
            id="c",
        ),
        Case(
            op="atanh",
            args=lambda rng: dict(x=np.array([1 + 2j, -0.5j])),
            ref=np.arctanh,
            dtypes=("complex128",),
            id="c",
        ),
        *(
            Case(
                op="polygamma",
                args=lambda rng, n=n: dict(x=rng.uniform(0.4, 6, (2, 3)), n=n),
                ref=lambda x, n: special.polygamma(n, x),
                dtypes=FLOATS,
                grad=("x",),
                grad_order=2,
                id=f"order{n}",
            )
            for n in (0, 1, 3)
        ),
        Case(
            op="logit",
            args=lambda rng: dict(x=rng.uniform(0.1, 0.9, (2, 3)), eps=0.0),
            ref=lambda x, eps: special.logit(x),
            dtypes=FLOATS,
            grad=("x",),
        ),
        Case(
            op="logit",
            args=lambda rng: dict(x=np.array([0.0, 0.05, 0.5, 0.99]), eps=0.1),
            ref=lambda x, eps: special.logit(np.clip(x, eps, 1 - eps)),
            dtypes=FLOATS,
            grad=("x",),
            id="limited",
        ),
        Case(
            op="stanh",
            args=lambda rng: dict(x=rng.uniform(-2, 2, (2, 3))),
            ref=lambda x: 1.7159 * np.tanh(0.67 * x),
            dtypes=FLOATS,
            grad=("x",),
        ),
        *(Case(op=o, args=_ints, ref=f, dtypes=("float32",)) for o, f in _BITS.items()),
        Case(
            op="bitwise_right_shift",
            args=lambda rng: dict(x=np.array([8, -8], "int32"), y=np.array([2, 1], "int32"), is_arithmetic=False),
            ref=lambda x, y, is_arithmetic: np.right_shift(x.astype("uint32"), y.astype("uint32")).astype("int32"),
            id="logical",
        ),
        Case(
            op="bitwise_left_shift",
            args=lambda rng: dict(x=np.array([1, -2]), y=np.array([70, -1])),
            ref=lambda x, y: np.array([0, 0]),
            id="out",
        ),
        Case(op="gcd", args=_ints, ref=np.gcd),
        Case(op="gcd", args=lambda rng: dict(x=np.array([0, 0, -4]), y=np.array([0, 5, 6])), ref=np.gcd, id="zero"),
        Case(op="lcm", args=_ints, ref=np.lcm),
        Case(op="trunc_divide", args=_ints, ref=lambda x, y: np.trunc(x / y).astype("int64")),
        Case(op="trunc_divide", args=_floats, ref=lambda x, y: np.trunc(x / y), dtypes=FLOATS, id="float"),
        Case(op="hypot", args=_floats, ref=np.hypot, dtypes=ALL_FLOATS, grad=("x", "y")),
        Case(
            op="hypot",
            args=lambda rng: dict(
                x=np.array([np.inf, np.nan, -np.inf, np.nan, -0.0, np.inf]),
                y=np.array([np.nan, -np.inf, 3.0, 1.0, 0.0, np.inf]),
            ),
            ref=np.hypot,
            dtypes=ALL_FLOATS,
            id="infinite sides",
        ),
        Case(
            op="hypot",
            args=lambda rng: dict(x=np.array([0.0, 3e200, np.inf, 3e-200]), y=np.array([-0.0, 4e200, np.nan, 4e-200])),
            ref=np.hypot,
            id="ends",
        ),
        Case(op="logaddexp", args=_floats, ref=np.logaddexp, dtypes=ALL_FLOATS, grad=("x", "y")),
        Case(
            op="logaddexp",
            args=lambda rng: dict(x=np.array([np.inf, -np.inf, -np.inf, 1e3]), y=np.array([np.inf, -np.inf, 2.0, 1e3])),
            ref=np.logaddexp,
            id="ends",
        ),
        Case(
            op="nan_to_num",
            args=lambda rng: dict(
                x=np.array([[np.nan, 2.0, np.inf], [-np.inf, 0.0, 1.5]]), nan=0.5, posinf=9.0, neginf=-9.0
            ),
            ref=lambda x, nan, posinf, neginf: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
            dtypes=ALL_FLOATS,
        ),
        Case(
            op="nan_to_num",
            args=lambda rng: dict(x=rng.standard_normal((2, 3)), nan=0.5, posinf=9.0, neginf=-9.0),
            ref=lambda x, nan, posinf, neginf: x,
            dtypes=FLOATS,
            grad=("x",),
            id="numbers",
        ),
        Case(op="copysign", args=_floats, ref=np.copysign, dtypes=FLOATS, grad=("x",)),
        Case(
            op="copysign",
            args=lambda rng: dict(x=np.array([1.0, 2.0]), y=np.array([-0.0, 0.0])),
            ref=np.copysign,
            id="zero",
        ),
        Case(op="nextafter", args=_floats, ref=np.nextafter, dtypes=("float64",)),
        Case(
            op="gammaincc",
            args=lambda rng: dict(x=rng.uniform(0.5, 20, (3, 4)), y=rng.uniform(0.1, 30, (4,))),
            ref=special.gammaincc,
            dtypes=FLOATS,
            grad=("y",),
            atol=1e-7,
        ),
        Case(
            op="gammaincc",
            args=lambda rng: dict(x=np.array([0.0, 0.0, 1.0, 800.0]), y=np.array([1.0, 0.0, 0.0, 790.0])),
            ref=lambda x, y: np.array([0.0, np.nan, 1.0, special.gammaincc(800.0, 790.0)]),
            dtypes=("float64",),
            id="ends",
        ),
        Case(
            op="lerp",
            args=lambda rng: dict(
                x=rng.standard_normal((2, 3)), y=rng.standard_normal(3), weight=rng.uniform(0, 1, (2, 1))
            ),
            ref=_lerp,
            dtypes=ALL_FLOATS,
            grad=("x", "y", "weight"),
        ),
        Case(
            op="isclose",
            args=lambda rng: dict(
                x=np.array([1.0, 1.0, np.inf, np.nan]), y=np.array([1.0 + 1e-9, 1.1, np.inf, np.nan])
            ),
            ref=np.isclose,
            dtypes=("float64",),
        ),
        Case(
            op="isclose",
            args=lambda rng: dict(
                x=np.array([np.nan, 1.0]), y=np.array([np.nan, np.inf]), rtol=1e-5, atol=1e-8, equal_nan=True
            ),
            ref=np.isclose,
            dtypes=("float64",),
            id="nan",
        ),
        Case(op="allclose", args=lambda rng: dict(x=np.ones((2, 1)), y=np.ones(3)), ref=lambda x, y: np.array(True)),
        Case(op="equal_all", args=lambda rng: dict(x=np.ones((2, 1)), y=np.ones(2)), ref=lambda x, y: np.array(False)),
        Case(
            op="equal_all",
            args=lambda rng: dict(x=np.arange(3), y=np.arange(3)),
            ref=lambda x, y: np.array(True),
            id="same",
        ),
        Case(
            op="equal_all",
            args=lambda rng: dict(x=np.zeros(40), y=np.eye(40)[39]),
            ref=lambda x, y: np.array(False),
            id="last differs",
        ),
        Case(
            op="increment",
            args=lambda rng: dict(x=np.array([1.5]), value=2.0),
            ref=lambda x, value: x + value,
            grad=("x",),
        ),
    ]
)

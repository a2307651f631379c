# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of softmax and its relatives."""

import numpy as np
from scipy import special, stats

from tests.op_cases import Case

FLOATS = ("float32", "float64", "float16", "bfloat16")
BOTH = ("float32", "float64")


def _softmax_grad(out, out_grad, axis):
    return out * (out_grad - (out * out_grad).sum(axis, keepdims=True))


def _log_softmax_grad(out, out_grad, axis):
    return out_grad - np.exp(out) * out_grad.sum(axis, keepdims=True)


def _forward(op, ref, shape, axis):
    return Case(
        op=op,
        args=lambda rng: dict(x=3 * rng.standard_normal(shape), axis=axis),
        ref=ref,
        dtypes=FLOATS,
        grad=("x",),
        id=f"axis {axis} of {len(shape)}",
    )


def _selu(x, scale=1.0507009873554805, alpha=1.6732632423543772):
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _softshrink(x, threshold=0.5):
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0)


# operator -> (reference, attributes)
_POINTWISE = dict(
    celu=(lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha)), dict(alpha=1.5)),
    selu=(_selu, {}),
    softsign=(lambda x: x / (1 + abs(x)), {}),
    stanh=(lambda x, scale_a, scale_b: scale_b * np.tanh(scale_a * x), dict(scale_a=0.5, scale_b=2.0)),
    hardtanh=(lambda x, t_min, t_max: np.clip(x, t_min, t_max), dict(t_min=-1.0, t_max=0.8)),
    hardshrink=(lambda x, threshold: np.where(abs(x) > threshold, x, 0), dict(threshold=0.6)),
    softshrink=(_softshrink, {}),
    thresholded_relu=(lambda x, threshold, value: np.where(x > threshold, x, value), dict(threshold=0.3, value=-2.0)),
    leaky_relu=(lambda x, negative_slope: np.where(x > 0, x, negative_slope * x), dict(negative_slope=0.2)),
    elu=(lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))), dict(alpha=0.7)),
    softplus=(lambda x, beta, threshold: np.where(x * beta > threshold, x, np.logaddexp(0, x * beta) / beta),
              dict(beta=2.0, threshold=3.0)),
    hardswish=(lambda x: x * np.clip(x + 3, 0, 6) / 6, {}),
    hardsigmoid=(lambda x, slope, offset: np.clip(x * slope + offset, 0, 1), dict(slope=0.2, offset=0.4)),
    relu6=(lambda x: np.clip(x, 0, 6), {}),
    gelu=(lambda x, approximate: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
          dict(approximate=True)),
)  # fmt: skip


def _spread(shape):
    """Numbers away from the corners at 0, +-0.5, +-1, 3 and 6."""
    return lambda rng: rng.choice([-4.1, -2.3, -1.4, -0.8, -0.2, 0.15, 0.7, 1.3, 2.4, 4.5, 7.2], shape)


def _slopes(f, attributes):
    """The reference of a gradient: central differences of f, in float64."""

    def reference(read, out_grad, **given):
        read = read.astype("float64")
        return out_grad * (f(read + 1e-6, **given) - f(read - 1e-6, **given)) / 2e-6

    return reference


_EXTREME = np.array([-1e30, -200.0, -90.0, -0.0, 0.0, 90.0, 200.0, 1e30])
_GRADS = ("leaky_relu", "elu", "celu", "selu", "softplus", "hardswish", "hardtanh", "hardshrink", "softshrink", "gelu")
_OF_RESULT = dict(
    sigmoid_grad=(lambda out, out_grad: out_grad * out * (1 - out), {}),
    tanh_grad=(lambda out, out_grad: out_grad * (1 - out * out), {}),
    relu6_grad=(lambda out, out_grad: np.where((out > 0) & (out < 6), out_grad, 0), {}),
    hardsigmoid_grad=(lambda out, out_grad, slope: np.where((out > 0) & (out < 1), slope * out_grad, 0),
                      dict(slope=0.2)),
)  # fmt: skip


def _of_input(name):
    f, attributes = _POINTWISE[name]
    by_difference = _slopes(f, attributes)
    return Case(
        op=name + "_grad",
        args=lambda rng: dict(x=_spread((3, 5))(rng), out_grad=rng.standard_normal((3, 5))) | attributes,
        ref=lambda x, out_grad, **given: by_difference(x, out_grad, **given),
        dtypes=FLOATS,
        rtol=1e-5,
        atol=1e-6,
        grad=("x", "out_grad"),
    )


def _mish_slope(x, out_grad):
    t, s = np.tanh(np.logaddexp(0, x)), special.expit(x)
    return out_grad * (t + x * (1 - t * t) * s)


def _erf_slope(x, out_grad):
    return out_grad * (special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi))


def _halves(x, axis):
    return np.split(x, 2, axis)


def _swiglu(x, y=None):
    x, y = np.split(x, 2, -1) if y is None else (x, y)
    return x * special.expit(x) * y


def _swiglu_slopes(x, y, out_grad):
    s = special.expit(x)
    return out_grad * y * s * (1 + x * (1 - s)), out_grad * x * s


def _prelu(x, alpha, data_format="NCHW", mode="all"):
    shape = [1] * x.ndim
    shape[-1 if data_format == "NHWC" else 1] = alpha.size
    return np.where(x > 0, x, x * alpha.reshape(shape))


def _smooth(x, factors, basis, coefficients):
    c = list(coefficients)
    half = len(c) // 2
    polynomial = np.polynomial.polynomial.polyval
    s = special.expit(x)
    value = dict(
        power=lambda: polynomial(x, c),
        wave=lambda: c[0] * np.sin(x) + c[1] * np.cos(x),
        logistic=lambda: s * (1 - s) * (polynomial(s, c[:half]) + x * polynomial(s, c[half:])),
        normal=lambda: c[0] * stats.norm.cdf(x) + stats.norm.pdf(x) * polynomial(x, c[1:] or [0.0]),
    )[basis]()
    return value * np.prod([np.ones_like(x), *factors], axis=0)


# (basis, coefficients, number of factors)
_SMOOTH = [
    ("power", [0.0, -2.0], 2),
    ("power", [1.0, 0.5, -1.0, 0.25], 1),
    ("power", [3.0], 1),
    ("wave", [0.0, 1.0], 1),
    ("wave", [0.5, -2.0], 2),
    ("logistic", [2.0, 0.0, 1.0, -2.0], 2),
    ("normal", [0.0, 2.0, 0.0, -1.0], 2),
    ("normal", [1.5, 0.5], 1),
]


CASES = [
    *(
        Case(
            op="smooth_product",
            args=lambda rng, b=b, c=c, n=n, shape=shape: dict(
                x=_spread(shape)(rng), factors=[rng.standard_normal(shape) for _ in range(n)], basis=b, coefficients=c
            ),
            ref=_smooth,
            dtypes=FLOATS,
            grad=("x", "factors") if shape[0] > 1 else (),
            id=f"{b} {len(c)} {n} {shape}",
        )
        for b, c, n in _SMOOTH
        for shape in ((3, 5), (1, 1100))
    ),
    *(
        Case(
            op=o, args=lambda rng, a=a: dict(x=_spread((4, 9))(rng)) | a, ref=f, dtypes=FLOATS, grad=("x",), id="values"
        )
        for o, (f, a) in _POINTWISE.items()
    ),
    *(
        Case(op=o, args=lambda rng: dict(x=_EXTREME), ref=f, dtypes=BOTH, id="extreme")
        for o, f in dict(
            softplus=lambda x: np.logaddexp(0, x),
            logsigmoid=special.log_expit,
            mish=lambda x: x * np.tanh(np.logaddexp(0, x)),
            selu=_selu,
            elu=lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
            softsign=lambda x: x / (1 + abs(x)),
        ).items()
    ),
    *(
        Case(
            op=o,
            args=lambda rng, a=a: dict(out=rng.uniform(0.1, 0.9, (3, 5)), out_grad=rng.standard_normal((3, 5))) | a,
            ref=f,
            dtypes=FLOATS,
            grad=("out", "out_grad"),
        )
        for o, (f, a) in _OF_RESULT.items()
    ),
    *map(_of_input, _GRADS),
    Case(
        op="thresholded_relu_grad",
        args=lambda rng: dict(x=_spread((3, 5))(rng), out_grad=rng.standard_normal((3, 5)), threshold=0.3),
        ref=lambda x, out_grad, threshold: np.where(x > threshold, out_grad, 0),
        dtypes=FLOATS,
        grad=("x", "out_grad"),
    ),
    Case(
        op="gelu_grad",
        args=lambda rng: dict(x=_spread((3, 5))(rng), out_grad=rng.standard_normal((3, 5))),
        ref=_erf_slope,
        dtypes=FLOATS,
        grad=("x", "out_grad"),
        id="exact",
    ),
    Case(
        op="mish_grad",
        args=lambda rng: dict(x=_spread((3, 5))(rng), out_grad=rng.standard_normal((3, 5))),
        ref=_mish_slope,
        dtypes=FLOATS,
        grad=("x", "out_grad"),
    ),
    *(
        Case(
            op="glu",
            args=lambda rng, shape=shape, axis=axis: dict(x=rng.standard_normal(shape), axis=axis),
            ref=lambda x, axis: _halves(x, axis)[0] / (1 + np.exp(-_halves(x, axis)[1])),
            dtypes=FLOATS,
            grad=("x",) if len(shape) < 4 else (),
            id=f"axis {axis} of {len(shape)}",
        )
        for shape, axis in (((3, 8), -1), ((3, 4, 5), 1), ((4, 3), 0), ((2, 6, 41, 33), 1))
    ),
    Case(
        op="swiglu",
        args=lambda rng: dict(x=rng.standard_normal((3, 4)), y=rng.standard_normal((3, 4))),
        ref=_swiglu,
        dtypes=FLOATS,
        grad=("x", "y"),
        id="two tensors",
    ),
    Case(
        op="swiglu",
        args=lambda rng: dict(x=rng.standard_normal((3, 8)), y=None),
        ref=_swiglu,
        dtypes=FLOATS,
        grad=("x",),
        id="halves",
    ),
    Case(
        op="swiglu",
        args=lambda rng: dict(x=rng.standard_normal((41, 2060)), y=None),
        ref=_swiglu,
        dtypes=FLOATS,
        id="halves of several blocks",
    ),
    Case(
        op="swiglu_grad",
        args=lambda rng: dict(zip(("x", "y", "out_grad"), rng.standard_normal((3, 5, 7)), strict=True)),
        ref=_swiglu_slopes,
        dtypes=FLOATS,
        grad=("x", "y", "out_grad"),
    ),
    Case(
        op="swiglu_grad",
        args=lambda rng: dict(zip(("x", "y", "out_grad"), rng.standard_normal((3, 50, 333)), strict=True)),
        ref=_swiglu_slopes,
        dtypes=FLOATS,
        id="several blocks",
    ),
    Case(
        op="prelu",
        args=lambda rng: dict(x=_spread((2, 3, 4))(rng), alpha=rng.random(1)),
        ref=_prelu,
        dtypes=FLOATS,
        grad=("x", "alpha"),
        id="one slope",
    ),
    Case(
        op="prelu",
        args=lambda rng: dict(x=_spread((2, 3, 4))(rng), alpha=rng.random(3), mode="channel"),
        ref=_prelu,
        dtypes=FLOATS,
        grad=("x", "alpha"),
        id="channels",
    ),
    Case(
        op="prelu",
        args=lambda rng: dict(x=_spread((2, 3, 4))(rng), alpha=rng.random(4), data_format="NHWC", mode="channel"),
        ref=_prelu,
        dtypes=FLOATS,
        grad=("x", "alpha"),
        id="channels last",
    ),
    Case(
        op="rrelu",
        args=lambda rng: dict(x=_spread((2, 3, 4))(rng), lower=0.1, upper=0.3, is_test=True),
        ref=lambda x, lower, upper, is_test: (np.where(x > 0, x, 0.2 * x), np.where(x > 0, 1, 0.2)),
        dtypes=FLOATS,
        grad=("x",),
        id="evaluation",
    ),
    Case(
        op="maxout",
        args=lambda rng: dict(x=rng.permutation(48).reshape(2, 6, 4) / 7.0, groups=2, axis=1),
        ref=lambda x, groups, axis: x.reshape(2, 3, 2, 4).max(2),
        dtypes=BOTH,
        grad=("x",),
    ),
    Case(op="gumbel_softmax", args=lambda rng: dict(x=rng.standard_normal((3, 4))), ref=None, dtypes=BOTH),
    _forward("softmax", special.softmax, (3, 37), -1),
    _forward("softmax", special.softmax, (2, 5, 3), 1),
    _forward("log_softmax", special.log_softmax, (3, 37), -1),
    _forward("log_softmax", special.log_softmax, (2, 5, 3), 0),
    Case(
        op="softmax_grad",
        args=lambda rng: dict(out=rng.random((3, 4)), out_grad=rng.standard_normal((3, 4)), axis=-1),
        ref=_softmax_grad,
        dtypes=("float32", "float64"),
        grad=("out", "out_grad"),
    ),
    Case(
        op="log_softmax_grad",
        args=lambda rng: dict(out=-rng.random((3, 4)), out_grad=rng.standard_normal((3, 4)), axis=-1),
        ref=_log_softmax_grad,
        dtypes=("float32", "float64"),
        grad=("out", "out_grad"),
    ),
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the elementwise operators."""

import numpy as np
import paddle
from scipy import special

from tests.op_cases import ALL_FLOATS, Case


def _pair(rng):
    return dict(x=rng.uniform(0.5, 2, (2, 3)), y=rng.uniform(0.5, 2, (3,)))


def _one(rng):
    return dict(x=rng.uniform(0.2, 0.8, (2, 3)))


def _signed(rng):
    return dict(x=rng.uniform(0.1, 3, (2, 4)) * np.array([-1.0, 1.0, -1.0, 1.0]))


_BINARY = dict(
    add=np.add,
    subtract=np.subtract,
    multiply=np.multiply,
    divide=np.divide,
    elementwise_pow=np.power,
    maximum=np.maximum,
    minimum=np.minimum,
    fmax=np.fmax,
    fmin=np.fmin,
    atan2=np.arctan2,
)
_FLAGS = dict(
    equal=np.equal,
    not_equal=np.not_equal,
    less_than=np.less,
    less_equal=np.less_equal,
    greater_than=np.greater,
    greater_equal=np.greater_equal,
    logical_and=np.logical_and,
    logical_or=np.logical_or,
    logical_xor=np.logical_xor,
    floor_divide=np.floor_divide,
    remainder=np.mod,
    heaviside=np.heaviside,
)
_UNARY = dict(
    exp=np.exp,
    expm1=np.expm1,
    log=np.log,
    log2=np.log2,
    log10=np.log10,
    log1p=np.log1p,
    sqrt=np.sqrt,
    rsqrt=lambda x: 1 / np.sqrt(x),
    square=np.square,
    reciprocal=np.reciprocal,
    sin=np.sin,
    cos=np.cos,
    tan=np.tan,
    asin=np.arcsin,
    acos=np.arccos,
    atan=np.arctan,
    sinh=np.sinh,
    cosh=np.cosh,
)
_SIGNED = dict(
    abs=np.abs,
    neg=np.negative,
    tanh=np.tanh,
    erf=special.erf,
    sigmoid=special.expit,
    relu=lambda x: np.maximum(x, 0),
    silu=lambda x: x * special.expit(x),
    swish=lambda x: x * special.expit(x),
    logsigmoid=special.log_expit,
    gelu=lambda x: x * special.ndtr(x),
    relu6=lambda x: np.clip(x, 0, 6),
    tanh_shrink=lambda x: x - np.tanh(x),
    elu=lambda x: np.where(x > 0, x, np.expm1(x)),
    leaky_relu=lambda x: np.where(x > 0, x, 0.01 * x),
    softplus=lambda x: np.logaddexp(0, x),
    mish=lambda x: x * np.tanh(np.logaddexp(0, x)),
)
_ROUNDING = dict(
    floor=np.floor,
    ceil=np.ceil,
    round=np.round,
    trunc=np.trunc,
    sign=np.sign,
    isnan=np.isnan,
    isinf=np.isinf,
    isfinite=np.isfinite,
    logical_not=np.logical_not,
)

_BITS = dict(bitwise_and=np.bitwise_and, bitwise_or=np.bitwise_or, bitwise_xor=np.bitwise_xor)

CASES = (
    [
        Case(op=o, args=_pair, ref=f, dtypes=("float32", "float64"), grad=("x", "y"), id="broadcast")
        for o, f in _BINARY.items()
    ]
    + [Case(op=o, args=_pair, ref=f, dtypes=("float32", "float64"), id="broadcast") for o, f in _FLAGS.items()]
    + [Case(op=o, args=_one, ref=f, dtypes=("float32", "float64"), grad=("x",), id="plain") for o, f in _UNARY.items()]
    + [
        Case(op=o, args=_signed, ref=f, dtypes=("float32", "float64"), grad=("x",), id="signed")
        for o, f in _SIGNED.items()
    ]
    + [Case(op=o, args=_signed, ref=f, dtypes=("float32", "float64"), id="signed") for o, f in _ROUNDING.items()]
    + [
        Case(
            op="clip",
            args=lambda rng: dict(x=rng.uniform(-2, 2, (3, 4)), min=-1.0, max=1.0),
            ref=lambda x, min, max: np.clip(x, min, max),
            dtypes=("float32",),
            grad=("x",),
            id="both",
        ),
        Case(
            op="scale",
            args=lambda rng: dict(x=rng.uniform(-2, 2, (3,)), scale=2.0, bias=1.0),
            ref=lambda x, scale, bias: x * scale + bias,
            dtypes=("float32",),
            grad=("x",),
            id="affine",
        ),
        Case(
            op="pow",
            args=lambda rng: dict(x=rng.uniform(0.5, 2, (3,)), y=3.0),
            ref=lambda x, y: x**y,
            dtypes=("float32",),
            grad=("x",),
            id="cube",
        ),
    ]
    + [
        Case(op=o, args=lambda rng: dict(x=rng.integers(-9, 9, (2, 3)), y=rng.integers(-9, 9, 3)), ref=f, id="integers")
        for o, f in _BITS.items()
    ]
    + [
        Case(op=o, args=lambda rng: dict(x=rng.random((2, 3)) < 0.5, y=rng.random(3) < 0.5), ref=f, id="flags")
        for o, f in _BITS.items()
    ]
    + [
        Case(op="bitwise_not", args=lambda rng: dict(x=rng.integers(-9, 9, (2, 3))), ref=np.invert, id="integers"),
        Case(op="bitwise_not", args=lambda rng: dict(x=rng.random((2, 3)) < 0.5), ref=np.invert, id="flags"),
        Case(op="assign", args=_signed, ref=lambda x: x, dtypes=ALL_FLOATS, grad=("x",)),
        Case(
            op="copy_to",
            args=lambda rng: dict(**_signed(rng), place=paddle.CPUPlace()),
            ref=lambda x, place: x,
            dtypes=ALL_FLOATS,
            grad=("x",),
        ),
        Case(
            op="overwrite_",
            args=lambda rng: dict(x=rng.standard_normal((2, 3)), output=rng.standard_normal((2, 3))),
            ref=lambda x, output: x,
            dtypes=ALL_FLOATS,
        ),
        Case(
            op="hardsigmoid",
            args=_signed,
            ref=lambda x: np.clip(x * 0.1666667 + 0.5, 0, 1),
            dtypes=("float32", "float64"),
            grad=("x",),
        ),
        Case(
            op="hardswish",
            args=_signed,
            ref=lambda x: x * np.clip(x + 3, 0, 6) / 6,
            dtypes=("float32", "float64"),
            grad=("x",),
        ),
        Case(
            op="relu_grad",
            args=lambda rng: dict(out=np.array([0.0, 1.0, 0.0, 2.0]), out_grad=rng.normal(size=4)),
            ref=lambda out, out_grad: np.where(out > 0, out_grad, 0),
            dtypes=ALL_FLOATS,
            grad=("out_grad",),
        ),
        Case(
            op="silu_grad",
            args=lambda rng: dict(x=rng.normal(size=(2, 3)), out_grad=rng.normal(size=(2, 3))),
            ref=lambda x, out_grad: out_grad * special.expit(x) * (1 + x * (1 - special.expit(x))),
            dtypes=("float32", "float64"),
            grad=("x", "out_grad"),
        ),
    ]
    + [
        Case(
            op=o,
            args=lambda rng: dict(x=rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))),
            ref=f,
            dtypes=("complex64", "complex128"),
            id="complex",
        )
        for o, f in dict(real=np.real, imag=np.imag, conj=np.conj).items()
    ]
    + [
        Case(op=o, args=_signed, ref=f, dtypes=("float32", "float64"), id="real numbers")
        for o, f in dict(real=np.real, conj=np.conj).items()
    ]
    + [
        Case(
            op="cast",
            args=lambda rng: dict(x=rng.uniform(-5, 5, (2, 3)), dtype="float64"),
            ref=lambda x, dtype: x,
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="widened",
        ),
        Case(
            op="cast",
            args=lambda rng: dict(x=rng.uniform(-5, 5, (2, 3)), dtype="int32"),
            ref=lambda x, dtype: x.astype("int32"),
            dtypes=ALL_FLOATS,
            id="to integers",
        ),
        Case(
            op="cast",
            args=lambda rng: dict(x=np.array([0.0, -0.0, 0.5, -3.0]), dtype="bool"),
            ref=lambda x, dtype: x.astype(bool),
            dtypes=ALL_FLOATS,
            id="to flags",
        ),
        Case(
            op="cast",
            args=lambda rng: dict(x=rng.integers(-5, 5, (0, 3)), dtype="float32"),
            ref=lambda x, dtype: x.astype("float32"),
            id="no elements",
        ),
        Case(
            op="cast",
            args=lambda rng: dict(x=np.array(3), dtype="float32"),
            ref=lambda x, dtype: np.float32(3),
            id="no axes",
        ),
    ]
)

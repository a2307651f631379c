# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of operators with an epilogue. The steps are NumPy functions by name."""

import re

import numpy as np
from scipy.special import erf, expit

from tests.op_cases import FLOATS, Case
from tests.op_cases.conv import _conv

_STEPS = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x, a: np.where(x > 0, x, a * x),
    "sigmoid": expit,
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "swish": lambda x, a: x * expit(a * x),
    "tanh": np.tanh,
    "gelu": lambda x: x / 2 * (1 + erf(x / np.sqrt(2))),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "clip": np.clip,
    "linear": lambda x, a, b: a * x + b,
}


def _apply(x, epilogue, residual):
    for step in epilogue.split():
        name, numbers = re.fullmatch(r"(\w+)(?:\((.*)\))?", step).groups()
        if name in ("add", "multiply"):
            x = x + residual if name == "add" else x * residual
        else:
            x = _STEPS[name](x, *map(float, numbers.split(",") if numbers else ()))
    return x


def _conv_ref(input, filter, bias=None, residual=None, epilogue="", **attributes):
    y = _conv(input, filter, **attributes)
    last = attributes.get("data_format", "NCHW").endswith("C")
    y = y if bias is None else y + (bias if last else bias.reshape(-1, 1, 1))
    return _apply(y, epilogue, residual)


def _matmul_ref(x, y, bias=None, residual=None, transpose_y=False, epilogue=""):
    out = x @ (y.T if transpose_y else y)
    return _apply(out if bias is None else out + bias, epilogue, residual)


def _conv_row(id, x, w, out, epilogue, bias=True, order=2, dtypes=FLOATS, **attributes):
    attributes = {"strides": [1, 1], "paddings": [0, 0]} | attributes

    def args(rng):
        made = {"input": rng.standard_normal(x), "filter": rng.standard_normal(w) / 3}
        if bias:
            made["bias"] = rng.standard_normal(w[0])
        if "add" in epilogue or "multiply" in epilogue:
            made["residual"] = rng.standard_normal(out)
        return made | attributes | {"epilogue": epilogue}

    grad = ("input", "filter") + (("bias",) if bias else ())
    return Case(
        op="conv2d_epilogue", id=id, args=args, ref=_conv_ref, dtypes=dtypes, grad=grad, grad_order=order, atol=3e-5
    )


def _matmul_row(id, x, y, epilogue, bias=True, transpose_y=False, order=2):
    columns = y[0] if transpose_y else y[1]

    def args(rng):
        made = {"x": rng.standard_normal(x), "y": rng.standard_normal(y) / 3}
        if bias:
            made["bias"] = rng.standard_normal(columns)
        if "add" in epilogue or "multiply" in epilogue:
            made["residual"] = rng.standard_normal((*x[:-1], columns))
        return made | {"transpose_y": transpose_y, "epilogue": epilogue}

    grad = ("x", "y") + (("bias",) if bias else ())
    return Case(
        op="matmul_epilogue", id=id, args=args, ref=_matmul_ref, dtypes=FLOATS, grad=grad, grad_order=order, atol=3e-5
    )


CASES = [
    _conv_row("bias alone", (2, 3, 6, 5), (4, 3, 3, 2), (2, 4, 4, 4), "", order=3),
    _conv_row("residual", (1, 4, 5, 5), (8, 4, 3, 3), (1, 8, 5, 5), "add tanh", paddings=[1, 1]),
    _conv_row("product", (1, 4, 5, 5), (8, 4, 1, 1), (1, 8, 5, 5), "sigmoid multiply", bias=False),
    _conv_row("swish", (1, 3, 6, 6), (24, 3, 3, 3), (1, 24, 3, 3), "swish(1.5) linear(2,-0.5)", strides=[2, 2]),
    _conv_row("gelu", (1, 3, 4, 4), (16, 3, 1, 1), (1, 16, 4, 4), "gelu linear(0.5,0) gelu_tanh"),
    _conv_row(
        "hardswish", (1, 16, 5, 5), (16, 1, 3, 3), (1, 16, 3, 3), "hardswish linear(0.5,0.1)", order=0, groups=16
    ),
    _conv_row("kinks", (1, 2, 4, 4), (3, 2, 2, 2), (1, 3, 3, 3), "leaky_relu(0.1) clip(-0.5,2) relu", order=0),
    _conv_row("hardsigmoid", (2, 8, 1, 1), (4, 8, 1, 1), (2, 4, 1, 1), "hardsigmoid(0.2,0.5)", order=0),
    _conv_row(
        "channels last", (1, 5, 4, 6), (4, 6, 3, 3), (1, 5, 4, 4), "add sigmoid", paddings=[1, 1], data_format="NHWC"
    ),
    _conv_row("winograd", (1, 32, 12, 13), (48, 32, 3, 3), (1, 48, 12, 13), "add relu", paddings=[1, 1], order=0),
    _conv_row(
        "winograd, channels last",
        (1, 13, 11, 32),
        (32, 32, 3, 3),
        (1, 13, 9, 32),
        "tanh",
        order=0,
        paddings=[1, 1, 0, 0],
        data_format="NHWC",
    ),
    _conv_row("pointwise", (2, 9, 5, 7), (32, 9, 1, 1), (2, 32, 5, 7), "multiply hardswish", order=0),
    _conv_row("pointwise, part of a panel", (1, 20, 3, 5), (204, 20, 1, 1), (1, 204, 3, 5), "leaky_relu(0.1)", order=0),
    _conv_row("empty batch", (0, 3, 6, 5), (4, 3, 3, 2), (0, 4, 4, 4), "relu", order=0),
    _matmul_row("bias alone", (3, 5), (5, 4), "", order=3),
    _matmul_row("gelu", (2, 3, 5), (5, 16), "gelu"),
    _matmul_row("transposed", (4, 6), (8, 6), "add tanh", transpose_y=True),
    _matmul_row("several blocks", (157, 512), (512, 70), "add gelu_tanh", order=0),
    _matmul_row("deep", (14, 2051), (2051, 33), "linear(0.1,1) swish(1)", order=0),
    _matmul_row("deep, transposed", (13, 2048), (40, 2048), "sigmoid", transpose_y=True, order=0),
    _matmul_row("plain", (2, 7), (7, 3), "", bias=False),
    _matmul_row("empty", (0, 7), (7, 3), "sigmoid"),
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of activations and of the gradients that have an operator of their own."""

from . import between, normal, row, same

X = (0,)
F = "nn.functional."


def functional(ours, theirs=None):
    return same(ours, [normal()], {ours: F + (theirs or ours)}, out=False, grad=X)[0]


def backward(op, theirs, *more, first="x"):
    """The gradient operator against aten's, given what the first input is: the input or the result."""
    value = normal() if first == "x" else between(0.01, 0.99)
    return row(
        op,
        [value, normal()],
        lambda o, x, g: getattr(o, op)(x, g),
        lambda t, x, g: getattr(t.ops.aten, theirs)(g, x, *more),
    )


def elu_backward(op, *scales):
    return row(
        op,
        [normal(), normal()],
        lambda o, x, g: getattr(o, op)(x, g),
        lambda t, x, g: t.ops.aten.elu_backward(g, *scales, False, x),
    )


def composed(op, inputs, ours, torch, grad=X, **more):
    return row(op, inputs, ours, torch, grad=grad, **more)


SELU = (1.6732632423543772, 1.0507009873554805)

ROWS = [
    *[functional(name) for name in "relu silu celu selu softsign hardtanh hardshrink softshrink".split()],
    *[functional(name) for name in "leaky_relu elu softplus hardswish hardsigmoid relu6 gelu logsigmoid mish".split()],
    functional("swish", "silu"),
    functional("tanh_shrink", "tanhshrink"),
    composed("stanh", [normal()], lambda o, x: o.stanh(x), lambda t, x: 1.7159 * t.tanh(0.67 * x)),
    composed(
        "thresholded_relu",
        [normal()],
        lambda o, x: o.thresholded_relu(x, 1.0, 0.0),
        lambda t, x: t.nn.functional.threshold(x, 1.0, 0.0),
    ),
    backward("relu_grad", "threshold_backward", 0, first="out"),
    backward("sigmoid_grad", "sigmoid_backward", first="out"),
    backward("tanh_grad", "tanh_backward", first="out"),
    backward("relu6_grad", "hardtanh_backward", 0, 6, first="out"),
    row(
        "hardsigmoid_grad",
        [between(0.01, 0.99), normal()],
        lambda o, y, g: o.hardsigmoid_grad(y, g),
        lambda t, y, g: t.ops.aten.hardsigmoid_backward(g, y),
        checked=False,
        note="PyTorch's takes the input, ours the result",
    ),
    backward("silu_grad", "silu_backward"),
    row(
        "smooth_product",
        [between(-0.9, 0.9), normal(), normal()],
        lambda o, y, g, h: o.smooth_product(y, [g, h], "power", [0.0, -2.0]),
        lambda t, y, g, h: -2.0 * y * g * h,
    ),
    backward("leaky_relu_grad", "leaky_relu_backward", 0.01, False),
    elu_backward("elu_grad", 1.0, 1.0, 1.0),
    elu_backward("celu_grad", 1.0, 1.0, 1.0),
    elu_backward("selu_grad", *SELU, 1.0),
    backward("softplus_grad", "softplus_backward", 1.0, 20.0),
    backward("hardswish_grad", "hardswish_backward"),
    backward("hardtanh_grad", "hardtanh_backward", -1.0, 1.0),
    backward("hardshrink_grad", "hardshrink_backward", 0.5),
    backward("softshrink_grad", "softshrink_backward", 0.5),
    backward("gelu_grad", "gelu_backward"),
    backward("thresholded_relu_grad", "threshold_backward", 1.0),
    backward("mish_grad", "mish_backward"),
    composed(
        "swiglu",
        [normal(), normal()],
        lambda o, x, y: o.swiglu(x, y),
        lambda t, x, y: t.nn.functional.silu(x) * y,
        grad=(0, 1),
    ),
    row("glu", [normal()], lambda o, x: o.glu(x, -1), lambda t, x: t.nn.functional.glu(x), grad=X),
    row(
        "swiglu_grad",
        [normal()] * 3,
        lambda o, x, y, g: o.swiglu_grad(x, y, g),
        lambda t, x, y, g: (t.ops.aten.silu_backward(g * y, x), t.nn.functional.silu(x) * g),
    ),
    composed(
        "prelu",
        [normal(8, 32, 64, 64), between(0.1, 0.3, 32)],
        lambda o, x, a: o.prelu(x, a, "NCHW", "channel"),
        lambda t, x, a: t.nn.functional.prelu(x, a),
        grad=(0, 1),
    ),
    composed(
        "rrelu",
        [normal()],
        lambda o, x: o.rrelu(x, 0.125, 0.3333, False),
        lambda t, x: t.rrelu(x, 0.125, 0.3333, True),
        checked=False,
    ),
    composed(
        "maxout",
        [normal(8, 32, 64, 64)],
        lambda o, x: o.maxout(x, 4, 1),
        lambda t, x: x.view(8, 8, 4, 64, 64).amax(2),
    ),
    composed(
        "gumbel_softmax",
        [normal()],
        lambda o, x: o.gumbel_softmax(x, 1.0, False, -1),
        lambda t, x: t.nn.functional.gumbel_softmax(x, 1.0, False, dim=-1),
        checked=False,
    ),
    composed("softmax", [normal()], lambda o, x: o.softmax(x, -1), lambda t, x: t.softmax(x, -1)),
    composed("log_softmax", [normal()], lambda o, x: o.log_softmax(x, -1), lambda t, x: t.log_softmax(x, -1)),
    row(
        "softmax_grad",
        [between(0, 0.002), normal()],
        lambda o, y, g: o.softmax_grad(y, g, -1),
        lambda t, y, g: t.ops.aten._softmax_backward_data(g, y, -1, t.float32),
    ),
    row(
        "log_softmax_grad",
        [between(-9, -5), normal()],
        lambda o, y, g: o.log_softmax_grad(y, g, -1),
        lambda t, y, g: t.ops.aten._log_softmax_backward_data(g, y, -1, t.float32),
    ),
]

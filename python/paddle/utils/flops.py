# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations of operators, by their shapes."""

import math

_COUNTS = {}


def register_flops(op_type):
    """A decorator: the function counts the operations of `op_type` from shapes and attributes.

    Example:
        >>> from paddle.utils.flops import flops, register_flops
        >>> @register_flops("twice")
        ... def twice_flops(input_shapes, attrs):
        ...     return 2 * input_shapes["X"][0][0]
        >>> flops("twice", {"X": [[8]]}, {})
        16
    """

    def register(function):
        _COUNTS[op_type] = function
        return function

    return register


def flops(op_type, input_shapes, attrs):
    """Floating-point operations of one call.

    Args:
        op_type: Name of the operator in PaddlePaddle 2, such as 'matmul_v2'.
        input_shapes: name of an input -> list of shapes.
        attrs: Attributes by name.

    Returns:
        A number; 0 for operators that only move values, and for unknown ones.
    """
    count = _COUNTS.get(op_type)
    return 0 if count is None else count(input_shapes, attrs)


def _per_element(factor):
    def count(input_shapes, attrs):
        return factor * math.prod(input_shapes["X"][0])

    return count


for _factor, _names in (
    (1, "relu relu6 leaky_relu prelu elu silu pool"),
    (3, "softmax"),
    (5, "gelu"),
    (8, "layer_norm"),
):
    for _name in _names.split():
        register_flops(_name)(_per_element(_factor))


@register_flops("elementwise_add")
@register_flops("elementwise_mul")
@register_flops("elementwise_div")
def _pairwise(input_shapes, attrs):
    from ..tensor.manipulation import broadcast_shape

    return math.prod(broadcast_shape(list(input_shapes["X"][0]), list(input_shapes["Y"][0])))


def _product(x, y, transpose_x, transpose_y):
    from ..tensor.manipulation import broadcast_shape

    x, y = list(x), list(y)
    if transpose_x:
        x[-2:] = x[-1:-3:-1]
    if transpose_y:
        y[-2:] = y[-1:-3:-1]
    batch = math.prod(broadcast_shape(x[:-2], y[:-2]))
    return 2 * batch * math.prod(x[-2:]) * (y[-1] if len(y) > 1 else 1)


@register_flops("matmul")
def _matmul(input_shapes, attrs):
    return _product(input_shapes["X"][0], input_shapes["Y"][0], attrs.get("transpose_X"), attrs.get("transpose_Y"))


@register_flops("matmul_v2")
def _matmul_v2(input_shapes, attrs):
    return _product(input_shapes["X"][0], input_shapes["Y"][0], attrs.get("trans_x"), attrs.get("trans_y"))


@register_flops("conv2d")
def _conv2d(input_shapes, attrs):
    batch, _, *image = input_shapes["Input"][0]
    channels, depth, *kernel = input_shapes["Filter"][0]
    places = 1
    for size, k, stride, padding, dilation in zip(
        image, kernel, attrs["strides"], attrs["paddings"], attrs["dilations"], strict=True
    ):
        places *= (size + 2 * padding - dilation * (k - 1) - 1) // stride + 1
    results = batch * channels * places
    return results * 2 * depth * math.prod(kernel) + (results if input_shapes.get("Bias") else 0)

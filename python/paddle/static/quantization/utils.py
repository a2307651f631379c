# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of the variables of a scope as arrays, and what quantization does to arrays."""

import numpy


def load_variable_data(scope, var_name):
    """The values of a variable, as an array.

    Args:
        scope: A `paddle.static.Scope`.
        var_name: Name of the variable.
    """
    found = scope.find_var(var_name)
    assert found is not None, f"load_variable_data: the scope has no variable {var_name}."
    return numpy.array(found.get_tensor())


def set_variable_data(scope, place, var_name, np_value):
    """Write an array into a variable.

    Args:
        scope: A `paddle.static.Scope`.
        place: Device.
        var_name: Name of the variable.
        np_value: The array.
    """
    assert isinstance(np_value, numpy.ndarray), "set_variable_data: np_value must be an array."
    found = scope.find_var(var_name)
    if found is not None:
        found.get_tensor().set(np_value, place)


def _scales(scale, quant_axis, shape):
    """A number or one number a channel, shaped to multiply an array; zeros become 1e-8."""
    if isinstance(scale, list):
        if quant_axis not in (0, 1):
            raise AssertionError(f"quant_tensor: quant_axis has value {quant_axis}; it must be 0 or 1.")
        scale = numpy.array(scale, "float32").reshape([-1 if d == quant_axis else 1 for d in range(len(shape))])
    return numpy.where(numpy.equal(scale, 0.0), 1e-8, scale)


def quant_tensor(x, scale, quant_axis=0, weight_bits=8, onnx_format=False):
    """clip(x / scale * n, -n, n) with n = 2^(weight_bits - 1) - 1.

    Args:
        x: Array.
        scale: A number, or a list with one for each channel.
        quant_axis: The axis of the channels, 0 or 1.
        weight_bits: Bits of a code.
        onnx_format: Round to codes, down to -n - 1.

    Returns:
        An array of the dtype of x.
    """
    n = 2 ** (weight_bits - 1) - 1
    codes = x / _scales(scale, quant_axis, x.shape) * n
    if onnx_format:
        return numpy.clip(numpy.round(codes), -n - 1, n).astype(x.dtype)
    return numpy.clip(codes, -n, n).astype(x.dtype)


def dequant_tensor(x, scale, quant_axis=0, weight_bits=8):
    """The values of codes, x / n * scale with n = 2^(weight_bits - 1) - 1; see `quant_tensor`."""
    n = 2 ** (weight_bits - 1) - 1
    return (x * _scales(scale, quant_axis, x.shape) / n).astype(x.dtype)


def stable_sigmoid(x):
    """1 / (1 + exp(-x)) without overflow."""
    small = numpy.exp(-numpy.abs(x))
    return numpy.where(x < 0, small, 1.0) / (1.0 + small)


def l2_loss(gt, pred):
    """The mean of the squared differences of two arrays."""
    return ((gt - pred) ** 2).mean()


def calculate_quant_cos_error(orig_tensor, qdq_tensor):
    """The cosine of the angle between two arrays."""
    lengths = numpy.linalg.norm(orig_tensor) * numpy.linalg.norm(qdq_tensor)
    return numpy.inner(orig_tensor.flatten(), qdq_tensor.flatten()) / lengths

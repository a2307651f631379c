# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers as functions, control flow and Python functions of static programs."""

from ... import _core, _lazy, _legacy, _paths
from ... import nn as _nn
from ...framework.dtypes import convert, get_default_dtype
from ...framework.param_attr import ParamAttr
from ...framework.parameter import create_parameter as create_parameter
from ...framework.parameter import make_parameter
from ...utils import unique_name
from ..layers import (
    activated,
    batch_norm,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    deform_conv2d,
    group_norm,
    instance_norm,
    layer_norm,
    named,
    spectral_norm,
)
from ..py_func import py_func, static_pylayer
from ..sequence import (
    sequence_conv,
    sequence_expand,
    sequence_first_step,
    sequence_last_step,
    sequence_pool,
    sequence_softmax,
)
from . import control_flow as control_flow
from .control_flow import case, cond, switch_case, while_loop

__all__ = [
    "batch_norm",
    "bilinear_tensor_product",
    "case",
    "cond",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "deform_conv2d",
    "embedding",
    "fc",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "nce",
    "prelu",
    "py_func",
    "row_conv",
    "sequence_conv",
    "sequence_expand",
    "sequence_first_step",
    "sequence_last_step",
    "sequence_pool",
    "sequence_softmax",
    "sparse_embedding",
    "spectral_norm",
    "static_pylayer",
    "switch_case",
    "while_loop",
]
__dir__ = _lazy.listing(__name__)


def _parameter(shape, attr, prefix, is_bias, dtype=None):
    initial = _nn.initializer.Constant(0.0) if is_bias else _nn.initializer.XavierUniform()
    attr = ParamAttr._to_attr(attr)
    return make_parameter(shape, dtype or get_default_dtype(), attr, initial, prefix, "b" if is_bias else "w")


def fc(x, size, num_flatten_dims=1, weight_attr=None, bias_attr=None, activation=None, name=None):
    """A fully connected layer.

    Args:
        x: A variable or a list, whose products are added; axes from `num_flatten_dims` on are one.
        size: Number of outputs.
        num_flatten_dims: Number of leading axes that are kept.
        weight_attr: ParamAttr of the weights; with a list of inputs a list of them.
        bias_attr: ParamAttr of the bias; False: none.
        activation: Name of a function of `paddle.nn.functional`.
        name: Prefix of the names of the parameters.

    Raises:
        TypeError: An input is no variable of a floating dtype.

    Example:
        >>> paddle.enable_static()
        >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        ...     y = paddle.static.nn.fc(paddle.static.data("x", [None, 4, 5]), size=2)
        >>> y.shape  # the last two axes are one
        paddle.Size([-1, 2])
        >>> paddle.disable_static()
    """
    inputs = list(x) if isinstance(x, (list, tuple)) else [x]
    attrs = list(weight_attr) if isinstance(weight_attr, (list, tuple)) else [weight_attr] * len(inputs)
    prefix = name or unique_name.generate("fc")
    parts = []
    for value, attr in zip(inputs, attrs, strict=True):
        if not isinstance(value, _core.Tensor):
            raise TypeError(f"fc: x has type {type(value).__name__}; it must be a variable.")
        if not value.is_floating_point():
            raise TypeError(f"fc: x has dtype {value.dtype.name}; it must be a floating dtype.")
        axes = num_flatten_dims if num_flatten_dims >= 0 else value.ndim + num_flatten_dims
        features = 1
        for extent in value.shape[axes:]:
            features *= int(extent)
        weight = _parameter([features, size], attr, prefix, False, value.dtype)
        parts.append((value if value.ndim == axes + 1 else value.flatten(axes), weight))
    bias = None if bias_attr is False else _parameter([size], bias_attr, prefix, True, inputs[0].dtype)
    if len(parts) == 1:
        return activated(_nn.functional.linear(*parts[0], bias), activation)
    total = parts[0][0].matmul(parts[0][1])
    for value, weight in parts[1:]:
        total = total + value.matmul(weight)
    return activated(total if bias is None else total + bias, activation)


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
    """Rows of a table.

    Args:
        input: Integers.
        size: [rows, columns] of the table.
        is_sparse: Only rows that are looked up are stepped by optimizers with `lazy_mode`.
        is_distributed: Kept for older programs.
        padding_idx: Row that is zero and gets no gradient.
        param_attr: ParamAttr of the table.
        dtype: Dtype of the table.
    """
    table = _parameter(list(size), param_attr, unique_name.generate("embedding"), False, convert(dtype))
    return _nn.functional.embedding(input, table, padding_idx=padding_idx, sparse=is_sparse)


sparse_embedding = _legacy.absent_names(__name__)["sparse_embedding"]


def bilinear_tensor_product(x, y, size, act=None, name=None, param_attr=None, bias_attr=None):
    """out[:, i] = x W_i y^T + b_i for each of `size` outputs."""
    layer = _nn.Bilinear(int(x.shape[1]), int(y.shape[1]), size, weight_attr=param_attr, bias_attr=bias_attr)
    return activated(named(layer, name, "bilinear_tensor_product")(x, y), act)


def prelu(x, mode, param_attr=None, data_format="NCHW", name=None):
    """Leaky rectifier with learned slopes.

    Args:
        x: Shape [N, C, ...].
        mode: 'all' one slope, 'channel' one per channel, 'element' one per element of a sample.
        param_attr: ParamAttr of the slopes; they begin at 0.25.
        data_format: Where the channels stand.
        name: Prefix of the name of the slopes.

    Raises:
        ValueError: `mode` is another.
    """
    if mode not in ("all", "channel", "element"):
        raise ValueError(f"static.nn.prelu: mode has value {mode!r}; it must be 'all', 'channel' or 'element'.")
    channels_last = data_format[-1] == "C"
    shape = [1]
    if mode == "channel":
        shape = (
            [1, *[1] * (x.ndim - 2), int(x.shape[-1])] if channels_last else [1, int(x.shape[1]), *[1] * (x.ndim - 2)]
        )
    elif mode == "element":
        shape = [1, *[int(n) for n in x.shape[1:]]]
    attr, initial = ParamAttr._to_attr(param_attr), _nn.initializer.Constant(0.25)
    slopes = make_parameter(shape, x.dtype, attr, initial, name or unique_name.generate("prelu"), "w")
    return _core.ops.where(x > 0, x, x * slopes)


def row_conv(input, future_context_size, param_attr=None, act=None):
    """A convolution along time that looks ahead: out[t] = sum of w[i] * x[t + i], i from 0 to the context size.

    Args:
        input: Shape [N, T, D].
        future_context_size: Number of later steps.
        param_attr: ParamAttr of the weights, of shape [context + 1, D].
        act: Name of a function of `paddle.nn.functional`.
    """
    width = int(input.shape[-1])
    weight = _parameter(
        [future_context_size + 1, width], param_attr, unique_name.generate("row_conv"), False, input.dtype
    )
    padded = _nn.functional.pad(input, [0, 0, 0, future_context_size, 0, 0], pad_from_left_axis=True)
    total = input * weight[0]
    for i in range(1, future_context_size + 1):
        later = padded[:, i:] if i == future_context_size else padded[:, i : i - future_context_size]
        total = total + later * weight[i]
    return activated(total, act)


def _noise(sampler, count, total, custom_dist):
    """`count` classes drawn at random, and the function that gives the probability of classes."""
    import numpy

    from ...tensor.random import multinomial

    if sampler == "uniform":
        shares = numpy.full(total, 1.0 / total)
    elif sampler == "log_uniform":
        first = numpy.arange(total)
        shares = numpy.log((first + 2.0) / (first + 1.0)) / numpy.log(total + 1.0)
    elif sampler == "custom_dist" and custom_dist is not None:
        shares = numpy.asarray(custom_dist, "float64")
    else:
        raise ValueError(
            f"nce: sampler has value {sampler!r}; it must be 'uniform', 'log_uniform', or 'custom_dist' with custom_dist."
        )
    table = _core.to_tensor(shares.astype("float32"))
    return multinomial(table, count, replacement=True), lambda classes: table[classes]


def nce(
    input,
    label,
    num_total_classes,
    sample_weight=None,
    param_attr=None,
    bias_attr=None,
    num_neg_samples=None,
    name=None,
    sampler="uniform",
    custom_dist=None,
    seed=0,
    is_sparse=False,
):
    """Noise-contrastive estimation (Gutmann and Hyvärinen, 2010): each label against random classes.

    Args:
        input: Shape [N, D].
        label: Shape [N, 1].
        num_total_classes: Number of classes.
        sample_weight: Weights of the rows, of shape [N, 1].
        param_attr: ParamAttr of the weights, of shape [classes, D].
        bias_attr: ParamAttr of the bias, of shape [classes, 1]; False: none.
        num_neg_samples: Number of random classes; None: 10.
        name: Prefix of the names of the parameters.
        sampler: How they are drawn: 'uniform', 'log_uniform' or 'custom_dist'.
        custom_dist: Probabilities of the classes for 'custom_dist'.
        seed: Kept for older programs; the global generator draws.
        is_sparse: Kept for older programs; gradients are dense.

    Returns:
        The cost of each row, of shape [N, 1].
    """
    count, prefix = 10 if num_neg_samples is None else int(num_neg_samples), name or unique_name.generate("nce")
    weight = _parameter([num_total_classes, int(input.shape[1])], param_attr, prefix, False, input.dtype)
    bias = None if bias_attr is False else _parameter([num_total_classes, 1], bias_attr, prefix, True, input.dtype)
    drawn, share = _noise(sampler, count, num_total_classes, custom_dist)

    def cost(classes, logit, is_true):
        score, noise = _nn.functional.sigmoid(logit), share(classes) * float(count)
        return -_core.ops.log((score if is_true else noise) / (score + noise))

    true = label.reshape([-1])
    own = (input * weight[true]).sum(-1)
    others = input.matmul(weight[drawn], transpose_y=True)
    if bias is not None:
        own, others = own + bias[true].reshape([-1]), others + bias[drawn].reshape([1, -1])
    total = cost(true, own, True) + cost(drawn, others, False).sum(-1)
    total = total.reshape([-1, 1])
    return total if sample_weight is None else total * sample_weight


_paths.attach(__name__)

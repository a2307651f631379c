# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers as functions: each call makes the parameters of a layer and applies it."""

from .. import nn as _nn
from ..framework.dtypes import get_default_dtype
from ..framework.param_attr import ParamAttr
from ..framework.parameter import make_parameter
from .control_flow import case, cond, switch_case, while_loop
from .layers import (
    activated,
    bilinear_tensor_product,
    conv3d,
    conv3d_transpose,
    deform_conv2d,
    group_norm,
    instance_norm,
    spectral_norm,
)

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
    "prelu",
    "sparse_embedding",
    "spectral_norm",
    "switch_case",
    "while_loop",
]


def _parameter(shape, attr, prefix, is_bias):
    initial = _nn.initializer.Constant(0.0) if is_bias else _nn.initializer.XavierUniform()
    return make_parameter(
        shape, get_default_dtype(), ParamAttr._to_attr(attr), initial, prefix, "b" if is_bias else "w"
    )


def fc(x, size, num_flatten_dims=1, weight_attr=None, bias_attr=None, activation=None, name=None):
    """A fully connected layer.

    Args:
        x: A variable or a list, whose products are added; axes from `num_flatten_dims` on are one.
        size: Number of outputs.
        num_flatten_dims: Number of leading axes that are kept.
        weight_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the bias; False: none.
        activation: Name of a function of `paddle.nn.functional`.
    """
    from ..utils import unique_name

    inputs = list(x) if isinstance(x, (list, tuple)) else [x]
    total = None
    prefix = name or unique_name.generate("fc")
    for i, value in enumerate(inputs):
        axes = num_flatten_dims if num_flatten_dims >= 0 else value.ndim + num_flatten_dims
        features = 1
        for extent in value.shape[axes:]:
            features *= int(extent)
        weight = _parameter([features, size], weight_attr, prefix, False)
        flat = value if value.ndim == axes + 1 else value.flatten(axes)
        part = flat.matmul(weight)
        total = part if total is None else total + part
        if i == len(inputs) - 1 and bias_attr is not False:
            total = total + _parameter([size], bias_attr, prefix, True)
    return activated(total, activation)


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
    """Rows of a table.

    Args:
        input: Integers.
        size: [rows, columns] of the table.
        padding_idx: Row that is zero and gets no gradient.
        param_attr: ParamAttr of the table.
    """
    layer = _nn.Embedding(size[0], size[1], padding_idx=padding_idx, sparse=is_sparse, weight_attr=param_attr)
    return layer(input)


def sparse_embedding(
    input,
    size,
    padding_idx=None,
    is_test=False,
    entry=None,
    table_class="MemorySparseTable",
    param_attr=None,
    dtype="float32",
    slot=None,
):
    """An embedding whose table lives on parameter servers.

    Raises:
        NotImplementedError: This build has no parameter servers.
    """
    raise RuntimeError("sparse_embedding: this build has no parameter servers; use static.nn.embedding.")


def conv2d(
    input,
    num_filters,
    filter_size,
    stride=1,
    padding=0,
    dilation=1,
    groups=None,
    param_attr=None,
    bias_attr=None,
    use_cudnn=True,
    act=None,
    name=None,
    data_format="NCHW",
):
    """A two-dimensional convolution of [N, C, H, W] (or NHWC) with `num_filters` outputs."""
    channels = input.shape[1] if data_format == "NCHW" else input.shape[-1]
    layer = _nn.Conv2D(
        int(channels),
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups or 1,
        weight_attr=param_attr,
        bias_attr=bias_attr,
        data_format=data_format,
    )
    return activated(layer(input), act)


def conv2d_transpose(
    input,
    num_filters,
    output_size=None,
    filter_size=None,
    padding=0,
    stride=1,
    dilation=1,
    groups=None,
    param_attr=None,
    bias_attr=None,
    use_cudnn=True,
    act=None,
    name=None,
    data_format="NCHW",
):
    """A transposed two-dimensional convolution with `num_filters` outputs."""
    if filter_size is None:
        raise ValueError("conv2d_transpose: filter_size is None; pass the size of the filters.")
    channels = input.shape[1] if data_format == "NCHW" else input.shape[-1]
    layer = _nn.Conv2DTranspose(
        int(channels),
        num_filters,
        filter_size,
        stride,
        padding,
        dilation=dilation,
        groups=groups or 1,
        weight_attr=param_attr,
        bias_attr=bias_attr,
        data_format=data_format,
    )
    return activated(layer(input, output_size=output_size), act)


def batch_norm(
    input,
    act=None,
    is_test=False,
    momentum=0.9,
    epsilon=1e-05,
    param_attr=None,
    bias_attr=None,
    data_layout="NCHW",
    in_place=False,
    name=None,
    moving_mean_name=None,
    moving_variance_name=None,
    do_model_average_for_mean_and_var=True,
    use_global_stats=False,
):
    """Batch normalisation over all axes but the channels."""
    channels = input.shape[1] if data_layout[1] == "C" else input.shape[-1]
    layer = _nn.BatchNorm(
        int(channels),
        momentum=momentum,
        epsilon=epsilon,
        param_attr=param_attr,
        bias_attr=bias_attr,
        data_layout=data_layout,
        use_global_stats=use_global_stats,
    )
    for buffer, given in ((layer._mean, moving_mean_name), (layer._variance, moving_variance_name)):
        if given:
            buffer.name = given
    if is_test:
        layer.eval()
    return activated(layer(input), act)


def layer_norm(
    input,
    scale=True,
    shift=True,
    begin_norm_axis=1,
    epsilon=1e-05,
    param_attr=None,
    bias_attr=None,
    act=None,
    name=None,
):
    """Layer normalisation over the axes from `begin_norm_axis` on."""
    shape = [int(n) for n in input.shape[begin_norm_axis:]]
    layer = _nn.LayerNorm(shape, epsilon, param_attr if scale else False, bias_attr if shift else False)
    return activated(layer(input), act)


def prelu(x, mode, param_attr=None, data_format="NCHW", name=None):
    """Leaky rectifier with learned slopes: mode 'all' one, 'channel' one per channel."""
    if mode not in ("all", "channel"):
        raise NotImplementedError(f"static.nn.prelu: mode has value {mode!r}; 'all' and 'channel' are available.")
    count = 1 if mode == "all" else int(x.shape[1] if data_format == "NCHW" else x.shape[-1])
    return _nn.PReLU(count, weight_attr=param_attr, data_format=data_format)(x)

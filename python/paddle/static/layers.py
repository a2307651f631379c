# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rarer layers as functions: volumes, groups, instances, deformed and bilinear products."""

from .. import nn as _nn


def activated(value, name):
    """The value after a function of `paddle.nn.functional`, or itself."""
    if name is None:
        return value
    function = getattr(_nn.functional, name, None)
    if function is None:
        raise ValueError(f"static.nn: there is no activation {name!r}.")
    return function(value)


def _channels(value, data_format):
    return int(value.shape[1] if data_format[1] == "C" else value.shape[-1])


def conv3d(
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
    data_format="NCDHW",
):
    """A three-dimensional convolution of [N, C, D, H, W] (or NDHWC) with `num_filters` outputs."""
    layer = _nn.Conv3D(
        _channels(input, data_format),
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


def conv3d_transpose(
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
    data_format="NCDHW",
):
    """A transposed three-dimensional convolution with `num_filters` outputs."""
    if filter_size is None:
        raise ValueError("conv3d_transpose: filter_size is None; pass the size of the filters.")
    layer = _nn.Conv3DTranspose(
        _channels(input, data_format),
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


def group_norm(input, groups, epsilon=1e-05, param_attr=None, bias_attr=None, act=None, data_layout="NCHW", name=None):
    """Normalisation over `groups` groups of channels."""
    layer = _nn.GroupNorm(
        groups,
        _channels(input, data_layout),
        epsilon,
        weight_attr=param_attr,
        bias_attr=bias_attr,
        data_format=data_layout,
    )
    return activated(layer(input), act)


def instance_norm(input, epsilon=1e-05, param_attr=None, bias_attr=None, name=None):
    """Normalisation of each channel of each sample; `param_attr` and `bias_attr` False: without scale and shift."""
    if (param_attr is False) != (bias_attr is False):
        raise AssertionError("static.nn.instance_norm: param_attr and bias_attr must be False together.")
    kinds = {3: _nn.InstanceNorm1D, 4: _nn.InstanceNorm2D, 5: _nn.InstanceNorm3D}
    if input.ndim not in kinds:
        raise ValueError(f"static.nn.instance_norm: input has {input.ndim} axes; it must have 3, 4 or 5.")
    return kinds[input.ndim](int(input.shape[1]), epsilon, weight_attr=param_attr, bias_attr=bias_attr)(input)


def bilinear_tensor_product(x, y, size, act=None, name=None, param_attr=None, bias_attr=None):
    """out[:, i] = x W_i y^T + b_i for each of `size` outputs."""
    layer = _nn.Bilinear(int(x.shape[1]), int(y.shape[1]), size, weight_attr=param_attr, bias_attr=bias_attr)
    return activated(layer(x, y), act)


def deform_conv2d(
    x,
    offset,
    mask,
    num_filters,
    filter_size,
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    deformable_groups=1,
    im2col_step=1,
    weight_attr=None,
    bias_attr=None,
    name=None,
):
    """A deformable convolution: samples are taken at positions moved by `offset`, weighted by `mask` if given."""
    from ..vision.ops import DeformConv2D

    layer = DeformConv2D(
        int(x.shape[1]),
        num_filters,
        filter_size,
        stride=stride,
        padding=padding,
        dilation=dilation,
        deformable_groups=deformable_groups,
        groups=groups,
        weight_attr=weight_attr,
        bias_attr=bias_attr,
    )
    return layer(x, offset, mask)


def spectral_norm(weight, dim=0, power_iters=1, eps=1e-12, name=None):
    """A weight divided by an estimate of its largest singular value, after `power_iters` steps of power iteration."""
    return _nn.SpectralNorm([int(n) for n in weight.shape], dim, power_iters, eps)(weight)

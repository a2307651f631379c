# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions and normalisations as functions: each call makes the parameters of a layer and applies it."""

from .. import nn as _nn
from ..utils import unique_name
from .state import rename


def activated(value, name):
    """The value after a function of `paddle.nn.functional`, or itself."""
    if name is None:
        return value
    function = getattr(_nn.functional, name, None)
    if function is None:
        raise ValueError(f"static.nn: there is no activation {name!r}.")
    return function(value)


def named(layer, name, kind=None):
    """The layer, its parameters named after `name`, or after `kind` and a number."""
    if name is None and kind is not None:
        name = unique_name.generate(kind)
    own = f"{layer.full_name()}."
    for parameter in layer.parameters() if name else ():
        if parameter.name.startswith(own):
            kind_of = parameter.name[len(own) :].rpartition("_")[0]
            rename(parameter, unique_name.generate(f"{name}.{kind_of}"))
    return layer


def _channels(fn, value, data_format, known):
    if data_format not in known:
        raise ValueError(f"{fn}: data_format has value {data_format!r}; it must be one of {', '.join(known)}.")
    count = value.shape[1] if data_format[1] == "C" else value.shape[-1]
    if type(count) is not int:
        raise ValueError(f"{fn}: the number of channels of input varies; it must be declared.")
    return count


def _conv(fn, kind, known, input, filters, size, stride, padding, dilation, groups, attrs, act, name, data_format):
    layer = kind(
        _channels(fn, input, data_format, known),
        filters,
        size,
        stride,
        padding,
        dilation,
        groups or 1,
        weight_attr=attrs[0],
        bias_attr=attrs[1],
        data_format=data_format,
    )
    return activated(named(layer, name)(input), act)


def _deconv(
    fn, kind, known, input, filters, output_size, size, stride, padding, dilation, groups, attrs, act, name, data_format
):
    channels = _channels(fn, input, data_format, known)
    if size is None:
        size = _filter_size(fn, input, output_size, stride, padding, dilation, data_format)
    layer = kind(
        channels,
        filters,
        size,
        stride,
        padding,
        dilation=dilation,
        groups=groups or 1,
        weight_attr=attrs[0],
        bias_attr=attrs[1],
        data_format=data_format,
    )
    return activated(named(layer, name)(input, output_size=output_size), act)


def _filter_size(fn, input, output_size, stride, padding, dilation, data_format):
    """The size of filters that gives a transposed convolution the wanted output."""
    if output_size is None:
        raise ValueError(f"{fn}: filter_size and output_size are None; pass one of them.")
    extents = input.shape[2:] if data_format[1] == "C" else input.shape[1:-1]

    def listed(value):
        return list(value) if isinstance(value, (list, tuple)) else [value] * len(extents)

    wanted, steps, pads, spread = listed(output_size), listed(stride), listed(padding), listed(dilation)
    rows = zip(wanted, extents, steps, pads, spread, strict=True)
    return [(out - (n - 1) * s + 2 * p - 1) // d + 1 for out, n, s, p, d in rows]


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
    sizes = (num_filters, filter_size, stride, padding, dilation, groups)
    attrs = (param_attr, bias_attr)
    return _conv("conv2d", _nn.Conv2D, ("NCHW", "NHWC"), input, *sizes, attrs, act, name, data_format)


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
    sizes = (num_filters, filter_size, stride, padding, dilation, groups)
    attrs = (param_attr, bias_attr)
    return _conv("conv3d", _nn.Conv3D, ("NCDHW", "NDHWC"), input, *sizes, attrs, act, name, data_format)


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
    """A transposed two-dimensional convolution with `num_filters` outputs; without `filter_size` the filters are as
    large as `output_size` needs."""
    sizes = (num_filters, output_size, filter_size, stride, padding, dilation, groups)
    attrs = (param_attr, bias_attr)
    known = ("NCHW", "NHWC")
    return _deconv("conv2d_transpose", _nn.Conv2DTranspose, known, input, *sizes, attrs, act, name, data_format)


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
    """A transposed three-dimensional convolution with `num_filters` outputs; without `filter_size` the filters are as
    large as `output_size` needs."""
    sizes = (num_filters, output_size, filter_size, stride, padding, dilation, groups)
    attrs = (param_attr, bias_attr)
    known = ("NCDHW", "NDHWC")
    return _deconv("conv3d_transpose", _nn.Conv3DTranspose, known, input, *sizes, attrs, act, name, data_format)


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
    return named(layer, name)(x, offset, mask)


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
    named(layer, name)
    for buffer, given in ((layer._mean, moving_mean_name), (layer._variance, moving_variance_name)):
        if given:
            rename(buffer, given)
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
    attrs = {"weight_attr": param_attr if scale else False, "bias_attr": bias_attr if shift else False}
    layer = _nn.LayerNorm(shape, epsilon, **attrs)
    return activated(named(layer, name)(input), act)


def group_norm(input, groups, epsilon=1e-05, param_attr=None, bias_attr=None, act=None, data_layout="NCHW", name=None):
    """Normalisation over `groups` groups of channels."""
    channels = int(input.shape[1] if data_layout[1] == "C" else input.shape[-1])
    layer = _nn.GroupNorm(
        groups, channels, epsilon, weight_attr=param_attr, bias_attr=bias_attr, data_format=data_layout
    )
    return activated(named(layer, name)(input), act)


def instance_norm(input, epsilon=1e-05, param_attr=None, bias_attr=None, name=None):
    """Normalisation of each channel of each sample; `param_attr` and `bias_attr` False: without scale and shift."""
    if (param_attr is False) != (bias_attr is False):
        raise AssertionError("static.nn.instance_norm: param_attr and bias_attr must be False together.")
    kinds = {3: _nn.InstanceNorm1D, 4: _nn.InstanceNorm2D, 5: _nn.InstanceNorm3D}
    if input.ndim not in kinds:
        raise ValueError(f"static.nn.instance_norm: input has {input.ndim} axes; it must have 3, 4 or 5.")
    layer = kinds[input.ndim](int(input.shape[1]), epsilon, weight_attr=param_attr, bias_attr=bias_attr)
    return named(layer, name, "instance_norm")(input)


def spectral_norm(weight, dim=0, power_iters=1, eps=1e-12, name=None):
    """A weight divided by an estimate of its largest singular value, after `power_iters` steps of power iteration."""
    return _nn.SpectralNorm([int(n) for n in weight.shape], dim, power_iters, eps)(weight)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions and normalisations as functions: each call makes the parameters of a layer and applies it."""

import contextlib

from .. import nn as _nn
from ..framework.dtypes import get_default_dtype, is_floating, set_default_dtype
from ..nn.functional._by_name import activated
from ..utils import unique_name
from .state import rename


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


@contextlib.contextmanager
def _parameters_of(dtype):
    """Layers made inside have parameters of this dtype, where it is a floating one."""
    before = get_default_dtype()
    if is_floating(dtype):
        set_default_dtype(dtype)
    try:
        yield
    finally:
        set_default_dtype(before)


def _conv(fn, kind, known, input, filters, size, stride, padding, dilation, groups, attrs, act, name, data_format):
    channels = _channels(fn, input, data_format, known)
    forms = {"weight_attr": attrs[0], "bias_attr": attrs[1], "data_format": data_format}
    with _parameters_of(input.dtype):
        layer = kind(channels, filters, size, stride, padding, dilation, groups or 1, **forms)
    return activated(named(layer, name)(input), act)


def _deconv(
    fn, kind, known, input, filters, output_size, size, stride, padding, dilation, groups, attrs, act, name, data_format
):
    channels = _channels(fn, input, data_format, known)
    if size is None:
        size = _filter_size(fn, input, output_size, stride, padding, dilation, data_format)
    forms = {"weight_attr": attrs[0], "bias_attr": attrs[1], "data_format": data_format}
    with _parameters_of(input.dtype):
        layer = kind(channels, filters, size, stride, padding, dilation=dilation, groups=groups or 1, **forms)
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
    """A two-dimensional convolution, with parameters of its own.

    Args:
        input: Variable of shape [N, C, H, W].
        num_filters: Channels of the result.
        filter_size: Extents of the filters, an integer or one per axis.
        stride: Step of the filters, an integer or one per axis.
        padding: An integer, one per axis, one per side, 'SAME' or 'VALID'.
        dilation: Distance of the elements of a filter.
        groups: Groups of channels that do not see each other; 1 by default.
        param_attr: ParamAttr of the filters.
        bias_attr: ParamAttr of the bias; False: none.
        use_cudnn: Unused.
        act: Name of an activation behind it; None: none.
        name: Prefix of the names of its parameters.
        data_format: 'NCHW' or 'NHWC'.

    Returns:
        A variable of num_filters channels.

    Example:
        >>> paddle.enable_static()
        >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        ...     x = paddle.static.data("x", [None, 3, 8, 8])
        ...     y = paddle.static.nn.conv2d(x, num_filters=4, filter_size=3, padding=1, act="relu")
        >>> y.shape
        paddle.Size([-1, 4, 8, 8])
        >>> paddle.disable_static()
    """
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
    """A three-dimensional convolution, with parameters of its own.

    Args:
        input: Variable of shape [N, C, D, H, W].
        num_filters: Channels of the result.
        filter_size: Extents of the filters, an integer or one per axis.
        stride: Step of the filters, an integer or one per axis.
        padding: An integer, one per axis, one per side, 'SAME' or 'VALID'.
        dilation: Distance of the elements of a filter.
        groups: Groups of channels that do not see each other; 1 by default.
        param_attr: ParamAttr of the filters.
        bias_attr: ParamAttr of the bias; False: none.
        use_cudnn: Unused.
        act: Name of an activation behind it; None: none.
        name: Prefix of the names of its parameters.
        data_format: 'NCDHW' or 'NDHWC'.

    Returns:
        A variable of num_filters channels.
    """
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
    """A transposed two-dimensional convolution, with parameters of its own.

    Args:
        input: Variable of shape [N, C, H, W].
        num_filters: Channels of the result.
        output_size: Extents of the result; None: those that the other sizes give.
        filter_size: Extents of the filters; None: as large as output_size needs.
        stride: Step of the filters, an integer or one per axis.
        padding: An integer, one per axis, one per side, 'SAME' or 'VALID'.
        dilation: Distance of the elements of a filter.
        groups: Groups of channels that do not see each other; 1 by default.
        param_attr: ParamAttr of the filters.
        bias_attr: ParamAttr of the bias; False: none.
        use_cudnn: Unused.
        act: Name of an activation behind it; None: none.
        name: Prefix of the names of its parameters.
        data_format: 'NCHW' or 'NHWC'.

    Returns:
        A variable of num_filters channels.
    """
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
    """A transposed three-dimensional convolution, with parameters of its own.

    Args:
        input: Variable of shape [N, C, D, H, W].
        num_filters: Channels of the result.
        output_size: Extents of the result; None: those that the other sizes give.
        filter_size: Extents of the filters; None: as large as output_size needs.
        stride: Step of the filters, an integer or one per axis.
        padding: An integer, one per axis, one per side, 'SAME' or 'VALID'.
        dilation: Distance of the elements of a filter.
        groups: Groups of channels that do not see each other; 1 by default.
        param_attr: ParamAttr of the filters.
        bias_attr: ParamAttr of the bias; False: none.
        use_cudnn: Unused.
        act: Name of an activation behind it; None: none.
        name: Prefix of the names of its parameters.
        data_format: 'NCDHW' or 'NDHWC'.

    Returns:
        A variable of num_filters channels.
    """
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
    """Batch normalisation over all axes but the channels, with parameters and statistics of its own.

    Args:
        input: Variable of shape [N, C, ...], or [N, ..., C] with data_layout 'NHWC'.
        act: Name of an activation behind it; None: none.
        is_test: Whether the kept statistics are used.
        momentum: Weight of the kept statistics in their update; a variable is taken as well.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the scale.
        bias_attr: ParamAttr of the shift.
        data_layout: 'NCHW' or 'NHWC'.
        in_place: Unused.
        name: Prefix of the names of its parameters.
        moving_mean_name: Name of the kept mean.
        moving_variance_name: Name of the kept variance.
        do_model_average_for_mean_and_var: Unused.
        use_global_stats: Whether the kept statistics are used in training too.

    Returns:
        A variable of the shape of input.

    Example:
        >>> paddle.enable_static()
        >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        ...     y = paddle.static.nn.batch_norm(paddle.static.data("x", [None, 3, 8, 8]), act="relu")
        >>> y.shape
        paddle.Size([-1, 3, 8, 8])
        >>> paddle.disable_static()
    """
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
    """Layer normalisation over the axes from `begin_norm_axis` on, with parameters of its own.

    Args:
        input: A variable.
        scale: Whether there is a scale.
        shift: Whether there is a shift.
        begin_norm_axis: The first axis that is normalised.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the scale.
        bias_attr: ParamAttr of the shift.
        act: Name of an activation behind it; None: none.
        name: Prefix of the names of its parameters.

    Returns:
        A variable of the shape of input.
    """
    shape = [int(n) for n in input.shape[begin_norm_axis:]]
    attrs = {"weight_attr": param_attr if scale else False, "bias_attr": bias_attr if shift else False}
    layer = _nn.LayerNorm(shape, epsilon, **attrs)
    return activated(named(layer, name)(input), act)


def group_norm(input, groups, epsilon=1e-05, param_attr=None, bias_attr=None, act=None, data_layout="NCHW", name=None):
    """Normalisation over `groups` groups of channels, with parameters of its own.

    Args:
        input: Variable of shape [N, C, ...], or [N, ..., C] with data_layout 'NHWC'.
        groups: A divisor of the number of channels.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the scale; False: none.
        bias_attr: ParamAttr of the shift; False: none.
        act: Name of an activation behind it; None: none.
        data_layout: 'NCHW' or 'NHWC'.
        name: Prefix of the names of its parameters.

    Returns:
        A variable of the shape of input.

    Raises:
        ValueError: input has no axis of channels, or data_layout is another one.
    """
    if data_layout not in ("NCHW", "NHWC"):
        raise ValueError(f"static.nn.group_norm: data_layout has value {data_layout!r}; it must be 'NCHW' or 'NHWC'.")
    if input.ndim < 2:
        raise ValueError(f"static.nn.group_norm: input has rank {input.ndim}; it must be at least 2.")
    channels = int(input.shape[1] if data_layout[1] == "C" else input.shape[-1])
    layer = _nn.GroupNorm(
        groups, channels, epsilon, weight_attr=param_attr, bias_attr=bias_attr, data_format=data_layout
    )
    return activated(named(layer, name)(input), act)


def instance_norm(input, epsilon=1e-05, param_attr=None, bias_attr=None, name=None):
    """Normalisation of each channel of each sample, with parameters of its own.

    Args:
        input: Variable of shape [N, C, ...] with one to three axes behind the channels.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the scale; False, together with bias_attr: none.
        bias_attr: ParamAttr of the shift.
        name: Prefix of the names of its parameters.

    Raises:
        AssertionError: One of param_attr and bias_attr is False.
        ValueError: input has another rank.
    """
    if (param_attr is False) != (bias_attr is False):
        raise AssertionError("static.nn.instance_norm: param_attr and bias_attr must be False together.")
    kinds = {3: _nn.InstanceNorm1D, 4: _nn.InstanceNorm2D, 5: _nn.InstanceNorm3D}
    if input.ndim not in kinds:
        raise ValueError(f"static.nn.instance_norm: input has {input.ndim} axes; it must have 3, 4 or 5.")
    layer = kinds[input.ndim](int(input.shape[1]), epsilon, weight_attr=param_attr, bias_attr=bias_attr)
    return named(layer, name, "instance_norm")(input)


def spectral_norm(weight, dim=0, power_iters=1, eps=1e-12, name=None):
    """A weight divided by an estimate of its largest singular value.

    Args:
        weight: A variable, read as a matrix whose rows are its axis `dim`.
        dim: 0 or 1.
        power_iters: Steps of power iteration that make the estimate.
        eps: Added to norms that divide.
        name: Unused.

    Returns:
        A variable of the shape of weight.
    """
    return _nn.SpectralNorm([int(n) for n in weight.shape], dim, power_iters, eps)(weight)

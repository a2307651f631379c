# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that make parameters: each call makes those of one layer. Parameters belong to a program, so these functions
are for programs; in dynamic mode `paddle.fluid.dygraph` has layers that keep theirs."""

from ... import _core
from ... import nn as _nn
from ...framework.dtypes import convert
from ...framework.layer_helper import LayerHelper
from ...framework.modes import in_dynamic_mode
from ...nn.functional._by_name import activated
from ...static import layers as _static
from ...static import nn as _static_nn
from ..operators import ends_in_one, offsets_of, result, set_offsets, with_extents

ops = _core.ops
conv3d, conv2d_transpose, conv3d_transpose = _static.conv3d, _static.conv2d_transpose, _static.conv3d_transpose
bilinear_tensor_product, prelu, spectral_norm = (
    _static_nn.bilinear_tensor_product,
    _static_nn.prelu,
    _static.spectral_norm,
)
group_norm, instance_norm, layer_norm = _static.group_norm, _static.instance_norm, _static.layer_norm


def _for_programs(fn):
    if in_dynamic_mode():
        raise AssertionError(
            f"fluid.layers.{fn}: it makes parameters of a program, and none is recorded; call paddle.enable_static() first, "
            f"or use a layer of paddle.fluid.dygraph."
        )


def fc(input, size, num_flatten_dims=1, param_attr=None, bias_attr=None, act=None, name=None):
    """A fully connected layer: act(sum of input_i W_i, + b).

    Args:
        input: A variable or a list; the axes from `num_flatten_dims` on become one.
        size: Number of outputs.
        num_flatten_dims: Number of leading axes that are kept.
        param_attr: ParamAttr of the weights; with a list of inputs a list of them.
        bias_attr: ParamAttr of the bias; False: none.
        act: Name of an activation behind it.
        name: Prefix of the names of the parameters.

    Returns:
        A variable of shape [*input.shape[:num_flatten_dims], size].

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> paddle.enable_static()
        >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
        ...     x = fluid.layers.data("x", [4, 5])
        ...     y = fluid.layers.fc(x, 3)
        >>> list(y.shape)
        [-1, 3]
        >>> paddle.disable_static()
    """
    _for_programs("fc")
    made = _static_nn.fc(input, size, num_flatten_dims, param_attr, bias_attr, act, name)
    first = input[0] if isinstance(input, (list, tuple)) else input
    return set_offsets(made, offsets_of(first)) if offsets_of(first) else made


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
    """Rows of a table; a last axis of extent 1 of the integers is replaced by that of the rows.

    Args:
        input: Integers of shape [..., 1].
        size: [rows, columns] of the table.
        is_sparse: Only rows that are looked up are stepped by optimizers with `lazy_mode`.
        is_distributed: Kept for older programs.
        padding_idx: Row that is zero and gets no gradient; negative ones count from the end.
        param_attr: ParamAttr of the table.
        dtype: Dtype of the table.

    Returns:
        A variable of shape [..., columns].
    """
    _for_programs("embedding")
    flat = input.squeeze(-1) if ends_in_one(input) else input
    made = _static_nn.embedding(flat, size, is_sparse, is_distributed, _row(padding_idx, size), param_attr, dtype)
    return set_offsets(made, offsets_of(input)) if offsets_of(input) else made


def _row(padding_idx, size):
    return padding_idx + size[0] if padding_idx is not None and padding_idx < 0 else padding_idx


def embedding_v2(
    input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"
):
    """`embedding` of integers of any shape: rows are a new last axis (`fluid.embedding`)."""
    _for_programs("embedding")
    return _static_nn.embedding(input, size, is_sparse, is_distributed, _row(padding_idx, size), param_attr, dtype)


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
    """A convolution of images; filters begin as numbers of a normal distribution of variance 2 / (filter's size).

    See `paddle.static.nn.conv2d`.

    Returns:
        A variable of shape [N, num_filters, H', W'].
    """
    _for_programs("conv2d")
    made = _static.conv2d(
        input,
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups,
        param_attr,
        bias_attr,
        use_cudnn,
        act,
        name,
        data_format,
    )
    return made


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
    """Batch normalisation over all axes but the channels; see `paddle.static.nn.batch_norm`."""
    _for_programs("batch_norm")
    return _static.batch_norm(
        input,
        act,
        is_test,
        momentum,
        epsilon,
        param_attr,
        bias_attr,
        data_layout,
        in_place,
        name,
        moving_mean_name,
        moving_variance_name,
        do_model_average_for_mean_and_var,
        use_global_stats,
    )


def inplace_abn(input, act=None, is_test=False, momentum=0.9, epsilon=1e-05, *args, act_alpha=1.0, **kwargs):
    """`batch_norm` with an activation behind it: 'leaky_relu' and 'elu' read act_alpha."""
    made = batch_norm(input, None, is_test, momentum, epsilon, *args, **kwargs)
    return activated(made, act, alpha=act_alpha) if act in ("elu", "leaky_relu") else activated(made, act)


def data_norm(
    input,
    act=None,
    epsilon=1e-05,
    param_attr=None,
    data_layout="NCHW",
    in_place=False,
    name=None,
    moving_mean_name=None,
    moving_variance_name=None,
    do_model_average_for_mean_and_var=True,
    slot_dim=-1,
    sync_stats=False,
    summary_decay_rate=0.9999999,
    enable_scale_and_shift=False,
):
    """Columns less their mean, times the root of number / sum of squares: sums that are parameters of the program.

    Args:
        input: Shape [N, C].
        act: Name of an activation behind it.
        epsilon: Not read by the formula.
        param_attr: A dict with the first values 'batch_size', 'batch_sum' and 'batch_square' of the sums.

    Raises:
        NotImplementedError: slot_dim or enable_scale_and_shift is set.
    """
    _for_programs("data_norm")
    if slot_dim not in (-1, 0) or enable_scale_and_shift:
        raise NotImplementedError("data_norm: slot_dim and enable_scale_and_shift are not available in paddle.")
    first = {"batch_size": 1e4, "batch_sum": 0.0, "batch_square": 1e4}
    first.update({key: value for key, value in (param_attr or {}).items() if key in first})
    helper = LayerHelper("data_norm", name=name)
    sums = {}
    for key, value in first.items():
        attr = _core_attr(None if name is None else f"{name}.{key}", float(value))
        sums[key] = helper.create_parameter(attr, [int(input.shape[-1])], input.dtype)
    inputs = {"X": input, **{slot: sums[slot_of] for slot, slot_of in _SUMS.items()}}
    return activated(result("data_norm", inputs, {"epsilon": epsilon}, "Y"), act)


_SUMS = {"BatchSize": "batch_size", "BatchSum": "batch_sum", "BatchSquareSum": "batch_square"}


def _core_attr(name, value):
    from ...framework.param_attr import ParamAttr

    return ParamAttr(name=name, initializer=_nn.initializer.Constant(value))


def deformable_conv(
    input,
    offset,
    mask,
    num_filters,
    filter_size,
    stride=1,
    padding=0,
    dilation=1,
    groups=None,
    deformable_groups=None,
    im2col_step=None,
    param_attr=None,
    bias_attr=None,
    modulated=True,
    name=None,
):
    """A convolution whose samples are moved by `offset` and, where `modulated`, weighted by `mask`."""
    _for_programs("deformable_conv")
    return _static.deform_conv2d(
        input,
        offset,
        mask if modulated else None,
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups or 1,
        deformable_groups or 1,
        im2col_step or 1,
        param_attr,
        bias_attr,
        name,
    )


def row_conv(input, future_context_size, param_attr=None, act=None):
    """A convolution along time that looks ahead, of rows of sequences or of shape [N, T, D]."""
    _for_programs("row_conv")
    if not offsets_of(input):
        return _static_nn.row_conv(input, future_context_size, param_attr, act)
    helper = LayerHelper("row_conv")
    filter = helper.create_parameter(param_attr, [future_context_size + 1, int(input.shape[-1])], input.dtype)
    made = result("row_conv", {"X": input, "Filter": filter})
    return activated(with_extents(made, input.shape), act)


def autoincreased_step_counter(counter_name=None, begin=1, step=1):
    """A number that grows by `step` with every run; the first one reads `begin`. int64 of shape [1]."""
    from ...static.program import default_main_program
    from ...static.state import create_state

    _for_programs("autoincreased_step_counter")
    name = counter_name or "@STEP_COUNTER@"
    known = default_main_program()._state_named(name)
    if known is not None:
        return known
    made = create_state(name, lambda: ops.full([1], begin - step, _core.int64))
    _core.assign_inplace(made, made + step, "increment")
    return made


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A parameter; see `paddle.create_parameter`."""
    from ...framework.parameter import create_parameter as create

    return create(shape, convert(dtype), name, attr, is_bias, default_initializer)


__all__ = (
    "autoincreased_step_counter batch_norm bilinear_tensor_product conv2d conv2d_transpose conv3d conv3d_transpose "
    "create_parameter data_norm deformable_conv embedding fc group_norm inplace_abn instance_norm layer_norm prelu row_conv "
    "spectral_norm"
).split()

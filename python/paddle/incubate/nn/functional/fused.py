# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear maps, norms and dropouts joined with their neighbours."""

from .... import _core
from ....nn import functional as F

ops = _core.ops

__all__ = [
    "fused_matmul_bias",
    "fused_linear",
    "fused_linear_activation",
    "fused_bias_act",
    "fused_rms_norm",
    "fused_rms_norm_ext",
    "fast_rms_norm",
    "fused_layer_norm",
    "fast_ln",
    "fused_dropout_add",
    "fused_bias_dropout_residual_layer_norm",
    "fused_feedforward",
]


def _not_quantized(op, quant_scale):
    if quant_scale > 0:
        raise NotImplementedError(f"{op}: quant_scale is {quant_scale}; quantized results are not available.")


def fused_matmul_bias(x, y, bias=None, transpose_x=False, transpose_y=False, name=None):
    """`x @ y + bias`, with x or y transposed on demand.

    Args:
        x: Tensor of shape [..., n, k]; [..., k, n] with transpose_x.
        y: Tensor of shape [..., k, m]; [..., m, k] with transpose_y.
        bias: Tensor of shape [m], or None.
        transpose_x: Whether the last two axes of x change places first.
        transpose_y: Whether those of y do.
        name: Unused.

    Returns:
        A Tensor of shape [..., n, m].
    """
    out = ops.matmul(x, y, transpose_x, transpose_y)
    return out if bias is None else out + bias


def fused_linear(x, weight, bias=None, transpose_weight=False, name=None):
    """`x @ weight + bias`.

    Args:
        x: Tensor of shape [..., in].
        weight: Tensor of shape [in, out]; [out, in] with transpose_weight.
        bias: Tensor of shape [out], or None.
        transpose_weight: Whether the weight is transposed first.
        name: Unused.

    Returns:
        A Tensor of shape [..., out].
    """
    if transpose_weight:
        return fused_matmul_bias(x, weight, bias, False, True)
    return F.linear(x, weight, bias)


def fused_linear_activation(x, y, bias, trans_x=False, trans_y=False, activation=None):
    """activation(x @ y + bias) for the activations 'gelu', 'relu' and 'none'."""
    if activation not in (None, "none", "gelu", "relu"):
        raise ValueError(
            f"fused_linear_activation: activation has value {activation!r}; it must be 'gelu', 'relu' or 'none'."
        )
    out = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    return out if activation in (None, "none") else getattr(F, activation)(out)


def fused_bias_act(
    x,
    bias=None,
    dequant_scales=None,
    shift=None,
    smooth=None,
    act_method="gelu",
    compute_dtype="default",
    quant_scale=-1,
    quant_round_type=0,
    quant_max_bound=0,
    quant_min_bound=0,
):
    """(act(x + bias) + shift) * smooth.

    Args:
        x: [..., N].
        bias: [N].
        act_method: 'gelu', 'relu', 'swiglu' or 'geglu'; the last two halve x along its last axis.
        shift: Added behind the activation.
        smooth: Factor behind the shift.
    """
    _not_quantized("fused_bias_act", quant_scale)
    if dequant_scales is not None:
        raise NotImplementedError("fused_bias_act: dequant_scales is given; integer inputs are not available.")
    x = x if bias is None else x + bias
    if act_method in ("gelu", "relu"):
        out = getattr(F, act_method)(x)
    elif act_method == "swiglu":
        out = ops.swiglu(x, None)
    elif act_method == "geglu":
        first, second = ops.split_with_num(x, 2, -1)
        out = F.gelu(first) * second
    else:
        raise ValueError(
            f"fused_bias_act: act_method has value {act_method!r}; it must be 'gelu', 'relu', 'swiglu' or 'geglu'."
        )
    out = out if shift is None else out + shift
    return out if smooth is None else out * smooth


def _joined(x, bias, residual, factor=1.0):
    """x + bias + factor * residual, and it again when there is a residual (else no elements)."""
    x = x if bias is None else x + bias
    if residual is None:
        return x, ops.full([0], 0.0, x.dtype)
    x = x + (residual if factor == 1.0 else residual * factor)
    return x, x


def fused_rms_norm(
    x,
    norm_weight,
    norm_bias,
    epsilon,
    begin_norm_axis=1,
    bias=None,
    residual=None,
    quant_scale=-1,
    quant_round_type=0,
    quant_max_bound=0,
    quant_min_bound=0,
):
    """RMS norm of x + bias + residual over the axes from begin_norm_axis on.

    Args:
        x: A Tensor.
        norm_weight: Factor behind the norm, of the normalised shape; None: none.
        norm_bias: Added behind it, of the same shape; None: none.
        epsilon: Added to the mean square.
        begin_norm_axis: The first axis that is normalised.
        bias: Added to x; None: none.
        residual: Added to x, of its shape; None: none.
        quant_scale: Must not be above 0: the result is not quantised.
        quant_round_type: Unused.
        quant_max_bound: Unused.
        quant_min_bound: Unused.

    Returns:
        The result, and the sum that was normalised (no elements without a residual).

    Raises:
        NotImplementedError: quant_scale is above 0.
    """
    _not_quantized("fused_rms_norm", quant_scale)
    x, kept = _joined(x, bias, residual)
    begin = begin_norm_axis % x.ndim
    weight = None if norm_weight is None else ops.reshape(norm_weight, x.shape[begin:])
    out = ops.rms_norm(x, weight, x.shape[begin:], epsilon)[0]
    return (out if norm_bias is None else out + ops.reshape(norm_bias, x.shape[begin:])), kept


def fused_rms_norm_ext(x, scale, epsilon=1e-05, name=None):
    """RMS norm over the last axis.

    Args:
        x: Tensor of shape [..., n].
        scale: Tensor of shape [n].
        epsilon: Added to the mean square.
        name: Unused.

    Returns:
        (a Tensor of x's shape, the inverse root of the mean square of each row).
    """
    return tuple(ops.rms_norm(x, scale, [x.shape[-1]], epsilon))


def fast_rms_norm(x, scale, epsilon=1e-05):
    """fused_rms_norm_ext."""
    return fused_rms_norm_ext(x, scale, epsilon)


def fused_layer_norm(
    x,
    norm_weight,
    norm_bias,
    epsilon,
    residual_alpha=1.0,
    begin_norm_axis=1,
    bias=None,
    residual=None,
    quant_scale=-1,
    quant_round_type=0,
    quant_max_bound=0,
    quant_min_bound=0,
):
    """Layer norm of x + bias + residual_alpha * residual over the axes from begin_norm_axis on.

    Args:
        x: A Tensor.
        norm_weight: Factor behind the norm, of the normalised shape; None: none.
        norm_bias: Added behind it, of the same shape; None: none.
        epsilon: Added to the variance.
        residual_alpha: Factor of residual.
        begin_norm_axis: The first axis that is normalised.
        bias: Added to x; None: none.
        residual: Added to x, of its shape; None: none.
        quant_scale: Must not be above 0: the result is not quantised.
        quant_round_type: Unused.
        quant_max_bound: Unused.
        quant_min_bound: Unused.

    Returns:
        The result, the sum that was normalised (no elements without a residual), and mean and
        inverse deviation of the rows. Without weight and bias the sum and no norm, as the first two.

    Raises:
        NotImplementedError: quant_scale is above 0.
    """
    _not_quantized("fused_layer_norm", quant_scale)
    x, kept = _joined(x, bias, residual, residual_alpha)
    if norm_weight is None and norm_bias is None:
        return x, kept
    out, mean, variance = ops.layer_norm(x, norm_weight, norm_bias, epsilon, begin_norm_axis % x.ndim)
    return out, kept, mean, ops.rsqrt(variance + epsilon)


def fast_ln(x, scale, bias, epsilon=1e-05):
    """Layer norm over the last axis; returns it, the mean and the inverse deviation per row."""
    out, mean, variance = ops.layer_norm(x, scale, bias, epsilon, x.ndim - 1)
    return out, mean, ops.rsqrt(variance + epsilon)


def fused_dropout_add(x, y, p=0.5, training=True, mode="upscale_in_train", name=None):
    """dropout(x) + y."""
    return F.dropout(x, p, training=training, mode=mode) + y


def fused_bias_dropout_residual_layer_norm(
    x,
    residual,
    bias=None,
    ln_scale=None,
    ln_bias=None,
    dropout_rate=0.5,
    ln_epsilon=1e-05,
    training=True,
    mode="upscale_in_train",
    name=None,
):
    """layer_norm(residual + dropout(x + bias)) over the last axis."""
    x = x if bias is None else x + bias
    out = residual + F.dropout(x, dropout_rate, training=training, mode=mode)
    return F.layer_norm(out, out.shape[-1:], ln_scale, ln_bias, ln_epsilon)


def fused_feedforward(
    x,
    linear1_weight,
    linear2_weight,
    linear1_bias=None,
    linear2_bias=None,
    ln1_scale=None,
    ln1_bias=None,
    ln2_scale=None,
    ln2_bias=None,
    dropout1_rate=0.5,
    dropout2_rate=0.5,
    activation="relu",
    ln1_epsilon=1e-05,
    ln2_epsilon=1e-05,
    pre_layer_norm=False,
    training=True,
    mode="upscale_in_train",
    ring_id=-1,
    add_residual=True,
    name=None,
):
    """x + dropout2(linear2(dropout1(activation(linear1(x))))), with a layer norm before or behind.

    Args:
        x: [batch, length, size].
        linear1_weight: [size, inner size].
        linear2_weight: [inner size, size].
        pre_layer_norm: Normalise the input by ln1; else the result by ln2.
        add_residual: Add x.
    """
    size = x.shape[-1:]
    inner = F.layer_norm(x, size, ln1_scale, ln1_bias, ln1_epsilon) if pre_layer_norm else x
    inner = getattr(F, activation)(F.linear(inner, linear1_weight, linear1_bias))
    inner = F.dropout(inner, dropout1_rate, training=training, mode=mode)
    out = F.dropout(F.linear(inner, linear2_weight, linear2_bias), dropout2_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    return out if pre_layer_norm else F.layer_norm(out, size, ln2_scale, ln2_bias, ln2_epsilon)

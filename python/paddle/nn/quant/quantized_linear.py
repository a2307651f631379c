# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear layers with quantized weights: quantize and dequantize a weight, multiply with one."""

from ... import _core, device, tensor
from ...framework.modes import no_grad
from .weight_layout import Layout

_ALGORITHMS = {"weight_only_int8": 8, "weight_only_int4": 4, "llm.int8": 8}
_ARCHITECTURES = (70, 75, 80, 86, 89, 90, 100)
_DEFAULT_ARCH = 80


def _get_arch_info():
    """Compute capability times ten of the current GPU; 0 on a CPU."""
    if device.get_device().startswith("gpu"):
        major, minor = device.cuda.get_device_capability()
        return major * 10 + minor
    return 0


def _architecture(operator, arch):
    arch = (_get_arch_info() or _DEFAULT_ARCH) if arch is None else int(arch)
    if arch not in _ARCHITECTURES:
        raise ValueError(f"{operator}: arch must be one of {_ARCHITECTURES}, got {arch}.")
    return arch


def _check_group_size(group_size):
    assert group_size in (-1, 64, 128), f"Currently group_size only support -1/64/128. but got {group_size} "


def _bits(operator, algo):
    if algo in ("w4a8", "w4afp8"):
        raise NotImplementedError(f"{operator}: algo '{algo}' needs a GPU kernel paddle does not have.")
    if algo not in _ALGORITHMS:
        raise ValueError(f"{operator}: algo must be one of {list(_ALGORITHMS)}, got '{algo}'.")
    return _ALGORITHMS[algo]


def _check_rank(operator, name, value):
    if value.ndim != 2:
        raise ValueError(f"{operator}: {name} must be a matrix, got shape {list(value.shape)}.")


def _scale_rows(scale, k):
    """Scales [N] or [K / group, N] as float32 that broadcasts against [K, N]."""
    scale = scale.astype("float32")
    if scale.ndim == 1:
        return scale.unsqueeze(0)
    return tensor.repeat_interleave(scale, -(-k // scale.shape[0]), axis=0)[:k]


def weight_quantize(x, algo="weight_only_int8", arch=None, group_size=-1):
    """Quantizes a weight matrix by the largest magnitude of each output channel.

    Args:
        x: [K, N] of float16 or bfloat16.
        algo: 'weight_only_int8', 'weight_only_int4' or 'llm.int8'.
        arch: GPU generation whose memory layout is written: 70, 75, 80, 86, 89, 90 or 100.
        group_size: Rows that share a scale: 64, 128, or -1 for all of them.

    Returns:
        int8 weight [N, K] ([N / 2, K] for int4, two codes in a byte), and its scales, [N] or
        [K / group_size, N], of the dtype of x (float32 for 'llm.int8').

    Raises:
        ValueError: If a dimension does not fit the tiles of the layout, or arch or algo is unknown.

    Example:
        >>> import paddle
        >>> from paddle.nn.quant import weight_quantize
        >>> w, scale = weight_quantize(paddle.ones([64, 32], dtype='float16'), arch=80)
        >>> print(w.shape, scale.shape)
        paddle.Size([32, 64]) paddle.Size([32])
    """
    operator = "weight_quantize"
    _check_group_size(group_size)
    bits, arch = _bits(operator, algo), _architecture(operator, arch)
    _check_rank(operator, "x", x)
    k, n = x.shape
    if x.dtype not in (_core.float16, _core.bfloat16):
        raise RuntimeError(f"{operator}: x must be float16 or bfloat16, got {x.dtype.name}; cast it.")
    if n % 16:
        raise ValueError(f"{operator}: the second dimension of x must be a multiple of 16, got shape [{k}, {n}].")
    layout = None if algo == "llm.int8" else Layout(bits, arch)
    if layout is not None:
        layout.check(operator, k, n)
    with no_grad():
        group = k if group_size == -1 else group_size
        if k == 0 or k % group:
            raise ValueError(
                f"{operator}: the first dimension of x, {k}, must be a multiple of group_size {group_size}."
            )
        values = x.astype("float32")
        scale = values.abs().reshape([k // group, group, n]).max(axis=1) / (2 ** (bits - 1) - 1)
        scale = scale if layout is None else scale.astype(x.dtype)
        step = _scale_rows(scale, k)
        # A channel of zeros has the scale 0 and the codes 0.
        steps = values / tensor.where(step == 0, tensor.ones_like(step), step)
        codes = (steps.sign() * tensor.floor(steps.abs() + 0.5)).clip(-(2 ** (bits - 1) - 1), 2 ** (bits - 1) - 1)
        codes = codes.astype("int32")
        packed = codes.T.astype("int8").contiguous() if layout is None else layout.pack(codes)
        return packed, scale[0] if group_size == -1 else scale


def _check_weight(operator, x, scale, algo, group_size):
    """Refuses what weight_quantize does not write; the rows of scales that the weight has."""
    _check_rank(operator, "x", x)
    if x.dtype != _core.int8:
        raise RuntimeError(f"{operator}: a quantized weight must be int8, got {x.dtype.name}.")
    bits = _bits(operator, algo)
    n, k = x.shape[0] * 8 // bits, x.shape[1]
    expected = [n] if group_size == -1 else [-(-k // group_size), n]
    if list(scale.shape) != expected:
        raise ValueError(f"{operator}: scale must have shape {expected}, got {list(scale.shape)}.")
    return scale.astype("float32").reshape([-1, n])


def _is_direct(arch, k, n, group_size):
    """Whether the operators of codes read a weight [k, n] as it lies in memory: the layout of arch 70 is another."""
    return arch != 70 and k > 0 and k % max(group_size, 1) == 0 and n % 16 == 0


def _dequantize(operator, x, scale, algo, arch, group_size):
    rows = _check_weight(operator, x, scale, algo, group_size)
    bits, k = _bits(operator, algo), x.shape[1]
    if algo == "llm.int8":
        return x.T.astype("float32") * _scale_rows(scale, k)
    layout, n = Layout(bits, arch), rows.shape[1]
    layout.check(operator, k, n)
    if _is_direct(arch, k, n, group_size):
        return _core.ops.dequantize_codes(x, rows, bits, "float32")
    return layout.unpack(x).astype("float32") * _scale_rows(scale, k)


def weight_dequantize(x, scale, algo="weight_only_int8", out_dtype="float16", group_size=-1):
    """The weight matrix that `weight_quantize` quantized.

    Args:
        x: int8 weight of `weight_quantize`, in the layout of arch 75 and later.
        scale: Its scales, [N] or [K / group_size, N].
        algo: As given to `weight_quantize`.
        out_dtype: dtype of the result.
        group_size: As given to `weight_quantize`.

    Returns:
        [K, N] of out_dtype; every element is within half a step of the original.
    """
    operator = "weight_dequantize"
    _check_group_size(group_size)
    with no_grad():
        return _dequantize(operator, x, scale, algo, _architecture(operator, None), group_size).astype(out_dtype)


def weight_only_linear(x, weight, bias=None, weight_scale=None, weight_dtype="int8", arch=None, group_size=-1):
    """x @ dequantized weight + bias, with the weight stored as int8 or int4.

    Args:
        x: [..., K] of a floating dtype; the gradient flows to it.
        weight: int8 weight of `weight_quantize` with 'weight_only_int8' or 'weight_only_int4'.
        bias: [N], or None.
        weight_scale: Scales of `weight_quantize`.
        weight_dtype: 'int8' or 'int4'.
        arch: GPU generation of the weight's layout.
        group_size: Rows that share a scale: 64, 128, or -1.

    Returns:
        [..., N] of the dtype of x.

    Raises:
        ValueError: A size does not fit the weight, or weight_dtype or group_size is unknown.

    Example:
        >>> weight, x = paddle.ones([64, 32], "float16"), paddle.ones([2, 64], "float16")
        >>> codes, scale = paddle.nn.quant.weight_quantize(weight, algo="weight_only_int8")
        >>> y = paddle.nn.quant.weight_only_linear(x, codes, weight_scale=scale)
        >>> y.shape, round(float(y[0, 0]))
        (paddle.Size([2, 32]), 64)
    """
    operator = "weight_only_linear"
    _check_group_size(group_size)
    if weight_dtype not in ("int8", "int4"):
        raise ValueError(f"{operator}: weight_dtype must be 'int8' or 'int4', got '{weight_dtype}'.")
    if weight_scale is None:
        raise ValueError(f"{operator}: weight_scale must be given; it is the second result of weight_quantize.")
    arch = _architecture(operator, arch)
    if x.shape[-1] != weight.shape[-1]:
        raise ValueError(
            f"{operator}: x {list(x.shape)} and weight {list(weight.shape)} must have the same last dimension."
        )
    algo, bits, k = f"weight_only_{weight_dtype}", _ALGORITHMS[f"weight_only_{weight_dtype}"], weight.shape[-1]
    bias = None if bias is None else bias.astype(x.dtype)
    with no_grad():
        scales = _check_weight(operator, weight, weight_scale, algo, group_size)
        Layout(bits, arch).check(operator, k, scales.shape[1])
        is_direct = _is_direct(arch, k, scales.shape[1], group_size)
        if not is_direct:
            matrix = _dequantize(operator, weight, weight_scale, algo, arch, group_size).astype(x.dtype)
    if is_direct:
        return _core.ops.matmul_codes(x, weight, scales, bias, bits)
    out = tensor.matmul(x, matrix)
    return out if bias is None else out + bias


def llm_int8_linear(x, weight, bias=None, weight_scale=None, threshold=6.0):
    """Product with an int8 weight in which the columns of x with outliers stay in floating point.

    Args:
        x: [..., K] of a floating dtype.
        weight: [N, K] of int8, from `weight_quantize` with 'llm.int8'.
        bias: [N], or None.
        weight_scale: [N] of float32, from `weight_quantize`.
        threshold: A column with a magnitude above it is an outlier.

    Returns:
        [..., N] of the dtype of x.
    """
    operator = "llm_int8_linear"
    if weight_scale is None:
        raise ValueError(f"{operator}: weight_scale must be given; it is the second result of weight_quantize.")
    _check_rank(operator, "weight", weight)
    n, k = weight.shape
    if x.shape[-1] != k or list(weight_scale.shape) != [n]:
        raise ValueError(
            f"{operator}: x {list(x.shape)}, weight {list(weight.shape)} and weight_scale {list(weight_scale.shape)} must be "
            f"[..., K], [N, K] and [N]."
        )
    with no_grad():
        bias = None if bias is None else bias.astype(x.dtype)
        return _core.ops.matmul_int8(x, weight, weight_scale.astype("float32"), bias, float(threshold))


def apply_per_channel_scale(x, scales):
    """x * scales along the last dimension, in the dtype of x.

    Args:
        x: [..., K] of a floating dtype.
        scales: [K].
    """
    return x * scales.astype(x.dtype)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantization to 8-bit floats with one scale per block."""

from .... import _core

ops = _core.ops

__all__ = ["fp8_quant_blockwise", "fused_stack_transpose_quant"]

_LARGEST = {"e4m3": 448.0, "e5m2": 57344.0}


def _blocks(x, rows, columns, epsilon, largest, power_of_two):
    """x over its blocks' scales, and the scales, [row blocks, column blocks]."""
    m, n = x.shape
    if m % rows or n % columns:
        raise ValueError(
            f"fp8_quant_blockwise: x has shape {list(x.shape)}; its axes must be multiples of the blocks, {rows} and {columns}."
        )
    tiles = ops.reshape(ops.cast(x, _core.float32), [m // rows, rows, n // columns, columns])
    top = ops.max(ops.abs(tiles), [1, 3], True)
    top = ops.maximum(top, ops.full([], epsilon, _core.float32)) if epsilon > 0 else top
    scale = ops.where(top > 0.0, top / largest, ops.full_like(top, 1.0))
    if power_of_two:  # rounded up, so that nothing overflows
        scale = ops.elementwise_pow(ops.full_like(scale, 2.0), ops.ceil(ops.log2(scale)))
    quantized = ops.clip(tiles / scale, -largest, largest)
    return ops.reshape(quantized, [m, n]), ops.reshape(scale, [m // rows, n // columns])


def fp8_quant_blockwise(
    x,
    epsilon=0.0,
    input_transpose=False,
    output_scale_transpose=True,
    return_transpose_only=False,
    using_pow2_scale=True,
    using_ue8m0_scale=False,
    quant_method="1x128",
    output_type="e4m3",
    name=None,
):
    """x / scale as 8-bit floats, with one scale per block.

    Args:
        x: [M, N], float32 or 16-bit.
        epsilon: Smallest largest absolute value of a block.
        input_transpose: Return the quantized transpose and its scales too.
        output_scale_transpose: Return scales [N / 128, M] instead of [M, N / 128].
        return_transpose_only: Return only the transpose and its scales.
        using_pow2_scale: Scales are powers of two.
        quant_method: '1x128' or '128x128', the size of a block.
        output_type: 'e4m3' or 'e5m2'.

    Returns:
        The values and the scales by which they are multiplied to get x back; behind them, or alone,
        those of the transpose.
    """
    if quant_method not in ("1x128", "128x128"):
        raise ValueError(
            f"fp8_quant_blockwise: quant_method has value {quant_method!r}; it must be '1x128' or '128x128'."
        )
    if output_type not in _LARGEST:
        raise ValueError(f"fp8_quant_blockwise: output_type has value {output_type!r}; it must be 'e4m3' or 'e5m2'.")
    if using_ue8m0_scale:
        raise NotImplementedError("fp8_quant_blockwise: using_ue8m0_scale=True is not available; scales are float32.")
    if x.ndim != 2:
        raise ValueError(f"fp8_quant_blockwise: x has {x.ndim} dimensions; it must be [M, N].")
    rows = 1 if quant_method == "1x128" else 128
    dtype = _core.float8_e4m3fn if output_type == "e4m3" else _core.float8_e5m2

    def quantized(value):
        out, scale = _blocks(value, rows, 128, epsilon, _LARGEST[output_type], using_pow2_scale)
        if output_scale_transpose:
            scale = ops.assign(ops.transpose(scale, [1, 0]))
        return ops.cast(out, dtype), scale

    results = () if return_transpose_only else quantized(x)
    if input_transpose or return_transpose_only:
        results += quantized(ops.transpose(x, [1, 0]))
    return results


def fused_stack_transpose_quant(x, transpose=True):
    """Matrices under each other, each transposed, as 8-bit floats with one scale per block of 128 x 128.

    Args:
        x: A list of bfloat16 tensors [M, K] of one shape; M and K are multiples of 128.
        transpose: False quantizes the matrices as they are.

    Returns:
        The values, float8_e4m3fn of shape [n * K, M] (with transpose=False [n * M, K]), and the float32
        scales of the blocks by which they are multiplied to get the matrices back.
    """
    if not isinstance(x, (list, tuple)) or not x:
        raise ValueError("fused_stack_transpose_quant: x must be a list of at least one tensor.")
    for i, t in enumerate(x):
        if t.ndim != 2 or t.shape != x[0].shape or t.dtype != _core.bfloat16:
            raise ValueError(
                f"fused_stack_transpose_quant: x[{i}] has shape {t.shape} and dtype {t.dtype.name}; all must be bfloat16 "
                f"of one shape [M, K]."
            )
    rows = ops.concat([ops.transpose(t, [1, 0]) if transpose else t for t in x], 0)
    return fp8_quant_blockwise(rows, quant_method="128x128", output_scale_transpose=False, using_pow2_scale=False)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products of 8-bit floats."""

from .. import _core
from ..framework.dtypes import convert
from ._args import check_tensor

ops = _core.ops

__all__ = ["fp8_fp8_half_gemm_fused"]

_ACTIVATIONS = {"identity": lambda x: x, "relu": lambda x: ops.relu(x), "gelu": lambda x: ops.gelu(x)}


def fp8_fp8_half_gemm_fused(
    x, y, transpose_x=False, transpose_y=False, bias=None, scale=1.0, output_dtype="float16", act="identity", name=None
):
    """act(scale * x @ y + bias), summed in float32.

    Args:
        x, y: 8-bit floats, [..., M, K] and [..., K, N].
        transpose_x, transpose_y: Take the last two axes the other way round.
        bias: A tensor that broadcasts against the product.
        scale: A factor of the product, that of both quantizations.
        output_dtype: 'float16' or 'bfloat16'.
        act: 'identity', 'relu' or 'gelu'.
    """
    check_tensor("fp8_fp8_half_gemm_fused", x=x, y=y)
    for label, t in (("x", x), ("y", y)):
        if not t.dtype.name.startswith("float8"):
            raise TypeError(f"fp8_fp8_half_gemm_fused: {label} has dtype {t.dtype.name}; it must be an 8-bit float.")
    if output_dtype not in ("float16", "bfloat16"):
        raise ValueError(
            f"fp8_fp8_half_gemm_fused: output_dtype has value {output_dtype!r}; it must be 'float16' or 'bfloat16'."
        )
    if act not in _ACTIVATIONS:
        raise ValueError(f"fp8_fp8_half_gemm_fused: act has value {act!r}; it must be 'identity', 'relu' or 'gelu'.")
    wide = [ops.cast(t, _core.float32) for t in (x, y)]
    out = ops.matmul(*wide, transpose_x, transpose_y) * float(scale)
    if bias is not None:
        out = out + ops.cast(bias, _core.float32)
    return ops.cast(_ACTIVATIONS[act](out), convert(output_dtype))

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of layers with the arguments that PyTorch programs expect."""

from paddle.nn import functional as F

from ... import _core, _lazy, tensor
from ...framework.call_forms import ordered_as_in_pytorch
from ..keywords import like_torch

__all__ = ["linear", "pad", "scaled_dot_product_attention", "softmax", "unfold"]
__dir__ = _lazy.listing(__name__)


@like_torch("paddle.nn.functional.linear", ("x", "name"))
def linear(input, weight, bias=None):
    """input weight^T + bias.

    Args:
        input: Shape [..., in].
        weight: Shape [out, in].
        bias: Shape [out], or None.
    """
    product = tensor.matmul(input, weight, transpose_y=True)
    return product if bias is None else product + bias


@like_torch("paddle.nn.functional.pad", ("x", "name", "data_format", "pad_from_left_axis"))
def pad(input, pad, mode="constant", value=0.0):
    """A tensor with more elements at its ends.

    Args:
        input: A Tensor.
        pad: Pairs (before, after), of the last axis first.
        mode: 'constant', 'reflect', 'replicate' or 'circular'.
        value: What 'constant' fills in.

    Raises:
        ValueError: `pad` has an odd number of entries or more pairs than there are axes.
    """
    sizes = [int(n) for n in (pad.tolist() if isinstance(pad, _core.Tensor) else pad)]
    pairs = len(sizes) // 2
    if len(sizes) % 2 or pairs > input.ndim:
        raise ValueError(f"compat pad: pad has {len(sizes)} entries; it must have up to {2 * input.ndim}, in pairs.")
    if mode == "constant":
        both = [0, 0] * (input.ndim - pairs) + [n for i in reversed(range(pairs)) for n in sizes[2 * i : 2 * i + 2]]
        return F.pad(input, both, "constant", value, pad_from_left_axis=True)
    if pairs not in (1, 2, 3) or input.ndim not in (pairs + 1, pairs + 2):
        raise ValueError(
            f"compat pad: mode {mode!r} pads the last 1, 2 or 3 of 2 to 5 axes; input has {input.ndim} axes and pad "
            f"{pairs} pairs."
        )
    batched = input if input.ndim == pairs + 2 else input.unsqueeze(0)
    made = F.pad(batched, sizes, mode, value, data_format=("NCL", "NCHW", "NCDHW")[pairs - 1])
    return made if batched is input else made.squeeze(0)


@like_torch("paddle.nn.functional.softmax", ("x", "axis", "name"))
@ordered_as_in_pytorch(lambda args: len(args) > 2 and type(args[2]) is int, "input", "dim", "_stacklevel", "dtype")
def softmax(input, dim=None, dtype=None, *, out=None, _stacklevel=3):
    """exp(input) / sum of exp(input) along an axis.

    By position the third argument is dtype or, where it is an int, PyTorch's _stacklevel with dtype behind.

    Args:
        input: A Tensor.
        dim: The axis; None: 0 of tensors with 0, 1 or 3 axes, else 1.
        dtype: Dtype in which it is computed.
        out: Tensor that takes the result.
        _stacklevel: Unused.
    """
    dim = (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim
    made = F.softmax(input, axis=dim, dtype=dtype)
    return made if out is None else tensor.assign(made, out)


@like_torch("paddle.nn.functional.unfold", ("x", "kernel_sizes", "strides", "paddings", "dilations", "name"))
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images as columns.

    Args:
        input: Shape [N, C, H, W].
        kernel_size: Size of the windows.
        dilation: Distance of their elements.
        padding: Rows and columns of zeros around.
        stride: Distance of the windows.
    """
    return F.unfold(input, kernel_size, stride, padding, dilation)


@like_torch("paddle.nn.functional.scaled_dot_product_attention", ("training", "backend", "name"))
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """softmax(query key^T scale + mask) value.

    Args:
        query: Shape [N, heads, L, D].
        key: Shape [N, heads, S, D].
        value: Shape [N, heads, S, D].
        attn_mask: A bool or additive mask that broadcasts to [N, heads, L, S].
        dropout_p: Share of the weights that are dropped.
        is_causal: Whether positions see no later ones.
        scale: Factor of the products; None: 1 / sqrt(D).
        enable_gqa: Whether groups of query heads share a head of key and value.
    """
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (t.repeat_interleave(times, -3) for t in (key, value))
    product = tensor.matmul(query * (query.shape[-1] ** -0.5 if scale is None else scale), key, transpose_y=True)
    if is_causal:
        if attn_mask is not None:
            raise ValueError(
                "compat scaled_dot_product_attention: is_causal is True and attn_mask is given; pass one of them."
            )
        attn_mask = tensor.ones([query.shape[-2], key.shape[-2]], "bool").tril()
    if attn_mask is not None:
        if attn_mask.dtype == _core.bool:
            attn_mask = tensor.where(attn_mask, 0.0, float("-inf")).astype(product.dtype)
        product = product + attn_mask
    return tensor.matmul(F.dropout(F.softmax(product, -1), dropout_p), value)

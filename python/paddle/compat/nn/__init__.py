# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers with the arguments that PyTorch programs expect."""

import math

from paddle.nn import Layer
from paddle.nn import functional as _F
from paddle.nn.initializer import Constant, Uniform, XavierUniform

from ... import _core, _lazy, tensor
from ...framework.devices import made_on
from ...framework.dtypes import get_default_dtype
from . import functional

__all__ = [
    "AvgPool1D",
    "AvgPool1d",
    "AvgPool2D",
    "AvgPool2d",
    "AvgPool3D",
    "AvgPool3d",
    "Linear",
    "MultiheadAttention",
    "Softmax",
    "Unfold",
]
__dir__ = _lazy.listing(__name__)


class _AvgPool(Layer):
    """Means over windows."""

    _function = None

    def __init__(self, kernel_size, stride, padding, ceil_mode, count_include_pad, **more):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self._more = more

    def forward(self, input):
        """The means of the windows of [N, C, ...] or [C, ...]."""
        ranks = {"avg_pool1d": 3, "avg_pool2d": 4, "avg_pool3d": 5}[self._function]
        batched = input if input.ndim == ranks else input.unsqueeze(0)
        made = getattr(_F, self._function)(
            batched,
            self.kernel_size,
            self.stride,
            self.padding,
            exclusive=not self.count_include_pad,
            ceil_mode=self.ceil_mode,
            **self._more,
        )
        return made if batched is input else made.squeeze(0)

    def extra_repr(self):
        """The sizes, for `repr`."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1D(_AvgPool):
    """Means over windows of one axis.

    Args:
        kernel_size: Size of the windows.
        stride: Their distance; None: their size.
        padding: Zeros at the ends.
        ceil_mode: Whether a last window may hang over.
        count_include_pad: Whether these zeros count.
    """

    _function = "avg_pool1d"

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)


class AvgPool2D(_AvgPool):
    """Means over windows of two axes.

    Args:
        kernel_size: Size of the windows.
        stride: Their distance; None: their size.
        padding: Zeros at the ends.
        ceil_mode: Whether a last window may hang over.
        count_include_pad: Whether these zeros count.
        divisor_override: What sums are divided by; None: the number of elements.
    """

    _function = "avg_pool2d"

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        more = {"divisor_override": divisor_override}
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad, **more)


class AvgPool3D(_AvgPool):
    """Means over windows of three axes.

    Args:
        kernel_size: Size of the windows.
        stride: Their distance; None: their size.
        padding: Zeros at the ends.
        ceil_mode: Whether a last window may hang over.
        count_include_pad: Whether these zeros count.
        divisor_override: What sums are divided by; None: the number of elements.
    """

    _function = "avg_pool3d"

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        more = {"divisor_override": divisor_override}
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad, **more)


AvgPool1d, AvgPool2d, AvgPool3d = AvgPool1D, AvgPool2D, AvgPool3D


class Linear(Layer):
    """input weight^T + bias, with a weight of shape [out, in].

    Args:
        in_features: Number of inputs.
        out_features: Number of outputs.
        bias: Whether a bias is added.
        device: Where the parameters lie; None for the current device.
        dtype: Dtype of the parameters.

    Example:
        >>> import paddle
        >>> paddle.compat.nn.Linear(3, 4).weight.shape
        paddle.Size([4, 3])
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__(dtype=dtype or get_default_dtype())
        self.in_features, self.out_features = in_features, out_features
        bound = 1.0 / math.sqrt(in_features) if in_features else 0.0
        initial = Uniform(-bound, bound)
        with made_on(device):
            self.weight = self.create_parameter([out_features, in_features], default_initializer=initial)
            added = self.create_parameter([out_features], is_bias=True, default_initializer=initial) if bias else None
        self.bias = added

    def reset_parameters(self):
        """Draw the parameters anew."""
        bound = 1.0 / math.sqrt(self.in_features) if self.in_features else 0.0
        for parameter in self.parameters():
            Uniform(-bound, bound)(parameter)

    def forward(self, input):
        """The products, of shape [..., out]."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        """The sizes, for `repr`."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Softmax(Layer):
    """exp(x) / sum of exp(x) along an axis.

    Args:
        dim: The axis; None: 0 of tensors with 0, 1 or 3 axes, else 1.
    """

    def __init__(self, dim=None):
        super().__init__()
        self._dim = dim

    def forward(self, input):
        """The shares."""
        return functional.softmax(input, self._dim)

    def extra_repr(self):
        """The axis, for `repr`."""
        return f"dim={self._dim}"


class Unfold(Layer):
    """The windows of images as columns.

    Args:
        kernel_size: Size of the windows.
        dilation: Distance of their elements.
        padding: Rows and columns of zeros around.
        stride: Distance of the windows.
    """

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input):
        """The columns of [N, C, H, W]."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class MultiheadAttention(Layer):
    """Attention of several heads, with the parameters of PyTorch's layer of that name.

    Args:
        embed_dim: Number of features.
        num_heads: Number of heads, among which they are divided.
        dropout: Share of the weights that are dropped in training.
        bias: Whether the projections have a bias.
        add_bias_kv: Whether a learned position is added to keys and values.
        add_zero_attn: Whether a position of zeros is added to them.
        kdim: Number of features of keys; None: embed_dim.
        vdim: Number of features of values; None: embed_dim.
        batch_first: Whether tensors are [N, L, E] rather than [L, N, E].
        device: Where the parameters lie; None for the current device.
        dtype: Dtype of the parameters.

    Raises:
        AssertionError: `embed_dim` is no multiple of `num_heads`.
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        super().__init__(dtype=dtype or get_default_dtype())
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim, self.add_zero_attn = embed_dim // num_heads, add_zero_attn
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError(
                f"MultiheadAttention: embed_dim {embed_dim} must be a multiple of num_heads {num_heads}."
            )
        self._joint = self.kdim == embed_dim and self.vdim == embed_dim
        with made_on(device):
            self._make_parameters(bias, add_bias_kv)

    def _make_parameters(self, bias, add_bias_kv):
        embed_dim = self.embed_dim
        names = {"in_proj_weight": 3 * embed_dim} if self._joint else {}
        for name, rows in names.items():
            setattr(self, name, self._weight(rows, embed_dim))
        if not self._joint:
            self.q_proj_weight = self._weight(embed_dim, embed_dim)
            self.k_proj_weight = self._weight(embed_dim, self.kdim)
            self.v_proj_weight = self._weight(embed_dim, self.vdim)
        self.in_proj_bias = self._bias([3 * embed_dim]) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=self._dtype)
        if bias:
            Constant(0.0)(self.out_proj.bias)
        self.bias_k = self._weight(1, embed_dim, [1, 1, embed_dim]) if add_bias_kv else None
        self.bias_v = self._weight(1, embed_dim, [1, 1, embed_dim]) if add_bias_kv else None

    def _weight(self, rows, columns, shape=None):
        return self.create_parameter(shape or [rows, columns], default_initializer=XavierUniform())

    def _bias(self, shape):
        return self.create_parameter(shape, is_bias=True, default_initializer=Constant(0.0))

    def _projected(self, query, key, value):
        size = self.embed_dim
        if self._joint:
            weights = [self.in_proj_weight[i * size : (i + 1) * size] for i in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases = [None] * 3
        if self.in_proj_bias is not None:
            biases = [self.in_proj_bias[i * size : (i + 1) * size] for i in range(3)]
        rows = zip((query, key, value), weights, biases, strict=True)
        return [functional.linear(x, weight, bias) for x, weight, bias in rows]

    def _extended(self, k, v):
        """Keys and values of [N, S, E] with the positions that are added, and how many these are."""
        added, batch = [], k.shape[0]
        if self.bias_k is not None:
            added.append([t.expand([batch, 1, self.embed_dim]) for t in (self.bias_k, self.bias_v)])
        if self.add_zero_attn:
            zeros = tensor.zeros([batch, 1, self.embed_dim], k.dtype)
            added.append([zeros, zeros])
        for extra_k, extra_v in added:
            k, v = tensor.concat([k, extra_k], 1), tensor.concat([v, extra_v], 1)
        return k, v, len(added)

    def _mask(self, attn_mask, key_padding_mask, batch, added, dtype):
        """The sum of both masks, as an additive one that broadcasts to [N, heads, L, S]; None for none."""
        total = None
        for mask, is_padding in ((attn_mask, False), (key_padding_mask, True)):
            if mask is None:
                continue
            if mask.dtype == _core.bool:
                mask = tensor.where(mask, float("-inf"), 0.0)
            mask = mask.astype(dtype)
            if added:
                mask = functional.pad(mask, [0, added])
            if is_padding:
                mask = mask.reshape([batch, 1, 1, mask.shape[-1]])
            elif mask.ndim == 3:
                mask = mask.reshape([batch, self.num_heads, *mask.shape[1:]])
            total = mask if total is None else total + mask
        return total

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        """The attended values, and the weights or None.

        Args:
            query: Shape [L, N, E], or [N, L, E] with `batch_first`; without N as well.
            key: Shape [S, N, kdim] in the same order.
            value: Shape [S, N, vdim] in the same order.
            key_padding_mask: Shape [N, S]; True (or -inf) where keys do not count.
            need_weights: Whether weights are given.
            attn_mask: Shape [L, S] or [N * heads, L, S]; True (or -inf) where positions do not count.
            average_attn_weights: Whether the weights are their mean over the heads, [N, L, S], or of each.
            is_causal: A hint that `attn_mask` is the causal one; the mask itself decides.
        """
        batched = query.ndim == 3
        if not batched:
            query, key, value = (t.unsqueeze(0) for t in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query, key, value = (t.transpose([1, 0, 2]) for t in (query, key, value))
        q, k, v = self._projected(query, key, value)
        k, v, added = self._extended(k, v)
        batch = q.shape[0]

        def heads(t):
            return t.reshape([batch, t.shape[1], self.num_heads, self.head_dim]).transpose([0, 2, 1, 3])

        product = tensor.matmul(heads(q) * self.head_dim**-0.5, heads(k), transpose_y=True)
        mask = self._mask(attn_mask, key_padding_mask, batch, added, product.dtype)
        weights = _F.softmax(product if mask is None else product + mask, -1)
        weights = _F.dropout(weights, self.dropout, training=self.training)
        mixed = tensor.matmul(weights, heads(v)).transpose([0, 2, 1, 3]).reshape([batch, q.shape[1], self.embed_dim])
        out = self.out_proj(mixed)
        if batched and not self.batch_first:
            out = out.transpose([1, 0, 2])
        weights = None if not need_weights else weights.mean(1) if average_attn_weights else weights
        if not batched:
            return out.squeeze(0), None if weights is None else weights.squeeze(0)
        return out, weights

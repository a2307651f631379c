# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions of sparse tensors: for each offset of the kernel, stored rows times its matrix."""

from .... import tensor
from ... import _layout
from . import _rulebook


def _convolve(function, axes, x, weight, bias, stride, padding, dilation, groups, data_format, submanifold):
    _rulebook.check(function, x, axes, data_format)
    if groups != 1:
        raise AssertionError(f"sparse.nn.functional.{function}: groups is {groups}; only 1 is available.")
    kernel = list(weight.shape[:axes])
    if weight.ndim != axes + 2 or weight.shape[axes] != x.shape[-1]:
        raise ValueError(
            f"sparse.nn.functional.{function}: weight has shape {list(weight.shape)} and x {list(x.shape)}; weight must be "
            f"[kernel axes..., {x.shape[-1]}, out channels]."
        )
    stride = _rulebook.each(function, "stride", stride, axes, 1)
    dilation = _rulebook.each(function, "dilation", dilation, axes, 1)
    size, index = x.shape[:-1], _layout.coords(x)
    if submanifold:
        before, stride, out_size, sites = (
            [k // 2 * d for k, d in zip(kernel, dilation, strict=True)],
            [1] * axes,
            size,
            index,
        )
    else:
        pads = _rulebook.pads(function, padding, size[1:], kernel, stride, dilation)
        sizes = zip(size[1:], pads, kernel, stride, dilation, strict=True)
        out_size = size[:1] + [(n + sum(p) - (k - 1) * d - 1) // s + 1 for n, p, k, s, d in sizes]
        before, sites = [p[0] for p in pads], None
        if min(out_size[1:]) < 1:
            raise ValueError(
                f"sparse.nn.functional.{function}: x has shape {list(x.shape)} and the kernel {kernel}; the result would have "
                f"spatial shape {out_size[1:]}."
            )
    sites, met = _rulebook.rules(index, size, out_size, kernel, before, stride, dilation, sites)
    matrices = weight.reshape([-1, *weight.shape[axes:]])
    count = sites.shape[1]
    out = tensor.zeros([count, weight.shape[-1]], x.dtype)
    for offset, (rows, where) in enumerate(met):
        if len(rows):
            product = tensor.matmul(_layout.take(x._values, rows), matrices[offset])
            out = tensor.scatter_nd_add(out, tensor.to_tensor(where).unsqueeze(1), product)
    if bias is not None:
        out = out + bias
    return _layout.build(sites, out, [*out_size, weight.shape[-1]], coalesced=not submanifold, like=x)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NHWC", name=None):
    """Convolution; the result stores each site whose window holds a stored one.

    Args:
        x: Sparse Tensor of shape [N, H, W, in channels], whose channels are dense.
        weight: Tensor of shape [2 kernel axes..., in channels, out channels].
        bias: Tensor of shape [out channels], added at stored sites; or None.
        stride, dilation: An int, or one for each spatial axis.
        padding: The same, or "SAME", or "VALID".
        groups: Always 1.
        data_format: Always "NHWC".
        name: Unused.

    Returns:
        A sparse Tensor in COO form.

    Raises:
        TypeError: x is not sparse.
        ValueError: An argument does not fit.
    """
    return _convolve("conv2d", 2, x, weight, bias, stride, padding, dilation, groups, data_format, False)


def subm_conv2d(
    x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NHWC", key=None, name=None
):
    """Submanifold convolution (Graham et al., 2018): the result stores the sites of x, and windows are centred.

    Args:
        x: Sparse Tensor of shape [N, H, W, in channels], whose channels are dense.
        weight: Tensor of shape [2 kernel axes..., in channels, out channels].
        bias: Tensor of shape [out channels], or None.
        stride, padding: Without effect, as the sites stay.
        dilation: An int, or one for each spatial axis.
        groups: Always 1.
        data_format: Always "NHWC".
        key: Name of a pattern to be kept; without effect on the result.
        name: Unused.

    Returns:
        A sparse Tensor with the sites of x.

    Raises:
        TypeError: x is not sparse.
        ValueError: An argument does not fit.
    """
    return _convolve("subm_conv2d", 2, x, weight, bias, stride, padding, dilation, groups, data_format, True)


def subm_conv2d_igemm(
    x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NHWC", key=None, name=None
):
    """`subm_conv2d`, by the name of a way to compute it on other devices; arguments and result are the same."""
    return _convolve("subm_conv2d", 2, x, weight, bias, stride, padding, dilation, groups, data_format, True)


def conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NDHWC", name=None):
    """Convolution; the result stores each site whose window holds a stored one.

    Args:
        x: Sparse Tensor of shape [N, D, H, W, in channels], whose channels are dense.
        weight: Tensor of shape [3 kernel axes..., in channels, out channels].
        bias: Tensor of shape [out channels], added at stored sites; or None.
        stride, dilation: An int, or one for each spatial axis.
        padding: The same, or "SAME", or "VALID".
        groups: Always 1.
        data_format: Always "NDHWC".
        name: Unused.

    Returns:
        A sparse Tensor in COO form.

    Raises:
        TypeError: x is not sparse.
        ValueError: An argument does not fit.
    """
    return _convolve("conv3d", 3, x, weight, bias, stride, padding, dilation, groups, data_format, False)


def subm_conv3d(
    x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NDHWC", key=None, name=None
):
    """Submanifold convolution (Graham et al., 2018): the result stores the sites of x, and windows are centred.

    Args:
        x: Sparse Tensor of shape [N, D, H, W, in channels], whose channels are dense.
        weight: Tensor of shape [3 kernel axes..., in channels, out channels].
        bias: Tensor of shape [out channels], or None.
        stride, padding: Without effect, as the sites stay.
        dilation: An int, or one for each spatial axis.
        groups: Always 1.
        data_format: Always "NDHWC".
        key: Name of a pattern to be kept; without effect on the result.
        name: Unused.

    Returns:
        A sparse Tensor with the sites of x.

    Raises:
        TypeError: x is not sparse.
        ValueError: An argument does not fit.
    """
    return _convolve("subm_conv3d", 3, x, weight, bias, stride, padding, dilation, groups, data_format, True)


def subm_conv3d_igemm(
    x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NDHWC", key=None, name=None
):
    """`subm_conv3d`, by the name of a way to compute it on other devices; arguments and result are the same."""
    return _convolve("subm_conv3d", 3, x, weight, bias, stride, padding, dilation, groups, data_format, True)

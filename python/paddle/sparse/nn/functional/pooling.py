# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling of sparse tensors."""

from .... import tensor
from ....geometric._reduce import reduce_rows
from ... import _layout
from . import _rulebook


def max_pool3d(x, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NDHWC", name=None):
    """Largest stored value of each window; the result stores each site whose window holds a stored one.

    Args:
        x: Sparse Tensor of shape [N, D, H, W, C], whose channels are dense.
        kernel_size: An int, or one for each spatial axis.
        stride: The same; kernel_size if None.
        padding: The same, or "SAME", or "VALID".
        ceil_mode: Windows that reach over the end count too.
        data_format: Always "NDHWC".
        name: Unused.

    Returns:
        A sparse Tensor in COO form.

    Raises:
        TypeError: x is not sparse.
        ValueError: An argument does not fit.
    """
    import numpy as np

    name = "max_pool3d"
    _rulebook.check(name, x, 3, data_format)
    kernel = _rulebook.each(name, "kernel_size", kernel_size, 3, 1)
    stride = kernel if stride is None else _rulebook.each(name, "stride", stride, 3, 1)
    size = x.shape[:-1]
    pads = _rulebook.pads(name, padding, size[1:], kernel, stride, [1, 1, 1])
    out_size = size[:1]
    for length, (before, after), window, step in zip(size[1:], pads, kernel, stride, strict=True):
        span = length + before + after - window
        out_size.append((-(-span // step) if ceil_mode else span // step) + 1)
    if min(out_size[1:]) < 1:
        raise ValueError(
            f"sparse.nn.functional.max_pool3d: x has shape {list(x.shape)} and kernel_size is {kernel}; the result would have "
            f"spatial shape {out_size[1:]}."
        )
    before = [p[0] for p in pads]
    sites, met = _rulebook.rules(_layout.coords(x), size, out_size, kernel, before, stride, [1, 1, 1])
    rows, where = (np.concatenate(one) for one in zip(*met, strict=True))
    values = reduce_rows(_layout.take(x._values, rows), tensor.to_tensor(where), sites.shape[1], "max")
    return _layout.build(sites, values, [*out_size, x.shape[-1]], coalesced=True, like=x)

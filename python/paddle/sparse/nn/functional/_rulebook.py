# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which stored sites meet which sites of the result under each offset of a window (a rulebook).

Sites are [batch, spatial axes...]; channels are a dense axis.  A window with offset k at the result's
site o covers the site o * stride - padding + k * dilation.
"""

from ... import _layout
from ...tensor import is_sparse


def check(function, x, axes, data_format):
    """x is a sparse tensor of `axes` spatial axes with channels last."""
    wanted = "NHWC" if axes == 2 else "NDHWC"
    if not is_sparse(x) or not x.is_sparse_coo():
        raise TypeError(
            f"sparse.nn.functional.{function}: x is not a sparse tensor in COO form; convert it with to_sparse_coo()."
        )
    if data_format != wanted:
        raise AssertionError(
            f"sparse.nn.functional.{function}: data_format has value {data_format!r}; it must be {wanted!r}."
        )
    if x.ndim != axes + 2 or _layout.sparse_dim(x) != axes + 1:
        raise ValueError(
            f"sparse.nn.functional.{function}: x has shape {list(x.shape)} with {_layout.sparse_dim(x)} sparse axes; it must "
            f"have {axes + 2} axes, all sparse but the channels."
        )


def each(function, name, value, axes, least):
    """One int for each spatial axis."""
    value = [int(v) for v in value] if isinstance(value, (list, tuple)) else [int(value)] * axes
    if len(value) != axes or min(value) < least:
        raise ValueError(
            f"sparse.nn.functional.{function}: {name} is {value}; it must be {axes} ints of at least {least}."
        )
    return value


def pads(function, padding, size, kernel, stride, dilation):
    """Padding in front of and behind each spatial axis."""
    axes = len(kernel)
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(
                f"sparse.nn.functional.{function}: padding has value {padding!r}; it must be 'SAME' or 'VALID'."
            )
        if padding.upper() == "VALID":
            return [(0, 0)] * axes
        total = [
            max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
            for n, k, s, d in zip(size, kernel, stride, dilation, strict=True)
        ]
        return [(t // 2, t - t // 2) for t in total]
    if isinstance(padding, (list, tuple)) and len(padding) == 2 * axes:
        flat = each(function, "padding", padding, 2 * axes, 0)
        return list(zip(flat[::2], flat[1::2], strict=True))
    return [(p, p) for p in each(function, "padding", padding, axes, 0)]


def rules(index, size, out_size, kernel, before, stride, dilation, sites=None):
    """The rulebook.

    Args:
        index: Stored sites, int64 of shape [1 + axes, nnz].
        size: [batch, spatial lengths...].
        out_size: The same of the result.
        sites: Sites of the result, or None for all that a window reaches from a stored one.

    Returns:
        (sites of the result [1 + axes, m], for each offset (stored rows, rows of the result)).
    """
    import numpy as np

    met = []
    limit = np.array(out_size[1:])[:, None]
    for offset in np.ndindex(*kernel):
        shift = (np.array(before) - np.array(offset) * np.array(dilation))[:, None]
        place = index[1:] + shift
        step = np.array(stride)[:, None]
        inside = ((place % step == 0) & (place >= 0) & (place // step < limit)).all(axis=0)
        rows = np.flatnonzero(inside)
        target = np.concatenate([index[:1, rows], (place // step)[:, rows]])
        met.append((rows, _layout.flat(target, out_size)))
    if sites is None:
        known = np.unique(np.concatenate([where for _, where in met]))
        return _layout.unflat(known, out_size), [(rows, np.searchsorted(known, where)) for rows, where in met]
    order = np.argsort(_layout.flat(sites, out_size), kind="stable")
    known = _layout.flat(sites, out_size)[order]
    found = []
    for rows, where in met:
        position = np.minimum(np.searchsorted(known, where), max(len(known) - 1, 0))
        hit = known[position] == where if len(known) else np.zeros(0, bool)
        found.append((rows[hit], order[position[hit]]))
    return sites, found

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of statistics over axes, of running extremes, of selection, search and counting."""

import numpy as np

from tests.op_cases import ALL_FLOATS, FLOATS, Case


def _x(*shape):
    return lambda rng, **more: dict(x=rng.standard_normal(shape))


def _with(make, **more):
    return lambda rng: {**make(rng), **more}


def _nan(rng):
    x = rng.standard_normal((3, 5))
    x[0, 1] = x[2, 0] = np.nan
    return dict(x=x)


def _even_rows(rng):
    return dict(x=rng.permuted(np.arange(-6.0, 6.0).reshape(2, 6), axis=1))


def _middle_positions(x, skip_nan, average):
    low, high = np.zeros((2, len(x), 1), "int64")
    for i, row in enumerate(x):
        order, n = np.argsort(row, kind="stable"), int((~np.isnan(row)).sum())
        nan = np.flatnonzero(np.isnan(row))
        low[i] = nan[0] if len(nan) and not skip_nan else order[(n - 1) // 2]
        high[i] = low[i] if not average or (len(nan) and not skip_nan) else order[n // 2]
    return low, high


def _running(best):
    def run(x, axis):
        out, index = x.copy(), np.zeros(x.shape, "int64")
        for lane in np.ndindex(*x.shape[:-1]):
            at = 0
            for j in range(x.shape[-1]):
                at = j if best(x[lane][j], x[lane][at]) else at
                out[lane][j], index[lane][j] = x[lane][at], at
        return out, index

    return run


def _logcumsumexp(x, axis, flatten, exclusive, reverse):
    x = x.reshape(-1) if flatten else x
    x = np.flip(x, axis) if reverse else x
    out = np.logaddexp.accumulate(x, axis)
    if exclusive:
        out = np.roll(out, 1, axis)
        np.moveaxis(out, axis, 0)[0] = -np.inf
    return np.flip(out, axis) if reverse else out


def _scan(rng, axis=-1, flatten=False, exclusive=False, reverse=False):
    return dict(x=rng.standard_normal((3, 4)), axis=axis, flatten=flatten, exclusive=exclusive, reverse=reverse)


def _mode(x, axis):
    values, at = [], []
    for row in x:
        found, counts = np.unique(row, return_counts=True)
        best = found[np.argmax(counts)]
        values.append(best)
        at.append(np.flatnonzero(row == best)[-1])
    return np.array(values), np.array(at)


def _unique(x, *_, **__):
    values, first, inverse, counts = np.unique(x, True, True, True)
    return values, first, inverse.reshape(-1), counts


def _unique_rows(x, return_index, return_inverse, return_counts, axis):
    values, first, inverse, counts = np.unique(x, True, True, True, axis[0])
    return values, first, inverse.reshape(-1), counts


def _histogram(input, weight, bins, min, max, density):
    return np.histogram(input, bins, (min, max), density, weight)[0]


CASES = [
    *(
        Case(
            op=op,
            args=_with(_x(3, 4, 2), axis=axis, keepdim=keep, unbiased=unbiased),
            ref=lambda x, axis, keepdim, unbiased, f=f: f(
                x, axis=tuple(axis) or None, keepdims=keepdim, ddof=1 if unbiased else 0
            ),
            dtypes=ALL_FLOATS,
            grad=("x",),
            id=f"{axis}-{keep}-{unbiased}",
        )
        for op, f in (("var", np.var), ("std", np.std))
        for axis, keep, unbiased in (([], False, True), ([1], True, False), ([0, -1], False, True))
    ),
    Case(op="var", args=lambda rng: dict(x=np.arange(6)), ref=lambda x: np.array(3), id="whole"),
    Case(op="nansum", args=_with(_nan, axis=[1]), ref=lambda x, axis: np.nansum(x, 1), dtypes=FLOATS),
    Case(op="nansum", args=_with(_x(3, 4), axis=[0]), ref=lambda x, axis: np.nansum(x, 0), grad=("x",), id="grad"),
    Case(
        op="nansum",
        args=lambda rng: dict(
            x=np.where(rng.random((2, 3, 4)) < 0.3, np.nan, rng.standard_normal((2, 3, 4))), axis=[1]
        ),
        ref=lambda x, axis: np.nansum(x, 1),
        dtypes=FLOATS,
        id="middle",
    ),
    Case(op="mean_all", args=_x(3, 4), ref=np.mean, dtypes=FLOATS, grad=("x",)),
    Case(
        op="reduce_as",
        args=lambda rng: dict(x=rng.standard_normal((2, 3, 4)), target=np.zeros((3, 1))),
        ref=lambda x, target: x.sum((0, 2), keepdims=True)[0],
        dtypes=FLOATS,
        grad=("x",),
    ),
    *(
        Case(
            op="median",
            args=_with(_x(*shape), axis=axis, keepdim=False),
            ref=lambda x, axis, keepdim: np.median(x, tuple(axis) or None),
            dtypes=FLOATS,
            grad=("x",),
            id=f"{shape}-{axis}",
        )
        for shape, axis in (((3, 4), []), ((3, 5), [1]), ((3, 4, 2), [0, 1]))
    ),
    Case(
        op="median",
        args=_with(_nan, axis=[1], keepdim=True, mode="min"),
        ref=lambda x, axis, keepdim, mode: (np.median(x, 1, keepdims=True), None),
        id="nan",
    ),
    *(
        Case(
            op="median_positions",
            args=_with(draw, skip_nan=skip, average=average),
            ref=_middle_positions,
            id=f"{draw.__name__}-{skip}-{average}",
        )
        for draw in (_nan, _even_rows)
        for skip in (False, True)
        for average in (False, True)
    ),
    Case(
        op="nanmedian",
        args=_with(_nan, axis=[1], keepdim=False),
        ref=lambda x, axis, keepdim: np.nanmedian(x, 1),
        dtypes=FLOATS,
    ),
    Case(
        op="nanmedian",
        args=_with(_x(4, 3), axis=[0]),
        ref=lambda x, axis: np.nanmedian(x, 0, keepdims=True),
        grad=("x",),
        id="grad",
    ),
    *(
        Case(
            op=op,
            args=_with(_x(3, 6), axis=-1),
            ref=_running(best),
            dtypes=FLOATS,
            grad=("x",),
        )
        for op, best in (("cummax", np.greater_equal), ("cummin", np.less_equal))
    ),
    *(
        Case(
            op="logcumsumexp",
            args=lambda rng, more=more: _scan(rng, **more),
            ref=_logcumsumexp,
            dtypes=FLOATS,
            grad=("x",),
            id="-".join(f"{k}{v}" for k, v in more.items()),
        )
        for more in (dict(axis=-1), dict(axis=0), dict(axis=0, reverse=True), dict(axis=0, flatten=True))
    ),
    Case(
        op="logcumsumexp",
        args=lambda rng: _scan(rng, axis=1, exclusive=True),
        ref=_logcumsumexp,
        dtypes=FLOATS,
        id="exclusive",
    ),
    Case(
        op="logcumsumexp",
        args=lambda rng: dict(x=np.array([-np.inf, 800.0, -900.0, 801.0]), axis=0),
        ref=lambda x, axis: np.logaddexp.accumulate(x),
        dtypes=("float64",),
        id="wide",
    ),
    Case(
        op="kthvalue",
        args=_with(_x(3, 6), k=2, axis=1),
        ref=lambda x, k, axis: (np.sort(x, 1)[:, k - 1], np.argsort(x, 1)[:, k - 1]),
        dtypes=FLOATS,
        grad=("x",),
    ),
    Case(
        op="kthvalue",
        args=_with(_x(4, 3), k=4, axis=0, keepdim=True),
        ref=lambda x, k, axis, keepdim: x.max(0, keepdims=True),
        id="keep",
    ),
    Case(
        op="mode",
        args=lambda rng: dict(x=rng.integers(0, 3, (4, 7)).astype("float64"), axis=-1),
        ref=_mode,
        dtypes=FLOATS,
    ),
    Case(op="mode", args=_with(_x(3, 4), axis=1), ref=lambda x, axis: x.min(1), grad=("x",), id="grad"),
    *(
        Case(
            op="searchsorted",
            args=lambda rng, right=right: dict(
                sorted_sequence=np.array([1.0, 2.0, 2.0, 5.0]),
                values=rng.integers(0, 7, (3, 4)).astype("float64"),
                right=right,
            ),
            ref=lambda sorted_sequence, values, right: np.searchsorted(
                sorted_sequence, values, "right" if right else "left"
            ),
            dtypes=ALL_FLOATS,
            id=f"right{right}",
        )
        for right in (False, True)
    ),
    Case(
        op="searchsorted",
        args=lambda rng: dict(sorted_sequence=np.array([[1, 3], [2, 4]]), values=np.array([[3], [3]]), out_int32=True),
        ref=lambda sorted_sequence, values, out_int32: np.array([[1], [1]], "int32"),
        id="rows",
    ),
    Case(op="is_empty", args=lambda rng: dict(x=np.zeros((0, 2))), ref=lambda x: np.array(True)),
    Case(
        op="unique",
        args=lambda rng: dict(x=rng.integers(0, 5, (3, 4)), return_index=True, return_inverse=True, return_counts=True),
        ref=_unique,
    ),
    Case(
        op="unique",
        args=lambda rng: dict(x=np.array([2**62, -5, 7, -5, 2**62, 3]), return_counts=True),
        ref=lambda x, **_: (np.array([-5, 3, 7, 2**62]), np.array([]), np.array([]), np.array([2, 1, 1, 2])),
        id="wide",
    ),
    Case(
        op="unique_consecutive",
        args=lambda rng: dict(x=np.array([2.0, 2.0, np.nan, np.nan, -0.0, 0.0])),
        ref=lambda x: (np.array([2.0, np.nan, np.nan, -0.0]), np.array([]), np.array([])),
        dtypes=("float32", "float64", "float16"),
        id="values",
    ),
    Case(
        op="unique",
        args=lambda rng: dict(
            x=rng.integers(0, 2, (6, 2)), return_index=True, return_inverse=True, return_counts=True, axis=[0]
        ),
        ref=_unique_rows,
        id="rows",
    ),
    Case(
        op="unique_consecutive",
        args=lambda rng: dict(x=np.array([1, 1, 2, 2, 2, 1]), return_inverse=True, return_counts=True),
        ref=lambda x, **_: (np.array([1, 2, 1]), np.array([0, 0, 1, 1, 1, 2]), np.array([2, 3, 1])),
    ),
    Case(
        op="unique_consecutive",
        args=lambda rng: dict(x=np.array([[1, 1, 2], [1, 1, 3]]), return_inverse=True, return_counts=True, axis=[1]),
        ref=lambda x, **_: (np.array([[1, 2], [1, 3]]), np.array([0, 0, 1]), np.array([2, 1])),
        id="columns",
    ),
    Case(
        op="bincount",
        args=lambda rng: dict(x=rng.integers(0, 5, 12), minlength=7),
        ref=lambda x, minlength: np.bincount(x, None, minlength),
    ),
    Case(
        op="bincount",
        args=lambda rng: dict(x=rng.integers(0, 5, 12), weights=rng.standard_normal(12)),
        ref=np.bincount,
        dtypes=FLOATS,
        id="weights",
    ),
    *(
        Case(
            op="histogram",
            args=lambda rng, density=density: dict(
                input=rng.standard_normal((4, 5)), weight=None, bins=6, min=-1.0, max=1.5, density=density
            ),
            ref=_histogram,
            dtypes=("float64",),
            rtol=1e-6,
            id=f"density{density}",
        )
        for density in (False, True)
    ),
    Case(
        op="histogram",
        args=lambda rng: dict(input=np.array([1.0, 2.0, 1.0]), weight=np.array([0.5, 1.0, 2.0]), bins=4),
        ref=lambda input, weight, bins: np.histogram(input, bins, weights=weight)[0],
        id="weight",
    ),
]

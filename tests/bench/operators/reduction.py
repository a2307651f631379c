# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of reductions, cumulative operators, sorting and counting."""

from . import between, booleans, integers, normal, of, row

X = (0,)


def reduction(op, theirs=None, value=None, grad=X, out=True, dim=-1):
    """Along the last axis, keeping nothing of it."""
    theirs = theirs or op
    return row(
        op,
        [value or normal()],
        lambda o, x: getattr(o, op)(x, [dim]),
        lambda t, x, **kw: getattr(t, theirs)(x, dim, **kw),
        out=out,
        grad=grad,
    )


def whole(op, torch, value=None, grad=X):
    return row(op, [value or normal()], lambda o, x: getattr(o, op)(x, []), torch, grad=grad, variant="all")


def sorted_values(rng, shape):
    import numpy as np

    return np.sort(rng.standard_normal(shape), -1)


ROWS = [
    *[reduction(name) for name in "sum mean amax amin logsumexp nansum".split()],
    reduction("max", "amax"),
    reduction("min", "amin"),
    row(
        "prod",
        [between(0.9, 1.1)],
        lambda o, x: o.prod(x, [-1], False, False),
        lambda t, x, **kw: t.prod(x, -1, **kw),
        out=True,
        grad=X,
        note="float32 is multiplied in float64",
    ),
    reduction("any", value=booleans(), grad=()),
    reduction("all", value=booleans(), grad=()),
    reduction("var"),
    reduction("std"),
    whole("sum", lambda t, x: t.sum(x)),
    whole("mean", lambda t, x: t.mean(x)),
    whole("max", lambda t, x: t.max(x)),
    whole("var", lambda t, x: t.var(x)),
    whole("any", lambda t, x: t.any(x), value=of(lambda rng, s: rng.random(s) < 0, dtype="bool"), grad=()),
    row(
        "sum",
        [normal()],
        lambda o, x: o.sum(x, [0]),
        lambda t, x, **kw: t.sum(x, 0, **kw),
        out=True,
        grad=X,
        variant="axis 0",
    ),
    row(
        "max",
        [normal()],
        lambda o, x: o.max(x, [0]),
        lambda t, x, **kw: t.amax(x, 0, **kw),
        out=True,
        grad=X,
        variant="axis 0",
    ),
    row(
        "var",
        [normal()],
        lambda o, x: o.var(x, [0]),
        lambda t, x, **kw: t.var(x, 0, **kw),
        out=True,
        grad=X,
        variant="axis 0",
    ),
    row("mean_all", [normal()], lambda o, x: o.mean_all(x), lambda t, x: t.mean(x), grad=X),
    row("squared_l2_norm", [normal()], lambda o, x: o.squared_l2_norm(x), lambda t, x: (x * x).sum(), grad=X),
    row(
        "l2_norm",
        [normal()],
        lambda o, x: o.l2_norm(x, [0], False),
        lambda t, x, **kw: t.linalg.vector_norm(x, 2, 0, **kw),
        out=True,
        grad=X,
    ),
    row(
        "p_norm",
        [normal()],
        lambda o, x: o.p_norm(x, 2.0, -1, 1e-12, False, False),
        lambda t, x, **kw: t.linalg.vector_norm(x, 2, -1, **kw),
        out=True,
        grad=X,
    ),
    row(
        "p_norm",
        [normal()],
        lambda o, x: o.p_norm(x, 3.0, -1, 1e-12, False, False),
        lambda t, x, **kw: t.linalg.vector_norm(x, 3, -1, **kw),
        out=True,
        grad=X,
        variant="p=3",
    ),
    row(
        "dist",
        [normal(), normal()],
        lambda o, x, y: o.dist(x, y, 2.0),
        lambda t, x, y: t.dist(x, y, 2),
        grad=(0, 1),
        note="composed of a difference, squares, a sum and a root",
    ),
    row(
        "reduce_as",
        [normal(), normal(1, 1024)],
        lambda o, x, y: o.reduce_as(x, y),
        lambda t, x, y: x.sum_to_size(1, 1024),
        grad=X,
    ),
    row("argmax", [normal()], lambda o, x: o.argmax(x, -1), lambda t, x, **kw: t.argmax(x, -1, **kw), out=True),
    row("argmin", [normal()], lambda o, x: o.argmin(x, -1), lambda t, x, **kw: t.argmin(x, -1, **kw), out=True),
    row(
        "argmax",
        [normal()],
        lambda o, x: o.argmax(x, 0),
        lambda t, x, **kw: t.argmax(x, 0, **kw),
        out=True,
        variant="axis 0",
    ),
    row(
        "argmax",
        [normal()],
        lambda o, x: o.argmax(x, 0, False, True),
        lambda t, x, **kw: t.argmax(x, **kw),
        variant="all",
    ),
    row("cumsum", [normal()], lambda o, x: o.cumsum(x, -1), lambda t, x, **kw: t.cumsum(x, -1, **kw), out=True, grad=X),
    row(
        "cumsum",
        [normal()],
        lambda o, x: o.cumsum(x, 0),
        lambda t, x, **kw: t.cumsum(x, 0, **kw),
        out=True,
        grad=X,
        variant="axis 0",
    ),
    row(
        "cumprod",
        [between(0.9, 1.1)],
        lambda o, x: o.cumprod(x, 1),
        lambda t, x, **kw: t.cumprod(x, 1, **kw),
        out=True,
        grad=X,
    ),
    row(
        "logcumsumexp",
        [normal()],
        lambda o, x: o.logcumsumexp(x, -1),
        lambda t, x, **kw: t.logcumsumexp(x, -1, **kw),
        out=True,
        grad=X,
    ),
    row("cummax", [normal()], lambda o, x: o.cummax(x, -1), lambda t, x: t.cummax(x, -1), grad=X),
    row("cummin", [normal()], lambda o, x: o.cummin(x, -1), lambda t, x: t.cummin(x, -1), grad=X),
    row("linear_scan", [between(0, 1, 1024, 1024), normal()], lambda o, a, b: o.linear_scan(a, b, 1), grad=(0, 1)),
    row("median", [normal()], lambda o, x: o.median(x, [1], False, "min"), lambda t, x: t.median(x, 1), grad=X),
    row("median_positions", [normal()], lambda o, x: o.median_positions(x, False, True), None),
    row(
        "nanmedian", [normal()], lambda o, x: o.nanmedian(x, [1], False, "min"), lambda t, x: t.nanmedian(x, 1), grad=X
    ),
    row("median", [normal()], lambda o, x: o.median(x, [], False, "min"), lambda t, x: t.median(x), variant="all"),
    row(
        "kthvalue", [normal()], lambda o, x: o.kthvalue(x, 100, -1, False), lambda t, x: t.kthvalue(x, 100, -1), grad=X
    ),
    row("mode", [integers(0, 50, dtype="float32")], lambda o, x: o.mode(x, -1, False), lambda t, x: t.mode(x, -1)),
    row("argsort", [normal()], lambda o, x: o.argsort(x, -1, False, False), lambda t, x: t.sort(x, -1), grad=X),
    row(
        "argsort",
        [normal(1 << 20)],
        lambda o, x: o.argsort(x, -1, False, False),
        lambda t, x: t.sort(x, -1),
        grad=X,
        variant="one row",
    ),
    row(
        "argsort",
        [integers(0, 1 << 40, 1 << 20)],
        lambda o, x: o.argsort(x, -1, False, True),
        lambda t, x: t.sort(x, dim=-1, stable=True),
        variant="one row, stable",
    ),
    row("topk", [normal()], lambda o, x: o.topk(x, 10, -1, True, True), lambda t, x: t.topk(x, 10, -1), grad=X),
    row(
        "topk",
        [normal(1 << 20)],
        lambda o, x: o.topk(x, 1000, -1, True, True),
        lambda t, x: t.topk(x, 1000, -1),
        grad=X,
        variant="one row",
    ),
    row(
        "searchsorted",
        [of(sorted_values, 1024), normal()],
        lambda o, s, x: o.searchsorted(s, x, False, False),
        lambda t, s, x, **kw: t.searchsorted(s, x, **kw),
        out=True,
    ),
    row(
        "unique",
        [integers(0, 1000)],
        lambda o, x: o.unique(x, False, False, False, [], "int64"),
        lambda t, x: t.unique(x),
    ),
    row(
        "unique",
        [integers(0, 1 << 40)],
        lambda o, x: o.unique(x, False, True, True, [], "int64"),
        lambda t, x: t.unique(x, return_inverse=True, return_counts=True),
        variant="inverse, counts",
        note="eight byte keys are sorted digit by digit",
    ),
    row(
        "unique_consecutive",
        [integers(0, 2)],
        lambda o, x: o.unique_consecutive(x, True, True, [], "int64"),
        lambda t, x: t.unique_consecutive(x, return_inverse=True, return_counts=True),
    ),
    row("bincount", [integers(0, 1000, 1 << 20)], lambda o, x: o.bincount(x, None, 0), lambda t, x: t.bincount(x)),
    row(
        "histogram",
        [normal()],
        lambda o, x: o.histogram(x, None, 100, -3.0, 3.0, False),
        lambda t, x, **kw: t.histc(x, 100, -3.0, 3.0, **kw),
        out=True,
    ),
    row("nonzero", [booleans()], lambda o, x: o.nonzero(x), lambda t, x, **kw: t.nonzero(x, **kw), out=True),
    row(
        "is_empty",
        [normal()],
        lambda o, x: o.is_empty(x),
        lambda t, x: x.numel() == 0,
        note="PyTorch answers with a Python bool",
    ),
]

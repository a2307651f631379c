# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of gather, scatter and masks."""

import numpy as np

from . import booleans, integers, normal, of, row

X = (0,)


def permutation(rng, shape):
    return rng.permutation(shape[0])


ROWS = [
    row(
        "gather",
        [normal(), integers(0, 1024, 1024)],
        lambda o, x, i: o.gather(x, i, 0),
        lambda t, x, i, **kw: t.index_select(x, 0, i, **kw),
        out=True,
        grad=X,
    ),
    row(
        "gather",
        [normal(), integers(0, 1024, 1024)],
        lambda o, x, i: o.gather(x, i, 1),
        lambda t, x, i, **kw: t.index_select(x, 1, i, **kw),
        out=True,
        grad=X,
        variant="axis 1",
    ),
    row(
        "gather",
        [normal(1 << 20), integers(0, 1 << 20, 1 << 20)],
        lambda o, x, i: o.gather(x, i, 0),
        lambda t, x, i, **kw: t.index_select(x, 0, i, **kw),
        out=True,
        grad=X,
        variant="one column",
    ),
    row(
        "index_select",
        [normal(), integers(0, 1024, 1024)],
        lambda o, x, i: o.index_select(x, i, 1),
        lambda t, x, i, **kw: t.index_select(x, 1, i, **kw),
        out=True,
        grad=X,
    ),
    row(
        "index_add",
        [normal(), integers(0, 1024, 1024), normal()],
        lambda o, x, i, v: o.index_add(x, i, v, 0),
        lambda t, x, i, v, **kw: t.index_add(x, 0, i, v, **kw),
        out=True,
        grad=(0, 2),
    ),
    row(
        "index_sample",
        [normal(), integers(0, 1024)],
        lambda o, x, i: o.index_sample(x, i),
        lambda t, x, i, **kw: t.gather(x, 1, i, **kw),
        out=True,
        grad=X,
    ),
    row(
        "gather_nd",
        [normal(), integers(0, 1024, 1 << 20, 2)],
        lambda o, x, i: o.gather_nd(x, i),
        lambda t, x, i: x[i[:, 0], i[:, 1]],
        grad=X,
    ),
    row(
        "scatter_nd_add",
        [normal(), integers(0, 1024, 1 << 20, 2), normal(1 << 20)],
        lambda o, x, i, v: o.scatter_nd_add(x, i, v),
        lambda t, x, i, v: x.index_put((i[:, 0], i[:, 1]), v, accumulate=True),
        grad=(0, 2),
    ),
    row(
        "scatter",
        [normal(), of(permutation, 1024, dtype="int64"), normal()],
        lambda o, x, i, v: o.scatter(x, i, v, True),
        lambda t, x, i, v: x.index_copy(0, i, v),
        grad=(0, 2),
    ),
    row(
        "take_along_axis",
        [normal(), integers(0, 1024)],
        lambda o, x, i: o.take_along_axis(x, i, 1),
        lambda t, x, i, **kw: t.gather(x, 1, i, **kw),
        out=True,
        grad=X,
    ),
    row(
        "take_along_axis",
        [normal(), integers(0, 1024)],
        lambda o, x, i: o.take_along_axis(x, i, 0),
        lambda t, x, i, **kw: t.gather(x, 0, i, **kw),
        out=True,
        grad=X,
        variant="axis 0",
    ),
    row(
        "put_along_axis",
        [normal(), integers(0, 1024), normal()],
        lambda o, x, i, v: o.put_along_axis(x, i, v, 1, "assign", True),
        lambda t, x, i, v, **kw: t.scatter(x, 1, i, v, **kw),
        out=True,
        grad=(0, 2),
    ),
    row(
        "put_along_axis_reduce",
        [normal(), integers(0, 1024), normal()],
        lambda o, x, i, v: o.put_along_axis_reduce(x, i, v, 1, "add", True),
        lambda t, x, i, v, **kw: t.scatter_add(x, 1, i, v, **kw),
        out=True,
        grad=(0, 2),
    ),
    row(
        "index_put",
        [normal(), integers(0, 1024, 1 << 20), integers(0, 1024, 1 << 20), normal(1 << 20)],
        lambda o, x, i, j, v: o.index_put(x, [i, j], v, True),
        lambda t, x, i, j, v: x.index_put((i, j), v, accumulate=True),
        grad=(0, 3),
    ),
    row(
        "masked_select",
        [normal(), booleans()],
        lambda o, x, m: o.masked_select(x, m),
        lambda t, x, m, **kw: t.masked_select(x, m, **kw),
        out=True,
        grad=X,
    ),
    row(
        "multiplex",
        [normal(), normal(), integers(0, 2, 1024, 1, dtype="int32")],
        lambda o, x, y, i: o.multiplex([x, y], i),
        lambda t, x, y, i: t.where(i == 0, x, y),
        grad=(0, 1),
    ),
    row(
        "embedding",
        [integers(0, 10000, 8, 512), normal(10000, 256)],
        lambda o, i, w: o.embedding(i, w, -1, False),
        lambda t, i, w: t.nn.functional.embedding(i, w),
        grad=(1,),
    ),
    row(
        "embedding_with_scaled_gradient",
        [integers(0, 10000, 8, 512), normal(10000, 256)],
        lambda o, i, w: o.embedding_with_scaled_gradient(i, w, -1),
        lambda t, i, w: t.nn.functional.embedding(i, w, scale_grad_by_freq=True),
        grad=(1,),
    ),
    row(
        "embedding_grad_dense",
        [integers(0, 10000, 8, 512), normal(10000, 256), normal(8, 512, 256)],
        lambda o, i, w, g: o.embedding_grad_dense(i, w, g, -1),
        lambda t, i, w, g: t.ops.aten.embedding_dense_backward(g, i, 10000, -1, False),
    ),
    row(
        "gather_tree",
        [integers(0, 10000, 128, 1024, 8), integers(0, 8, 128, 1024, 8)],
        lambda o, i, p: o.gather_tree(i, p),
    ),
    row(
        "select_beams",
        [
            integers(1, 30000, 512, 1),
            normal(512, 1),
            integers(0, 30000, 512, 64),
            normal(512, 64),
            of(lambda rng, s: np.arange(0, 513, 4), 129, dtype="int64"),
        ],
        lambda o, p, q, i, s, b: o.select_beams(p, q, i, s, b, 4, 0),
    ),
    row(
        "trace_beams",
        [
            integers(1, 30000, 65536),
            normal(65536),
            of(lambda rng, s: np.tile(np.arange(0, 513, 4), 128), 16512, dtype="int64"),
            of(lambda rng, s: np.full(s, 129), 128, dtype="int64"),
            of(lambda rng, s: np.tile(np.arange(513), 128), 65664, dtype="int64"),
            of(lambda rng, s: np.full(s, 513), 128, dtype="int64"),
        ],
        lambda o, i, s, a, b, c, d: o.trace_beams(i, s, a, b, c, d, 0),
    ),
]

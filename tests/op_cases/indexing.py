# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Rows of the operator table: reads and writes by position or condition, against NumPy.
import itertools

import numpy as np

from tests.op_cases import Case


def f(rng, *shape):
    return rng.standard_normal(shape).astype("float32")


def added(x, index, value):
    out = x.copy()
    np.add.at(out, index, value)
    return out


def put(x, index, value):
    out = x.copy()
    out[index] = value
    return out


def walked_back(ids, parents):
    out = np.empty_like(ids)
    for batch, beam in np.ndindex(ids.shape[1:]):
        at = beam
        for step in reversed(range(len(ids))):
            out[step, batch, beam] = ids[step, batch, at]
            at = parents[step, batch, at]
    return out


def along(x, i, v, axis):
    out = x.copy()
    np.put_along_axis(out, i, v, axis)
    return out


def beams(pre_ids, pre_scores, ids, scores, sources, beam_size, end_id, is_accumulated=True):
    chosen, offsets = [], np.zeros(len(scores) + 1, "int64")
    for begin, end in itertools.pairwise(sources):
        found = []
        for row in range(begin, end):
            if pre_ids[row, 0] == end_id:
                found.append((pre_scores[row, 0], row, end_id))
                continue
            own = scores[row] if is_accumulated else np.log(scores[row]) + pre_scores[row, 0]
            found += [(s, row, k if ids is None else ids[row, k]) for k, s in enumerate(own)]
        best = sorted(found, key=lambda b: -b[0])[:beam_size]
        if not all(i == end_id == pre_ids[row, 0] for _, row, i in best):
            chosen += sorted(best, key=lambda b: b[1])
    for _, row, _ in chosen:
        offsets[row + 1 :] += 1
    s, parents, i = (np.array([c[k] for c in chosen]) for k in range(3))
    return i[:, None], s[:, None], parents.astype("int32"), offsets


F = ("float32", "float64")
BEAMS = dict(
    pre_ids=np.array([[3], [0], [5], [0], [0]]),
    pre_scores=np.array([[-0.5], [-0.1], [-1.0], [-0.2], [-0.3]]),
    sources=np.array([0, 2, 3, 5]),
    beam_size=2,
    end_id=0,
)
# Two sources, three steps: the second beam of source 0 ends and stays, source 1 is gone before the last step.
WAY = dict(
    ids=np.array([1, 1, 4, 0, 5, 0, 6, 0]),
    scores=np.array([0.0, 0.0, -1.0, -0.5, -2.0, -0.25, -1.5, -0.5]),
    sources=np.array([0, 1, 2, 0, 1, 2, 0, 2, 4]),
    source_counts=np.array([3, 3, 3]),
    beams=np.array([0, 1, 2, 0, 2, 4, 0, 1, 2, 2, 2]),
    beam_counts=np.array([3, 3, 5]),
    end_id=0,
)
I = np.array([2, 0, 2])
ND = np.array([[1, 0], [1, 0], [2, 1]])
A = np.array([[1, 0], [0, 1], [1, 1]])
M = np.array([[True, False], [False, True], [True, True]])
CASES = [
    Case(
        op="gather",
        args=lambda r: dict(x=f(r, 3, 2), index=I, axis=0),
        ref=lambda x, index, axis: x[index],
        dtypes=F,
        grad=("x",),
        id="rows",
    ),
    Case(
        op="index_select",
        args=lambda r: dict(x=f(r, 2, 3), index=I, axis=1),
        ref=lambda x, index, axis: x[:, index],
        dtypes=F,
        grad=("x",),
        id="columns",
    ),
    Case(
        op="index_select",
        args=lambda r: dict(x=f(r, 3, 2), index=I[:, None], axis=0),
        ref=lambda x, index, axis: x[index[:, 0]],
        dtypes=F,
        grad=("x",),
        id="index of one column",
    ),
    Case(
        op="index_add",
        args=lambda r: dict(x=f(r, 3, 2), index=I, add_value=f(r, 3, 2), axis=0),
        ref=lambda x, index, add_value, axis: added(x, index, add_value),
        dtypes=F,
        grad=("x", "add_value"),
        id="rows",
    ),
    Case(
        op="gather_nd",
        args=lambda r: dict(x=f(r, 3, 2), index=ND),
        ref=lambda x, index: x[index[:, 0], index[:, 1]],
        dtypes=F,
        grad=("x",),
        id="elements",
    ),
    Case(
        op="scatter_nd_add",
        args=lambda r: dict(x=f(r, 3, 2), index=ND, updates=f(r, 3)),
        ref=lambda x, index, updates: added(x, (index[:, 0], index[:, 1]), updates),
        dtypes=F,
        grad=("x", "updates"),
        id="elements",
    ),
    Case(
        op="scatter",
        args=lambda r: dict(x=f(r, 3, 2), index=np.array([2, 0]), updates=f(r, 2, 2)),
        ref=lambda x, index, updates: put(x, index, updates),
        dtypes=F,
        grad=("x", "updates"),
        id="overwrite",
    ),
    Case(
        op="gather_tree",
        args=lambda r: dict(ids=r.integers(0, 9, (4, 2, 3)), parents=r.integers(0, 3, (4, 2, 3))),
        ref=walked_back,
    ),
    Case(
        op="select_beams",
        args=lambda r: dict(
            BEAMS, ids=r.integers(0, 9, (5, 3)), scores=r.permutation(15).reshape(5, 3) / -8.0, is_accumulated=True
        ),
        ref=beams,
        dtypes=F,
    ),
    Case(
        op="select_beams",
        args=lambda r: dict(BEAMS, ids=None, scores=(r.permutation(15).reshape(5, 3) + 1) / 16.0, is_accumulated=False),
        ref=beams,
        dtypes=F,
        id="probabilities",
    ),
    Case(
        op="trace_beams",
        args=lambda r: WAY,
        ref=lambda **_: (
            np.array([1, 0, 1, 4, 6, 1, 0, 1, 5]),
            np.array([0.0, -0.5, 0.0, -1.0, -1.5, 0.0, -0.25, 0.0, -2.0]),
            np.array([0, 2, 4]),
            np.array([0, 2, 5, 7, 9]),
        ),
        dtypes=F,
    ),
    Case(
        op="take_along_axis",
        args=lambda r: dict(arr=f(r, 3, 2), indices=A, axis=1),
        ref=lambda arr, indices, axis: np.take_along_axis(arr, indices, axis),
        dtypes=F,
        grad=("arr",),
        id="rows",
    ),
    Case(
        op="put_along_axis",
        args=lambda r: dict(arr=f(r, 3, 2), indices=A[:, :1], values=f(r, 3, 1), axis=1),
        ref=lambda arr, indices, values, axis: along(arr, indices, values, axis),
        dtypes=F,
        grad=("arr", "values"),
        id="assign",
    ),
    Case(
        op="index_put",
        args=lambda r: dict(x=f(r, 3, 2), indices=[I], value=f(r, 3, 2), accumulate=True),
        ref=lambda x, indices, value, accumulate: added(x, indices[0], value),
        dtypes=F,
        grad=("x", "value"),
        id="accumulate",
    ),
    Case(
        op="nonzero",
        args=lambda r: dict(condition=M),
        ref=lambda condition: np.argwhere(condition),
        dtypes=("bool",),
        id="mask",
    ),
    Case(
        op="masked_select",
        args=lambda r: dict(x=f(r, 3, 2), mask=M),
        ref=lambda x, mask: x[mask],
        dtypes=F,
        grad=("x",),
        id="mask",
    ),
    Case(
        op="one_hot",
        args=lambda r: dict(x=I, num_classes=3),
        ref=lambda x, num_classes: np.eye(3, dtype="float32")[x],
        dtypes=("int64",),
        id="three",
    ),
    Case(
        op="embedding",
        args=lambda r: dict(x=A, weight=f(r, 3, 4)),
        ref=lambda x, weight: weight[x],
        dtypes=F,
        grad=("weight",),
        id="two-axes",
    ),
    Case(
        op="embedding",
        args=lambda r: dict(x=A, weight=f(r, 3, 4), padding_idx=int(A.flat[0])),
        ref=lambda x, weight, padding_idx: np.where((x == padding_idx)[..., None], 0, weight[x]),
        dtypes=F,
        grad=("weight",),
        id="a padding row",
    ),
    Case(
        op="embedding_with_scaled_gradient",
        args=lambda r: dict(x=A, weight=f(r, 3, 4)),
        ref=lambda x, weight: weight[x],
        dtypes=F,
        id="two-axes",
    ),
    Case(
        op="embedding_grad_dense",
        args=lambda r: dict(x=I, weight=f(r, 3, 4), out_grad=f(r, 3, 4)),
        ref=lambda x, weight, out_grad: added(0 * weight, x, out_grad),
        dtypes=F,
        grad=("out_grad",),
        id="repeated",
    ),
    Case(
        op="where",
        args=lambda r: dict(condition=M, x=f(r, 3, 2), y=f(r, 2)),
        ref=lambda condition, x, y: np.where(condition, x, y),
        dtypes=F,
        grad=("x", "y"),
        id="broadcast",
    ),
    Case(
        op="masked_fill",
        args=lambda r: dict(x=f(r, 3, 2), mask=M, value=np.float32(2)),
        ref=lambda x, mask, value: np.where(mask, value, x),
        dtypes=F,
        grad=("x",),
        id="scalar",
    ),
]

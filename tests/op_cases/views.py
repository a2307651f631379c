# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of views, diagonals, patterns, lists of tensors, and reads and writes by position."""

import numpy as np

from tests.op_cases import FLOATS, Case


def _x(*shape):
    return lambda rng: dict(x=rng.standard_normal(shape))


def _input(*shape):
    return lambda rng: dict(input=rng.standard_normal(shape))


def _with(make, **more):
    return lambda rng: {**make(rng), **more}


def _filled(x, y, offset, dim1, dim2):
    out = x.copy()
    plane = np.moveaxis(out, (dim1, dim2), (-2, -1))
    length = np.diagonal(x, offset, dim1, dim2).shape[-1]
    row, column = max(-offset, 0), max(offset, 0)
    for k in range(length):
        plane[..., row + k, column + k] = y[..., k]
    return out


def _fill_diagonal(x, value, offset, wrap):
    out = x.copy()
    rows, columns = x.shape
    for r in range(rows):
        c = r % (columns + 1) + offset if wrap else r + offset
        if 0 <= c < columns and (wrap or r < columns):
            out[r, c] = value
    return out


def _reduced(arr, indices, values, axis, reduce, include_self):
    assert axis == 1
    out = arr.copy()
    for i in range(indices.shape[0]):
        for at in np.unique(indices[i]):
            parts = list(values[i][indices[i] == at])
            parts = [arr[i, at], *parts] if include_self else parts
            out[i, at] = dict(add=np.sum, mul=np.prod, mean=np.mean, amin=np.min, amax=np.max)[reduce](parts)
    return out


def _scattered(reduce, include_self):
    def make(rng):
        return dict(
            arr=rng.standard_normal((2, 4)),
            indices=np.array([[0, 2, 0], [1, 1, 3]]),
            values=rng.standard_normal((2, 3)),
            axis=1,
            reduce=reduce,
            include_self=include_self,
        )

    return make


def _multiplex(rng):
    return dict(inputs=[rng.standard_normal((3, 2)) for _ in range(2)], index=np.array([[1], [0], [1]]))


CASES = [
    Case(
        op="view_shape",
        args=_with(_input(3, 4), dims=[2, -1]),
        ref=lambda input, dims: input.reshape(dims),
        grad=("input",),
        modes=(),
    ),
    Case(
        op="view_dtype",
        args=lambda rng: dict(input=np.arange(4, dtype="int32"), dtype="int64"),
        ref=lambda input, dtype: input.view("int64"),
        modes=(),
    ),
    Case(
        op="view_dtype",
        args=lambda rng: dict(input=np.arange(4), dtype="int32"),
        ref=lambda input, dtype: input.view("int32"),
        id="narrow",
        modes=(),
    ),
    Case(
        op="as_strided",
        args=_with(_input(12), dims=[3, 2, 2], stride=[2, 1, 3], offset=0),
        ref=lambda input, dims, stride, offset: np.array(
            [[[input[2 * i + j + 3 * k] for k in range(2)] for j in range(2)] for i in range(3)]
        ),
        grad=("input",),
        modes=(),
    ),
    *(
        Case(
            op="tensor_unfold",
            args=_with(_input(2, 7, 3), axis=1, size=size, step=step),
            ref=lambda input, axis, size, step: np.moveaxis(
                np.stack([input[:, i : i + size] for i in range(0, 7 - size + 1, step)], 1), 2, -1
            ),
            dtypes=FLOATS,
            grad=("input",),
            id=f"{size}-{step}",
        )
        for size, step in ((3, 2), (2, 3), (7, 1))
    ),
    *(
        Case(
            op="diagonal",
            args=_with(_x(3, 4, 2), offset=offset, axis1=a, axis2=b),
            ref=lambda x, offset, axis1, axis2: np.diagonal(x, offset, axis1, axis2),
            dtypes=FLOATS,
            grad=("x",),
            id=f"{offset}-{a}-{b}",
        )
        for offset, a, b in ((0, 0, 1), (1, 1, 0), (-1, 0, 2), (9, 0, 1))
    ),
    *(
        Case(
            op="fill_diagonal_tensor",
            args=lambda rng, o=o, a=a, b=b: dict(
                x=rng.standard_normal((3, 4, 2)),
                y=rng.standard_normal(np.diagonal(np.zeros((3, 4, 2)), o, a, b).shape),
                offset=o,
                dim1=a,
                dim2=b,
            ),
            ref=_filled,
            dtypes=FLOATS,
            grad=("x", "y"),
            id=f"{o}-{a}-{b}",
        )
        for o, a, b in ((0, 0, 1), (-1, 1, 2), (1, 0, 1))
    ),
    *(
        Case(
            op="fill_diagonal",
            args=_with(_x(*shape), value=2.5, offset=offset, wrap=wrap),
            ref=_fill_diagonal,
            dtypes=FLOATS,
            grad=("x",),
            id=f"{shape}-{offset}-{wrap}",
        )
        for shape, offset, wrap in (((3, 4), 1, False), ((7, 3), 0, True), ((7, 3), 0, False), ((3, 4), -1, False))
    ),
    Case(
        op="diag",
        args=_with(_x(3), offset=-1, padding_value=2.0),
        ref=lambda x, offset, padding_value: np.where(np.eye(4, k=-1) > 0, np.diag(x, -1), 2.0),
        dtypes=FLOATS,
        grad=("x",),
    ),
    Case(op="diag", args=_with(_x(3, 4), offset=1), ref=np.diag, dtypes=FLOATS, grad=("x",), id="matrix"),
    Case(
        op="meshgrid",
        args=lambda rng: dict(inputs=[rng.standard_normal(2), rng.standard_normal(3)]),
        ref=lambda inputs: tuple(np.meshgrid(*inputs, indexing="ij")),
        dtypes=FLOATS,
        grad=("inputs",),
    ),
    *(
        Case(
            op=op,
            args=lambda rng, n=n, k=k: dict(zip(n, (4, 3, k), strict=True)),
            ref=lambda f=f, **given: np.stack(f(*(list(given.values())[i] for i in (0, 2, 1)))),
            id=str(k),
        )
        for op, f, n in (
            ("tril_indices", np.tril_indices, ("rows", "cols", "offset")),
            ("triu_indices", np.triu_indices, ("row", "col", "offset")),
        )
        for k in (0, 1, -2)
    ),
    Case(op="fill", args=_with(_x(2, 3), value=4.0), ref=lambda x, value: np.full_like(x, value), dtypes=FLOATS),
    Case(
        op="unstack",
        args=_with(_x(2, 3), axis=1),
        ref=lambda x, axis: tuple(x[:, i] for i in range(3)),
        dtypes=FLOATS,
        grad=("x",),
    ),
    Case(
        op="broadcast_tensors",
        args=lambda rng: dict(input=[rng.standard_normal((2, 1)), rng.standard_normal(3)]),
        ref=lambda input: tuple(np.broadcast_arrays(*input)),
        dtypes=FLOATS,
        grad=("input",),
    ),
    Case(
        op="add_n",
        args=lambda rng: dict(inputs=[rng.standard_normal((2, 3)) for _ in range(3)]),
        ref=lambda inputs: sum(inputs),
        dtypes=FLOATS,
        grad=("inputs",),
    ),
    Case(
        op="add_n",
        id="numbers",
        args=lambda rng: dict(inputs=[rng.standard_normal(shape) for shape in ((), (1,), ())]),
        ref=lambda inputs: sum(inputs),
        dtypes=FLOATS,
        grad=("inputs",),
    ),
    Case(
        op="crop",
        args=_with(_x(3, 4), shape=[2, -1], offsets=[1, 2]),
        ref=lambda x, shape, offsets: x[1:3, 2:],
        dtypes=FLOATS,
        grad=("x",),
    ),
    Case(
        op="index_sample",
        args=_with(_x(2, 4), index=np.array([[0, 0, 3], [1, 2, 1]])),
        ref=lambda x, index: np.take_along_axis(x, index, 1),
        dtypes=FLOATS,
        grad=("x",),
    ),
    Case(
        op="multiplex",
        args=_multiplex,
        ref=lambda inputs, index: np.stack([inputs[k][i] for i, k in enumerate(index[:, 0])]),
        dtypes=FLOATS,
        grad=("inputs",),
    ),
    Case(
        op="shard_index",
        args=lambda rng: dict(input=np.array([[16], [1], [10]]), index_num=20, nshards=2, shard_id=1),
        ref=lambda input, **_: np.array([[6], [-1], [0]]),
    ),
    Case(
        op="repeat_interleave_with_tensor_index",
        args=_with(_x(2, 3), repeats=np.array([2, 0, 3]), axis=1),
        ref=np.repeat,
        dtypes=FLOATS,
        grad=("x",),
    ),
    *(
        Case(
            op=op,
            args=_scattered(reduce, own),
            ref=_reduced,
            dtypes=FLOATS,
            grad=("arr", "values") if op.endswith("reduce") else (),
            id=f"{reduce}-{own}",
        )
        for op in ("put_along_axis_reduce", "put_along_axis")
        for reduce in ("add", "mul", "mean", "amin", "amax")
        for own in (True, False)
    ),
    Case(
        op="put_along_axis_reduce",
        args=lambda rng: dict(
            arr=np.array([0.0, 2.0, 3.0]),
            indices=np.array([0, 0, 1, 1]),
            values=np.array([2.0, 3.0, 0.0, 5.0]),
            axis=0,
            reduce="mul",
        ),
        ref=lambda arr, **_: np.array([0.0, 0.0, 3.0]),
        grad=("arr", "values"),
        grad_order=1,
        id="zeros",
    ),
]

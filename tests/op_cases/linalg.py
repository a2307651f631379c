# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the matrix products."""

import numpy as np

from tests.op_cases import ALL_FLOATS, Case

FLOATS = ("float32", "float64")


def _swap(a, flag):
    return np.swapaxes(a, -1, -2) if flag and a.ndim > 1 else a


def _matmul(x, y, transpose_x=False, transpose_y=False):
    return np.matmul(_swap(x, transpose_x), _swap(y, transpose_y))


def _product(x_shape, y_shape, name, dtypes=FLOATS, **flags):
    return Case(
        op="matmul",
        args=lambda rng: dict(x=rng.standard_normal(x_shape), y=rng.standard_normal(y_shape), **flags),
        ref=_matmul,
        dtypes=dtypes,
        grad=("x", "y"),
        id=name,
    )


def _half_product(x_shape, y_shape, name, **flags):
    """Large enough for the 16-bit instructions of the processor."""
    return _product(x_shape, y_shape, f"16-bit, {name}", dtypes=("float16", "bfloat16"), **flags)


CASES = [
    _product((3, 4), (4, 5), "matrices"),
    _product((4, 3), (4, 5), "first transposed", transpose_x=True),
    _product((3, 4), (5, 4), "second transposed", transpose_y=True),
    _product((4, 3), (5, 4), "both transposed", transpose_x=True, transpose_y=True),
    _product((2, 3, 4), (4, 5), "batch times matrix"),
    _product((2, 1, 3, 4), (3, 4, 5), "broadcast batch"),
    _product((4,), (4,), "vectors"),
    _product((4,), (2, 4, 3), "vector times batch"),
    _product((2, 3, 4), (4,), "batch times vector"),
    _product((0, 4), (4, 5), "no rows"),
    _product((3, 0), (0, 5), "empty sum"),
    _product((70, 90), (90, 65), "beyond one tile"),
    _half_product((70, 90), (90, 65), "matrices"),
    _half_product((67, 33), (67, 47), "first transposed", transpose_x=True),
    _half_product((33, 70), (48, 70), "second transposed", transpose_y=True),
    _half_product((64, 31), (35, 64), "both transposed", transpose_x=True, transpose_y=True),
    _half_product((2, 32, 64), (2, 64, 33), "batch"),
    Case(
        op="linear",
        args=lambda rng: dict(
            x=rng.standard_normal((2, 3, 4)), weight=rng.standard_normal((4, 5)), bias=rng.standard_normal(5)
        ),
        ref=lambda x, weight, bias: x @ weight + bias,
        dtypes=FLOATS,
        grad=("x", "weight", "bias"),
    ),
    Case(
        op="linear",
        id="vector",
        args=lambda rng: dict(x=rng.standard_normal((2, 4)), weight=rng.standard_normal(4)),
        ref=lambda x, weight: x @ weight,
        dtypes=FLOATS,
        grad=("x", "weight"),
    ),
    Case(
        op="linear",
        id="batch",
        args=lambda rng: dict(
            x=rng.standard_normal((2, 3, 4)), weight=rng.standard_normal((2, 4, 5)), bias=rng.standard_normal((2, 1, 5))
        ),
        ref=lambda x, weight, bias: x @ weight + bias,
        dtypes=FLOATS,
        grad=("x", "weight", "bias"),
    ),
    Case(
        op="bmm",
        args=lambda rng: dict(x=rng.standard_normal((2, 3, 4)), y=rng.standard_normal((2, 4, 5))),
        ref=lambda x, y: x @ y,
        dtypes=FLOATS,
        grad=("x", "y"),
    ),
    Case(
        op="mv",
        args=lambda rng: dict(x=rng.standard_normal((3, 4)), vec=rng.standard_normal(4)),
        ref=lambda x, vec: x @ vec,
        dtypes=FLOATS,
        grad=("x", "vec"),
    ),
    Case(
        op="dot",
        args=lambda rng: dict(x=rng.standard_normal((3, 4)), y=rng.standard_normal((3, 4))),
        ref=lambda x, y: (x * y).sum(-1),
        dtypes=FLOATS,
        grad=("x", "y"),
    ),
    Case(
        op="addmm",
        args=lambda rng: dict(
            input=rng.standard_normal((3, 5)),
            x=rng.standard_normal((3, 4)),
            y=rng.standard_normal((4, 5)),
            beta=0.5,
            alpha=2.0,
        ),
        ref=lambda input, x, y, beta, alpha: beta * input + alpha * (x @ y),
        dtypes=FLOATS,
        grad=("input", "x", "y"),
    ),
    Case(
        op="baddbmm",
        args=lambda rng: dict(
            input=rng.standard_normal((2, 3, 5)), x=rng.standard_normal((2, 3, 4)), y=rng.standard_normal((2, 4, 5))
        ),
        ref=lambda input, x, y: input + x @ y,
        dtypes=FLOATS,
        grad=("input", "x", "y"),
    ),
    Case(
        op="kron",
        args=lambda rng: dict(x=rng.standard_normal((2, 3)), y=rng.standard_normal((4, 1, 2))),
        ref=np.kron,
        dtypes=FLOATS,
        grad=("x", "y"),
    ),
    Case(
        op="kron",
        args=lambda rng: dict(x=rng.standard_normal((2, 0)), y=rng.standard_normal(())),
        ref=np.kron,
        dtypes=FLOATS,
        id="no elements, a number",
    ),
    Case(
        op="cross",
        args=lambda rng: dict(x=rng.standard_normal((2, 3, 3)), y=rng.standard_normal((2, 3, 3))),
        ref=lambda x, y: np.cross(x, y, axis=1),
        dtypes=FLOATS,
        grad=("x", "y"),
        id="first dimension of three",
    ),
    Case(
        op="cross",
        args=lambda rng: dict(x=rng.standard_normal((3, 2, 3)), y=rng.standard_normal((3, 2, 3)), axis=-1),
        ref=lambda x, y, axis: np.cross(x, y, axis=axis),
        dtypes=FLOATS,
        grad=("x", "y"),
        id="last dimension",
    ),
    Case(
        op="dist",
        args=lambda rng: dict(x=rng.standard_normal((2, 3)), y=rng.standard_normal(3)),
        ref=lambda x, y: np.linalg.norm((x - y).ravel()),
        dtypes=FLOATS,
        grad=("x", "y"),
    ),
    Case(
        op="dist",
        args=lambda rng: dict(x=rng.standard_normal((2, 3)), y=rng.standard_normal((4, 1, 3)), p=float("inf")),
        ref=lambda x, y, p: np.abs(x - y).max(),
        dtypes=FLOATS,
        grad=("x", "y"),
        grad_order=1,
        id="largest difference",
    ),
]


def _coo_dense(rows, cols, values, m, k):
    dense = np.zeros((m, k))
    np.add.at(dense, (rows, cols), values)
    return dense


def _coo(rng, count, m, k):
    return dict(rows=rng.integers(0, m, count), cols=rng.integers(0, k, count))


CASES += [
    case
    for count, m, k, n in ((12, 4, 5, 3), (40, 3, 2, 75), (0, 3, 2, 4), (5, 3, 2, 1))
    for case in (
        Case(
            op="coo_matmul",
            args=lambda rng, count=count, m=m, k=k, n=n: dict(
                **_coo(rng, count, m, k), values=rng.standard_normal(count), y=rng.standard_normal((k, n)), m=m
            ),
            ref=lambda rows, cols, values, y, m: _coo_dense(rows, cols, values, m, len(y)) @ y,
            dtypes=FLOATS,
            grad=("values", "y") if count else (),
            id=f"{count} elements, {n} columns",
        ),
        Case(
            op="coo_dots",
            args=lambda rng, count=count, m=m, k=k, n=n: dict(
                **_coo(rng, count, m, k), x=rng.standard_normal((m, n)), y=rng.standard_normal((k, n))
            ),
            ref=lambda rows, cols, x, y: (x[rows] * y[cols]).sum(1),
            dtypes=FLOATS,
            grad=("x", "y") if count else (),
            id=f"{count} elements, {n} columns",
        ),
    )
]

CASES += [
    case
    for batch, m, n, d in (((), 5, 40, 3), ((2,), 3, 4, 20), ((), 2, 0, 3), ((2, 2), 1, 3, 70))
    for case in (
        *(
            Case(
                op=f"{name}_distances",
                args=lambda rng, b=batch, m=m, n=n, d=d: dict(
                    x=rng.standard_normal((*b, m, d)), y=rng.standard_normal((*b, n, d))
                ),
                ref=lambda x, y, order=order: np.linalg.norm(x[..., :, None, :] - y[..., None, :, :], order, axis=-1),
                dtypes=FLOATS,
                grad=("x", "y") if n else (),
                id=f"{[*batch, m, n, d]}",
            )
            for name, order in (("manhattan", 1), ("euclidean", 2), ("chebyshev", np.inf))
        ),
        Case(
            op="weighted_differences",
            args=lambda rng, b=batch, m=m, n=n, d=d: dict(
                w=rng.standard_normal((*b, m, n)), x=rng.standard_normal((*b, m, d)), y=rng.standard_normal((*b, n, d))
            ),
            ref=lambda w, x, y: (w[..., None] * (x[..., :, None, :] - y[..., None, :, :])).sum(-2),
            dtypes=FLOATS,
            grad=("w", "x", "y") if n else (),
            id=f"{[*batch, m, n, d]}",
        ),
        Case(
            op="weighted_signs",
            args=lambda rng, b=batch, m=m, n=n, d=d: dict(
                w=rng.standard_normal((*b, m, n)), x=rng.standard_normal((*b, m, d)), y=rng.standard_normal((*b, n, d))
            ),
            ref=lambda w, x, y: (w[..., None] * np.sign(x[..., :, None, :] - y[..., None, :, :])).sum(-2),
            dtypes=FLOATS,
            grad=("w",) if n else (),
            id=f"{[*batch, m, n, d]}",
        ),
    )
]


def _expert_product(x, weight, ids, transpose_weight=True):
    out = np.zeros((*ids.shape, weight.shape[1 if transpose_weight else 2]))
    for t, c in np.ndindex(*ids.shape):
        matrix = weight[ids[t, c]] if transpose_weight else weight[ids[t, c]].T
        out[t, c] = matrix @ (x[t] if x.ndim == 2 else x[t, c])
    return out


def _expert_outer(x, y, ids, experts):
    out = np.zeros((experts, x.shape[-1], y.shape[-1]))
    for t, c in np.ndindex(*ids.shape):
        out[ids[t, c]] += np.outer(*(rows[t] if rows.ndim == 2 else rows[t, c] for rows in (x, y)))
    return out


# tokens, choices, experts: two experts that nobody chooses among 7; many rows of each; one token; no choice
CASES += [
    case
    for tokens, choices, experts in ((5, 2, 7), (40, 3, 2), (1, 2, 3), (0, 2, 3))
    for case in (
        *(
            Case(
                op="expert_matmul",
                args=lambda rng, t=tokens, c=choices, e=experts, swapped=swapped, rows=rows: dict(
                    x=rng.standard_normal((t, 9) if rows == "token" else (t, c, 9)),
                    weight=rng.standard_normal((e, 4, 9) if swapped else (e, 9, 4)),
                    ids=rng.integers(0, e, (t, c)),
                    transpose_weight=swapped,
                ),
                ref=_expert_product,
                dtypes=ALL_FLOATS,
                grad=("x", "weight") if tokens else (),
                grad_order=2,
                id=f"{tokens} tokens, {choices} of {experts}, a row for each {rows}" + ("" if swapped else ", columns"),
            )
            for swapped, rows in ((True, "token"), (True, "choice"), (False, "choice"))
        ),
        *(
            Case(
                op="expert_outer",
                args=lambda rng, t=tokens, c=choices, e=experts, rows=rows: dict(
                    x=rng.standard_normal((t, c, 4)),
                    y=rng.standard_normal((t, 9) if rows == "token" else (t, c, 9)),
                    ids=rng.integers(0, e, (t, c)),
                    experts=e,
                ),
                ref=_expert_outer,
                dtypes=ALL_FLOATS,
                grad=("x", "y") if tokens else (),
                grad_order=2,
                id=f"{tokens} tokens, {choices} of {experts}, a row for each {rows}",
            )
            for rows in ("token", "choice")
        ),
    )
]

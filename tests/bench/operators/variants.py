# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of other dtypes and memory layouts, for operators that have a row elsewhere."""

from . import complexes, find, integers, normal, row

TORCH = {"multiply": "mul", "divide": "div", "less_than": "lt"}


def of_dtype(op, inputs, dtype):
    return row(
        op,
        inputs,
        lambda o, *x: getattr(o, op)(*x),
        lambda t, *x, **kw: find(t, TORCH.get(op, op))(*x, **kw),
        out=True,
        variant=dtype,
    )


def reduced(op, value, variant):
    return row(op, [value], lambda o, x: getattr(o, op)(x, [-1]), lambda t, x: getattr(t, op)(x, -1), variant=variant)


def strided(op, torch, inputs):
    """The second operand transposed."""
    return row(
        op,
        inputs,
        lambda o, x, y: getattr(o, op)(x, o.transpose(y, [1, 0])),
        lambda t, x, y, **kw: find(t, torch)(x, y.T, **kw),
        out=True,
        variant="y transposed",
    )


HALF = [(d, normal(dtype=d)) for d in ("float16", "bfloat16")]

ROWS = [
    *[of_dtype(op, [v], d) for op in ("exp", "tanh", "sigmoid") for d, v in HALF],
    *[of_dtype(op, [v, v], d) for op in ("add", "multiply", "divide", "maximum", "less_than") for d, v in HALF],
    *[of_dtype(op, [integers(-99, 99, dtype=d)] * 2, d) for op in ("add", "multiply") for d in ("int64", "int32")],
    of_dtype("floor_divide", [integers(-999, 999), integers(1, 99)], "int64"),
    of_dtype("remainder", [integers(-999, 999), integers(1, 99)], "int64"),
    of_dtype("less_than", [integers(-99, 99), integers(-99, 99)], "int64"),
    *[of_dtype(op, [complexes(), complexes()], "complex64") for op in ("add", "multiply", "divide")],
    of_dtype("exp", [complexes()], "complex64"),
    of_dtype("abs", [complexes()], "complex64"),
    *[reduced(op, v, d) for op in ("sum", "mean") for d, v in HALF],
    reduced("sum", integers(-99, 99), "int64"),
    reduced("sum", complexes(), "complex64"),
    strided("add", "add", [normal(), normal()]),
    strided("multiply", "mul", [normal(), normal()]),
    *[
        row("cast", [normal()], lambda o, x, d=d: o.cast(x, d), lambda t, x, d=d: x.to(getattr(t, d)), variant=d)
        for d in ("float16", "bfloat16", "int32", "int64", "bool")
    ],
    *[
        row("matmul", [v, v], lambda o, x, y: o.matmul(x, y), lambda t, x, y: t.matmul(x, y), variant=d)
        for d, v in HALF
    ],
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases at the edges: tensors without axes, without elements, and 16-bit floats."""

import numpy as np
from scipy import special

from tests.op_cases import ALL_FLOATS, Case

SIXTEEN = ("float16", "bfloat16")
BOTH = ("float32", "float64")


def _two(*shapes):
    return lambda rng: dict(x=rng.uniform(0.5, 2, shapes[0]), y=rng.uniform(0.5, 2, shapes[1]))


def _one(shape):
    return lambda rng: dict(x=rng.uniform(0.5, 2, shape))


_PAIRS = dict(add=np.add, multiply=np.multiply, subtract=np.subtract, divide=np.divide, maximum=np.maximum)
_ONES = dict(
    exp=np.exp,
    tanh=np.tanh,
    sqrt=np.sqrt,
    silu=lambda x: x * special.expit(x),
    sigmoid=special.expit,
    abs=np.abs,
    relu=lambda x: np.maximum(x, 0),
)
_FLAGS = dict(equal=np.equal, less_than=np.less, greater_equal=np.greater_equal)


def _rms(x, scale):
    r = 1 / np.sqrt((x * x).mean(-1) + 1e-5)
    return x * r[..., None] * scale, r


CASES = (
    [Case(op=o, args=_two((), ()), ref=f, dtypes=ALL_FLOATS, grad=("x", "y"), id="no axes") for o, f in _PAIRS.items()]
    + [
        Case(op=o, args=_two((2, 3), ()), ref=f, dtypes=ALL_FLOATS, grad=("x", "y"), id="one of no axes")
        for o, f in _PAIRS.items()
    ]
    + [
        Case(op=o, args=_two((2, 0), (1,)), ref=f, dtypes=ALL_FLOATS, grad=("x", "y"), id="no elements")
        for o, f in _PAIRS.items()
    ]
    + [
        Case(op=o, args=_two((4, 1, 3), (5, 1)), ref=f, dtypes=ALL_FLOATS, grad=("x", "y"), id="both stretched")
        for o, f in _PAIRS.items()
    ]
    + [Case(op=o, args=_one(()), ref=f, dtypes=ALL_FLOATS, grad=("x",), id="no axes") for o, f in _ONES.items()]
    + [Case(op=o, args=_one((0, 3)), ref=f, dtypes=ALL_FLOATS, grad=("x",), id="no elements") for o, f in _ONES.items()]
    + [Case(op=o, args=_one((3, 50)), ref=f, dtypes=SIXTEEN, id="sixteen bits") for o, f in _ONES.items()]
    + [Case(op=o, args=_two((2, 3), ()), ref=f, dtypes=ALL_FLOATS, id="no axes") for o, f in _FLAGS.items()]
    + [Case(op=o, args=_two((0, 3), (3,)), ref=f, dtypes=ALL_FLOATS, id="no elements") for o, f in _FLAGS.items()]
    + [
        Case(op="sum", args=_one(()), ref=lambda x: x, dtypes=ALL_FLOATS, grad=("x",), id="no axes"),
        Case(op="sum", args=_one((0, 3)), ref=np.sum, dtypes=ALL_FLOATS, grad=("x",), id="no elements"),
        Case(
            op="sum",
            args=lambda rng: dict(x=rng.uniform(-1, 1, (0, 3)), axis=[0]),
            ref=lambda x, axis: x.sum(0),
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="no rows",
        ),
        Case(
            op="sum",
            args=lambda rng: dict(x=rng.uniform(0, 1, (4, 500)), axis=[1]),
            ref=lambda x, axis: x.sum(1),
            dtypes=SIXTEEN,
            rtol=8e-3,
            id="sixteen bits",
        ),
        Case(op="sum", args=lambda rng: dict(x=np.array([True, True, False])), ref=lambda x: np.int64(2), id="flags"),
        Case(op="mean", args=_one((4, 50)), ref=np.mean, dtypes=SIXTEEN, id="sixteen bits"),
        Case(op="mean", args=_one(()), ref=lambda x: x, dtypes=ALL_FLOATS, grad=("x",), id="no axes"),
        Case(op="max", args=_one((4, 50)), ref=np.max, dtypes=SIXTEEN, id="sixteen bits"),
        Case(op="max", args=_one(()), ref=lambda x: x, dtypes=BOTH, grad=("x",), id="no axes"),
        Case(op="matmul", args=_two((3, 40), (40, 5)), ref=np.matmul, dtypes=SIXTEEN, rtol=8e-3, id="sixteen bits"),
        Case(
            op="matmul",
            args=_two((2, 0, 4), (4, 3)),
            ref=np.matmul,
            dtypes=ALL_FLOATS,
            grad=("x", "y"),
            id="no elements",
        ),
        Case(
            op="reshape",
            args=lambda rng: dict(x=rng.normal(size=(0, 3)), shape=[3, 0]),
            ref=lambda x, shape: x.reshape(3, 0),
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="no elements",
        ),
        Case(
            op="reshape",
            args=lambda rng: dict(x=rng.normal(size=(1, 1)), shape=[]),
            ref=lambda x, shape: x.reshape(()),
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="to no axes",
        ),
        Case(
            op="reshape",
            args=lambda rng: dict(x=np.float64(2.0), shape=[1, -1]),
            ref=lambda x, shape: np.reshape(x, (1, 1)),
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="from no axes",
        ),
        Case(
            op="transpose",
            args=lambda rng: dict(x=np.array(1.5), perm=[]),
            ref=lambda x, perm: x,
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="no axes",
        ),
        Case(
            op="transpose",
            args=lambda rng: dict(x=rng.normal(size=(2, 3, 4, 2)), perm=[-3, -4]),
            ref=lambda x, perm: x.swapaxes(0, 1),
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="leading axes only",
        ),
        Case(
            op="transpose",
            args=lambda rng: dict(x=rng.normal(size=(0, 3)), perm=[1, 0]),
            ref=lambda x, perm: x.T,
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="no elements",
        ),
        Case(
            op="slice",
            args=lambda rng: dict(input=rng.normal(size=(4, 5)), axes=[0], starts=[3], ends=[1]),
            ref=lambda input, **k: input[3:1],
            dtypes=ALL_FLOATS,
            grad=("input",),
            id="empty",
        ),
        Case(
            op="slice",
            args=lambda rng: dict(input=rng.normal(size=(6, 5)), axes=[0, 1], starts=[2, 1], ends=[5, 4]),
            ref=lambda input, **k: input[2:5, 1:4],
            dtypes=SIXTEEN,
            id="sixteen bits",
        ),
        Case(
            op="concat",
            args=lambda rng: dict(x=[rng.normal(size=(0, 3)), rng.normal(size=(2, 3))], axis=0),
            ref=lambda x, axis: np.concatenate(x),
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="an empty part",
        ),
        Case(
            op="concat",
            args=lambda rng: dict(x=[rng.normal(size=(2, 3))], axis=0),
            ref=lambda x, axis: x[0],
            dtypes=ALL_FLOATS,
            grad=("x",),
            id="one part",
        ),
        Case(
            op="softmax",
            args=lambda rng: dict(x=rng.normal(size=(0, 3)), axis=-1),
            ref=lambda x, axis: x,
            dtypes=BOTH,
            grad=("x",),
            id="no elements",
        ),
        Case(
            op="softmax",
            args=lambda rng: dict(x=np.array([[1e30, 0.0], [-1e30, -1e30]]), axis=-1),
            ref=lambda x, axis: np.array([[1.0, 0.0], [0.5, 0.5]]),
            dtypes=BOTH,
            id="huge values",
        ),
        Case(
            op="softmax",
            args=lambda rng: dict(x=np.array([[0.0, -np.inf, -90.0, -103.0, -104.0] * 7]), axis=-1),
            ref=lambda x, axis: special.softmax(x, axis),
            rtol=1e-4,
            atol=1e-45,
            id="hidden and underflowing values",
        ),
        Case(
            op="rms_norm",
            args=lambda rng: dict(x=rng.normal(size=(3, 64)), scale=rng.normal(size=64)),
            ref=_rms,
            dtypes=SIXTEEN,
            rtol=8e-3,
            atol=8e-3,
            id="sixteen bits",
        ),
        Case(
            op="rms_norm",
            args=lambda rng: dict(x=rng.normal(size=(0, 4)), scale=rng.normal(size=4)),
            ref=lambda x, scale: (x, np.zeros(0)),
            dtypes=BOTH,
            grad=("x", "scale"),
            id="no rows",
        ),
        Case(
            op="embedding",
            args=lambda rng: dict(x=np.array(2), weight=rng.normal(size=(4, 3))),
            ref=lambda x, weight: weight[2],
            dtypes=ALL_FLOATS,
            grad=("weight",),
            id="one id",
        ),
        Case(
            op="embedding",
            args=lambda rng: dict(x=np.zeros((2, 0), "int64"), weight=rng.normal(size=(4, 3))),
            ref=lambda x, weight: np.zeros((2, 0, 3)),
            dtypes=ALL_FLOATS,
            grad=("weight",),
            id="no ids",
        ),
        Case(
            op="nonzero",
            args=lambda rng: dict(condition=np.zeros((2, 3), bool)),
            ref=lambda condition: np.zeros((0, 2), "int64"),
            id="nothing",
        ),
        Case(
            op="nonzero",
            args=lambda rng: dict(condition=np.array([[0.0, 1.0], [2.0, 0.0]])),
            ref=lambda condition: np.argwhere(condition),
            dtypes=ALL_FLOATS,
            id="floats",
        ),
    ]
)

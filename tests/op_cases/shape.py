# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Rows of the operator table: shapes, views, joins and cuts, against NumPy.
import numpy as np

from tests.op_cases import Case


def f(rng, *shape):
    return rng.standard_normal(shape).astype("float32")


F = ("float32", "float64")
CASES = [
    Case(
        op="reshape",
        args=lambda r: dict(x=f(r, 2, 6), shape=[0, -1, 3]),
        ref=lambda x, shape: x.reshape(2, 2, 3),
        dtypes=F,
        grad=("x",),
        id="zero-and-minus-one",
    ),
    Case(
        op="flatten",
        args=lambda r: dict(x=f(r, 2, 3, 4), start_axis=1, stop_axis=2),
        ref=lambda x, start_axis, stop_axis: x.reshape(2, 12),
        dtypes=F,
        grad=("x",),
        id="last-two",
    ),
    Case(
        op="squeeze",
        args=lambda r: dict(x=f(r, 1, 3, 1), axis=[0]),
        ref=lambda x, axis: x.squeeze(0),
        dtypes=F,
        grad=("x",),
        id="one",
    ),
    Case(
        op="unsqueeze",
        args=lambda r: dict(x=f(r, 3), axis=[0, 2]),
        ref=lambda x, axis: x.reshape(1, 3, 1),
        dtypes=F,
        grad=("x",),
        id="two",
    ),
    Case(
        op="transpose",
        args=lambda r: dict(x=f(r, 2, 3, 4), perm=[2, 0, 1]),
        ref=lambda x, perm: x.transpose(perm),
        dtypes=F,
        grad=("x",),
        id="three",
    ),
    Case(
        op="slice",
        args=lambda r: dict(
            input=f(r, 4, 5), axes=[0, 1], starts=[1, -3], ends=[3, 100], infer_flags=[1, 1], decrease_axis=[]
        ),
        ref=lambda input, **k: input[1:3, -3:],
        dtypes=F,
        grad=("input",),
        id="clamped",
    ),
    Case(
        op="slice",
        args=lambda r: dict(input=f(r, 4, 5), axes=[0], starts=[2], ends=[3], infer_flags=[1], decrease_axis=[0]),
        ref=lambda input, **k: input[2],
        dtypes=F,
        grad=("input",),
        id="index",
    ),
    Case(
        op="strided_slice",
        args=lambda r: dict(x=f(r, 7), axes=[0], starts=[-1], ends=[-100], strides=[-2]),
        ref=lambda x, **k: x[::-2],
        dtypes=F,
        grad=("x",),
        id="backwards",
    ),
    Case(
        op="slice_scatter",
        args=lambda r: dict(x=f(r, 6), value=f(r, 2), axes=[0], starts=[1], ends=[5], strides=[2]),
        ref=lambda x, value, **k: np.concatenate([x[:1], value[:1], x[2:3], value[1:], x[4:]]),
        dtypes=F,
        grad=("x", "value"),
        id="step",
    ),
    Case(
        op="slice_scatter",
        args=lambda r: dict(x=f(r, 2, 6), value=f(r, 2, 1), axes=[1], starts=[1], ends=[5], strides=[2]),
        ref=lambda x, value, **k: np.where(np.isin(np.arange(6), [1, 3]), value, x),
        dtypes=F,
        grad=("x", "value"),
        id="broadcast",
    ),
    Case(
        op="flip",
        args=lambda r: dict(x=f(r, 3, 4), axis=[0, 1]),
        ref=lambda x, axis: np.flip(x, axis),
        dtypes=F,
        grad=("x",),
        id="both",
    ),
    Case(
        op="roll",
        args=lambda r: dict(x=f(r, 3, 4), shifts=[-5, 1], axis=[1, 0]),
        ref=lambda x, shifts, axis: np.roll(x, shifts, axis),
        dtypes=F,
        grad=("x",),
        id="two",
    ),
    Case(
        op="pad",
        args=lambda r: dict(x=f(r, 2, 3), paddings=[1, 0, 2, -1], pad_value=1.5),
        ref=lambda x, paddings, pad_value: np.pad(x[:, :2], ((1, 0), (2, 0)), constant_values=1.5),
        dtypes=F,
        grad=("x",),
        id="crop",
    ),
    Case(
        op="expand",
        args=lambda r: dict(x=f(r, 3, 1), shape=[2, -1, 4]),
        ref=lambda x, shape: np.broadcast_to(x, (2, 3, 4)),
        dtypes=F,
        grad=("x",),
        id="new-axis",
    ),
    Case(
        op="expand_as",
        args=lambda r: dict(x=f(r, 1, 3), y=f(r, 2, 3)),
        ref=lambda x, y: np.broadcast_to(x, y.shape),
        dtypes=F,
        grad=("x",),
        id="rows",
    ),
    Case(
        op="tile",
        args=lambda r: dict(x=f(r, 2, 3), repeat_times=[2, 1, 2]),
        ref=lambda x, repeat_times: np.tile(x, repeat_times),
        dtypes=F,
        grad=("x",),
        id="more-axes",
    ),
    Case(
        op="repeat_interleave",
        args=lambda r: dict(x=f(r, 2, 3), repeats=2, axis=1, output_size=-1),
        ref=lambda x, repeats, axis, **k: np.repeat(x, repeats, axis),
        dtypes=F,
        grad=("x",),
        id="columns",
    ),
    Case(
        op="concat",
        args=lambda r: dict(x=[f(r, 2, 3), f(r, 2, 1)], axis=-1),
        ref=lambda x, axis: np.concatenate(x, axis),
        dtypes=F,
        grad=("x",),
        id="last",
    ),
    Case(
        op="stack",
        args=lambda r: dict(x=[f(r, 2), f(r, 2)], axis=1),
        ref=lambda x, axis: np.stack(x, axis),
        dtypes=F,
        grad=("x",),
        id="last",
    ),
    Case(
        op="split",
        args=lambda r: dict(x=f(r, 5, 2), sections=[2, -1], axis=0),
        ref=lambda x, **k: (x[:2], x[2:]),
        dtypes=F,
        grad=("x",),
        id="inferred",
    ),
    Case(
        op="split_with_num",
        args=lambda r: dict(x=f(r, 4, 2), num=2, axis=0),
        ref=lambda x, **k: (x[:2], x[2:]),
        dtypes=F,
        grad=("x",),
        id="halves",
    ),
    Case(
        op="unbind",
        args=lambda r: dict(input=f(r, 2, 3), axis=0),
        ref=lambda input, axis: (input[0], input[1]),
        dtypes=F,
        grad=("input",),
        id="rows",
    ),
    Case(op="shape64", args=lambda r: dict(input=f(r, 2, 3)), ref=lambda input: np.array([2, 3]), dtypes=F, id="two"),
    Case(op="numel", args=lambda r: dict(x=f(r, 2, 3)), ref=lambda x: np.array(6), dtypes=F, id="two"),
]

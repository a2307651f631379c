# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the pools. The reference walks over every window."""

import itertools
import math

import numpy as np

from tests.op_cases import ALL_FLOATS, Case


def _to_first(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format.endswith("C") else x


def _from_first(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format.endswith("C") else x


def _axis_windows(n, k, s, before, after, ceil_mode):
    """(first element, end, elements with padding) of every window."""
    room = n + before + after - k
    count = (-(-room // s) if ceil_mode else room // s) + 1
    starts = [o * s - before for o in range(count)]
    return [(max(b, 0), max(min(b + k, n), max(b, 0)), min(b + k, n + after) - b) for b in starts]


def _adaptive(n, out):
    return [(o * n // out, -(-(o + 1) * n // out), 1) for o in range(out)]


def _windows(shape, kernel_size, strides, paddings, ceil_mode, global_pooling, adaptive, padding_algorithm):
    axes = len(shape) - 2
    if global_pooling:
        return [[(0, n, n)] for n in shape[2:]]
    if adaptive:
        return [_adaptive(n, k) for n, k in zip(shape[2:], kernel_size, strict=True)]
    pads = (
        [(p, p) for p in paddings] if len(paddings) == axes else list(zip(paddings[::2], paddings[1::2], strict=True))
    )
    if padding_algorithm == "VALID":
        pads = [(0, 0)] * axes
    if padding_algorithm == "SAME":
        totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(shape[2:], kernel_size, strides, strict=True)]
        pads = [(t // 2, t - t // 2) for t in totals]
    return [
        _axis_windows(n, k, s, *p, ceil_mode) for n, k, s, p in zip(shape[2:], kernel_size, strides, pads, strict=True)
    ]


def _walk(x, windows):
    for at in itertools.product(*(range(len(w)) for w in windows)):
        chosen = [w[i] for w, i in zip(windows, at, strict=True)]
        part = x[(slice(None), slice(None), *(slice(b, e) for b, e, _ in chosen))]
        yield at, chosen, part


def _pool(
    x,
    kernel_size,
    strides,
    paddings,
    ceil_mode,
    exclusive,
    data_format,
    pooling_type,
    global_pooling,
    adaptive,
    padding_algorithm,
):
    first = _to_first(x, data_format)
    windows = _windows(
        first.shape, kernel_size, strides, paddings, ceil_mode, global_pooling, adaptive, padding_algorithm
    )
    out = np.zeros([*first.shape[:2], *(len(w) for w in windows)])
    axes = tuple(range(2, first.ndim))
    for at, chosen, part in _walk(first, windows):
        if pooling_type == "max":
            value = part.max(axes)
        elif exclusive or adaptive:
            value = part.mean(axes) if math.prod(part.shape[2:]) else 0.0
        else:
            value = part.sum(axes) / math.prod(w[2] for w in chosen)
        out[(slice(None), slice(None), *at)] = part.sum(axes) if pooling_type == "sum" else value
    return _from_first(out, data_format)


def _with_index(x, kernel_size, strides=None, paddings=None, global_pooling=False, adaptive=False, ceil_mode=False):
    windows = _windows(x.shape, kernel_size, strides, paddings, ceil_mode, global_pooling, adaptive, "EXPLICIT")
    return _maxima(x, windows)


def _maxima(x, windows):
    out = np.zeros([*x.shape[:2], *(len(w) for w in windows)])
    mask = np.zeros(out.shape, np.int32)
    for at, chosen, part in _walk(x, windows):
        flat = part.reshape(*x.shape[:2], -1)
        out[(slice(None), slice(None), *at)] = flat.max(-1)
        inside = np.unravel_index(flat.argmax(-1), part.shape[2:])
        full = [i + c[0] for i, c in zip(inside, chosen, strict=True)]
        mask[(slice(None), slice(None), *at)] = np.ravel_multi_index(full, x.shape[2:])
    return out, mask


def _indices(x, kernel_size, strides, paddings, ceil_mode, data_format, global_pooling, adaptive, padding_algorithm):
    first = _to_first(x, data_format)
    windows = _windows(
        first.shape, kernel_size, strides, paddings, ceil_mode, global_pooling, adaptive, padding_algorithm
    )
    return _from_first(_maxima(first, windows)[1], data_format)


def _avg_grad(x, out_grad, **rest):
    """The pools of unit inputs give the matrix of the map, column by column."""
    result = np.zeros(x.size)
    for i in range(x.size):
        unit = np.zeros(x.size)
        unit[i] = 1
        result[i] = (_pool(unit.reshape(x.shape), **rest) * out_grad).sum()
    return result.reshape(x.shape)


def _scatter(x, values, indices, data_format):
    out, first = np.zeros(_to_first(x, data_format).shape), _to_first(values, data_format)
    where = _to_first(indices, data_format)
    for n, c in itertools.product(range(out.shape[0]), range(out.shape[1])):
        plane = np.zeros(out[n, c].size)
        np.add.at(plane, where[n, c].ravel(), first[n, c].ravel())
        out[n, c] = plane.reshape(out[n, c].shape)
    return _from_first(out, data_format)


def _gather(x, indices, data_format):
    first, where = _to_first(x, data_format), _to_first(indices, data_format)
    out = np.zeros(where.shape)
    for n, c in itertools.product(range(out.shape[0]), range(out.shape[1])):
        out[n, c] = first[n, c].ravel()[where[n, c]]
    return _from_first(out, data_format)


def _unpool(x, indices, ksize, strides, padding=None, paddings=None, output_size=None, data_format="NCHW"):
    like = np.zeros([*x.shape[:2], *output_size])
    return _scatter(like, x, indices, data_format)


def _lp(x, kernel_size, strides, paddings=(0, 0), ceil_mode=False, norm_type=2.0):
    windows = _windows(x.shape, kernel_size, strides, paddings, ceil_mode, False, False, "EXPLICIT")
    out = np.zeros([*x.shape[:2], *(len(w) for w in windows)])
    for at, _, part in _walk(x, windows):
        out[(slice(None), slice(None), *at)] = (part**norm_type).sum((2, 3)) ** (1 / norm_type)
    return out


def _fractional(x, output_size, kernel_size, random_u):
    # The windows of PaddlePaddle 3.3.1 for an axis of 9 elements, 4 windows and u = 0.3.
    disjoint, overlapping = [(0, 2), (2, 4), (4, 7), (7, 9)], [(0, 3), (2, 5), (4, 7), (6, 9)]
    windows = [[(b, e, e - b) for b, e in (overlapping if k else disjoint)] for k in kernel_size]
    return _maxima(x, windows)


def _apart(rng, shape):
    """Values that no step of a finite difference brings past each other."""
    return rng.permutation(math.prod(shape)).reshape(shape) * 0.1 - 1.0


def _row(op, id, shape, type="avg", kernel=None, dtypes=("float32", "float64"), **more):
    axes = len(shape) - 2

    def args(rng):
        return (
            dict(
                x=_apart(rng, shape),
                kernel_size=kernel or [2] * axes,
                strides=[2] * axes,
                paddings=[0] * axes,
                ceil_mode=False,
                exclusive=True,
                data_format="NCHW",
                pooling_type=type,
                global_pooling=False,
                adaptive=False,
                padding_algorithm="EXPLICIT",
            )
            | more
        )

    return Case(op=op, id=id, args=args, ref=_pool, dtypes=dtypes, grad=("x",), atol=1e-5)


def _grad_args(rng, **more):
    return (
        dict(
            x=rng.standard_normal((2, 2, 5, 4)),
            out_grad=rng.standard_normal((2, 2, 3, 3)),
            kernel_size=[3, 2],
            strides=[2, 2],
            paddings=[1, 1],
            ceil_mode=False,
            exclusive=True,
            data_format="NCHW",
            pooling_type="avg",
            global_pooling=False,
            adaptive=False,
            padding_algorithm="EXPLICIT",
        )
        | more
    )


def _index_case(op, shape, id="", **more):
    axes = len(shape) - 2
    args = dict(kernel_size=[3] * axes, strides=[2] * axes, paddings=[1] * axes) | more
    return Case(
        op=op,
        id=id,
        args=lambda rng: dict(x=_apart(rng, shape)) | args,
        ref=_with_index,
        dtypes=("float32", "float64"),
        grad=("x",),
    )


def _positions(rng, shape, plane):
    """Distinct flat positions for every channel."""
    count = math.prod(shape[2:])
    rows = [rng.permutation(plane)[:count] for _ in range(shape[0] * shape[1])]
    return np.array(rows, np.int32).reshape(shape)


def _fractional_case(op, shape, id, kernel):
    axes = len(shape) - 2
    return Case(
        op=op,
        id=id,
        args=lambda rng: dict(x=_apart(rng, shape), output_size=[4] * axes, kernel_size=[kernel] * axes, random_u=0.3),
        ref=_fractional,
        dtypes=("float32", "float64"),
        grad=("x",),
    )


CASES = [
    _row("pool2d", "average", (2, 3, 6, 5), dtypes=ALL_FLOATS),
    _row("pool2d", "average over padding", (2, 3, 6, 5), kernel=[3, 3], paddings=[1, 1], exclusive=False),
    _row("pool2d", "exclusive", (2, 3, 7, 5), kernel=[3, 3], paddings=[1, 0, 0, 1], ceil_mode=True),
    _row("pool2d", "ceil over padding", (2, 3, 7, 5), kernel=[3, 3], paddings=[1, 1], ceil_mode=True, exclusive=False),
    _row("pool2d", "same", (1, 2, 5, 6), kernel=[3, 3], padding_algorithm="SAME"),
    _row("pool2d", "valid", (1, 2, 5, 6), kernel=[3, 3], padding_algorithm="VALID", paddings=[1, 1]),
    _row(
        "pool2d", "channels last", (2, 6, 5, 3), kernel=[3, 3], paddings=[1, 1], data_format="NHWC", dtypes=ALL_FLOATS
    ),
    _row("pool2d", "padding alone", (1, 2, 4, 5), paddings=[3, 3]),
    _row("pool2d", "padding alone last", (1, 4, 5, 2), paddings=[3, 3], data_format="NHWC"),
    _row("pool2d", "adaptive", (2, 3, 7, 5), kernel=[3, 4], adaptive=True),
    _row("pool2d", "global", (2, 3, 7, 5), global_pooling=True),
    _row("pool2d", "sum", (2, 3, 5, 5), "sum", kernel=[3, 3], ceil_mode=True),
    _row("pool2d", "maximum", (2, 3, 6, 5), "max", kernel=[3, 2], paddings=[1, 1], dtypes=ALL_FLOATS),
    _row("pool2d", "maximum ceil", (2, 3, 6, 7), "max", kernel=[3, 3], ceil_mode=True),
    _row("pool2d", "maximum same", (1, 2, 6, 7), "max", kernel=[3, 3], padding_algorithm="SAME"),
    _row("pool2d", "maximum last", (2, 6, 5, 70), "max", kernel=[3, 3], paddings=[1, 1], data_format="NHWC"),
    _row("pool2d", "maximum adaptive", (2, 3, 7, 5), "max", kernel=[3, 4], adaptive=True),
    _row("pool2d", "empty batch", (0, 3, 6, 5)),
    _row("pool3d", "average", (2, 2, 4, 5, 4), kernel=[2, 3, 2], paddings=[1, 1, 0]),
    _row("pool3d", "maximum", (2, 2, 4, 5, 4), "max", kernel=[2, 3, 2], paddings=[1, 1, 0]),
    _row("pool3d", "channels last", (1, 4, 3, 4, 2), "max", data_format="NDHWC"),
    Case(
        op="avg_pool_grad", args=_grad_args, ref=_avg_grad, dtypes=("float32", "float64"), grad=("out_grad",), atol=1e-5
    ),
    Case(
        op="avg_pool_grad",
        id="channels last",
        args=lambda rng: _grad_args(
            rng,
            x=rng.standard_normal((1, 5, 4, 3)),
            out_grad=rng.standard_normal((1, 3, 3, 3)),
            data_format="NHWC",
            exclusive=False,
        ),
        ref=_avg_grad,
        dtypes=("float32", "float64"),
        grad=("out_grad",),
        atol=1e-5,
    ),
    Case(
        op="lp_pool2d",
        args=lambda rng: dict(
            x=rng.uniform(0.5, 2, (2, 3, 5, 5)), kernel_size=[2, 3], strides=[2, 1], ceil_mode=True, norm_type=3.0
        ),
        ref=_lp,
        dtypes=("float32", "float64"),
        grad=("x",),
        atol=1e-5,
    ),
    _index_case("max_pool2d_with_index", (2, 3, 6, 5)),
    _index_case("max_pool2d_with_index", (2, 3, 6, 5), "adaptive", kernel_size=[4, 2], adaptive=True),
    _index_case("max_pool3d_with_index", (2, 2, 4, 5, 4)),
    Case(
        op="max_pool_indices",
        args=lambda rng: dict(
            x=_apart(rng, (2, 6, 5, 3)),
            kernel_size=[3, 2],
            strides=[2, 2],
            paddings=[1, 1],
            ceil_mode=False,
            data_format="NHWC",
            global_pooling=False,
            adaptive=False,
            padding_algorithm="EXPLICIT",
        ),
        ref=_indices,
        dtypes=ALL_FLOATS,
    ),
    Case(
        op="pool_scatter",
        args=lambda rng: dict(
            x=rng.standard_normal((2, 4, 3, 2)),
            values=rng.standard_normal((2, 2, 3, 2)),
            indices=rng.integers(0, 12, (2, 2, 3, 2)).astype("int32"),
            data_format="NHWC",
        ),
        ref=_scatter,
        dtypes=ALL_FLOATS,
        grad=("values",),
    ),
    Case(
        op="pool_gather",
        args=lambda rng: dict(
            x=rng.standard_normal((2, 2, 4, 3)),
            indices=rng.integers(0, 12, (2, 2, 3, 2)).astype("int32"),
            data_format="NCHW",
        ),
        ref=_gather,
        dtypes=ALL_FLOATS,
        grad=("x",),
    ),
    Case(
        op="unpool",
        args=lambda rng: dict(
            x=rng.standard_normal((2, 2, 2, 3)),
            indices=_positions(rng, (2, 2, 2, 3), 30),
            ksize=[2, 2],
            strides=[2, 2],
            padding=[0, 0],
            output_size=[5, 6],
            data_format="NCHW",
        ),
        ref=_unpool,
        dtypes=ALL_FLOATS,
        grad=("x",),
    ),
    Case(
        op="unpool3d",
        args=lambda rng: dict(
            x=rng.standard_normal((1, 2, 2, 2, 1)),
            indices=_positions(rng, (1, 2, 2, 2, 1), 32),
            ksize=[2, 2, 2],
            strides=[2, 2, 2],
            paddings=[0, 0, 0],
            output_size=[4, 4, 2],
        ),
        ref=_unpool,
        dtypes=("float32", "float64"),
        grad=("x",),
    ),
    _fractional_case("fractional_max_pool2d", (2, 2, 9, 9), "disjoint", 0),
    _fractional_case("fractional_max_pool2d", (2, 2, 9, 9), "overlapping", 3),
    _fractional_case("fractional_max_pool3d", (1, 2, 9, 9, 9), "disjoint", 0),
]

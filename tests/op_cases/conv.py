# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the convolutions. The reference walks over every position of the output."""

import itertools

import numpy as np

from tests.op_cases import ALL_FLOATS, Case

HALVES = ("float16", "bfloat16")


def _resolve(algorithm, paddings, extents, kernel, strides, dilations):
    axes = len(extents)
    if algorithm == "SAME":
        pads = []
        for n, k, s in zip(extents, kernel, strides, strict=True):
            total = max((-(-n // s) - 1) * s + k - n, 0)
            pads.append((total // 2, total - total // 2))
        return pads, (1,) * axes
    if algorithm == "VALID":
        return [(0, 0)] * axes, dilations
    if len(paddings) == axes:
        return [(p, p) for p in paddings], dilations
    return list(zip(paddings[::2], paddings[1::2], strict=True)), dilations


def _windows(x, kernel, strides, dilations, out):
    """Yields (output position, the window of x there, as a slice)."""
    for at in itertools.product(*(range(n) for n in out)):
        yield (
            at,
            tuple(
                slice(a * s, a * s + (k - 1) * d + 1, d)
                for a, s, k, d in zip(at, strides, kernel, dilations, strict=True)
            ),
        )


def _geometry(x, filter, strides, paddings, padding_algorithm, dilations):
    kernel = filter.shape[2:]
    pads, dilations = _resolve(padding_algorithm, paddings, x.shape[2:], kernel, strides, dilations)
    out = [
        (n + sum(p) - (k - 1) * d - 1) // s + 1
        for n, p, k, d, s in zip(x.shape[2:], pads, kernel, dilations, strides, strict=True)
    ]
    return pads, dilations, out


def _to_first(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format.endswith("C") else x


def _from_first(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format.endswith("C") else x


def _conv(input, filter, strides, paddings, padding_algorithm="EXPLICIT", dilations=None, groups=1, data_format="NCHW"):
    x = _to_first(input, data_format)
    dilations = dilations or [1] * len(strides)
    pads, dilations, out = _geometry(x, filter, strides, paddings, padding_algorithm, dilations)
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    y = np.zeros((x.shape[0], filter.shape[0], *out))
    per_in, per_out = x.shape[1] // groups, filter.shape[0] // groups
    for at, window in _windows(x, filter.shape[2:], strides, dilations, out):
        for g in range(groups):
            part = x[(slice(None), slice(g * per_in, (g + 1) * per_in), *window)]
            w = filter[g * per_out : (g + 1) * per_out]
            y[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)] = np.tensordot(
                part, w, axes=(range(1, part.ndim), range(1, w.ndim))
            )
    return _from_first(y, data_format)


def _grad_input(
    input, filter, out_grad, strides, paddings, padding_algorithm, dilations, groups, data_format, padding_of=None
):
    shape = _to_first(input, data_format).shape
    g_out = _to_first(out_grad, data_format)
    rule = shape if padding_of is None else padding_of
    pads, dilations = _resolve(padding_algorithm, paddings, rule[2:], filter.shape[2:], strides, dilations)
    wide = np.zeros([*shape[:2], *(n + sum(p) + s for n, p, s in zip(shape[2:], pads, strides, strict=True))])
    per_in, per_out = shape[1] // groups, filter.shape[0] // groups
    for at, window in _windows(wide, filter.shape[2:], strides, dilations, g_out.shape[2:]):
        for g in range(groups):
            w = filter[g * per_out : (g + 1) * per_out]
            value = g_out[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)]
            wide[(slice(None), slice(g * per_in, (g + 1) * per_in), *window)] += np.tensordot(value, w, axes=1)
    inner = tuple(slice(p[0], p[0] + n) for p, n in zip(pads, shape[2:], strict=True))
    return _from_first(wide[(slice(None), slice(None), *inner)], data_format)


def _grad_filter(input, filter, out_grad, strides, paddings, padding_algorithm, dilations, groups, data_format):
    x, g_out = _to_first(input, data_format), _to_first(out_grad, data_format)
    pads, dilations, out = _geometry(x, filter, strides, paddings, padding_algorithm, dilations)
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    result = np.zeros(filter.shape)
    per_in, per_out = x.shape[1] // groups, filter.shape[0] // groups
    for at, window in _windows(x, filter.shape[2:], strides, dilations, out):
        for g in range(groups):
            part = x[(slice(None), slice(g * per_in, (g + 1) * per_in), *window)]
            value = g_out[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)]
            result[g * per_out : (g + 1) * per_out] += np.tensordot(value, part, axes=(0, 0))
    return result


def _transpose(
    x,
    filter,
    strides,
    paddings,
    output_padding=(),
    output_size=(),
    padding_algorithm="EXPLICIT",
    groups=1,
    dilations=None,
    data_format="NCHW",
):
    dilations = dilations or [1] * len(strides)
    first = _to_first(x, data_format)
    pads, used = _resolve(padding_algorithm, paddings, first.shape[2:], filter.shape[2:], strides, dilations)
    least = [
        (n - 1) * s + (k - 1) * d + 1 - sum(p)
        for n, s, k, d, p in zip(first.shape[2:], strides, filter.shape[2:], used, pads, strict=True)
    ]
    more = output_padding or [0] * len(least)
    extents = list(output_size) or [n + m for n, m in zip(least, more, strict=True)]
    like = np.zeros((first.shape[0], filter.shape[1] * groups, *extents))
    return _grad_input(
        _from_first(like, data_format),
        filter,
        x,
        strides,
        paddings,
        padding_algorithm,
        used,
        groups,
        data_format,
        padding_of=first.shape,
    )


def _bias(input, filter, bias, **rest):
    last = rest.get("data_format", "").endswith("C")
    return _conv(input, filter, **rest) + (bias if last else bias.reshape([1, -1] + [1] * (filter.ndim - 2)))


def _row(op, id, x, w, ref=_conv, names=("input", "filter"), dtypes=("float32", "float64"), **attributes):
    axes = len(w) - 2
    attributes = {"strides": [1] * axes, "paddings": [0] * axes} | attributes

    def args(rng):
        return {names[0]: rng.standard_normal(x), names[1]: rng.standard_normal(w)} | attributes

    return Case(op=op, id=id, args=args, ref=ref, dtypes=dtypes, grad=names, atol=2e-5)


def _bias_row(op, id, x, w, dtypes=("float32", "float64"), **attributes):
    plain = _row(op, id, x, w, **attributes)

    def args(rng):
        given = plain.args(rng)
        return {"input": given.pop("input"), "filter": given.pop("filter"), "bias": rng.standard_normal(w[0])} | given

    return Case(op=op, id=id, args=args, ref=_bias, dtypes=dtypes, grad=("input", "filter", "bias"), atol=2e-5)


def _grad_row(op, id, ref, x, w, g, strides, paddings, dilations=None, groups=1, data_format="NCHW", algorithm=None):
    def args(rng):
        return dict(
            input=rng.standard_normal(x),
            filter=rng.standard_normal(w),
            out_grad=rng.standard_normal(g),
            strides=strides,
            paddings=paddings,
            padding_algorithm=algorithm or "EXPLICIT",
            dilations=dilations or [1] * len(strides),
            groups=groups,
            data_format=data_format,
        )

    read = ("filter", "out_grad") if op.endswith("input") else ("input", "out_grad")
    return Case(op=op, id=id, args=args, ref=ref, dtypes=("float32", "float64"), grad=read, atol=2e-5)


_T = dict(ref=_transpose, names=("x", "filter"))
_DEPTHWISE_BIAS = {
    n: dict(
        args=lambda rng, n=n: dict(
            input=rng.standard_normal((2, 3, *([4] * n))),
            filter=rng.standard_normal((3, 1, *([2] * n))),
            bias=rng.standard_normal(3),
            strides=[1] * n,
            paddings=[1] * n,
            groups=3,
        ),
        ref=_bias,
        grad=("input", "filter", "bias"),
        atol=2e-5,
    )
    for n in (2, 3)
}

CASES = [
    _row("conv2d", "plain", (2, 3, 6, 5), (4, 3, 3, 2), dtypes=ALL_FLOATS),
    _row(
        "conv2d",
        "everything",
        (2, 4, 9, 8),
        (6, 2, 3, 2),
        strides=[2, 1],
        paddings=[1, 2, 0, 1],
        dilations=[2, 3],
        groups=2,
    ),
    _row("conv2d", "same", (1, 2, 7, 6), (3, 2, 3, 4), strides=[2, 2], padding_algorithm="SAME", dilations=[2, 2]),
    _row("conv2d", "valid", (1, 2, 7, 6), (3, 2, 3, 4), padding_algorithm="VALID", paddings=[5, 5]),
    _row("conv2d", "channels last", (2, 6, 5, 4), (4, 2, 3, 3), groups=2, paddings=[1, 1], data_format="NHWC"),
    _row("conv2d", "wide", (2, 32, 10, 11), (48, 32, 3, 3), dtypes=ALL_FLOATS, paddings=[1, 1], strides=[2, 2]),
    _row("conv2d", "wide groups", (1, 32, 6, 7), (32, 8, 3, 3), dtypes=HALVES, groups=4, paddings=[1, 1]),
    _row("conv2d", "16-bit depthwise", (1, 32, 6, 7), (32, 1, 3, 3), dtypes=HALVES, groups=32, paddings=[1, 1]),
    # Enough channels and tiles for Winograd's algorithm, odd extents, the last panel half full.
    _row("conv2d", "winograd", (1, 13, 12, 32), (48, 32, 3, 3), paddings=[1, 2], data_format="NHWC"),
    _row("conv2d", "pointwise", (2, 24, 5, 5), (32, 24, 1, 1), dtypes=ALL_FLOATS),
    _row("conv2d", "empty batch", (0, 3, 6, 5), (4, 3, 3, 2)),
    _bias_row("conv2d_bias", "plain", (2, 3, 6, 5), (4, 3, 3, 2), dtypes=ALL_FLOATS),
    _bias_row("conv2d_bias", "pointwise", (2, 24, 5, 5), (32, 24, 1, 1)),
    _bias_row("conv2d_bias", "winograd", (1, 13, 12, 48), (32, 48, 3, 3), paddings=[0, 2, 1, 0], data_format="NHWC"),
    _bias_row("conv2d_bias", "by channel", (2, 3, 7, 6), (6, 1, 3, 3), strides=[2, 2], groups=3),
    _bias_row("conv2d_bias", "channels last", (2, 6, 5, 4), (4, 2, 3, 3), groups=2, data_format="NHWC"),
    _bias_row("conv2d_bias", "wide", (2, 32, 10, 11), (48, 32, 3, 3), paddings=[1, 1], strides=[2, 2]),
    _bias_row("conv2d_bias", "no channels", (2, 0, 6, 5), (4, 0, 3, 2)),
    _bias_row("conv3d_bias", "plain", (2, 3, 4, 5, 4), (2, 3, 2, 3, 2), paddings=[1, 0, 1]),
    _row("depthwise_conv2d", "", (2, 16, 7, 6), (16, 1, 3, 3), paddings=[1, 1], groups=16),
    _row("depthwise_conv2d", "two per channel", (2, 3, 7, 6), (6, 1, 3, 3), strides=[2, 2], groups=3),
    Case(op="depthwise_conv2d_bias", **_DEPTHWISE_BIAS[2]),
    Case(op="depthwise_conv3d_bias", **_DEPTHWISE_BIAS[3]),
    _row("conv3d", "plain", (2, 3, 4, 5, 4), (2, 3, 2, 3, 2), strides=[1, 2, 1], paddings=[1, 0, 1]),
    _row(
        "conv3d", "channels last", (1, 4, 5, 4, 4), (2, 2, 2, 3, 2), groups=2, dilations=[1, 2, 1], data_format="NDHWC"
    ),
    _row("conv2d_transpose", "plain", (2, 3, 4, 5), (3, 4, 3, 2), dtypes=ALL_FLOATS, **_T),
    _row(
        "conv2d_transpose",
        "everything",
        (2, 4, 4, 5),
        (4, 3, 3, 2),
        strides=[2, 3],
        paddings=[1, 0, 1, 0],
        output_padding=[1, 2],
        groups=2,
        dilations=[2, 1],
        **_T,
    ),
    _row("conv2d_transpose", "output size", (1, 2, 3, 3), (2, 2, 3, 3), strides=[2, 2], output_size=[8, 7], **_T),
    _row("conv2d_transpose", "same", (1, 2, 5, 4), (2, 3, 3, 3), strides=[2, 2], padding_algorithm="SAME", **_T),
    _row("conv2d_transpose", "channels last", (1, 5, 4, 2), (2, 3, 3, 3), paddings=[1, 1], data_format="NHWC", **_T),
    _row("depthwise_conv2d_transpose", "", (1, 4, 5, 4), (4, 1, 3, 3), strides=[2, 2], groups=4, **_T),
    _row("conv3d_transpose", "plain", (1, 3, 3, 2, 3), (3, 2, 2, 3, 2), strides=[2, 1, 1], paddings=[1, 0, 0], **_T),
    _grad_row("conv2d_grad_input", "", _grad_input, (2, 4, 8, 7), (6, 2, 3, 3), (2, 6, 3, 7), [3, 1], [1, 1], groups=2),
    _grad_row(
        "conv2d_grad_filter", "", _grad_filter, (2, 4, 8, 7), (6, 2, 3, 3), (2, 6, 3, 7), [3, 1], [1, 1], groups=2
    ),
    _grad_row(
        "conv3d_grad_input", "", _grad_input, (1, 2, 4, 4, 3), (3, 2, 2, 2, 2), (1, 3, 3, 2, 2), [1, 2, 1], [0] * 3
    ),
    _grad_row(
        "conv3d_grad_filter", "", _grad_filter, (1, 2, 4, 4, 3), (3, 2, 2, 2, 2), (1, 3, 3, 2, 2), [1, 2, 1], [0] * 3
    ),
    _grad_row(
        "conv2d_grad_input",
        "winograd",
        _grad_input,
        (1, 13, 12, 48),
        (32, 48, 3, 3),
        (1, 13, 10, 32),
        [1, 1],
        [1, 0],
        data_format="NHWC",
    ),
    _grad_row(
        "conv2d_grad_filter",
        "winograd",
        _grad_filter,
        (1, 13, 12, 48),
        (32, 48, 3, 3),
        (1, 13, 10, 32),
        [1, 1],
        [1, 0],
        data_format="NHWC",
    ),
    _grad_row(
        "conv2d_grad_input",
        "same",
        _grad_input,
        (2, 2, 7, 6),
        (3, 2, 3, 2),
        (2, 3, 4, 3),
        [2, 2],
        [0, 0],
        algorithm="SAME",
    ),
    _grad_row(
        "conv2d_grad_filter",
        "nhwc",
        _grad_filter,
        (2, 7, 6, 2),
        (3, 2, 3, 2),
        (2, 5, 5, 3),
        [1, 1],
        [0, 0],
        data_format="NHWC",
    ),
]

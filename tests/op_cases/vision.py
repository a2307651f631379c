# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows for the operators of images: interpolation, padding, windows, sampling."""

import itertools

import numpy as np

from tests.op_cases import ALL_FLOATS, FLOATS, Case


def _first(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format.endswith("C") else x


def _last(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format.endswith("C") else x


# -- interpolation: one dense matrix per axis ------------------------------------------------------


def _cubic(t, a):
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def _positions(n, size, scale, align_corners, half):
    if size == 1:
        return np.array([-0.5 if half and not align_corners else 0.0])
    ratio = (n - 1) / (size - 1) if align_corners else (1 / scale if scale else n / size)
    at = np.arange(size)
    return ratio * (at + 0.5) - 0.5 if half and not align_corners else ratio * at


def _matrix(method, n, size, scale, align_corners, align_mode):
    m = np.zeros((size, n))
    half = method == "bicubic" or (method != "nearest" and align_mode == 0)
    for o, p in enumerate(_positions(n, size, scale, align_corners, half)):
        if method == "nearest":
            m[o, min(int(p + (0.5 if align_corners else 0)), n - 1)] = 1
        elif method == "bicubic":
            for i in range(int(np.floor(p)) - 1, int(np.floor(p)) + 3):
                m[o, min(max(i, 0), n - 1)] += _cubic(p - i, -0.75)
        else:
            p = min(max(p, 0.0), n - 1)
            i = int(p)
            m[o, i] += 1 - (p - i)
            m[o, min(i + 1, n - 1)] += p - i
    return m


def _antialias(method, n, size, scale, align_corners):
    ratio = (n - 1) / (size - 1) if align_corners else (1 / scale if scale else n / size)
    wide, m = max(ratio, 1.0), np.zeros((size, n))
    for o in range(size):
        for i in range(n):
            t = (i + 0.5 - ratio * (o + 0.5)) / wide
            m[o, i] = _cubic(t, -0.5) if method == "bicubic" else max(0.0, 1 - abs(t))
    return m / m.sum(1, keepdims=True)


def _apply(x, matrices):
    for axis, m in enumerate(matrices):
        x = np.moveaxis(np.tensordot(m, x, (1, axis + 2)), 0, axis + 2)
    return x


def _matrices(method, extents, sizes, scales, align_corners, align_mode, antialias):
    build = lambda n, s, r: (
        _antialias(method, n, s, r, align_corners) if antialias else _matrix(method, n, s, r, align_corners, align_mode)
    )
    return [build(n, s, r) for n, s, r in zip(extents, sizes, scales, strict=True)]


def _interp(method, antialias=False):
    def reference(x, out_size=(), scale=(), data_format="NCHW", align_corners=True, align_mode=1, interp_method=None):
        first = _first(x, data_format)
        extents = first.shape[2:]
        sizes = list(out_size) or [int(n * s) for n, s in zip(extents, scale, strict=True)]
        scales = list(scale) or [0] * len(extents)
        kind = interp_method if antialias else method
        matrices = _matrices(kind, extents, sizes, scales, align_corners, align_mode, antialias)
        return _last(_apply(first, matrices), data_format)

    return reference


def _interp_grad(x, out_grad, data_format, scale, interp_method, align_corners, align_mode, antialias):
    g = _first(out_grad, data_format)
    extents = _first(x, data_format).shape[2:]
    scales = list(scale) or [0] * len(extents)
    matrices = _matrices(interp_method, extents, g.shape[2:], scales, align_corners, align_mode, antialias)
    return _last(_apply(g, [m.T for m in matrices]), data_format)


def _resize(op, id, shape, dtypes=FLOATS, **more):
    return Case(
        op=op,
        id=id,
        args=lambda rng: dict(x=rng.standard_normal(shape)) | more,
        ref=_interp(op.removesuffix("_interp"), op == "interp_antialias"),
        dtypes=dtypes,
        grad=("x",),
        atol=1e-5,
    )


def _add_nearest(id, x, y, scale, data_format="NCHW"):
    finer = _interp("nearest")
    return Case(
        op="add_nearest",
        id=id,
        args=lambda rng: dict(x=rng.standard_normal(x), y=rng.standard_normal(y), scale=scale, data_format=data_format),
        ref=lambda x, y, scale, data_format: x + finer(y, scale=scale, data_format=data_format, align_corners=False),
        grad=("x", "y"),
        atol=1e-5,
    )


def _resize_grad(id, shape, out, method, data_format="NCHW", antialias=False, align_corners=False, scale=()):
    return Case(
        op="interp_grad",
        id=id,
        args=lambda rng: dict(
            x=rng.standard_normal(shape),
            out_grad=rng.standard_normal(out),
            data_format=data_format,
            scale=list(scale),
            interp_method=method,
            align_corners=align_corners,
            align_mode=0,
            antialias=antialias,
        ),
        ref=_interp_grad,
        dtypes=FLOATS,
        grad=("out_grad",),
        atol=1e-5,
    )


_HALF = dict(align_corners=False, align_mode=0)

CASES = [
    _resize("nearest_interp", "up", (2, 3, 4, 5), ALL_FLOATS, out_size=[8, 7], align_corners=False),
    _resize("nearest_interp", "scale", (2, 3, 4, 5), scale=[0.5, 2.0], align_corners=False),
    _resize("nearest_interp", "corners", (2, 3, 4, 5), out_size=[7, 3]),
    _resize("nearest_interp", "last", (1, 4, 5, 3), out_size=[8, 3], data_format="NHWC", align_corners=False),
    _resize("nearest_interp", "volume", (1, 2, 2, 3, 4), out_size=[4, 3, 6], align_corners=False),
    _add_nearest("levels", (2, 3, 4, 6), (2, 3, 2, 3), scale=[2.0, 2.0]),
    _add_nearest("last", (1, 4, 9, 5), (1, 4, 3, 5), scale=[1.0, 3.0], data_format="NHWC"),
    _add_nearest("coarser", (1, 2, 2, 3), (1, 2, 4, 6), scale=[0.5, 0.5]),
    _add_nearest("broadcast_x", (1, 3, 1, 4), (2, 1, 2, 2), scale=[2.0, 2.0]),
    _add_nearest("broadcast_last", (2, 1, 4, 1), (1, 2, 2, 3), scale=[2.0, 2.0], data_format="NHWC"),
    _add_nearest("empty", (0, 3, 4, 4), (0, 3, 2, 2), scale=[2.0, 2.0]),
    _resize("linear_interp", "up", (2, 3, 5), ALL_FLOATS, out_size=[9], **_HALF),
    _resize("linear_interp", "last", (2, 5, 3), out_size=[3], data_format="NHWC"),
    _resize("bilinear_interp", "up", (2, 3, 4, 5), ALL_FLOATS, out_size=[8, 7], **_HALF),
    _resize("bilinear_interp", "down", (2, 3, 7, 5), out_size=[3, 2], **_HALF),
    _resize("bilinear_interp", "edges", (2, 3, 4, 5), scale=[1.5, 2.0], align_corners=False, align_mode=1),
    _resize("bilinear_interp", "corners", (2, 3, 4, 5), out_size=[7, 1]),
    _resize("bilinear_interp", "last", (2, 4, 5, 3), ALL_FLOATS, out_size=[8, 3], data_format="NHWC", **_HALF),
    _resize("bilinear_interp", "empty batch", (0, 3, 4, 5), out_size=[2, 3]),
    _resize("trilinear_interp", "up", (1, 2, 2, 3, 4), out_size=[4, 5, 3], **_HALF),
    _resize("trilinear_interp", "last", (1, 2, 3, 4, 2), out_size=[3, 5, 3], data_format="NDHWC"),
    _resize("bicubic_interp", "up", (2, 3, 4, 5), ALL_FLOATS, out_size=[8, 7], **_HALF),
    _resize("bicubic_interp", "corners", (2, 4, 5, 3), out_size=[3, 6], data_format="NHWC"),
    _resize("interp_antialias", "linear", (1, 2, 9, 7), out_size=[3, 4], interp_method="bilinear", **_HALF),
    _resize("interp_antialias", "cubic", (1, 2, 9, 7), out_size=[4, 9], interp_method="bicubic", **_HALF),
    _resize_grad("nearest", (1, 2, 4, 5), (1, 2, 6, 3), "nearest"),
    _resize_grad("linear", (1, 2, 4), (1, 2, 9), "linear"),
    _resize_grad("bilinear", (1, 5, 4, 2), (1, 7, 3, 2), "linear", "NHWC", align_corners=True),
    _resize_grad("trilinear", (1, 2, 2, 3, 4), (1, 2, 3, 4, 3), "linear"),
    _resize_grad("bicubic", (1, 2, 4, 5), (1, 2, 6, 3), "bicubic", scale=[1.5, 0.6]),
    _resize_grad("antialias", (1, 2, 7, 5), (1, 2, 3, 6), "bicubic", antialias=True),
]


# -- padding ---------------------------------------------------------------------------------------

_NUMPY_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _pad(x, paddings, mode="constant", pad_value=0.0, data_format="NCDHW"):
    first = _first(x, data_format)
    pairs = [(0, 0), (0, 0), *[tuple(paddings[i : i + 2]) for i in range(len(paddings) - 2, -1, -2)]]
    more = {"constant_values": pad_value} if mode == "constant" else {}
    return _last(np.pad(first, pairs, _NUMPY_MODES[mode], **more), data_format)


def _pad_grad(x, out_grad, paddings, mode, data_format):
    index = _pad(np.arange(x.size).reshape(x.shape), paddings, mode, 0.0, data_format)
    out = np.zeros(x.size)
    np.add.at(out, index.ravel(), out_grad.ravel())
    return out.reshape(x.shape)


def _padded(op, id, shape, paddings, mode, data_format, dtypes=FLOATS, **more):
    return Case(
        op=op,
        id=id,
        args=lambda rng: (
            dict(x=rng.standard_normal(shape), paddings=paddings, mode=mode, data_format=data_format) | more
        ),
        ref=_pad,
        dtypes=dtypes,
        grad=("x",),
    )


CASES += [
    _padded("pad3d", "constant", (1, 2, 3, 4), [1, 2, 0, 1], "constant", "NCHW", ALL_FLOATS, pad_value=1.5),
    _padded("pad3d", "constant last", (1, 3, 4, 2), [1, 2, 0, 1], "constant", "NHWC"),
    _padded("pad3d", "reflect", (1, 2, 3, 4, 3), [1, 2, 3, 1, 0, 2], "reflect", "NCDHW", ALL_FLOATS),
    _padded("pad3d", "replicate", (1, 3, 4, 2), [3, 2, 0, 5], "replicate", "NHWC"),
    _padded("pad3d", "circular", (1, 2, 4), [5, 2], "circular", "NCL"),
    _padded("border_pad", "reflect", (1, 2, 3, 4), [1, 2, 2, 1], "reflect", "NCHW", ALL_FLOATS),
    _padded("border_pad", "replicate", (1, 4, 2), [1, 2], "replicate", "NLC"),
    _padded("border_pad", "circular", (2, 2, 3, 4), [5, 2, 1, 4], "circular", "NCHW"),
    *(
        Case(
            op="border_pad_grad",
            id=mode,
            args=lambda rng, mode=mode: dict(
                x=rng.standard_normal((1, 3, 4, 2)),
                out_grad=rng.standard_normal((1, 6, 7, 2)),
                paddings=[1, 2, 2, 1],
                mode=mode,
                data_format="NHWC",
            ),
            ref=_pad_grad,
            dtypes=FLOATS,
            grad=("out_grad",),
        )
        for mode in ("reflect", "replicate", "circular")
    ),
]


# -- channels and pixels, windows ------------------------------------------------------------------


def _pixel_shuffle(x, upscale_factor, data_format):
    x, r = _first(x, data_format), upscale_factor
    out = np.zeros((x.shape[0], x.shape[1] // r**2, x.shape[2] * r, x.shape[3] * r))
    for i, j in itertools.product(range(r), range(r)):
        out[:, :, i::r, j::r] = x[:, i * r + j :: r * r]
    return _last(out, data_format)


def _pixel_unshuffle(x, downscale_factor, data_format):
    x, r = _first(x, data_format), downscale_factor
    out = np.zeros((x.shape[0], x.shape[1] * r**2, x.shape[2] // r, x.shape[3] // r))
    for i, j in itertools.product(range(r), range(r)):
        out[:, i * r + j :: r * r] = x[:, :, i::r, j::r]
    return _last(out, data_format)


def _channel_shuffle(x, groups, data_format):
    x = _first(x, data_format)
    each = x.shape[1] // groups
    order = [g * each + k for k in range(each) for g in range(groups)]
    return _last(x[:, order], data_format)


def _window_index(shape, kernel_sizes, strides, paddings, dilations):
    """Flat positions in the image [N, C, H, W] of the elements of unfold's columns, -1 for padding."""
    n, c, h, w = shape
    top, left, bottom, right = paddings
    at = np.pad(
        np.arange(n * c * h * w).reshape(shape), ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=-1
    )
    extent = [(k - 1) * d + 1 for k, d in zip(kernel_sizes, dilations, strict=True)]
    columns = [
        at[:, :, y : y + extent[0] : dilations[0], x : x + extent[1] : dilations[1]].reshape(n, -1)
        for y in range(0, at.shape[2] - extent[0] + 1, strides[0])
        for x in range(0, at.shape[3] - extent[1] + 1, strides[1])
    ]
    return np.stack(columns, -1)


def _unfold(x, **window):
    index = _window_index(x.shape, **window)
    return np.where(index < 0, 0.0, x.ravel()[index])


def _fold(x, output_sizes, **window):
    kernel = window["kernel_sizes"]
    shape = (x.shape[0], x.shape[1] // (kernel[0] * kernel[1]), *output_sizes)
    index, out = _window_index(shape, **window), np.zeros(int(np.prod(shape)))
    np.add.at(out, index[index >= 0], x[index >= 0])
    return out.reshape(shape)


def _shuffle(op, ref, shape, **more):
    return Case(
        op=op,
        id=more["data_format"],
        args=lambda rng: dict(x=rng.standard_normal(shape)) | more,
        ref=ref,
        dtypes=ALL_FLOATS,
        grad=("x",),
    )


def _columns(op, id, shape, **more):
    return Case(
        op=op,
        id=id,
        args=lambda rng: dict(x=rng.standard_normal(shape)) | more,
        ref=_fold if op == "fold" else _unfold,
        dtypes=ALL_FLOATS,
        grad=("x",),
        atol=1e-5,
    )


_PLAIN = dict(kernel_sizes=[2, 3], strides=[1, 1], paddings=[0, 0, 0, 0], dilations=[1, 1])
_WIDE = dict(kernel_sizes=[2, 2], strides=[2, 1], paddings=[1, 0, 2, 3], dilations=[1, 2])
CASES += [
    _shuffle("pixel_shuffle", _pixel_shuffle, (2, 8, 2, 3), upscale_factor=2, data_format="NCHW"),
    _shuffle("pixel_shuffle", _pixel_shuffle, (2, 2, 3, 18), upscale_factor=3, data_format="NHWC"),
    _shuffle("pixel_unshuffle", _pixel_unshuffle, (2, 2, 4, 6), downscale_factor=2, data_format="NCHW"),
    _shuffle("pixel_unshuffle", _pixel_unshuffle, (2, 3, 6, 2), downscale_factor=3, data_format="NHWC"),
    _shuffle("channel_shuffle", _channel_shuffle, (2, 6, 2, 3), groups=2, data_format="NCHW"),
    _shuffle("channel_shuffle", _channel_shuffle, (2, 2, 3, 6), groups=3, data_format="NHWC"),
    _columns("unfold", "plain", (2, 3, 4, 5), **_PLAIN),
    _columns("unfold", "padded", (2, 3, 4, 5), **_WIDE),
    _columns("fold", "plain", (2, 12, 9), output_sizes=[4, 5], **_PLAIN),
    _columns("fold", "padded", (1, 8, 18), output_sizes=[4, 5], **_WIDE),
]


# -- sampling --------------------------------------------------------------------------------------


def _unnormalise(g, n, padding_mode, align_corners):
    p = (g + 1) * (n - 1) / 2 if align_corners else ((g + 1) * n - 1) / 2
    if padding_mode == "reflection":
        low, high = (0, n - 1) if align_corners else (-0.5, n - 0.5)
        while high > low and not low <= p <= high:
            p = 2 * low - p if p < low else 2 * high - p
    return p if padding_mode == "zeros" else min(max(p, 0), n - 1)


def _at(image, where):
    inside = all(0 <= i < n for i, n in zip(where, image.shape[1:], strict=True))
    return image[(slice(None), *where)] if inside else np.zeros(image.shape[0])


def _between(image, p):
    low, total = [int(np.floor(v)) for v in p], 0.0
    for corner in itertools.product((0, 1), repeat=len(p)):
        weight = np.prod([v - b if k else 1 - (v - b) for v, b, k in zip(p, low, corner, strict=True)])
        total = total + weight * _at(image, [b + k for b, k in zip(low, corner, strict=True)])
    return total


def _grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True):
    out = np.zeros((*grid.shape[:-1], x.shape[1]))
    for place in np.ndindex(*grid.shape[:-1]):
        axes = zip(grid[place][::-1], x.shape[2:], strict=True)
        p = [_unnormalise(g, n, padding_mode, align_corners) for g, n in axes]
        image = x[place[0]]
        out[place] = _at(image, [int(np.rint(v)) for v in p]) if mode == "nearest" else _between(image, p)
    return np.moveaxis(out, -1, 1)


def _slopes(f, x, step=1e-6):
    """The derivative of the number f(x), piecewise linear, by every element."""
    out = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        at = np.zeros(x.shape)
        at[place] = step
        out[place] = (f(x + at) - f(x - at)) / (2 * step)
    return out


def _grid_sample_grad(x, grid, out_grad, **rule):
    x, grid = x.astype("float64"), grid.astype("float64")
    by_grid = np.zeros(grid.shape)
    if rule["mode"] == "bilinear":
        by_grid = _slopes(lambda v: (_grid_sample(x, v, **rule) * out_grad).sum(), grid)
    return _slopes(lambda v: (_grid_sample(v, grid, **rule) * out_grad).sum(), x), by_grid


def _affine_grid(input, output_shape, align_corners=True):
    lines = [np.linspace(-1, 1, n) if align_corners else (2 * np.arange(n) + 1) / n - 1 for n in output_shape[2:]]
    base = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(output_shape[2:])], -1)
    return np.stack([base @ theta.T for theta in input])


def _sampled(id, shape, points, mode, padding_mode, align_corners, dtypes=FLOATS):
    axes = len(shape) - 2
    return Case(
        op="grid_sample",
        id=id,
        args=lambda rng: dict(
            x=rng.standard_normal(shape),
            grid=rng.uniform(-1.7, 1.7, (shape[0], *points, axes)),
            mode=mode,
            padding_mode=padding_mode,
            align_corners=align_corners,
        ),
        ref=_grid_sample,
        dtypes=dtypes,
        grad=("x", "grid") if mode == "bilinear" else ("x",),
        atol=2e-5,
    )


CASES += [
    _sampled("zeros", (2, 3, 4, 5), (2, 3), "bilinear", "zeros", True),
    _sampled("border", (2, 3, 4, 5), (2, 3), "bilinear", "border", False),
    _sampled("reflection", (2, 3, 4, 5), (2, 3), "bilinear", "reflection", True),
    _sampled("reflected edges", (2, 3, 4, 5), (2, 3), "bilinear", "reflection", False),
    _sampled("nearest", (2, 3, 4, 5), (2, 3), "nearest", "zeros", False),
    _sampled("nearest border", (2, 3, 4, 5), (2, 3), "nearest", "border", True),
    _sampled("volume", (1, 2, 3, 4, 5), (2, 2, 3), "bilinear", "zeros", False),
    _sampled("nearest volume", (1, 2, 3, 4, 5), (2, 2, 3), "nearest", "reflection", False),
    *(
        Case(
            op="grid_sample_grad",
            id=f"{mode} {padding_mode} {len(shape)}",
            args=lambda rng, shape=shape, mode=mode, padding_mode=padding_mode, corners=corners: dict(
                x=rng.standard_normal(shape),
                grid=rng.uniform(-1.7, 1.7, (shape[0], *[2] * (len(shape) - 2), len(shape) - 2)),
                out_grad=rng.standard_normal((*shape[:2], *[2] * (len(shape) - 2))),
                mode=mode,
                padding_mode=padding_mode,
                align_corners=corners,
            ),
            ref=_grid_sample_grad,
            dtypes=FLOATS,
            grad=("x", "grid", "out_grad") if mode == "bilinear" else ("out_grad",),
            atol=2e-5,
        )
        for shape, mode, padding_mode, corners in [
            ((2, 3, 4, 5), "bilinear", "zeros", True),
            ((2, 3, 4, 5), "bilinear", "border", False),
            ((2, 3, 4, 5), "bilinear", "reflection", True),
            ((1, 2, 4, 3), "bilinear", "reflection", False),
            ((2, 3, 4, 5), "nearest", "border", False),
            ((1, 2, 3, 4, 5), "bilinear", "zeros", False),
        ]
    ),
    Case(
        op="affine_grid",
        args=lambda rng: dict(input=rng.standard_normal((2, 2, 3)), output_shape=[2, 3, 4, 5]),
        ref=_affine_grid,
        dtypes=FLOATS,
        grad=("input",),
        atol=1e-5,
    ),
    Case(
        op="affine_grid",
        id="edges of volumes",
        args=lambda rng: dict(input=rng.standard_normal((1, 3, 4)), output_shape=[1, 3, 2, 3, 4], align_corners=False),
        ref=_affine_grid,
        dtypes=FLOATS,
        grad=("input",),
        atol=1e-5,
    ),
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the normalisations."""

import numpy as np

from tests.op_cases import ALL_FLOATS, Case

FLOATS = ("float32", "float64")


def _rms(x, scale):
    r = 1 / np.sqrt((x * x).mean(-1) + 1e-5)
    return x * r[..., None] * scale, r


def _layer(x, scale, bias, epsilon, begin_norm_axis):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + epsilon) * scale + bias, mean[..., 0], var[..., 0]


def _rms_grad(x, scale, out_grad, **_):
    r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    g = out_grad * scale
    return r * g - x * r**3 * (g * x).mean(-1, keepdims=True), (out_grad * x * r).sum(0)


def _layer_grad(x, scale, out_grad, **_):
    r = 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    n = (x - x.mean(-1, keepdims=True)) * r
    g = out_grad * scale
    dx = r * (g - g.mean(-1, keepdims=True) - n * (g * n).mean(-1, keepdims=True))
    return dx, (out_grad * n).sum(0), out_grad.sum(0)


def _batch_arguments(rng, **more):
    return (
        dict(
            x=rng.standard_normal((4, 3, 5)),
            mean=rng.standard_normal(3),
            variance=rng.uniform(0.5, 1, 3),
            scale=rng.standard_normal(3),
            bias=rng.standard_normal(3),
            is_test=False,
            momentum=0.9,
            epsilon=1e-5,
            data_format="NCHW",
            use_global_stats=False,
            trainable_statistics=False,
        )
        | more
    )


def _along(v):
    return v[:, None]


def _batch(x, mean, variance, scale, bias, is_test, **_):
    if is_test:
        out = (x - _along(mean)) / np.sqrt(_along(variance) + 1e-5) * _along(scale) + _along(bias)
        return out, mean, variance
    m, v = x.mean((0, 2)), x.var((0, 2))
    r = 1 / np.sqrt(v + 1e-5)
    out = (x - _along(m)) * _along(r * scale) + _along(bias)
    return out, 0.9 * mean + 0.1 * m, 0.9 * variance + 0.1 * v, m, r


def _batch_grad_arguments(rng):
    x = rng.standard_normal((4, 3, 5))
    return dict(
        x=x,
        scale=rng.standard_normal(3),
        bias=rng.standard_normal(3),
        saved_mean=x.mean((0, 2)),
        saved_variance=1 / np.sqrt(x.var((0, 2)) + 1e-5),
        out_grad=rng.standard_normal(x.shape),
        momentum=0.9,
        epsilon=1e-5,
        data_format="NCHW",
        is_test=False,
        use_global_stats=False,
        trainable_statistics=False,
    )


def _batch_grad(x, scale, out_grad, **_):
    def mean(v):
        return v.mean((0, 2), keepdims=True)

    r = 1 / np.sqrt(mean((x - mean(x)) ** 2) + 1e-5)
    n = (x - mean(x)) * r
    dx = r * _along(scale) * (out_grad - mean(out_grad) - n * mean(out_grad * n))
    return dx, (out_grad * n).sum((0, 2)), out_grad.sum((0, 2))


def _groups(x, groups, epsilon, data_format):
    first = np.moveaxis(x, -1, 1) if data_format == "NHWC" else x
    rows = first.reshape(x.shape[0], groups, int(np.prod(first.shape[1:])) // groups)
    mean, variance = rows.mean(-1), rows.var(-1)
    normal = ((rows - mean[..., None]) / np.sqrt(variance[..., None] + epsilon)).reshape(first.shape)
    return np.moveaxis(normal, 1, -1) if data_format == "NHWC" else normal, mean, variance


def _group_norm(x, scale, bias, epsilon=1e-5, groups=1, data_format="NCHW"):
    normal, mean, variance = _groups(x, groups, epsilon, data_format)
    shape = [1] * x.ndim
    shape[-1 if data_format == "NHWC" else 1] = -1
    y = normal * (1 if scale is None else scale.reshape(shape)) + (0 if bias is None else bias.reshape(shape))
    return y, mean, variance


def _group_norm_grad(x, scale, bias, mean, variance, y_grad, epsilon, groups, data_format):
    normal, _, variance = _groups(x, groups, epsilon, data_format)
    shape = [1] * x.ndim
    shape[-1 if data_format == "NHWC" else 1] = -1
    h = y_grad * scale.reshape(shape)

    def rows(a):
        a = np.moveaxis(a, -1, 1) if data_format == "NHWC" else a
        return a.reshape(x.shape[0], groups, -1)

    n, g = rows(normal), rows(h)
    dx = (g - g.mean(-1, keepdims=True) - n * (g * n).mean(-1, keepdims=True)) / np.sqrt(variance[..., None] + epsilon)
    first = (x.shape[0], x.shape[-1], *x.shape[1:-1]) if data_format == "NHWC" else x.shape
    dx = dx.reshape(first)
    axes = tuple(i for i in range(x.ndim) if shape[i] == 1)
    return (
        np.moveaxis(dx, 1, -1) if data_format == "NHWC" else dx,
        (y_grad * normal).sum(axes),
        y_grad.sum(axes),
    )


def _group_args(shape, groups, data_format="NCHW", affine=True):
    def make(rng):
        channels = shape[-1 if data_format == "NHWC" else 1]
        return dict(
            x=rng.standard_normal(shape),
            scale=rng.standard_normal(channels) if affine else None,
            bias=rng.standard_normal(channels) if affine else None,
            epsilon=1e-5,
            groups=groups,
            data_format=data_format,
        )

    return make


def _group_grad_args(shape, groups, data_format="NCHW"):
    def make(rng):
        given = _group_args(shape, groups, data_format)(rng)
        _, mean, variance = _group_norm(**given)
        last = {k: given.pop(k) for k in ("epsilon", "groups", "data_format")}
        return given | dict(mean=mean, variance=variance, y_grad=rng.standard_normal(shape)) | last

    return make


def _instance_norm(x, scale, bias, epsilon=1e-5):
    y, mean, variance = _group_norm(x, scale, bias, epsilon, x.shape[1])
    return y, mean.ravel(), 1 / np.sqrt(variance.ravel() + epsilon)


GROUPS = [
    Case(op="group_norm", args=_group_args((2, 6, 4, 3), 2), ref=_group_norm, dtypes=ALL_FLOATS,
         grad=("x", "scale", "bias"), atol=1e-5),
    Case(op="group_norm", args=_group_args((2, 3, 5, 6), 3, "NHWC"), ref=_group_norm, dtypes=ALL_FLOATS,
         grad=("x", "scale", "bias"), atol=1e-5, id="channels last"),
    Case(op="group_norm", args=_group_args((3, 8), 2, affine=False), ref=_group_norm, dtypes=ALL_FLOATS,
         grad=("x",), atol=1e-5, id="no positions"),
    Case(op="group_norm", args=_group_args((0, 4, 3), 2), ref=_group_norm, dtypes=("float32", "float64"),
         id="no samples"),
    Case(op="group_norm_grad", args=_group_grad_args((2, 4, 3), 2), ref=_group_norm_grad,
         dtypes=("float32", "float64"), grad=("x", "scale", "y_grad"), rtol=1e-4, atol=1e-5),
    Case(op="group_norm_grad", args=_group_grad_args((2, 3, 4), 2, "NHWC"), ref=_group_norm_grad,
         dtypes=("float32", "float64"), grad=("x", "scale", "y_grad"), rtol=1e-4, atol=1e-5, id="channels last"),
    Case(op="instance_norm", args=lambda rng: dict(x=rng.standard_normal((2, 3, 5)), scale=rng.random(3),
                                                   bias=rng.random(3)),
         ref=_instance_norm, dtypes=("float32", "float64"), grad=("x", "scale", "bias"), atol=1e-5),
]  # fmt: skip

CASES = [
    *GROUPS,
    Case(
        op="batch_norm_", args=_batch_arguments, ref=_batch, dtypes=FLOATS, grad=("x", "scale", "bias"), id="training"
    ),
    Case(
        op="batch_norm_",
        args=lambda rng: _batch_arguments(rng, is_test=True),
        ref=_batch,
        dtypes=FLOATS,
        grad=("x", "scale", "bias"),
        id="running statistics",
    ),
    Case(
        op="batch_norm_",
        args=lambda rng: _batch_arguments(rng, x=rng.standard_normal((1, 3, 1))),
        ref=lambda x, mean, variance, **_: (x, mean, variance, 0 * mean, 0 * mean),
        dtypes=FLOATS,
        grad=("x", "scale", "bias"),
        id="one value per channel",
    ),
    Case(op="batch_norm_grad", args=_batch_grad_arguments, ref=_batch_grad, dtypes=FLOATS),
    Case(
        op="batch_norm_grad",
        args=lambda rng: _batch_grad_arguments(rng) | {k: rng.standard_normal((1, 3, 1)) for k in ("x", "out_grad")},
        ref=lambda scale, bias, out_grad, **_: (out_grad, 0 * scale, 0 * bias),
        dtypes=FLOATS,
        id="one value per channel",
    ),
    Case(
        op="rms_norm_grad",
        args=lambda rng: (
            lambda x: dict(
                x=x,
                scale=rng.standard_normal(6),
                invvar=1 / np.sqrt((x * x).mean(-1) + 1e-5),
                out_grad=rng.standard_normal((3, 6)),
            )
        )(rng.standard_normal((3, 6))),
        ref=_rms_grad,
        dtypes=FLOATS,
    ),
    Case(
        op="layer_norm_grad",
        args=lambda rng: (
            lambda x: dict(
                x=x,
                scale=rng.standard_normal(6),
                bias=rng.standard_normal(6),
                mean=x.mean(-1),
                variance=x.var(-1),
                out_grad=rng.standard_normal((3, 6)),
                epsilon=1e-5,
                begin_norm_axis=1,
            )
        )(rng.standard_normal((3, 6))),
        ref=_layer_grad,
        dtypes=FLOATS,
    ),
    Case(
        op="rms_norm",
        args=lambda rng: dict(x=rng.standard_normal((3, 4, 6)), scale=rng.standard_normal(6)),
        ref=_rms,
        dtypes=FLOATS,
        grad=("x", "scale"),
    ),
    Case(
        op="layer_norm",
        args=lambda rng: dict(
            x=rng.standard_normal((3, 6)),
            scale=rng.standard_normal(6),
            bias=rng.standard_normal(6),
            epsilon=1e-5,
            begin_norm_axis=1,
        ),
        ref=_layer,
        dtypes=FLOATS,
        grad=("x", "scale", "bias"),
    ),
]

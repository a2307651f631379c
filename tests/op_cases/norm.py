# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the normalisations."""

import numpy as np

from tests.op_cases import Case

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


CASES = [
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
    Case(op="batch_norm_grad", args=_batch_grad_arguments, ref=_batch_grad, dtypes=FLOATS),
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

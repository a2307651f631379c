# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of interpolation, padding, sampling and detection."""

import numpy as np

from . import between, normal, of, row

IMAGE = (8, 32, 64, 64)


def resize(op, shape, size, mode, **torch):
    names = dict(zip(("out_d", "out_h", "out_w")[-len(size) :], size, strict=True))
    formats = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[len(size)]
    last = dict(align_corners=False, align_mode=0, data_format=formats)
    smooth = {} if mode == "nearest" else dict(align_corners=False)
    return row(
        op,
        [normal(*shape)],
        lambda o, x: getattr(o, op)(x, [], [], None, interp_method=mode, **names, **last),
        lambda t, x: t.nn.functional.interpolate(
            x, tuple(size), mode="bicubic" if mode == "bicubic" else mode, **smooth, **torch
        ),
        grad=(0,),
    )


def boxes(rng, shape):
    low = rng.uniform(0, 40, (*shape[:-1], 2))
    return np.concatenate([low, low + rng.uniform(4, 20, (*shape[:-1], 2))], -1)


REGION = [normal(*IMAGE), of(boxes, 256, 4), of(lambda rng, s: np.full(s, 32), 8, dtype="int32")]
ALIGN = dict(pooled_height=7, pooled_width=7, spatial_scale=1.0, sampling_ratio=2, aligned=True)
PART = dict(pooled_height=2, pooled_width=2, output_channels=8, spatial_scale=1.0)
MISSING = "no counterpart in PyTorch itself"
SSD = dict(min_sizes=[4.0, 6.0], max_sizes=[8.0, 9.0], aspect_ratios=[1.0, 2.0], variances=[0.1, 0.1, 0.2, 0.3])


def alone(op, inputs, ours, **more):
    return row(op, inputs, ours, note=MISSING, **more)


ROWS = [
    resize("nearest_interp", (8, 32, 32, 32), (64, 64), "nearest"),
    row(
        "add_nearest",
        [normal(*IMAGE), normal(8, 32, 32, 32)],
        lambda o, x, y: o.add_nearest(x, y, [2.0, 2.0]),
        lambda t, x, y: x + t.nn.functional.interpolate(y, scale_factor=2.0),
        grad=(0, 1),
    ),
    resize("linear_interp", (8, 64, 1024), (2048,), "linear"),
    resize("bilinear_interp", (8, 32, 32, 32), (64, 64), "bilinear"),
    resize("trilinear_interp", (2, 32, 8, 16, 16), (16, 32, 32), "trilinear"),
    resize("bicubic_interp", (8, 32, 32, 32), (64, 64), "bicubic"),
    resize("interp_antialias", IMAGE, (24, 24), "bilinear", antialias=True),
    row(
        "interp_grad",
        [normal(8, 32, 32, 32), normal(*IMAGE)],
        lambda o, x, g: o.interp_grad(x, g, "NCHW", [], "bilinear", False, 0, False),
        lambda t, x, g: t.ops.aten.upsample_bilinear2d_backward(g, [64, 64], [8, 32, 32, 32], False),
    ),
    row(
        "pad3d",
        [normal(2, 32, 16, 32, 32)],
        lambda o, x: o.pad3d(x, [1] * 6, "constant", 0.0, "NCDHW"),
        lambda t, x: t.nn.functional.pad(x, (1,) * 6),
        grad=(0,),
    ),
    row(
        "border_pad",
        [normal(*IMAGE)],
        lambda o, x: o.border_pad(x, [2, 2, 2, 2], "reflect", "NCHW"),
        lambda t, x: t.nn.functional.pad(x, (2,) * 4, "reflect"),
        grad=(0,),
    ),
    row(
        "border_pad_grad",
        [normal(*IMAGE), normal(8, 32, 68, 68)],
        lambda o, x, g: o.border_pad_grad(x, g, [2, 2, 2, 2], "reflect", "NCHW"),
        lambda t, x, g: t.ops.aten.reflection_pad2d_backward(g, x, [2, 2, 2, 2]),
    ),
    row(
        "grid_sample",
        [normal(*IMAGE), between(-1, 1, 8, 64, 64, 2)],
        lambda o, x, g: o.grid_sample(x, g, "bilinear", "zeros", False),
        lambda t, x, g: t.nn.functional.grid_sample(x, g, "bilinear", "zeros", False),
        grad=(0, 1),
    ),
    row(
        "grid_sample",
        [normal(*IMAGE), between(-1, 1, 8, 64, 64, 2)],
        lambda o, x, g: o.grid_sample(x, g, "nearest", "border", False),
        lambda t, x, g: t.nn.functional.grid_sample(x, g, "nearest", "border", False),
        grad=(0,),
        variant="nearest",
    ),
    row(
        "grid_sample_grad",
        [normal(*IMAGE), between(-1, 1, 8, 64, 64, 2), normal(*IMAGE)],
        lambda o, x, p, g: o.grid_sample_grad(x, p, g, "bilinear", "zeros", False),
        lambda t, x, p, g: t.ops.aten.grid_sampler_2d_backward(g, x, p, 0, 0, False, [True, True]),
    ),
    row(
        "affine_grid",
        [normal(32, 2, 3)],
        lambda o, x: o.affine_grid(x, [32, 3, 128, 128], False),
        lambda t, x: t.nn.functional.affine_grid(x, (32, 3, 128, 128), False),
        grad=(0,),
    ),
    alone("roi_align", REGION, lambda o, x, b, n: o.roi_align(x, b, n, **ALIGN), grad=(0,)),
    alone(
        "roi_align_grad", [*REGION, normal(256, 32, 7, 7)], lambda o, x, b, n, g: o.roi_align_grad(x, b, g, n, **ALIGN)
    ),
    alone("roi_pool", REGION, lambda o, x, b, n: o.roi_pool(x, b, n, 7, 7, 1.0), grad=(0,)),
    alone("psroi_pool", REGION, lambda o, x, b, n: o.psroi_pool(x, b, n, **PART), grad=(0,)),
    alone(
        "psroi_pool_grad", [*REGION, normal(256, 8, 2, 2)], lambda o, x, b, n, g: o.psroi_pool_grad(x, b, g, n, **PART)
    ),
    alone(
        "deformable_conv",
        [normal(4, 32, 64, 64), normal(4, 18, 64, 64), normal(32, 32, 3, 3)],
        lambda o, x, f, w: o.deformable_conv(x, f, w, None, [1, 1], [1, 1], [1, 1], 1, 1, 1),
        grad=(0, 1, 2),
    ),
    alone("nms", [of(boxes, 2000, 4)], lambda o, x: o.nms(x, 0.5)),
    alone(
        "matrix_nms",
        [of(boxes, 2, 1000, 4), between(0, 1, 2, 20, 1000)],
        lambda o, b, s: o.matrix_nms(b, s, 0.1, 400, 100),
    ),
    alone(
        "multiclass_nms3",
        [of(boxes, 2, 1000, 4), between(0, 1, 2, 20, 1000)],
        lambda o, b, s: o.multiclass_nms3(b, s, None, 0.1, 400, 100),
    ),
    alone(
        "merge_near_boxes",
        [of(boxes, 2, 1000, 4), between(0, 1, 2, 20, 1000)],
        lambda o, b, s: o.merge_near_boxes(b, s, 0.3),
    ),
    alone(
        "generate_proposals",
        [
            between(0, 1, 2, 3, 64, 64),
            between(-1, 1, 2, 12, 64, 64),
            of(lambda rng, s: np.full(s, 64), 2, 2),
            of(boxes, 64, 64, 3, 4),
            between(1, 1, 64, 64, 3, 4),
        ],
        lambda o, s, d, i, a, v: o.generate_proposals(s, d, i, a, v, 2000, 300, 0.7, 2.0, 1.0, False),
    ),
    alone(
        "yolo_box",
        [normal(8, 255, 22, 22), of(lambda rng, s: np.full(s, 704), 8, 2, dtype="int32")],
        lambda o, x, i: o.yolo_box(x, i, [10, 13, 16, 30, 33, 23], 80, 0.01, 32),
    ),
    alone(
        "box_coder",
        [of(boxes, 500, 4), between(0.1, 1, 500, 4), of(boxes, 500, 4)],
        lambda o, p, v, b: o.box_coder(p, v, b, "encode_center_size", True),
    ),
    alone("prior_box", [normal(1, 8, 128, 128), normal(1, 3, 512, 512)], lambda o, x, i: o.prior_box(x, i, **SSD)),
]

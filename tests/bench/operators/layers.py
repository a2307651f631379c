# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of convolutions, pools, normalization, attention and recurrence."""

from . import between, normal, row

IMAGE = (8, 32, 64, 64)
VOLUME = (2, 32, 16, 32, 32)
F2 = dict(strides=[1, 1], paddings=[1, 1], padding_algorithm="EXPLICIT", dilations=[1, 1], groups=1, data_format="NCHW")
F3 = dict(F2, strides=[1, 1, 1], paddings=[1, 1, 1], dilations=[1, 1, 1], data_format="NCDHW")
DEEP = dict(F2, groups=32)
XW = (0, 1)


def gradient_of_convolution(op, which, image, kernel, attributes):
    """conv*_grad_input and conv*_grad_filter against the two halves of aten's one operator."""
    n = len(image) - 2
    rest = ([1] * n, [1] * n, [1] * n, False, [0] * n, 1, which)
    out = normal(image[0], kernel[0], *image[2:])
    return row(
        op,
        [normal(*image), normal(*kernel), out],
        lambda o, x, w, g: getattr(o, op)(x, w, g, **attributes),
        lambda t, x, w, g: t.ops.aten.convolution_backward(g, x, w, None, *rest)[0 if which[0] else 1],
    )


CONVOLUTIONS = [
    row(
        "conv2d",
        [normal(*IMAGE), normal(32, 32, 3, 3)],
        lambda o, x, w: o.conv2d(x, w, **F2),
        lambda t, x, w: t.conv2d(x, w, padding=1),
        grad=XW,
    ),
    row(
        "conv2d_bias",
        [normal(*IMAGE), normal(32, 32, 3, 3), normal(32)],
        lambda o, x, w, b: o.conv2d_bias(x, w, b, **F2),
        lambda t, x, w, b: t.conv2d(x, w, b, padding=1),
        grad=(0, 1, 2),
    ),
    row(
        "conv2d_epilogue",
        [normal(*IMAGE), normal(32, 32, 3, 3), normal(32)],
        lambda o, x, w, b: o.conv2d_epilogue(x, w, b, None, **F2, epilogue="relu"),
        lambda t, x, w, b: t.conv2d(x, w, b, padding=1).relu(),
        grad=(0, 1, 2),
    ),
    row(
        "conv3d_bias",
        [normal(*VOLUME), normal(32, 32, 3, 3, 3), normal(32)],
        lambda o, x, w, b: o.conv3d_bias(x, w, b, **F3),
        lambda t, x, w, b: t.conv3d(x, w, b, padding=1),
        grad=(0, 1, 2),
    ),
    row(
        "depthwise_conv2d",
        [normal(*IMAGE), normal(32, 1, 3, 3)],
        lambda o, x, w: o.depthwise_conv2d(x, w, **DEEP),
        lambda t, x, w: t.conv2d(x, w, padding=1, groups=32),
        grad=XW,
    ),
    row(
        "depthwise_conv2d_bias",
        [normal(*IMAGE), normal(32, 1, 3, 3), normal(32)],
        lambda o, x, w, b: o.depthwise_conv2d_bias(x, w, b, **DEEP),
        lambda t, x, w, b: t.conv2d(x, w, b, padding=1, groups=32),
        grad=(0, 1, 2),
    ),
    row(
        "conv3d",
        [normal(*VOLUME), normal(32, 32, 3, 3, 3)],
        lambda o, x, w: o.conv3d(x, w, **F3),
        lambda t, x, w: t.conv3d(x, w, padding=1),
        grad=XW,
    ),
    row(
        "depthwise_conv3d_bias",
        [normal(*VOLUME), normal(32, 1, 3, 3, 3), normal(32)],
        lambda o, x, w, b: o.depthwise_conv3d_bias(x, w, b, **dict(F3, groups=32)),
        lambda t, x, w, b: t.conv3d(x, w, b, padding=1, groups=32),
        grad=(0, 1, 2),
        note="no kernel of its own: groups of one channel run as convolutions",
    ),
    row(
        "conv2d_transpose",
        [normal(*IMAGE), normal(32, 32, 3, 3)],
        lambda o, x, w: o.conv2d_transpose(x, w, **F2),
        lambda t, x, w: t.conv_transpose2d(x, w, padding=1),
        grad=XW,
    ),
    row(
        "depthwise_conv2d_transpose",
        [normal(*IMAGE), normal(32, 1, 3, 3)],
        lambda o, x, w: o.depthwise_conv2d_transpose(x, w, **DEEP),
        lambda t, x, w: t.conv_transpose2d(x, w, padding=1, groups=32),
        grad=XW,
    ),
    row(
        "conv3d_transpose",
        [normal(*VOLUME), normal(32, 32, 3, 3, 3)],
        lambda o, x, w: o.conv3d_transpose(x, w, **dict(F3, data_format="NCDHW")),
        lambda t, x, w: t.conv_transpose3d(x, w, padding=1),
        grad=XW,
    ),
    gradient_of_convolution("conv2d_grad_input", [True, False, False], IMAGE, (32, 32, 3, 3), F2),
    gradient_of_convolution("conv2d_grad_filter", [False, True, False], IMAGE, (32, 32, 3, 3), F2),
    gradient_of_convolution("conv3d_grad_input", [True, False, False], VOLUME, (32, 32, 3, 3, 3), F3),
    gradient_of_convolution("conv3d_grad_filter", [False, True, False], VOLUME, (32, 32, 3, 3, 3), F3),
]

P2 = dict(
    strides=[2, 2],
    paddings=[0, 0],
    ceil_mode=False,
    exclusive=True,
    data_format="NCHW",
    global_pooling=False,
    adaptive=False,
    padding_algorithm="EXPLICIT",
)
P3 = dict(P2, strides=[2, 2, 2], paddings=[0, 0, 0], data_format="NCDHW")
GLOBAL = dict(P2, adaptive=True, strides=[1, 1])


def places(o, x):
    """The input, and the places that its maxima stand at."""
    out, mask = o.max_pool2d_with_index(x, [2, 2], [2, 2], [0, 0])
    return x, out, mask


POOLS = [
    row(
        "pool2d",
        [normal(*IMAGE)],
        lambda o, x: o.pool2d(x, [2, 2], pooling_type="max", **P2),
        lambda t, x: t.nn.functional.max_pool2d(x, 2),
        grad=(0,),
    ),
    row(
        "pool2d",
        [normal(*IMAGE)],
        lambda o, x: o.pool2d(x, [3, 3], pooling_type="max", **dict(P2, paddings=[1, 1])),
        lambda t, x: t.nn.functional.max_pool2d(x, 3, 2, 1),
        grad=(0,),
        variant="max 3x3",
    ),
    row(
        "pool2d",
        [normal(*IMAGE)],
        lambda o, x: o.pool2d(x, [2, 2], pooling_type="avg", **P2),
        lambda t, x: t.nn.functional.avg_pool2d(x, 2),
        grad=(0,),
        variant="average",
    ),
    row(
        "pool2d",
        [normal(*IMAGE)],
        lambda o, x: o.pool2d(x, [1, 1], pooling_type="avg", **GLOBAL),
        lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, 1),
        grad=(0,),
        variant="adaptive average to 1x1",
    ),
    row(
        "pool2d",
        [normal(*IMAGE)],
        lambda o, x: o.pool2d(x, [7, 7], pooling_type="avg", **GLOBAL),
        lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, 7),
        grad=(0,),
        variant="adaptive average to 7x7",
    ),
    row(
        "pool3d",
        [normal(*VOLUME)],
        lambda o, x: o.pool3d(x, [2, 2, 2], pooling_type="max", **P3),
        lambda t, x: t.nn.functional.max_pool3d(x, 2),
        grad=(0,),
    ),
    row(
        "pool3d",
        [normal(*VOLUME)],
        lambda o, x: o.pool3d(x, [2, 2, 2], pooling_type="avg", **P3),
        lambda t, x: t.nn.functional.avg_pool3d(x, 2),
        grad=(0,),
        variant="average",
    ),
    row(
        "avg_pool_grad",
        [normal(*IMAGE), normal(8, 32, 32, 32)],
        lambda o, x, g: o.avg_pool_grad(x, g, [2, 2], pooling_type="avg", **P2),
        lambda t, x, g: t.ops.aten.avg_pool2d_backward(g, x, [2, 2], [2, 2], [0, 0], False, True, None),
    ),
    row(
        "lp_pool2d",
        [between(0.1, 1, *IMAGE)],
        lambda o, x: o.lp_pool2d(x, [2, 2], [2, 2], [0, 0], norm_type=2.0, pooling_type="lp"),
        lambda t, x: t.nn.functional.lp_pool2d(x, 2.0, 2),
        grad=(0,),
    ),
    row(
        "max_pool2d_with_index",
        [normal(*IMAGE)],
        lambda o, x: o.max_pool2d_with_index(x, [2, 2], [2, 2], [0, 0]),
        lambda t, x: t.nn.functional.max_pool2d(x, 2, return_indices=True),
        grad=(0,),
    ),
    row(
        "max_pool3d_with_index",
        [normal(*VOLUME)],
        lambda o, x: o.max_pool3d_with_index(x, [2, 2, 2], [2, 2, 2], [0, 0, 0]),
        lambda t, x: t.nn.functional.max_pool3d(x, 2, return_indices=True),
        grad=(0,),
    ),
    row(
        "max_pool_indices",
        [normal(*IMAGE)],
        lambda o, x: o.max_pool_indices(x, [2, 2], [2, 2], [0, 0], False, "NCHW", False, False, "EXPLICIT"),
        lambda t, x: t.nn.functional.max_pool2d(x, 2, return_indices=True)[1],
        checked=False,
    ),
    row(
        "pool_scatter",
        [normal(*IMAGE)],
        lambda o, x, v, i: o.pool_scatter(x, v, i, "NCHW"),
        lambda t, x, v, i: t.ops.aten.max_pool2d_with_indices_backward(v, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i),
        ours_setup=places,
        torch_setup=lambda t, x: (x, *t.nn.functional.max_pool2d(x, 2, return_indices=True)),
    ),
    row(
        "pool_gather",
        [normal(*IMAGE)],
        lambda o, x, v, i: o.pool_gather(x, i, "NCHW"),
        lambda t, x, v, i: t.gather(x.flatten(2), 2, i.flatten(2)),
        ours_setup=places,
        torch_setup=lambda t, x: (x, *t.nn.functional.max_pool2d(x, 2, return_indices=True)),
    ),
    row(
        "unpool",
        [normal(*IMAGE)],
        lambda o, x, v, i: o.unpool(v, i, [2, 2], [2, 2], [0, 0], [64, 64], "NCHW"),
        lambda t, x, v, i: t.nn.functional.max_unpool2d(v, i, 2),
        ours_setup=places,
        torch_setup=lambda t, x: (x, *t.nn.functional.max_pool2d(x, 2, return_indices=True)),
    ),
    row(
        "unpool3d",
        [normal(*VOLUME)],
        lambda o, v, i: o.unpool3d(v, i, [2, 2, 2], [2, 2, 2], [0, 0, 0], [16, 32, 32]),
        lambda t, v, i: t.nn.functional.max_unpool3d(v, i, 2),
        ours_setup=lambda o, x: o.max_pool3d_with_index(x, [2, 2, 2], [2, 2, 2], [0, 0, 0]),
        torch_setup=lambda t, x: t.nn.functional.max_pool3d(x, 2, return_indices=True),
    ),
    row(
        "fractional_max_pool2d",
        [normal(*IMAGE)],
        lambda o, x: o.fractional_max_pool2d(x, [40, 40], [2, 2], 0.3, True),
        lambda t, x: t.nn.functional.fractional_max_pool2d(x, 2, output_size=40, return_indices=True),
        checked=False,
        grad=(0,),
    ),
    row(
        "fractional_max_pool3d",
        [normal(*VOLUME)],
        lambda o, x: o.fractional_max_pool3d(x, [10, 20, 20], [2, 2, 2], 0.3, True),
        lambda t, x: t.nn.functional.fractional_max_pool3d(x, 2, output_size=(10, 20, 20), return_indices=True),
        checked=False,
        grad=(0,),
    ),
]

NORM = dict(momentum=0.9, epsilon=1e-5, data_format="NCHW", use_global_stats=False, trainable_statistics=False)
ROWS_OF = (1024, 1024)


def batch_norm(o, x, m, v, s, b, test=False):
    return o.batch_norm_(x, m, v, s, b, is_test=test, **NORM)


def batch_norm_gradient(o, x, m, v, s, b, g):
    mean, inverse = batch_norm(o, x, m, v, s, b)[3:5]
    return x, s, b, m, v, mean, inverse, g


def torch_batch_norm_gradient(t, x, m, v, s, b, g):
    _, mean, inverse = t.native_batch_norm(x, s, b, m, v, True, 0.1, 1e-5)
    return x, s, b, m, v, mean, inverse, g


def torch_rms_norm(t, x, s, g):
    inputs = [x.requires_grad_(), s.requires_grad_()]
    return t.nn.functional.rms_norm(x, (1024,), s, 1e-5), inputs, g


CHANNELS = [normal(32), between(0.5, 2, 32), normal(32), normal(32)]

NORMS = [
    row(
        "layer_norm",
        [normal(*ROWS_OF), normal(1024), normal(1024)],
        lambda o, x, s, b: o.layer_norm(x, s, b, 1e-5, 1),
        lambda t, x, s, b: t.nn.functional.layer_norm(x, (1024,), s, b),
        grad=(0, 1, 2),
    ),
    row(
        "layer_norm_grad",
        [normal(*ROWS_OF), normal(1024), normal(1024), normal(*ROWS_OF)],
        lambda o, x, s, b, m, v, g: o.layer_norm_grad(x, s, b, m, v, g, 1e-5, 1),
        lambda t, x, s, b, m, v, g: t.ops.aten.native_layer_norm_backward(g, x, [1024], m, v, s, b, [True, True, True]),
        ours_setup=lambda o, x, s, b, g: (x, s, b, *o.layer_norm(x, s, b, 1e-5, 1)[1:], g),
        torch_setup=lambda t, x, s, b, g: (x, s, b, *t.native_layer_norm(x, [1024], s, b, 1e-5)[1:], g),
    ),
    row(
        "rms_norm",
        [normal(*ROWS_OF), normal(1024)],
        lambda o, x, s: o.rms_norm(x, s, [1024], 1e-5),
        lambda t, x, s: t.nn.functional.rms_norm(x, (1024,), s, 1e-5),
        grad=(0, 1),
    ),
    row(
        "rms_norm_grad",
        [normal(*ROWS_OF), normal(1024), normal(*ROWS_OF)],
        lambda o, x, s, v, g: o.rms_norm_grad(x, s, v, g, [1024], 1e-5),
        lambda t, out, inputs, g: t.autograd.grad(out, inputs, g, retain_graph=True),
        ours_setup=lambda o, x, s, g: (x, s, o.rms_norm(x, s, [1024], 1e-5)[1], g),
        torch_setup=torch_rms_norm,
    ),
    row(
        "group_norm",
        [normal(*IMAGE), normal(32), normal(32)],
        lambda o, x, s, b: o.group_norm(x, s, b, 1e-5, 8, "NCHW"),
        lambda t, x, s, b: t.nn.functional.group_norm(x, 8, s, b),
        grad=(0, 1, 2),
    ),
    row(
        "group_norm_grad",
        [normal(*IMAGE), normal(32), normal(32), normal(*IMAGE)],
        lambda o, x, s, b, m, v, g: o.group_norm_grad(x, s, b, m, v, g, 1e-5, 8, "NCHW"),
        lambda t, x, s, b, m, v, g: t.ops.aten.native_group_norm_backward(
            g, x, m, v, s, 8, 32, 4096, 8, [True, True, True]
        ),
        ours_setup=lambda o, x, s, b, g: (x, s, b, *o.group_norm(x, s, b, 1e-5, 8, "NCHW")[1:], g),
        torch_setup=lambda t, x, s, b, g: (x, s, b, *t.native_group_norm(x, s, b, 8, 32, 4096, 8, 1e-5)[1:], g),
    ),
    row(
        "instance_norm",
        [normal(*IMAGE), normal(32), normal(32)],
        lambda o, x, s, b: o.instance_norm(x, s, b, 1e-5),
        lambda t, x, s, b: t.nn.functional.instance_norm(x, weight=s, bias=b),
        grad=(0, 1, 2),
    ),
    row(
        "batch_norm_",
        [normal(*IMAGE), *CHANNELS],
        lambda o, x, m, v, s, b: batch_norm(o, x, m, v, s, b),
        lambda t, x, m, v, s, b: t.nn.functional.batch_norm(x, m, v, s, b, True),
        grad=(0, 3, 4),
    ),
    row(
        "batch_norm_",
        [normal(*IMAGE), *CHANNELS],
        lambda o, x, m, v, s, b: batch_norm(o, x, m, v, s, b, True),
        lambda t, x, m, v, s, b: t.nn.functional.batch_norm(x, m, v, s, b, False),
        variant="inference",
    ),
    row(
        "batch_norm_grad",
        [normal(*IMAGE), *CHANNELS, normal(*IMAGE)],
        lambda o, x, s, b, m, v, mean, inverse, g: o.batch_norm_grad(
            x, s, b, m, v, mean, inverse, None, g, is_test=False, **NORM
        ),
        lambda t, x, s, b, m, v, mean, inverse, g: t.ops.aten.native_batch_norm_backward(
            g, x, s, m, v, mean, inverse, True, 1e-5, [True, True, True]
        ),
        ours_setup=batch_norm_gradient,
        torch_setup=torch_batch_norm_gradient,
    ),
]

HEADS = (4, 512, 8, 64)


def attended(o, q, k, v, g):
    out, _, lse, seed = o.flash_attn(q, k, v, None, None, 0.0, True)
    return q, k, v, out, lse, seed, g


def heads_first(*tensors):
    return [x.transpose(1, 2) for x in tensors]


def torch_attention(t, q, k, v, causal=True):
    q, k, v = heads_first(q, k, v)
    return t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2)


def torch_attended(t, q, k, v, g):
    q, k, v, g = heads_first(q, k, v, g)
    out, lse = t.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    return g, q, k, v, out, lse


def rotary(t, q, sin, cos):
    other = t.cat([-q[..., 32:], q[..., :32]], -1)
    return q * cos[:, None] + other * sin[:, None]


ATTENTION = [
    row(
        "flash_attn",
        [normal(*HEADS)] * 3,
        lambda o, q, k, v: o.flash_attn(q, k, v, None, None, 0.0, True),
        torch_attention,
        grad=(0, 1, 2),
    ),
    row(
        "flash_attn",
        [normal(*HEADS)] * 3,
        lambda o, q, k, v: o.flash_attn(q, k, v, None, None, 0.0, False),
        lambda t, q, k, v: torch_attention(t, q, k, v, False),
        grad=(0, 1, 2),
        variant="not causal",
    ),
    row(
        "flash_attn_grad",
        [normal(*HEADS)] * 4,
        lambda o, q, k, v, out, lse, seed, g: o.flash_attn_grad(q, k, v, out, lse, seed, None, g, 0.0, True),
        lambda t, g, q, k, v, out, lse: t.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
            g, q, k, v, out, lse, 0.0, True
        ),
        ours_setup=attended,
        torch_setup=torch_attended,
        checked=False,
    ),
    row(
        "fused_rotary_position_embedding",
        [normal(*HEADS), normal(512, 64), normal(512, 64)],
        lambda o, q, s, c: o.fused_rotary_position_embedding(q, None, None, s, c, None, False),
        rotary,
        grad=(0,),
    ),
    row(
        "rotate_halves",
        [normal(*HEADS), normal(1, 512, 1, 64), normal(1, 512, 1, 64)],
        lambda o, x, cos, sin: o.rotate_halves(x, cos, sin),
        lambda t, x, cos, sin: rotary(t, x, sin[0, :, 0], cos[0, :, 0]),
        grad=(0,),
    ),
    row(
        "attn_dropout_mask",
        [],
        lambda o, s: o.attn_dropout_mask(s, [1024, 1024], 0.1),
        lambda t: t.bernoulli(t.full((1024, 1024), 0.9)),
        ours_setup=lambda o: (o.full([2], 1, "int64"),),
        checked=False,
    ),
    row("attn_seed_offset", [normal(1)], lambda o, x: o.attn_seed_offset(x, [1 << 20])),
]

STEPS, BATCH, UNITS = 32, 32, 256


def lstm(t, gates, h, c, w, b):
    """The recurrence step by step: the input's share of the gates is given."""
    outs = []
    for step in gates.unbind(0):
        i, f, g, o = (step + t.addmm(b, h, w.T)).chunk(4, 1)
        c = t.sigmoid(f) * c + t.sigmoid(i) * t.tanh(g)
        h = t.sigmoid(o) * t.tanh(c)
        outs.append(h)
    return t.stack(outs)


LSTM = [
    normal(STEPS, BATCH, 4 * UNITS),
    normal(BATCH, UNITS),
    normal(BATCH, UNITS),
    between(-0.06, 0.06, 4 * UNITS, UNITS),
    normal(4 * UNITS),
]


def recurrent(o, gates, h, c, w, b, g):
    out, _, _, reserve = o.recurrence(gates, h, c, w, b, None, "LSTM", False)
    return gates, h, c, w, b, out, reserve, g


def torch_recurrent(t, gates, h, c, w, b, g):
    inputs = [x.detach().requires_grad_() for x in (gates, h, c, w, b)]
    return lstm(t, *inputs), inputs, g


RECURRENCE = [
    row(
        "recurrence",
        LSTM,
        lambda o, x, h, c, w, b: o.recurrence(x, h, c, w, b, None, "LSTM", False),
        lstm,
        grad=(0, 1, 2, 3, 4),
        note="an LSTM; PyTorch composed, step by step",
    ),
    row(
        "recurrence_grad",
        [*LSTM, normal(STEPS, BATCH, UNITS)],
        lambda o, x, h, c, w, b, out, r, g: o.recurrence_grad(
            x, h, c, w, b, None, out, r, g, None, None, "LSTM", False
        ),
        lambda t, out, inputs, g: t.autograd.grad(out, inputs, g, retain_graph=True),
        ours_setup=recurrent,
        torch_setup=torch_recurrent,
    ),
]

ROWS = CONVOLUTIONS + POOLS + NORMS + ATTENTION + RECURRENCE

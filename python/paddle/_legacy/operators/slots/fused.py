# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 that do the work of several, and layers that have no function of today."""

import math

from .... import _core
from .table import operator

ops = _core.ops


def _beside(x, y, axis):
    """y, whose first axis stands beside an axis of x."""
    if axis in (None, -1) or y.ndim == x.ndim:
        return y
    return ops.reshape(y, list(y.shape) + [1] * (x.ndim - axis - y.ndim))


def _activated(x, name, scale=1.0):
    if name in (None, "", "identity"):
        return x
    return x * scale if name == "scale" else getattr(ops, name)(x)


_BINARY = {"elementwise_add": ops.add, "elementwise_mul": ops.multiply}


def _compound(c):
    """One function of x and y around, or behind, one of a single number."""
    x, y, (outer, inner) = c.one("X"), c.one("Y"), c.attribute("functor_list")
    y, scale = _beside(x, y, c.attribute("axis", -1)), c.attribute("scale", 0.0)
    if outer in _BINARY:
        between = _activated(y, inner, scale)
        return {"Out": _BINARY[outer](x, between), "IntermediateOut": between}
    between = _BINARY[inner](x, y)
    return {"Out": _activated(between, outer, scale), "IntermediateOut": between}


@operator
def fused_elemwise_activation(c):
    return _compound(c)


@operator
def fused_elemwise_add_activation(c):
    return _compound(c)


def _elementwise(name):
    def compute(c):
        x = c.one("X") * c.attribute("scale_x", 1.0)
        y = _beside(x, c.one("Y"), c.attribute("axis", -1)) * c.attribute("scale_y", 1.0)
        out = getattr(ops, name)(x, y) * c.attribute("scale_out", 1.0)
        return {"Out": _activated(out, c.attribute("fuse_activation", ""))}

    return compute


for _old, _today in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("div", "divide")):
    operator(_elementwise(_today), f"fused_elementwise_{_old}")


@operator
def grad_add(c):
    return {"Out": ops.add(c.one("X"), _beside(c.one("X"), c.one("Y"), c.attribute("axis", -1)))}


@operator
def fused_softmax_mask(c):
    from ....incubate import softmax_mask_fuse

    return {"Out": softmax_mask_fuse(c.one("X"), c.one("Mask"))}


@operator
def fused_softmax_mask_upper_triangle(c):
    from ....incubate import softmax_mask_fuse_upper_triangle

    return {"Out": softmax_mask_fuse_upper_triangle(c.one("X"))}


@operator
def fusion_squared_mat_sub(c):
    """scalar * ((x y)^2 - x^2 y^2), with matrix products."""
    x, y = c.one("X"), c.one("Y")
    squares = ops.square(x), ops.square(y), ops.square(ops.matmul(x, y))
    out = (squares[2] - ops.matmul(squares[0], squares[1])) * c.attribute("scalar", 1.0)
    return {"SquaredX": squares[0], "SquaredY": squares[1], "SquaredXY": squares[2], "Out": out}


@operator
def fusion_repeated_fc_relu(c):
    x, between = c.one("X"), []
    for weight, bias in zip(c.all("W"), c.all("Bias"), strict=True):
        x = ops.relu(ops.matmul(x, weight) + ops.reshape(bias, [-1]))
        between.append(x)
    return {"ReluOut": between[:-1], "Out": x}


def _normalised(c, x, scale, shift, epsilon):
    first = c.attribute("begin_norm_axis", x.ndim - 1)
    return ops.layer_norm(x, scale, shift, epsilon, first)


@operator
def skip_layernorm(c):
    out = _normalised(c, c.one("X") + c.one("Y"), c.one("Scale"), c.one("Bias"), c.attribute("epsilon", 1e-5))
    return {"Out": out[0]}


@operator
def fused_fc_elementwise_layernorm(c):
    x, weight, columns = c.one("X"), c.one("W"), c.attribute("x_num_col_dims", 1)
    rows = ops.matmul(ops.reshape(x, [math.prod(x.shape[:columns]), -1]), weight)
    if c.one("Bias0") is not None:
        rows = rows + c.one("Bias0")
    total = ops.reshape(_activated(rows, c.attribute("activation_type", "")), c.one("Y").shape) + c.one("Y")
    epsilon = c.attribute("epsilon", 1e-5)
    out, mean, variance = ops.layer_norm(
        total, c.one("Scale"), c.one("Bias1"), epsilon, c.attribute("begin_norm_axis", 1)
    )
    return {"Out": out, "Mean": mean, "Variance": variance}


@operator
def fused_embedding_eltwise_layernorm(c):
    pairs = zip(c.all("Ids"), c.all("Embs"), strict=True)
    parts = [ops.embedding(ops.reshape(ids, ids.shape[:2]), table) for ids, table in pairs]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    epsilon = c.attribute("epsilon", 1e-5)
    return {"Out": ops.layer_norm(total, c.one("Scale"), c.one("Bias"), epsilon, total.ndim - 1)[0]}


@operator
def gru_unit(c):
    """One step of a gated recurrent unit (Cho et al., 2014)."""
    functions = (lambda v: v, ops.sigmoid, ops.tanh, ops.relu)
    activation, gate = (functions[c.attribute(n, d)] for n, d in (("activation", 2), ("gate_activation", 1)))
    before, weight, total = c.one("HiddenPrev"), c.one("Weight"), c.one("Input")
    width = before.shape[1]
    if c.one("Bias") is not None:
        total = total + ops.reshape(c.one("Bias"), [1, -1])
    flat = ops.reshape(weight, [-1])
    gates = ops.reshape(ops.slice(flat, [0], [0], [2 * width * width]), [width, 2 * width])
    state = ops.reshape(ops.slice(flat, [0], [2 * width * width], [3 * width * width]), [width, width])
    both = gate(total[:, : 2 * width] + ops.matmul(before, gates))
    update, reset = both[:, :width], both[:, width:] * before
    candidate = activation(total[:, 2 * width :] + ops.matmul(reset, state))
    kept, new = (update, 1.0 - update) if c.attribute("origin_mode", False) else (1.0 - update, update)
    hidden = kept * before + new * candidate
    return {"Gate": ops.concat([both, candidate], 1), "ResetHiddenPrev": reset, "Hidden": hidden}


@operator
def lrn(c):
    """Each number divided by a power of the squares in the channels around (Krizhevsky et al., 2012)."""
    x, n = c.one("X"), c.attribute("n", 5)
    if n % 2 == 0:
        raise ValueError(f"lrn: n has value {n}; it must be odd, so that as many channels lie on both sides.")
    axis = 3 if c.attribute("data_format", "NCHW") == "NHWC" else 1
    before, channels = (n - 1) // 2, x.shape[axis]
    squares = ops.square(x)
    sums = None
    for offset in range(-before, n - before):
        low, high = max(0, -offset), min(channels, channels - offset)
        if low >= high:
            continue
        part = ops.slice(squares, [axis], [low + offset], [high + offset])
        pad = [0, 0] * axis + [low, channels - high] + [0, 0] * (x.ndim - axis - 1)
        part = ops.pad(part, pad, 0.0)
        sums = part if sums is None else sums + part
    between = sums * c.attribute("alpha", 1e-4) + c.attribute("k", 2.0)
    return {"Out": x * ops.pow(between, -c.attribute("beta", 0.75)), "MidOut": between}


@operator
def l1_norm(c):
    return {"Out": ops.sum(ops.abs(c.one("X")))}


@operator
def shuffle_channel(c):
    from ....nn.functional import channel_shuffle

    return {"Out": channel_shuffle(c.one("X"), c.attribute("group", 1))}


def _columns(c):
    first, count = c.attribute("start_index", 0), c.attribute("length", -1)
    for x in c.all("X"):
        begin = first + x.shape[1] if first < 0 else first
        yield ops.slice(x, [1], [begin], [x.shape[1] if count < 0 else begin + count])


@operator
def partial_concat(c):
    return {"Out": ops.concat(list(_columns(c)), 1)}


@operator
def partial_sum(c):
    first, *others = _columns(c)
    for other in others:
        first = first + other
    return {"Out": first}


@operator
def cvm(c):
    """The counts of shows and clicks in front of features, as logarithms or left out."""
    x = c.one("X")
    if not c.attribute("use_cvm", True):
        return {"Y": x[:, 2:]}
    shows, clicks = ops.log(x[:, :1] + 1.0), ops.log(x[:, 1:2] + 1.0)
    return {"Y": ops.concat([shows, clicks - shows, x[:, 2:]], 1)}


@operator
def add_position_encoding(c):
    """Sines and cosines of positions (Vaswani et al., 2017) added to a sequence."""
    x, half = c.one("X"), c.one("X").shape[2] // 2
    places = ops.reshape(ops.cast(ops.arange(0, x.shape[1], 1, _core.int64), x.dtype), [-1, 1])
    steps = [10000.0 ** (k / (half - 1)) if half > 1 else 10000.0 for k in range(half)]
    angles = places / ops.reshape(_core.to_tensor(steps, x.dtype), [1, -1])
    waves = ops.concat([ops.sin(angles), ops.cos(angles)], 1)
    return {"Out": x * c.attribute("alpha", 1.0) + ops.unsqueeze(waves, [0]) * c.attribute("beta", 1.0)}


@operator
def row_conv(c):
    """A convolution along time that looks ahead."""
    x, weight = c.one("X"), c.one("Filter")
    total = None
    for i in range(min(weight.shape[0], x.shape[1])):
        later = ops.pad(ops.slice(x, [1], [i], [x.shape[1]]), [0, 0, 0, i, 0, 0], 0.0) * weight[i]
        total = later if total is None else total + later
    return {"Out": total}


@operator
def batch_fc(c):
    return {"Out": ops.matmul(c.one("Input"), c.one("W")) + ops.unsqueeze(c.one("Bias"), [1])}


@operator
def spectral_norm(c):
    from ..composed.layers import spectral_norm

    given = [c.one(slot) for slot in ("Weight", "U", "V")]
    return {
        "Out": spectral_norm(*given, c.attribute("dim", 0), c.attribute("power_iters", 1), c.attribute("eps", 1e-12))
    }


def _cross_entropy(c):
    """Minus the logarithm of the probability that stands at a label."""
    x, label = c.one("X"), c.one("Label")
    if c.attribute("soft_label", False):
        return -ops.sum(label * ops.log(x), [-1], keepdim=True), None
    places = label if label.ndim == x.ndim else ops.unsqueeze(label, [-1])
    ignored = ops.equal(places, ops.full_like(places, c.attribute("ignore_index", -100)))
    match = ops.take_along_axis(x, ops.where(ignored, ops.full_like(places, 0), places), x.ndim - 1)
    return ops.where(ignored, ops.full_like(match, 0), -ops.log(match)), match


@operator
def cross_entropy(c):
    return {"Y": _cross_entropy(c)[0]}


@operator
def cross_entropy2(c):
    loss, match = _cross_entropy(c)
    return {"Y": loss, "MatchX": match}


@operator
def fill(c):
    dtype = c.dtype("dtype", _core.float32)
    return {"Out": ops.reshape(_core.to_tensor(c.attribute("value"), dtype), c.attribute("shape"))}

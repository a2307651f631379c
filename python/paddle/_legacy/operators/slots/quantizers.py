# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 that simulate quantisation, with the straight-through estimator as their gradient."""

from .... import _core
from .table import operator

ops = _core.ops


def _most(bits):
    """The largest integer of so many bits."""
    return float((1 << (bits - 1)) - 1)


def _rounded(x, away):
    """x rounded, halves away from zero or to the even neighbour."""
    return ops.sign(x) * ops.floor(ops.abs(x) + 0.5) if away else ops.round(x)


def _through(x, value):
    """`value`, whose gradient is that of `x`."""
    return x if x.stop_gradient and value is x else x + (value - x).detach()


def _integers(x, scale, most, away):
    """x as integers of a grid on which `scale` is `most`."""
    small = ops.cast(scale <= 1e-30, scale.dtype)
    inverse = 1.0 / (scale + small * 1e-6)
    if away:
        return _rounded(ops.maximum(ops.minimum(x, scale), -scale) * inverse * most, True)
    return ops.clip(_rounded(x * inverse * most, False), -most - 1, most)


def _spread(scale, rank, axis):
    """One scale for each index of an axis, beside tensors of a rank."""
    return ops.reshape(scale, [-1 if i == axis else 1 for i in range(rank)])


def _size(x):
    return ops.reshape(ops.max(ops.abs(x.detach())), [1])


def _sizes(x, axis):
    return ops.max(ops.abs(x.detach()), [i for i in range(x.ndim) if i != axis])


def _grid(c):
    return _most(c.attribute("bit_length", 8)), c.attribute("round_type", 1) == 1


@operator
def fake_quantize_abs_max(c):
    x, (most, away) = c.one("X"), _grid(c)
    scale = _size(x)
    return {"Out": _through(x, _integers(x, scale, most, away)), "OutScale": scale}


@operator
def fake_quantize_dequantize_abs_max(c):
    x, (most, away) = c.one("X"), _grid(c)
    scale = _size(x)
    return {"Out": _through(x, _integers(x, scale, most, away) * scale / most), "OutScale": scale}


@operator
def fake_channel_wise_quantize_abs_max(c):
    x, (most, away), axis = c.one("X"), _grid(c), c.attribute("quant_axis", 0)
    scale = _sizes(x, axis)
    return {"Out": _through(x, _integers(x, _spread(scale, x.ndim, axis), most, away)), "OutScale": scale}


@operator
def fake_channel_wise_quantize_dequantize_abs_max(c):
    x, (most, away), axis = c.one("X"), _grid(c), c.attribute("quant_axis", 0)
    scale = _sizes(x, axis)
    wide = _spread(scale, x.ndim, axis)
    return {"Out": _through(x, _integers(x, wide, most, away) * wide / most), "OutScale": scale}


def _moving(c):
    """The scale, and the sum and the weight of the moving average that it is."""
    if c.attribute("is_test", False):
        return c.one("InScale"), None, None
    rate = c.attribute("moving_rate", 0.9)
    state, accumulated = (
        ops.full_like(_size(c.one("X")), 0) if t is None else t for t in map(c.one, ("InState", "InAccum"))
    )
    state, accumulated = state * rate + 1.0, accumulated * rate + _size(c.one("X"))
    return accumulated / state, accumulated, state


def _with_state(out, scale, accumulated, state):
    return {"Out": out, "OutScale": scale, "OutAccum": accumulated, "OutState": state}


@operator
def fake_quantize_moving_average_abs_max(c):
    x, (most, away), moving = c.one("X"), _grid(c), _moving(c)
    return _with_state(_through(x, _integers(x, moving[0], most, away)), *moving)


@operator
def fake_quantize_dequantize_moving_average_abs_max(c):
    x, (most, away), moving = c.one("X"), _grid(c), _moving(c)
    return _with_state(_through(x, _integers(x, moving[0], most, away) * moving[0] / most), *moving)


@operator
def moving_average_abs_max_scale(c):
    return _with_state(ops.assign(c.one("X")), *_moving(c))


@operator
def fake_dequantize_max_abs(c):
    return {"Out": c.one("X") * c.one("Scale") / c.attribute("max_range")}


@operator
def fake_channel_wise_dequantize_max_abs(c):
    x, scales, bits = c.one("X"), c.all("Scales"), c.attribute("quant_bits", [8])
    axis = c.attribute("quant_axis", 0)
    if len(scales) == 1:
        return {"Out": x * _spread(scales[0], x.ndim, axis) / _most(bits[0])}
    columns = c.attribute("x_num_col_dims", 1)
    wide = _spread(scales[0], x.ndim, columns)
    return {"Out": x * wide * scales[1] / (_most(bits[0]) * _most(bits[1]))}


@operator
def dequantize_abs_max(c):
    return {"Out": ops.cast(c.one("X"), _core.float32) * c.one("Scale") / c.attribute("max_range")}


@operator
def dequantize_log(c):
    """Numbers by their places in a table; places below zero are those of the negative numbers."""
    x, table = ops.cast(c.one("X"), _core.int64), c.one("Dict")
    below = x < 0
    found = ops.gather(table, ops.reshape(ops.where(below, x + 128, x), [-1]), 0)
    found = ops.reshape(found, x.shape)
    return {"Out": ops.where(below, -found, found)}


def _linear_scale(c):
    scale, axis, x = c.one("Scale"), c.attribute("quant_axis", -1), c.one("X")
    return scale if axis < 0 else _spread(scale, x.ndim, axis)


@operator
def quantize_linear(c):
    x, away = c.one("X"), c.attribute("round_type", 0) == 1
    low, high = float(c.attribute("qmin", -128)), float(c.attribute("qmax", 127))
    if not c.attribute("is_test", True):
        axis = c.attribute("quant_axis", -1)
        if axis >= 0:
            scale, state = _sizes(x, axis), (None, None)
        else:
            scale, *state = _moving(c)
        observed = {"OutScale": scale, "OutAccum": state[0], "OutState": state[1]}
        wide = scale if axis < 0 else _spread(scale, x.ndim, axis)
    else:
        wide, observed = _linear_scale(c), {}
    if c.attribute("only_observer", False):
        return {"Y": ops.assign(x), **observed}
    scaled = (ops.maximum(ops.minimum(x, wide), -wide) if away else x) / wide * high
    return {"Y": _through(x, ops.clip(_rounded(scaled, away), low, high)), **observed}


@operator
def dequantize_linear(c):
    x = c.one("X")
    if c.attribute("only_observer", False):
        return {"Y": ops.assign(x)}
    return {"Y": ops.cast(x, _core.float32) * _linear_scale(c) / float(c.attribute("qmax", 127))}

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operators of random fusion graphs: what each computes, and of which values it may be made.

Every function takes tensors and then constants, so that one text serves the program, its capture and the reference
in float64. `KINDS` says how the generator chooses operands.
"""

import paddle

F = paddle.nn.functional

# Of one float value, defined everywhere. Kinks have a derivative that jumps, steps a value that does.
SMOOTH = {
    "tanh": paddle.tanh,
    "sigmoid": F.sigmoid,
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate=True),
    "softplus": F.softplus,
    "logsigmoid": F.log_sigmoid,
    "softsign": F.softsign,
    "sin": paddle.sin,
    "cos": paddle.cos,
    "erf": paddle.erf,
    "atan": paddle.atan,
    "square": paddle.square,
    "neg": paddle.neg,
    "exp": lambda x: paddle.exp(x * 0.125),
    "expm1": lambda x: paddle.expm1(x * 0.25),
    "log": lambda x: paddle.log(x * x + 0.5),
    "log1p": lambda x: paddle.log1p(x * x),
    "rsqrt": lambda x: paddle.rsqrt(x * x + 0.75),
    "sqrt": lambda x: paddle.sqrt(x * x + 0.25),
    "reciprocal": lambda x: paddle.reciprocal(x * x + 1.0),
    "cube": lambda x: paddle.pow(x * 0.5, 3),
    "scale": lambda x: paddle.scale(x, 1.5, -0.25),
    "affine": lambda x: 0.75 - x * 0.5,
}
KINKS = {
    "relu": F.relu,
    "abs": paddle.abs,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.125),
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "clip": lambda x: paddle.clip(x, -0.75, 1.25),
    "elu": F.elu,
    "relu6": F.relu6,
}
STEPS = {"floor": paddle.floor, "ceil": paddle.ceil, "round": paddle.round, "trunc": paddle.trunc, "sign": paddle.sign}
# Of an integer value.
WHOLE = {
    "int_neg": paddle.neg,
    "int_abs": paddle.abs,
    "int_square": paddle.square,
    "bitwise_not": paddle.bitwise_not,
    "int_scale": lambda x: x * 3 - 1,
}

BINARY = {
    "add": paddle.add,
    "subtract": paddle.subtract,
    "multiply": paddle.multiply,
    "divide": lambda x, y: x / (y * y + 0.5),
    "gate": lambda x, y: x * F.sigmoid(y),
    "difference_squared": lambda x, y: paddle.square(x - y),
}
BINARY_KINKS = {"maximum": paddle.maximum, "minimum": paddle.minimum}
BINARY_WHOLE = {
    "int_add": paddle.add,
    "int_subtract": paddle.subtract,
    "int_multiply": paddle.multiply,
    "int_maximum": paddle.maximum,
    "int_minimum": paddle.minimum,
    "bitwise_and": paddle.bitwise_and,
    "bitwise_or": paddle.bitwise_or,
    "bitwise_xor": paddle.bitwise_xor,
    "floor_divide": lambda x, y: paddle.floor_divide(x, paddle.bitwise_or(y, paddle.ones_like(y))),
    "remainder": lambda x, y: paddle.remainder(x, paddle.bitwise_or(y, paddle.ones_like(y))),
}
COMPARE = {
    "less": paddle.less_than,
    "less_equal": paddle.less_equal,
    "equal": paddle.equal,
    "not_equal": paddle.not_equal,
    "greater": paddle.greater_than,
}
TRUTH = {"and": paddle.logical_and, "or": paddle.logical_or, "xor": paddle.logical_xor}

REDUCE = {
    "sum": paddle.sum,
    "mean": paddle.mean,
    "logsumexp": paddle.logsumexp,
    "norm_squared": lambda x, axis, keepdim: paddle.sum(x * x, axis, keepdim=keepdim),
}
REDUCE_KINKS = {"max": paddle.max, "min": paddle.min, "amax": paddle.amax}
REDUCE_WHOLE = {"int_sum": paddle.sum, "int_max": paddle.max, "int_min": paddle.min}
REDUCE_TRUTH = {"any": paddle.any, "all": paddle.all}


def centred(x, axis):
    return x - paddle.mean(x, axis, keepdim=True)


def rms_normalized(x, axis):
    return x * paddle.rsqrt(paddle.mean(x * x, axis, keepdim=True) + 0.25)


def layer_normalized(x, axis):
    c = x - paddle.mean(x, axis, keepdim=True)
    return c / paddle.sqrt(paddle.mean(c * c, axis, keepdim=True) + 0.25)


ROWS = {
    "softmax": lambda x, axis: F.softmax(x, axis),
    "log_softmax": lambda x, axis: F.log_softmax(x, axis),
    "centred": centred,
    "rms_norm": rms_normalized,
    "layer_norm": layer_normalized,
    "cumsum": lambda x, axis: paddle.cumsum(x, axis) * 0.25,
}


def sliced(x, axis, start, stop, step):
    key = [slice(None)] * x.ndim
    key[axis] = slice(start, stop, step)
    return x[tuple(key)]


SHAPE = {
    "transpose": lambda x, perm: paddle.transpose(x, perm),
    "flatten": lambda x, a, b: paddle.flatten(x, a, b),
    "unsqueeze": lambda x, axis: paddle.unsqueeze(x, axis),
    "squeeze": lambda x, axis: paddle.squeeze(x, axis),
    "reshape": lambda x, shape: paddle.reshape(x, shape),
    "slice": sliced,
    "flip": lambda x, axis: paddle.flip(x, [axis]),
    "roll": lambda x, shift, axis: paddle.roll(x, shift, axis),
    "tile": lambda x, times: paddle.tile(x, times),
    "tril": lambda x, k: paddle.tril(x, k),
    "triu": lambda x, k: paddle.triu(x, k),
    "assign": paddle.assign,
}
PAIR_SHAPE = {
    "reshape_as": lambda x, y: paddle.reshape(x, y.shape),
    "expand": lambda x, y: paddle.expand(x, y.shape),
}
GATHER = {
    "gather": lambda x, i, axis: paddle.gather(x, i, axis),
    "index_select": lambda x, i, axis: paddle.index_select(x, i, axis),
    "take_along_axis": lambda x, i, axis: paddle.take_along_axis(x, i, axis, broadcast=False),
    "gather_nd": lambda x, i: paddle.gather_nd(x, paddle.unsqueeze(i, -1)),
}

# That draw random numbers: of a state, each run draws the same, in float64 too.
DRAWS = {
    "dropout": lambda x, p: F.dropout(x, p),
    "dropout_downscaled": lambda x, p: F.dropout(x, p, mode="downscale_in_infer"),
    "noise": lambda x, p: x + paddle.uniform(x.shape, "float32", -p, p).astype(x.dtype),
    "steps": lambda x, p: x + paddle.randint(-3, 4, x.shape, "int32").astype(x.dtype) * p,
}

FUNCTIONS = {
    **SMOOTH,
    **KINKS,
    **STEPS,
    **WHOLE,
    **BINARY,
    **BINARY_KINKS,
    **BINARY_WHOLE,
    **COMPARE,
    **TRUTH,
    **REDUCE,
    **REDUCE_KINKS,
    **REDUCE_WHOLE,
    **REDUCE_TRUTH,
    **ROWS,
    **SHAPE,
    **PAIR_SHAPE,
    **GATHER,
    **DRAWS,
    "not": paddle.logical_not,
    "where": paddle.where,
    "concat": lambda *xs: paddle.concat(list(xs[:-1]), xs[-1]),
    "stack": lambda *xs: paddle.stack(list(xs[:-1]), xs[-1]),
    "product": lambda x: paddle.matmul(x, paddle.transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])) * 0.125,
}
# Whose float result is one of the operands' elements, or a truth value or integer of them.
EXACT = {
    *SHAPE,
    *PAIR_SHAPE,
    *GATHER,
    *STEPS,
    *WHOLE,
    *BINARY_WHOLE,
    *COMPARE,
    *TRUTH,
    *BINARY_KINKS,
    *REDUCE_KINKS,
    *REDUCE_WHOLE,
    *REDUCE_TRUTH,
    *("dropout", "dropout_downscaled", "not", "where", "concat", "stack", "relu", "abs", "neg", "relu6", "clip"),
}
# That add up: the error of a result goes with its operands, not with itself.
ADDS = {*REDUCE, *ROWS, "product", "noise", "steps", "add", "subtract", "difference_squared", "affine", "scale"}

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An argument of a wrong kind (None, text, an object, an array where a number stands): the error is a sentence of ours
that begins with a function, never what Python or NumPy says about the line that stumbled over the value."""

import re

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn

INDICES = paddle.zeros([2], "int64")
LINEAR = nn.Linear(3, 2)
SAMPLES = paddle.io.TensorDataset([paddle.ones([3])])


def f(*shape):
    return paddle.ones(list(shape))


# Calls that are right as they stand here; each argument is replaced in turn.
RIGHT = {
    "arange": (paddle.arange, 0, 5, 1),
    "argmax": (paddle.argmax, f(4), 0),
    "argsort": (paddle.argsort, f(4), 0),
    "assign": (paddle.assign, f(2)),
    "avg_pool2d": (F.avg_pool2d, f(1, 1, 4, 4), 2),
    "adaptive_avg_pool2d": (F.adaptive_avg_pool2d, f(1, 1, 4, 4), 2),
    "cast": (paddle.cast, f(2), "int32"),
    "chunk": (paddle.chunk, f(4, 2), 2, 0),
    "clip": (paddle.clip, f(3), 0.0, 1.0),
    "concat": (paddle.concat, [f(2, 3), f(2, 3)], 0),
    "conv2d": (F.conv2d, f(1, 3, 8, 8), f(4, 3, 3, 3), f(4)),
    "cross_entropy": (F.cross_entropy, f(2, 3), INDICES),
    "cumsum": (paddle.cumsum, f(4), 0),
    "dropout": (F.dropout, f(2), 0.5),
    "einsum": (paddle.einsum, "ij,jk->ik", f(2, 3), f(3, 2)),
    "embedding": (F.embedding, INDICES, f(3, 2)),
    "expand": (paddle.expand, f(1, 3), [2, 3]),
    "eye": (paddle.eye, 3),
    "flatten": (paddle.flatten, f(2, 3), 0, 1),
    "full": (paddle.full, [2], 1.0),
    "full_like": (paddle.full_like, f(2), 1.0),
    "gather": (paddle.gather, f(3, 2), INDICES, 0),
    "group_norm": (F.group_norm, f(2, 4, 2), 2),
    "index_select": (paddle.index_select, f(3, 2), INDICES, 0),
    "interpolate": (F.interpolate, f(1, 1, 4, 4), [8, 8]),
    "layer_norm": (F.layer_norm, f(2, 3), [3]),
    "linalg.matrix_power": (paddle.linalg.matrix_power, paddle.eye(2), 2),
    "linspace": (paddle.linspace, 0.0, 1.0, 5),
    "matmul": (paddle.matmul, f(2, 3), f(3, 2)),
    "max_pool2d": (F.max_pool2d, f(1, 1, 4, 4), 2),
    "mean": (paddle.mean, f(2, 3), 0),
    "median": (paddle.median, f(2, 3), 0),
    "metric.accuracy": (paddle.metric.accuracy, f(2, 3), paddle.zeros([2, 1], "int64")),
    "moveaxis": (paddle.moveaxis, f(3, 2), 0, 1),
    "mse_loss": (F.mse_loss, f(2), f(2)),
    "norm": (paddle.norm, f(3), 2, 0),
    "one_hot": (F.one_hot, INDICES, 3),
    "ones": (paddle.ones, [2]),
    "pad": (F.pad, f(2, 3), [1, 1, 1, 1]),
    "pixel_shuffle": (F.pixel_shuffle, f(1, 4, 2, 2), 2),
    "put_along_axis": (paddle.put_along_axis, f(3, 2), paddle.zeros([3, 2], "int64"), 1.0, 0),
    "randint": (paddle.randint, 0, 5, [2]),
    "randperm": (paddle.randperm, 4),
    "repeat_interleave": (paddle.repeat_interleave, f(4), 2, 0),
    "reshape": (paddle.reshape, f(2, 3), [3, 2]),
    "roll": (paddle.roll, f(4), 1, 0),
    "scatter": (paddle.scatter, f(3, 2), INDICES, f(2, 2)),
    "seed": (paddle.seed, 3),
    "sequence_mask": (F.sequence_mask, INDICES, 4),
    "signal.stft": (paddle.signal.stft, f(64), 16),
    "softmax": (F.softmax, f(2, 3), 0),
    "split": (paddle.split, f(4, 2), 2, 0),
    "stack": (paddle.stack, [f(2), f(2)], 0),
    "std": (paddle.std, f(2, 3), 0),
    "sum": (paddle.sum, f(2, 3), 0),
    "take_along_axis": (paddle.take_along_axis, f(3, 2), paddle.zeros([3, 2], "int64"), 0),
    "tile": (paddle.tile, f(2), [2]),
    "topk": (paddle.topk, f(4), 2),
    "transpose": (paddle.transpose, f(2, 3), [1, 0]),
    "unbind": (paddle.unbind, f(3, 2), 0),
    "uniform": (paddle.uniform, [2], "float32", 0.0, 1.0),
    "unsqueeze": (paddle.unsqueeze, f(2), 0),
    "where": (paddle.where, f(2) > 0, f(2), f(2)),
    "zeros": (paddle.zeros, [2, 3]),
    "Adam": (paddle.optimizer.Adam, 0.1, 0.9, 0.99, 1e-8, LINEAR.parameters()),
    "ClipGradByGlobalNorm": (nn.ClipGradByGlobalNorm, 1.0),
    "Conv2D": (nn.Conv2D, 3, 4, 3),
    "Embedding": (nn.Embedding, 3, 2),
    "GRU": (nn.GRU, 3, 4),
    "GroupNorm": (nn.GroupNorm, 2, 4),
    "LSTM": (nn.LSTM, 3, 4),
    "Layer.apply": (LINEAR.apply, lambda layer: None),
    "LayerList": (nn.LayerList, [LINEAR]),
    "LayerNorm": (nn.LayerNorm, 3),
    "Linear": (nn.Linear, 3, 2),
    "Momentum": (paddle.optimizer.Momentum, 0.1, 0.9, LINEAR.parameters()),
    "MultiHeadAttention": (nn.MultiHeadAttention, 8, 2),
    "MultiStepDecay": (paddle.optimizer.lr.MultiStepDecay, 0.1, [1, 2]),
    "NoamDecay": (paddle.optimizer.lr.NoamDecay, 8, 5),
    "OneCycleLR": (paddle.optimizer.lr.OneCycleLR, 0.1, 10),
    "PiecewiseDecay": (paddle.optimizer.lr.PiecewiseDecay, [1], [0.1, 0.2]),
    "Uniform": (nn.initializer.Uniform, 0.0, 1.0),
    "clip_grad_norm_": (nn.utils.clip_grad_norm_, LINEAR.parameters(), 1.0),
    "create_parameter": (paddle.create_parameter, [2], "float32"),
    "random_split": (paddle.io.random_split, SAMPLES, [1, 2]),
    "summary": (paddle.summary, LINEAR, (1, 3)),
    "TensorDataset": (paddle.io.TensorDataset, [f(3), f(3)]),
}
WRONG = {
    "None": None,
    "text": "a",
    "an object": object(),
    "an array": np.ones((2, 3), "float32"),
    "texts": [1, "b"],
    "uneven lists": [[1.0, 2.0], [3.0]],
    "a large tensor": paddle.ones([5, 7]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_wrong_is_said_by_the_function(name):
    function, *right = RIGHT[name]
    function(*right)
    refused = 0
    for place in range(len(right)):
        for kind, value in WRONG.items():
            try:
                function(*right[:place], value, *right[place + 1 :])
            except Exception as error:
                refused += 1
                assert re.match(r"[\w.]+(\[\.\.\.\])?: ", str(error)), f"argument {place}, {kind}: {error!r}"
    assert refused

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables, attributes and keys that hold None in some runs and tensors in others, and tensors that have another rank or
dtype in others, as a branch or loop on a tensor decides."""

import pathlib
import sys

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, 3.0], [-3.0, -5.0, -1.0], [-3.0, 5.0, -1.0])


def positive(x):
    return (x > 0).astype("int64").sum()


class Holder:
    def __init__(self):
        self.cache = None


def set_by_a_branch(x):
    h = Holder()
    if x.sum() > 0:
        h.cache = x * 2
    return x if h.cache is None else h.cache + 1


def set_by_rounds(x):
    h = Holder()
    for _ in range(positive(x)):
        h.cache = x if h.cache is None else h.cache + x
    return h.cache if h.cache is not None else x * 0


def pair(x):
    cache = None
    for _ in range(positive(x)):
        cache = (x, x + 1) if cache is None else (cache[0] + x, cache[1] * 2)
    return cache[0] * cache[1] if cache is not None else x * 0


def growing(x):
    cache, row = None, x.unsqueeze(0)
    for _ in range(positive(x)):
        cache = row if cache is None else paddle.concat([cache, row * 2])
    return row if cache is None else cache


def key(x):
    d, row = {"cache": None, "n": 0}, x.unsqueeze(0)
    for _ in range(positive(x)):
        d["cache"] = row if d["cache"] is None else paddle.concat([d["cache"], row])
        d["n"] += 1
    return (row if d["cache"] is None else d["cache"]) * d["n"]


def best_row(x):
    best, at = None, 0
    for i, e in enumerate(x[: positive(x)]):
        if best is None or e > best:
            best, at = e, i
    return x if best is None else x * best + at


def some_rounds(x):
    last = None
    for i in range(positive(x)):
        if x[i] > 0:
            last = x * (i + 1)
    return x if last is None else last


class Cached(nn.Layer):
    def __init__(self):
        super().__init__()
        self.cache = None

    def step(self, x):
        self.cache = x if self.cache is None else self.cache * x

    def forward(self, x):
        if x.sum() > 0:
            self.step(x)
        if x[1] > 0:
            self.step(x + 1)
        y = x if self.cache is None else self.cache
        self.cache = None
        return y


def other_rank(x):
    y = x if x.sum() > 0 else x.unsqueeze(0)
    return y.sum(), y.reshape([-1]) * x


def other_rank_in_a_tuple(x):
    if x.sum() > 0:
        y = x, x * 2
    else:
        y = x.unsqueeze(0), x * 3
    if y[0].ndim == 2:
        return y[0][0] * y[1]
    return y[0] + y[1]


def number_or_tensor(x):
    loss = 0.0
    if x.sum() > 0:
        loss = x
    return loss + x


def turned_and_back(x):
    y = x
    if x.sum() > 0:
        y = y.unsqueeze(0)
    z = y * 2
    if x.sum() > 0:
        z = z.squeeze(0)
    return z + x


FUNCTIONS = [
    set_by_a_branch,
    set_by_rounds,
    pair,
    growing,
    key,
    best_row,
    some_rounds,
    Cached().forward,
    other_rank,
    other_rank_in_a_tuple,
    number_or_tensor,
    turned_and_back,
]


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__qualname__)
def test_results_and_gradients_are_those_of_the_plain_function(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


def row_or_column(x):
    return x if x.sum() > 0 else x.unsqueeze(0)


def mean_at_once(x):
    if x.sum() > 0:
        return x
    return x.mean()


def whole_numbers(x):
    return x if x.sum() > 0 else x.astype("int64")


def none_without_rounds(x):
    last = None
    for i in range(positive(x)):
        last = x * i
    return last


@pytest.mark.parametrize("f", [row_or_column, mean_at_once, whole_numbers, none_without_rounds])
def test_a_result_is_what_the_run_gives(f):
    captured = to_static(f, full_graph=True)
    for given in INPUTS:
        wanted, got = f(paddle.to_tensor(given)), captured(paddle.to_tensor(given))
        if wanted is None:
            assert got is None
            continue
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_array_equal(got.numpy(), wanted.numpy())


def test_what_stays_behind_the_function_must_be_one_of_the_two():
    kept = Holder()

    def f(x):
        if x.sum() > 0:
            kept.cache = x * 2
        return x

    with pytest.raises(TypeError, match="'cache' is None in some runs"):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))
    assert kept.cache is None


@pytest.mark.parametrize("f", [row_or_column, whole_numbers])
def test_a_program_that_is_saved_returns_one_type(f, tmp_path):
    captured = to_static(f, input_spec=[paddle.static.InputSpec([3], "float32")], full_graph=True)
    with pytest.raises(TypeError, match="a saved program has one type for each result"):
        paddle.jit.save(captured, str(tmp_path / "f"))

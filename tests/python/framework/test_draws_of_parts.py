# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A cut of a random tensor, drawn alone, holds what the whole holds there."""

import numpy as np
import paddle
import pytest
from paddle import _core

WHOLE = [6, 7, 150]
# Along each axis: begin, step, count.
CUTS = {
    "all of it": [(0, 1, 6), (0, 1, 7), (0, 1, 150)],
    "first rows": [(0, 1, 2), (0, 1, 7), (0, 1, 150)],
    "last rows": [(3, 1, 3), (0, 1, 7), (0, 1, 150)],
    "columns": [(0, 1, 6), (0, 1, 7), (31, 1, 70)],
    "a box": [(1, 1, 4), (2, 1, 3), (63, 1, 2)],
    "every third column": [(0, 1, 6), (0, 1, 7), (1, 3, 50)],
    "every second of all": [(1, 2, 3), (0, 2, 4), (0, 2, 75)],
    "one element": [(5, 1, 1), (6, 1, 1), (149, 1, 1)],
    "nothing": [(0, 1, 6), (7, 1, 0), (0, 1, 150)],
}
ops = paddle._C_ops
# Each draws a result of the shape of x.
DRAWS = {
    "uniform": lambda x: ops.uniform(x.shape, min=-1.0, max=3.0),
    "uniform float64": lambda x: ops.uniform(x.shape, "float64", -1.0, 3.0),
    "uniform float16": lambda x: ops.uniform(x.shape, "float16", -1.0, 3.0),
    "uniform with a seed": lambda x: ops.uniform(x.shape, min=0.0, max=1.0, seed=11),
    "gaussian": lambda x: ops.gaussian(x.shape),
    "gaussian float64": lambda x: ops.gaussian(x.shape, dtype="float64"),
    "gaussian bfloat16": lambda x: ops.gaussian(x.shape, dtype="bfloat16"),
    "randint": lambda x: ops.randint(-2, 500, x.shape),
    "randint of many": lambda x: ops.randint(0, 2**40, x.shape),
    "bernoulli": lambda x: ops.bernoulli(x),
    "dropout": lambda x: ops.dropout(x, p=0.3),
    "dropout float64": lambda x: ops.dropout(x.cast("float64"), p=0.3),
    "poisson": lambda x: ops.poisson(x * 9),
    "binomial": lambda x: ops.binomial(x * 0 + 30, x),
    "standard_gamma": lambda x: ops.standard_gamma(x + 0.2),
    "exponential": lambda x: (x * 1).exponential_(2.0),
    "uniform_": lambda x: (x * 1).uniform_(2.0, 3.0),
    "normal_": lambda x: (x * 1).normal_(1.0, 2.0),
    "truncated_gaussian_random": lambda x: ops.truncated_gaussian_random(x.shape, 0.0, 1.0, 0, -2.0, 2.0, "float32"),
}


def parts_of(draw, x, cut):
    axes = [(whole, *taken) for whole, taken in zip(x.shape, cut, strict=True)]
    index = tuple(slice(b, b + s * n, s) for b, s, n in cut)
    return index, _core.draw_part(axes, lambda: draw(paddle.to_tensor(x.numpy()[index])))


@pytest.mark.parametrize("name", DRAWS)
def test_a_part_is_the_cut_of_the_whole(name):
    draw = DRAWS[name]
    x = paddle.to_tensor(np.random.default_rng(0).random(WHOLE).astype("float32"))
    paddle.seed(71)
    before = paddle.get_rng_state()
    whole = draw(x).cast("float64").numpy()
    after = paddle.get_rng_state()
    for what, cut in CUTS.items():
        for threads in (1, 2):
            paddle.set_num_threads(threads)
            paddle.set_rng_state(before)
            index, part = parts_of(draw, x, cut)
            np.testing.assert_array_equal(part.cast("float64").numpy(), whole[index], err_msg=f"{name}, {what}")
            # The next draw is the same, whatever was cut.
            assert tuple(np.ravel(paddle.get_rng_state())) == tuple(np.ravel(after)), what


def test_parts_of_a_long_tensor():
    """Blocks that several threads draw."""
    n = 300_000
    paddle.seed(5)
    before = paddle.get_rng_state()
    for draw in (lambda shape: ops.uniform(shape), lambda shape: ops.gaussian(shape)):
        paddle.set_rng_state(before)
        whole = draw([n]).numpy()
        for begin, step, count in ((0, 1, n), (100_001, 1, 150_000), (1, 2, 140_000)):
            paddle.set_rng_state(before)
            part = _core.draw_part([(n, begin, step, count)], lambda: draw([count]))  # noqa: B023
            np.testing.assert_array_equal(part.numpy(), whole[begin : begin + step * count : step])


def test_rows_of_dirichlet_stay_whole():
    alpha = paddle.ones([8, 5])
    paddle.seed(9)
    before = paddle.get_rng_state()
    whole = ops.dirichlet(alpha).numpy()
    paddle.set_rng_state(before)
    part = _core.draw_part([(8, 1, 2, 3), (5, 0, 1, 5)], lambda: ops.dirichlet(alpha[:3]))
    np.testing.assert_array_equal(part.numpy(), whole[1:7:2])
    with pytest.raises(ValueError, match="dirichlet.*cannot be cut"):
        _core.draw_part([(8, 0, 1, 8), (5, 0, 1, 2)], lambda: ops.dirichlet(alpha[:, :2].contiguous()))


@pytest.mark.parametrize("replacement", [True, False])
def test_rows_of_samples_are_drawn_in_parts(replacement):
    weights = paddle.to_tensor(np.random.default_rng(0).random((6, 5), "float32"))
    paddle.seed(4)
    whole = ops.multinomial(weights, 3, replacement).numpy()
    after = paddle.rand([4]).tolist()
    paddle.seed(4)
    part = _core.draw_part([(6, 1, 2, 3), (3, 0, 1, 3)], lambda: ops.multinomial(weights[1:6:2], 3, replacement))
    np.testing.assert_array_equal(part.numpy(), whole[1:6:2])
    assert paddle.rand([4]).tolist() == after  # the generator went on as for the whole


@pytest.mark.parametrize(
    "draw, shape",
    [
        (lambda: ops.randperm(4), [4]),
        (lambda: ops.multinomial(paddle.ones([3]), 2), [2]),
    ],
)
def test_what_cannot_be_drawn_in_parts_says_so(draw, shape):
    with pytest.raises(NotImplementedError, match="draw the whole and cut it"):
        _core.draw_part([(2 * n, 0, 1, n) for n in shape], draw)


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match="uniform: result 0 has shape"):
        _core.draw_part([(8, 0, 1, 4)], lambda: ops.uniform([5]))
    for axis in [(8, 0, 1, 9), (8, 5, 2, 3), (8, -1, 1, 2), (8, 0, 0, 2), (2**62, 2**61, 2**62, 4)]:
        with pytest.raises(ValueError, match="ElementMap: axis 0"):
            _core.draw_part([axis], lambda: ops.uniform([1]))
    paddle.rand([3])  # whole tensors again

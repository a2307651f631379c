# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs as people write them give the same eager, in segments and as one captured program."""

import pathlib
import sys

import numpy as np
import paddle
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import jit_layer_programs  # noqa: F401
import jit_lists  # noqa: F401
import jit_patterns  # noqa: F401
from jit_programs import NEED_VALUES, PROGRAMS

INPUTS = [
    np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], "float32"),
    np.array([[-0.5, -1.0, -2.0], [-1.5, 0.25, -0.75]], "float32"),
]


def plain(value):
    """A result with arrays in the place of tensors."""
    if isinstance(value, paddle.Tensor):
        return value.numpy()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def tensors(value):
    if isinstance(value, paddle.Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for v in value.values() if isinstance(value, dict) else value:
            yield from tensors(v)


def assert_same(got, wanted):
    if isinstance(wanted, dict):
        assert got.keys() == wanted.keys()
        for k in wanted:
            assert_same(got[k], wanted[k])
    elif isinstance(wanted, list):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted, strict=True):
            assert_same(a, b)
    elif wanted is None or isinstance(wanted, str):
        assert got == wanted
    else:
        assert np.shape(got) == np.shape(wanted)
        np.testing.assert_allclose(np.asarray(got, "float64"), np.asarray(wanted, "float64"), rtol=1e-5, atol=1e-6)


def run(make, **options):
    """Results and gradients of three calls with each input."""
    function = make()
    if options:
        function = paddle.jit.to_static(function, **options)
    seen = []
    for data in INPUTS:
        for _ in range(3):
            x = paddle.to_tensor(data, stop_gradient=False)
            result = function(x)
            seen.append(plain(result))
            floats = [t for t in tensors(result) if not t.stop_gradient]
            if floats:
                sum((t * t).sum() for t in floats).backward()
                seen.append(None if x.grad is None else x.grad.numpy())
    return seen


@pytest.mark.parametrize(("name", "make"), PROGRAMS, ids=[name for name, _ in PROGRAMS])
def test_segments_give_what_eager_gives(name, make):
    assert_same(run(make, full_graph=False), run(make))


@pytest.mark.parametrize(("name", "make"), PROGRAMS, ids=[name for name, _ in PROGRAMS])
def test_captured_programs_give_what_eager_gives(name, make):
    if name in NEED_VALUES:
        with pytest.raises((RuntimeError, NotImplementedError, ValueError, TypeError), match=r"jit_\w+\.py"):
            run(make, full_graph=True)
        return
    assert_same(run(make, full_graph=True), run(make))


def test_transposes_of_leading_axes_join_and_fold_as_whole_ones_do():
    def turned(x):
        y = x.transpose([0, 2, 1]).transpose([1, 0, 2, 3])
        return paddle.matmul(y.transpose([-3, -4]), x.transpose([1, 0]).transpose([2, 0, 3, 1]))

    x = np.random.default_rng(0).normal(size=(3, 3, 3, 3)).astype("float32")
    first, second = x.transpose(0, 2, 1, 3), x.transpose(1, 0, 2, 3).transpose(2, 0, 3, 1)
    captured = paddle.jit.to_static(turned, full_graph=True)
    np.testing.assert_allclose(captured(paddle.to_tensor(x)).numpy(), first @ second, rtol=1e-5, atol=1e-6)

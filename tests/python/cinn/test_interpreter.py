# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the CPU and of blocks of threads in the checking interpreter.

It raises where a kernel reads or writes out of bounds, reads what nothing wrote, or has a race; the values are
compared with those of the operators run one by one.
"""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

from tests.python.cinn.fused import FUSED, layer_norm_gelu, softmax


@pytest.fixture(params=["cpu", "blocks"])
def interpreted(request):
    before = paddle.get_flags(["FLAGS_cinn_interpret"])
    paddle.set_flags({"FLAGS_cinn_interpret": request.param})
    yield request.param
    paddle.set_flags(before)


def same_as_eager(function, *arguments, rtol=2e-5, atol=2e-6):
    expected = function(*arguments)
    launches = paddle._core.pir.compiler_statistics()["launches"]
    got = to_static(function, backend="CINN", full_graph=True)(*arguments)
    assert paddle._core.pir.compiler_statistics()["launches"] > launches
    expected, got = ([x] if isinstance(x, paddle.Tensor) else list(x) for x in (expected, got))
    for e, g in zip(expected, got, strict=True):
        assert e.dtype == g.dtype
        e, g = (x.astype("float32").numpy() if x.dtype == paddle.bfloat16 else x.numpy() for x in (e, g))
        np.testing.assert_allclose(g, e, rtol=rtol, atol=atol)


@pytest.mark.parametrize("shape", [[3, 1024], [2, 1003], [5, 64], [5, 33], [0, 8], [4, 0], [1, 1]])
@pytest.mark.parametrize("function", FUSED)
def test_the_four_fused_kernels(interpreted, function, shape):
    if 0 in shape[-1:] and function is softmax:
        pytest.skip("the maximum of no elements is an error")
    same_as_eager(function, paddle.randn(shape), paddle.rand(shape[-1:]))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("function", FUSED)
def test_16_bit_floats_in_memory(interpreted, function, dtype):
    x, scale = paddle.randn([3, 512]).astype(dtype), paddle.rand([512]).astype(dtype)
    same_as_eager(function, x, scale, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("shape", [[40, 24], [33, 7], [1, 600], [700, 1], [1500, 3]])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_reductions_over_rows_columns_and_all(interpreted, shape, axis):
    same_as_eager(lambda x: (paddle.exp(x).sum(axis), (x * 2).max(axis)), paddle.randn(shape), rtol=1e-4)


def test_rows_and_columns_of_the_same_values(interpreted):
    def both(x):
        d = x - x.mean(-1, keepdim=True)
        return d, (d * d).sum(0), (d * d).sum()

    same_as_eager(both, paddle.randn([40, 96]), rtol=1e-4, atol=1e-5)


def test_few_long_rows_are_cut_into_pieces(interpreted):
    same_as_eager(lambda x: (x * x).sum(-1), paddle.rand([2, 40000]), rtol=1e-4)


def test_rows_that_do_not_fit_shared_memory(interpreted):
    same_as_eager(softmax, paddle.randn([2, 16384]), paddle.rand([16384]))


def test_elementwise_with_broadcast_in_every_position(interpreted):
    def combined(x, row, column, one):
        return paddle.tanh(x * row + column) - one

    shapes = [[7, 30], [30], [7, 1], []]
    same_as_eager(combined, *(paddle.randn(s) for s in shapes))
    same_as_eager(combined, *(paddle.randn(s) for s in [[4, 512], [512], [4, 1], []]))


def test_index_maps(interpreted):
    def mapped(x):
        y = paddle.concat([x.transpose([1, 0]) * 2, x.reshape([6, 4])], axis=0)
        z = paddle.exp(y)[1:7]
        return z * z + 1

    same_as_eager(mapped, paddle.randn([4, 6]))


def test_integers_and_booleans(interpreted):
    def counted(x):
        return (x > 0).astype("int64").sum(-1), x.astype("int32") * 3

    same_as_eager(counted, paddle.randn([6, 70]) * 10)


def test_gradients(interpreted):
    def slope(x, scale):
        x.stop_gradient = False
        return paddle.grad(layer_norm_gelu(x, scale).sum(), x)[0]

    same_as_eager(slope, paddle.randn([4, 96]), paddle.rand([96]), rtol=1e-3, atol=1e-4)


def test_an_unknown_way_to_interpret_is_an_error():
    before = paddle.get_flags(["FLAGS_cinn_interpret"])
    paddle.set_flags({"FLAGS_cinn_interpret": "gpu"})
    try:
        with pytest.raises(ValueError, match="FLAGS_cinn_interpret is gpu"):
            to_static(softmax, backend="CINN", full_graph=True)(paddle.rand([2, 3]), paddle.rand([3]))
    finally:
        paddle.set_flags(before)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels serve all sizes of a class: new extents compile nothing."""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static
from paddle.static import InputSpec

# Rows that fit the cache, huge rows, short rows, few rows; each with and without streamed stores.
CLASSES = 8


def attention_weights(scores, mask):
    return paddle.nn.functional.softmax(scores * 0.125 + mask, axis=-1)


def test_forty_sequence_lengths_need_a_kernel_for_each_class_of_sizes(at_once, counts):
    count = counts()
    compiled = to_static(
        attention_weights,
        backend="CINN",
        full_graph=True,
        input_spec=[InputSpec([None, 4, None, None]), InputSpec([None, None])],
    )
    for length in range(3, 123, 3):
        scores = paddle.rand([1 + length % 3, 4, length, length])
        mask = paddle.rand([length, length])
        np.testing.assert_allclose(
            compiled(scores, mask).numpy(), attention_weights(scores, mask).numpy(), rtol=3e-6, atol=1e-7
        )
    assert 1 <= count.compiled + count.from_disk <= CLASSES
    assert count.launches == 40


def test_extents_that_change_between_calls_become_dynamic_and_compile_no_more(at_once, counts):
    compiled = to_static(lambda x: paddle.tanh(x) * x + 1, backend="CINN", full_graph=True)
    for rows in (8, 9):
        compiled(paddle.rand([rows, 33]))
    count = counts()
    for rows in range(10, 30):
        compiled(paddle.rand([rows, 33]))
    assert count.launches == 20
    assert count.compiled + count.from_disk == 0


def test_equal_layers_compile_once(at_once, counts):
    class Block(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(24, 24)
            self.weight = self.create_parameter([24])

        def forward(self, x):
            y = self.linear(x)
            return x + y * paddle.rsqrt((y * y).mean(-1, keepdim=True) + 1e-3) * self.weight

    count = counts()
    model = to_static(paddle.nn.Sequential(*[Block() for _ in range(10)]), backend="CINN", full_graph=True)
    with paddle.no_grad():
        model(paddle.rand([4, 24]))
    assert count.launches >= 10
    assert count.compiled + count.from_disk <= 2


@pytest.mark.parametrize("shape", [[0, 5], [5, 0], [1, 1], [1, 7], [7, 1], [13, 31], [2, 4097]])
@pytest.mark.parametrize("axis", [0, 1, [0, 1]])
def test_reductions_of_any_extent(at_once, shape, axis):
    def centred(x):
        return x - paddle.sum(x, axis, keepdim=True) * 0.5

    x = paddle.rand(shape)
    compiled = to_static(centred, backend="CINN", full_graph=True)
    np.testing.assert_allclose(compiled(x).numpy(), centred(x).numpy(), rtol=1e-5, atol=1e-5)


def test_results_do_not_depend_on_the_number_of_threads(run_python):
    program = """
import hashlib, os, numpy as np, paddle
paddle.seed(3)
x, w = paddle.randn([37, 1031]), paddle.randn([1031])
f = paddle.jit.to_static(
    lambda x, w: (paddle.nn.functional.softmax(x * w, -1), (x * x).sum(0), x.sum(), (x * w).mean(1)),
    backend="CINN", full_graph=True)
for _ in range(2):
    results = f(x, w)
print(hashlib.sha256(b"".join(r.numpy().tobytes() for r in results)).hexdigest())
"""
    hashes = {run_python(program, OMP_NUM_THREADS=n, FLAGS_cinn_async=0) for n in (1, 2, 3)}
    assert len(hashes) == 1

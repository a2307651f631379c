# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random programs over the operator table give the same results and gradients before and after all
passes. PROGRAMS sets how many (200), SEED where they begin; a failure names its seed."""

import os

import numpy as np
import paddle
import pytest
from paddle import _core

COUNT = int(os.environ.get("PROGRAMS", "200"))
SEED = int(os.environ.get("SEED", "1"))
SHAPES = ([4, 4], [3, 4], [4], [2, 3, 4])

UNARY = [
    lambda x, r: paddle.tanh(x),
    lambda x, r: paddle.nn.functional.relu(x),
    lambda x, r: paddle.nn.functional.sigmoid(x),
    lambda x, r: x * float(r.choice([0.0, 1.0, 2.0, -0.5])),
    lambda x, r: x + float(r.choice([0.0, 1.0])),
    lambda x, r: x / float(r.choice([1.0, 4.0])),
    lambda x, r: x.astype("float64").astype("float32"),
    lambda x, r: x.astype("float32"),
    lambda x, r: x.reshape([-1]),
    lambda x, r: x.reshape([x.shape[0], -1]).reshape(x.shape),
    lambda x, r: x.transpose(list(r.permutation(x.ndim).tolist())),
    lambda x, r: x.transpose(list(range(x.ndim))[::-1]).transpose(list(range(x.ndim))[::-1]),
    lambda x, r: paddle.sum(x, axis=-1, keepdim=bool(r.integers(2))),
    lambda x, r: paddle.nn.functional.softmax(x, axis=-1),
    lambda x, r: x.unsqueeze(0),
    lambda x, r: paddle.concat([x, x * 1.0], axis=0),
    lambda x, r: paddle.split(paddle.concat([x, x], axis=0), 2, axis=0)[int(r.integers(2))],
    lambda x, r: x[:1] if x.ndim else x,
    lambda x, r: paddle.full_like(x, 2.0) * x + paddle.zeros([1]),
    lambda x, r: paddle.matmul(x, paddle.tril(paddle.ones([x.shape[-1]] * 2))) if x.ndim else x,
    lambda x, r: paddle.clip(x, -1.0, 1.0),
    lambda x, r: paddle.nn.functional.dropout(x, 0.5),
]
BINARY = [
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: x - y,
    lambda x, y: paddle.maximum(x, y),
    lambda x, y: paddle.where(x > y, x, y),
]


def broadcasts(a, b):
    return all(m == n or 1 in (m, n) for m, n in zip(a.shape[::-1], b.shape[::-1], strict=False))


def random_function(seed):
    """The same program for the same seed: choices depend on shapes only."""

    def function(*inputs):
        r = np.random.default_rng(seed)
        values = list(inputs)
        weight = paddle.full([4, 5], 0.25) if r.integers(2) else None
        for _ in range(int(r.integers(4, 16))):
            x = values[int(r.integers(len(values)))]
            kind = r.random()
            if kind < 0.55 and x.ndim < 5:
                values.append(UNARY[int(r.integers(len(UNARY)))](x, r))
            elif kind < 0.7 and weight is not None and x.ndim >= 2 and x.shape[-1] == 4:
                values.append(paddle.matmul(x, weight) + paddle.ones([5]))
            elif kind < 0.8 and x.ndim:
                x = paddle.tanh(x)
                x[0] = 0.5
                values.append(x)
            else:
                y = values[int(r.integers(len(values)))]
                if broadcasts(x, y) and max(x.ndim, y.ndim) < 5:
                    values.append(BINARY[int(r.integers(len(BINARY)))](x, y))
        picked = [values[int(i)] for i in r.integers(len(values), size=3)]
        return [*picked, values[-1]]

    return function


def run(seed, passes):
    paddle.set_flags({"FLAGS_pir_apply_passes": passes, "FLAGS_pir_verify_passes": passes})
    paddle.seed(seed)
    r = np.random.default_rng(seed)
    inputs = [paddle.to_tensor(r.standard_normal(s).astype("float32")) for s in SHAPES]
    for x in inputs:
        x.stop_gradient = False
    f = paddle.jit.to_static(random_function(seed), full_graph=True)
    outputs = f(*inputs)
    total = paddle.zeros([])
    for out in outputs:
        if not out.stop_gradient:
            total = total + (out * out).sum()
    if not total.stop_gradient:
        total.backward()
    gradients = [x.grad for x in inputs]
    # Memory of results is the caller's: whether two share it is part of what a function does.
    values = [o.numpy().copy() for o in outputs]
    every = [*outputs, *inputs]
    shares = [[a.data_ptr() == b.data_ptr() for b in every] for a in outputs]
    return values, [None if g is None else g.numpy() for g in gradients], shares


@pytest.fixture(autouse=True)
def restore_flags():
    yield
    paddle.set_flags({"FLAGS_pir_apply_passes": True, "FLAGS_pir_verify_passes": False})


@pytest.mark.parametrize("seed", range(SEED, SEED + COUNT))
def test_passes_keep_values_and_gradients(seed):
    plain, optimised = run(seed, False), run(seed, True)
    for a, b in zip(plain[0], optimised[0], strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-5, atol=2e-6, err_msg=f"seed {seed}")
    for a, b in zip(plain[1], optimised[1], strict=True):
        assert (a is None) == (b is None), f"seed {seed}"
        if a is not None:
            np.testing.assert_allclose(b, a, rtol=2e-4, atol=2e-5, err_msg=f"seed {seed}")
    assert plain[2] == optimised[2], f"seed {seed}: results share other memory"


def test_the_passes_do_something():
    program = _core.pir.Program.parse(
        '(%0) = "pd_op.data" () {} : () -> (tensor<4xfloat32>)\n'
        '(%1) = "pd_op.cast" (%0) {dtype: dtype<float32>} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)\n'
        '(%2) = "pd_op.tanh" (%1) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)\n'
        '() = "builtin.results" (%2) {} : (tensor<4xfloat32>) -> ()\n'
    )
    changes = {name: n for name, n, _ in program.apply(_core.pir.pipeline("captured"))}
    assert changes["simplify"] == 1 and "pd_op.cast" not in str(program)

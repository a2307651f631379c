# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operator table on the second device: values against the rows' references, gradients against those of the host.

A row in ten runs each time, the others in `make test-full`.
"""

import dataclasses

import numpy as np
import paddle
import pytest

from tests.device.lagging import place
from tests.test_op_cases import CASES, bind, compare, ids, run, seeded, tensors_of

# What is on the host by its meaning.
ON_HOST = {"copy_to"}


@pytest.fixture
def on_device():
    place()  # loads the device
    paddle.set_device("lagging:0")
    yield
    paddle.set_device("cpu")


def sampled(cases):
    return [pytest.param(c, id=ids(c), marks=() if i % 10 == 0 else pytest.mark.slow) for i, c in enumerate(cases)]


def loosened(case, dtype):
    """The device adds in another order than the host and than NumPy's products in float32; of products with quantised
    weights it runs the decomposition, which rounds the weights to 16 bits before it adds a few hundred of them."""
    if dtype == "float32":
        return dataclasses.replace(case, atol=max(case.atol or 0, 1e-5))
    if case.op in ("matmul_q", "expert_matmul_q"):
        return dataclasses.replace(case, atol=max(case.atol or 0, 0.6))
    return case


@pytest.mark.filterwarnings("ignore")  # which operators run on the host
@pytest.mark.parametrize("case", sampled(CASES))
def test_values_equal_the_reference(case, on_device):
    for dtype in case.dtypes:
        tensors, values = bind(case.args(seeded()), dtype)
        outs = run(case, tensors)
        if case.op not in ON_HOST:
            assert {str(t.place) for t in tensors_of(outs)} <= {"Place(lagging:0)"}
        compare(loosened(case, dtype), outs, values, dtype)


def gradients(case, order):
    """Gradients of a weighted sum of the results; with order 2 those of a weighted sum of the gradients."""
    tensors, _ = bind(case.args(seeded()), "float64")
    inputs = []
    for name in case.grad:
        for t in tensors[name] if isinstance(tensors[name], list) else [tensors[name]]:
            t.stop_gradient = False
            inputs.append(t)
    rng = np.random.default_rng(1)
    of = [t for t in run(case, tensors) if t is not None and not t.stop_gradient]
    found = []
    for step in range(order):
        weights = [paddle.to_tensor(rng.standard_normal(t.shape)) for t in of]
        total = sum((t * w).sum() for t, w in zip(of, weights, strict=True))
        if total.stop_gradient:
            break
        found = paddle.grad(total, inputs, create_graph=step + 1 < order, allow_unused=True)
        of = [g for g in found if g is not None and not g.stop_gradient]
        if not of:
            break
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case", sampled([c for c in CASES if c.grad and not c.op.endswith("_") and c.op not in ON_HOST])
)
def test_gradients_equal_those_of_the_host(case, on_device):
    order = min(case.grad_order, 2)
    got = gradients(case, order)
    paddle.set_device("cpu")
    expected = gradients(case, order)
    for a, b in zip(got, expected, strict=True):
        assert (a is None) == (b is None)
        if a is None:
            continue
        assert str(a.place) == "Place(lagging:0)"
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-7, atol=1e-9)

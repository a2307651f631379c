# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the operator case table: values in every dtype, strided inputs, derivatives of order 1 to 3.

Unsaved inputs and results hold no memory in the recorded graph, so a gradient rule that reads what
it did not declare fails here. `make test-op OP=name` runs the rows of one operator.
"""

import os

import numpy as np
import paddle
import pytest

from tests.op_cases import Case, all_cases
from tests.op_cases._running import TOLERANCE, bind, compare, run, seeded, strided

ONLY = os.environ.get("OP")
CASES = [c for c in all_cases() if not ONLY or c.op == ONLY]


def ids(case):
    return case.name


@pytest.mark.parametrize("outs", [[None], [], [paddle.ones([3])], [paddle.ones([2]) * 2]], ids=str)
def test_a_result_that_is_missing_or_another_is_noticed(outs):
    case = Case(op="exp", args=lambda rng: {}, ref=lambda: np.ones(2))
    compare(case, [paddle.ones([2])], {}, "float32")
    with pytest.raises(AssertionError):
        compare(case, outs, {}, "float32")


FORWARD = [pytest.param(c, d, id=f"{c.name}-{d}") for c in CASES for d in c.dtypes]


@pytest.mark.parametrize("case,dtype", FORWARD)
def test_values_equal_the_reference(case, dtype):
    tensors, values = bind(case.args(seeded()), dtype)
    compare(case, run(case, tensors), values, dtype)


@pytest.mark.parametrize("case", [c for c in CASES if "strided" in c.modes], ids=ids)
def test_strided_inputs_give_the_same_values(case):
    dtype = case.dtypes[0]
    tensors, values = bind(case.args(seeded()), dtype)
    tensors = {k: [strided(v) for v in t] if isinstance(t, list) else strided(t) for k, t in tensors.items()}
    compare(case, run(case, tensors), values, dtype)


def tensors_of(values):
    flat = [t for v in values for t in (v if isinstance(v, list | tuple) else [v])]
    return [t for t in flat if isinstance(t, paddle.Tensor)]


@pytest.mark.parametrize("case", [c for c in CASES if not c.op.endswith("_")], ids=ids)
def test_results_are_memory_of_their_own(case):
    if paddle._core.describe_op(case.op)["view"]:
        pytest.skip("a view shares memory")
    tensors, _ = bind(case.args(seeded()), case.dtypes[0])
    inputs = tensors_of(tensors.values())
    before = [t.numpy().copy() for t in inputs]
    for out in tensors_of(run(case, tensors)):
        other = paddle.logical_not(out) if out.dtype == paddle.bool else out + paddle.ones_like(out)
        paddle.assign(other, out)
    for t, old in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(t.numpy(), old)


def in_every_dtype(cases):
    """(case, dtype) of each: the first dtype always, the others in the long run."""
    return [
        pytest.param(c, d, id=f"{c.name}-{d}", marks=() if d == c.dtypes[0] else pytest.mark.slow)
        for c in cases
        for d in c.dtypes
    ]


@pytest.mark.parametrize("full_graph", [True, False], ids=["program", "segments"])
@pytest.mark.parametrize("case,dtype", in_every_dtype([c for c in CASES if c.ref and not c.op.endswith("_")]))
def test_captured_programs_give_the_same_values(case, dtype, full_graph):
    tensors, values = bind(case.args(seeded()), dtype)
    names = [k for k, v in tensors.items() if isinstance(v, paddle.Tensor)]
    rest = {k: v for k, v in tensors.items() if k not in names}
    function = lambda *given: run(case, dict(zip(names, given, strict=True)) | rest)
    program = paddle.jit.to_static(function, full_graph=full_graph)
    if full_graph and not case.program:
        with pytest.raises(NotImplementedError, match="full_graph=False"):
            program(*(tensors[k] for k in names))
        return
    for _ in range(1 if full_graph else 2):  # a segment is a program from its second run on
        compare(case, program(*(tensors[k] for k in names)), values, dtype)


def differentiable_inputs(case, tensors):
    inputs = []
    for name in case.grad:
        for t in tensors[name] if isinstance(tensors[name], list) else [tensors[name]]:
            t.stop_gradient = False
            inputs.append(t)
    return inputs


def inner(tensors, directions):
    total = paddle.zeros([], dtype="float64")
    for t, d in zip(tensors, directions, strict=True):
        if t is not None:
            total = total + (t * d).sum()
    return total


class Derivatives:
    """F0(x) = <f(x), c>; Fk(x) = <gradient of Fk-1 at x, vk> for random directions vk."""

    def __init__(self, case, rng):
        self.case, self.arguments = case, case.args(seeded())
        tensors, _ = bind(self.arguments, "float64")
        self.base = [t.detach() for t in differentiable_inputs(case, tensors)]
        outs = self.results(tensors)
        assert outs, "no result depends on the inputs"
        self.cotangents = [paddle.to_tensor(rng.standard_normal(o.shape)) for o in outs]
        self.directions = [
            [paddle.to_tensor(rng.standard_normal(t.shape)) for t in self.base] for _ in range(case.grad_order)
        ]

    def results(self, tensors):
        """The results that carry a gradient: statistics and indices do not."""
        return [o for o in run(self.case, tensors) if o is not None and not o.stop_gradient]

    def scalar(self, points, order):
        """(Fk at the points, the inputs it depends on)."""
        tensors, _ = bind(self.arguments, "float64")
        at = iter(points)
        for name in self.case.grad:
            if isinstance(tensors[name], list):
                tensors[name] = [next(at).detach() for _ in tensors[name]]
            else:
                tensors[name] = next(at).detach()
        inputs = differentiable_inputs(self.case, tensors)
        outs = self.results(tensors)
        value = inner(outs, self.cotangents)
        for k in range(order):
            value = inner(self.gradient(value, inputs), self.directions[k])
        return value, inputs

    @staticmethod
    def gradient(value, inputs):
        if value.stop_gradient:
            return [None] * len(inputs)
        gradients = paddle.grad([value], inputs, create_graph=True, allow_unused=True)
        for g, x in zip(gradients, inputs, strict=True):
            assert g is None or g.shape == x.shape, f"gradient of shape {g.shape} for shape {x.shape}"
        return gradients

    def check(self, order):
        """The derivative of F(order-1) along a direction, against a central difference."""
        step = 1e-5
        direction = self.directions[order - 1]
        value, inputs = self.scalar(self.base, order - 1)
        analytic = float(inner(self.gradient(value, inputs), direction))
        ahead, _ = self.scalar([x + step * d for x, d in zip(self.base, direction, strict=True)], order - 1)
        behind, _ = self.scalar([x - step * d for x, d in zip(self.base, direction, strict=True)], order - 1)
        numeric = (float(ahead) - float(behind)) / (2 * step)
        scale = max(abs(numeric), abs(analytic), 1.0)
        assert abs(numeric - analytic) <= 2e-6 * scale * 10 ** (order - 1), f"{analytic} is not {numeric}"


GRADIENTS = [pytest.param(c, k, id=f"{c.name}-order{k}") for c in CASES if c.grad for k in range(1, c.grad_order + 1)]


@pytest.mark.parametrize("case,order", GRADIENTS)
def test_derivatives_equal_finite_differences(case, order):
    Derivatives(case, np.random.default_rng(11)).check(order)


def first_gradients(case, arguments, dtype):
    """Gradients of a weighted sum of the results, in the dtype, as float64."""
    paddle.seed(5)
    tensors, _ = bind(arguments, dtype)
    inputs = differentiable_inputs(case, tensors)
    outs = [o for o in run(case, tensors) if o is not None and not o.stop_gradient]
    rng = np.random.default_rng(3)
    total = inner([o.astype("float64") for o in outs], [paddle.to_tensor(rng.standard_normal(o.shape)) for o in outs])
    found = paddle.grad([total], inputs, allow_unused=True)
    assert all(g is None or g.dtype == t.dtype for g, t in zip(found, inputs, strict=True))
    return [None if g is None else g.astype("float64").numpy() for g in found]


LOWER = [
    pytest.param(c, d, id=f"{c.name}-{d}")
    for c in CASES
    if c.grad and not paddle._core.describe_op(c.op)["random"]
    for d in c.dtypes
    if d in ("float32", "float16", "bfloat16")
]


@pytest.mark.parametrize("case,dtype", LOWER)
def test_first_derivatives_in_other_dtypes_are_those_in_float64(case, dtype):
    _, rounded = bind(case.args(seeded()), dtype)
    exact = first_gradients(case, rounded, "float64")
    rtol = max(20 * TOLERANCE[dtype][0], case.rtol or 0)
    for got, want in zip(first_gradients(case, rounded, dtype), exact, strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max(initial=0.1))


def captured_gradients(case, capture):
    """Gradients of a weighted sum of the results, eager or through a captured program."""
    tensors, _ = bind(case.args(seeded()), "float64")
    inputs = differentiable_inputs(case, tensors)
    names = [k for k, v in tensors.items() if isinstance(v, paddle.Tensor)]
    rest = {k: v for k, v in tensors.items() if k not in names}

    def loss(*given):
        outs = run(case, dict(zip(names, given, strict=True)) | rest)
        outs = [o for o in outs if o is not None and not o.stop_gradient]
        return inner(outs, [paddle.cos(o.detach()) for o in outs])

    loss = paddle.jit.to_static(loss, full_graph=True) if capture else loss
    loss(*(tensors[k] for k in names)).backward()
    return [t.grad for t in inputs]


@pytest.mark.parametrize("case", [c for c in CASES if c.grad and c.program], ids=ids)
def test_captured_gradients_equal_eager_ones(case):
    pairs = zip(captured_gradients(case, True), captured_gradients(case, False), strict=True)
    for captured, eager in pairs:
        assert (captured is None) == (eager is None)
        if eager is not None:
            np.testing.assert_allclose(captured.numpy(), eager.numpy(), rtol=1e-12, atol=1e-12)


# Before other tests register operators of their own.
BUILT_IN = sorted(n for n in dir(paddle._core.ops) if not n.startswith("_"))


def test_every_operator_has_a_row_and_a_document():
    if ONLY:
        pytest.skip("the rows of one operator were asked for")
    rows = {c.op for c in CASES}
    missing = [name for name in BUILT_IN if name not in rows]
    assert not missing, f"operators without a row in tests/op_cases: {missing}"


@pytest.mark.parametrize("name", [n for n in BUILT_IN if ONLY in (None, n)])
def test_every_document_has_an_example_that_runs(name):
    record = paddle._core.describe_op(name)
    assert record["doc"].strip() and record["example"].strip()
    *before, last = record["example"].split("\n")
    names = {"paddle": paddle}
    exec("\n".join(before), names)
    code, _, shown = last.partition("  # ")
    if shown:
        assert repr(eval(code, names)) == shown
    else:
        exec(code, names)

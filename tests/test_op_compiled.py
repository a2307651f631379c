# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operator table, compiled: rows of elementwise operators, reductions and shape operators inside of a kernel.

Each row's operator stands between two elementwise operators, so that it is in a group that the compiler makes a kernel of,
and gives what it gives uncompiled, in every dtype of the row; so do its gradients. Rows of other families run as well
where a kernel takes them. The lists below name the operators that no kernel takes, and why.
`make test-op OP=name` runs the rows of one operator.
"""

import contextlib
import io

import numpy as np
import paddle
import pytest

from tests.test_op_cases import CASES, ONLY, TOLERANCE, bind, differentiable_inputs, run, seeded, tensors_of
from tests.test_op_modes import is_random

FAMILIES = ("elementwise", "activation", "reduce", "shape", "indexing", "norm", "loss", "special", "creation", "edges")

# Operators of the families whose rows run beside kernels, not in one, and why.
NO_KERNEL = {
    "A loop for each element, as long as its value asks for.": {
        "gammaincc",
        "gcd",
        "polygamma",
    },
    "Composed of such a one.": {
        "lcm",
    },
    "An order, a scan, or a result whose elements come from anywhere.": {
        "argmax",
        "argmin",
        "cumprod",
        "cumsum",
        "gather_tree",
        "linear_scan",
        "matmul",
        "select_beams",
        "trace_beams",
    },
    "Writes at positions that a tensor holds, or into a part.": {
        "embedding_grad_dense",
        "index_add",
        "index_put",
        "pad",
        "scatter",
        "scatter_nd_add",
        "slice_scatter",
    },
    "A result whose extents depend on values.": {
        "masked_select",
        "nonzero",
    },
    "Gives a list, whose parts are views of its operand.": {
        "split",
        "split_with_num",
        "unbind",
    },
    "A copy, which programs do without.": {
        "assign",
    },
    "Complex operands.": {
        "imag",
        "real",
    },
    "Asks for extents or the place, computes nothing.": {
        "copy_to",
        "numel",
        "shape64",
    },
    "Its recursion over time takes constants of many elements and integers.": {
        "warpctc",
        "warpctc_grad",
        "warprnnt",
        "warprnnt_grad",
    },
}

FLOATS = ("float32", "float64", "float16", "bfloat16")


def family_of(case):
    return case.args.__module__.rsplit(".", 1)[-1]


def draws(case):
    return is_random(case) or case.op == "gumbel_softmax"


ROWS = [c for c in CASES if not c.op.endswith("_") and not draws(c) and family_of(c) in FAMILIES]


@pytest.fixture(autouse=True)
def compiled_at_once():
    before = paddle.get_flags(["FLAGS_cinn_async", "FLAGS_cinn_cache_dir"])
    paddle.set_flags({"FLAGS_cinn_async": False})
    yield
    paddle.set_flags(before)


def passed_on(tensor):
    """The same values out of an elementwise operator."""
    return paddle.where(paddle.to_tensor(True), tensor, tensor)


def between(case, names, rest):
    def function(*given):
        arguments = dict(zip(names, map(passed_on, given), strict=True)) | rest
        # Twice: a view alone makes no group of one operator.
        return [None if t is None else passed_on(passed_on(t)) for t in run(case, arguments)]

    return function


def groups_of(program, given):
    """The operators of every group whose kernels ran."""
    with contextlib.redirect_stdout(io.StringIO()):
        report = paddle.jit.explain(program)(*given)
    return {name.removeprefix("pd_op.") for group in report.groups if group.ran_compiled for name in group.operators}


def weighted(results):
    rng = np.random.default_rng(3)
    total = paddle.zeros([], "float64")
    for t in results:
        if t is not None and not t.stop_gradient:
            total = total + (t.astype("float64") * paddle.to_tensor(rng.standard_normal(t.shape))).sum()
    return total


def assert_near(got, want, case, dtype, loose=1):
    assert (got is None) == (want is None)
    if got is None:
        return
    assert got.dtype == want.dtype and got.shape == want.shape
    name = str(got.dtype).split(".")[-1]
    if name not in FLOATS:
        np.testing.assert_array_equal(got.numpy(), want.numpy())
        return
    rtol, atol = TOLERANCE.get(dtype, TOLERANCE[name])
    got, want = got.astype("float64").numpy(), want.astype("float64").numpy()
    rtol, atol = loose * max(rtol, case.rtol or 0), loose * max(atol, case.atol or 0)
    scale = np.abs(want[np.isfinite(want)]).max(initial=1.0)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol * scale)


RAN, TRIED = set(), set()


@pytest.mark.parametrize("case,dtype", [pytest.param(c, d, id=f"{c.name}-{d}") for c in ROWS for d in c.dtypes])
def test_kernels_give_the_values_of_operators(case, dtype):
    tensors, _ = bind(case.args(seeded()), dtype)
    names = [k for k, v in tensors.items() if isinstance(v, paddle.Tensor)]
    rest = {k: v for k, v in tensors.items() if k not in names}
    given = [tensors[k] for k in names]
    if not given:
        pytest.skip("no tensor goes in")
    wants = bool(case.grad) and dtype in FLOATS
    if wants:
        differentiable_inputs(case, tensors)
    function = between(case, names, rest)
    program = paddle.jit.to_static(function, backend="CINN", full_graph=True)
    before = paddle._core.pir.compiler_statistics()
    results, wanted = program(*given), function(*given)
    for got, want in zip(results, wanted, strict=True):
        assert_near(got, want, case, dtype)
    if wants:
        inputs = [t for t in tensors_of(tensors.values()) if not t.stop_gradient]
        pairs = [paddle.grad([weighted(r)], inputs, allow_unused=True) for r in (results, wanted)]
        for got, want in zip(*pairs, strict=True):
            assert_near(got, want, case, dtype, loose=20)
    after = paddle._core.pir.compiler_statistics()
    assert after["failed"] == before["failed"], "a group could not be compiled"
    TRIED.add(case.op)
    if after["launches"] > before["launches"]:
        if wants:  # of a program with gradients the parts of composed operators are grouped
            given = [t.detach() for t in given]
            program = paddle.jit.to_static(function, backend="CINN", full_graph=True)
            program(*given)
        if case.op in groups_of(program, given):
            RAN.add((case.op, case.name, dtype))


def test_the_list_of_operators_without_a_kernel_is_right():
    if ONLY or len(TRIED) < 200:
        pytest.skip("the rows of some operators were asked for")
    with_kernel = {op for op, _, _ in RAN}
    assert TRIED - with_kernel == set().union(*NO_KERNEL.values())
    assert len(RAN) >= 500

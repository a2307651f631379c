# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operator table under FLAGS_force_decompose: a decomposition gives what the kernel gives.

Every operator of the registry that has both, every row, every dtype, values and first derivatives;
then values at the edges: zeros of both signs, infinities, NaN, ties, the ends of exp, no element.
`make test-op OP=name` runs the rows of one operator.
"""

import contextlib
import re

import numpy as np
import paddle
import pytest

from tests.op_cases._running import is_array
from tests.test_op_cases import BUILT_IN, CASES, ONLY, TOLERANCE, bind, compare, first_gradients, run, seeded

RECORDS = {name: paddle._core.describe_op(name) for name in BUILT_IN}
BOTH = {n for n, r in RECORDS.items() if r["composed"] and r["kernel_dtypes"] and not r["view"]}
ROWS = [c for c in CASES if c.op in BOTH]
FLOATS = ("float32", "float64", "float16", "bfloat16")
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 88.0, -88.0, 1.0, 1.0, -1.0, 1e-30, 0.5])

# Inputs outside of an operator's domain, on which kernel and decomposition may differ, and why.
KEPT = "takes what the forward operator kept, which other values of the operands do not belong to"
OUT_OF_DOMAIN = {
    **{
        (op, kind): KEPT
        for op in (
            "batch_norm_grad cross_entropy_with_softmax_grad flash_attn_grad group_norm_grad layer_norm_grad "
            "recurrence_grad rms_norm_grad warpctc_grad warprnnt_grad"
        ).split()
        for kind in "edges zeros ties 88 -88 inf nan none".split()
    },
    ("warpctc", "none"): "the lengths are those of more steps than there are, which only a kernel sees",
}


@contextlib.contextmanager
def decomposed():
    paddle.set_flags({"FLAGS_force_decompose": True})
    try:
        yield
    finally:
        paddle.set_flags({"FLAGS_force_decompose": False})


def outcome(case, arguments, dtype):
    """Results as arrays, with the tensors written in place; an error as its type."""
    paddle.seed(5)
    tensors, _ = bind(arguments, dtype)
    try:
        outs = run(case, tensors)
    except (ValueError, TypeError, NotImplementedError, IndexError, RuntimeError) as error:
        return type(error)
    return [None if o is None else (o.dtype, o.astype("float64") if o.dtype.is_floating_point else o) for o in outs]


def assert_same(case, dtype, whole, parts, loosen=1.0):
    if isinstance(whole, type) or isinstance(parts, type):
        assert whole is parts, f"the kernel gives {whole}, the decomposition {parts}"
        return
    rtol, atol = TOLERANCE.get(dtype, (0, 0))
    rtol, atol = max(rtol, case.rtol or 0) * loosen, max(atol, case.atol or 0) * loosen
    assert len(whole) == len(parts)
    for one, other in zip(whole, parts, strict=True):
        assert (one is None) == (other is None)
        if one is None:
            continue
        assert one[0] == other[0], f"dtype {other[0]} is not {one[0]}"
        one, other = one[1].numpy(), other[1].numpy()
        assert one.shape == other.shape
        if one.dtype.kind in "fc":
            np.testing.assert_allclose(other, one, rtol=rtol, atol=atol)
        else:
            np.testing.assert_array_equal(other, one)


def both(case, arguments, dtype, loosen=1.0):
    whole = outcome(case, arguments, dtype)
    with decomposed():
        parts = outcome(case, arguments, dtype)
    assert_same(case, dtype, whole, parts, loosen)


def dtypes_of(case):
    """Those of the row, and bfloat16 where a kernel takes it in the place of float32."""
    takes = "bfloat16" in RECORDS[case.op]["kernel_dtypes"] and not case.op.endswith("_")
    # Positions in bfloat16 round to other elements.
    takes = takes and not case.op.startswith("grid_sample")
    more = ["bfloat16"] if takes and "float32" in case.dtypes else []
    return list(dict.fromkeys([*case.dtypes, *more]))


VALUES = [pytest.param(c, d, id=f"{c.name}-{d}") for c in ROWS for d in dtypes_of(c)]


@pytest.mark.parametrize("case,dtype", VALUES)
def test_values_are_those_of_the_kernel(case, dtype):
    both(case, case.args(seeded()), dtype, loosen=4.0 if dtype in ("float16", "bfloat16") else 1.0)


@pytest.mark.parametrize(
    "case", [c for c in ROWS if c.ref is not None and not RECORDS[c.op]["random"]], ids=lambda c: c.name
)
def test_values_are_those_of_the_reference(case):
    tensors, values = bind(case.args(seeded()), case.dtypes[0])
    with decomposed():
        compare(case, run(case, tensors), values, case.dtypes[0])


DERIVED = [
    pytest.param(c, d, id=f"{c.name}-{d}") for c in ROWS if c.grad for d in dtypes_of(c) if d in ("float32", "float64")
]


@pytest.mark.parametrize("case,dtype", DERIVED)
def test_first_derivatives_are_those_of_the_kernel(case, dtype):
    arguments = case.args(seeded())
    whole = first_gradients(case, arguments, dtype)
    with decomposed():
        parts = first_gradients(case, arguments, dtype)
    rtol, atol = (10 * t for t in TOLERANCE[dtype])
    for one, other in zip(whole, parts, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(other, one, rtol=max(rtol, case.rtol or 0), atol=max(atol, case.atol or 0))


def with_floats(arguments, change):
    def changed(value):
        if isinstance(value, list | tuple) and value and all(is_array(v) for v in value):
            return [changed(v) for v in value]
        return change(np.asarray(value)) if is_array(value) and np.asarray(value).dtype.kind == "f" else value

    return {name: changed(value) for name, value in arguments.items()}


def at_edges(arguments):
    count = iter(range(100))

    def change(array):
        return np.resize(np.roll(EDGES, 5 * next(count)), array.shape) if array.ndim else array

    return with_floats(arguments, change)


def one_kind(value):
    return lambda arguments: with_floats(arguments, lambda array: np.full_like(array, value))


def without_elements(arguments):
    return with_floats(arguments, lambda array: array[:0] if array.ndim else array)


KINDS = {
    "edges": at_edges,
    "zeros": one_kind(0.0),
    "ties": one_kind(0.75),
    "88": one_kind(88.0),
    "-88": one_kind(-88.0),
    "inf": one_kind(np.inf),
    "nan": one_kind(np.nan),
    "none": without_elements,
}
FIRST = list({c.op: c for c in reversed(ROWS)}.values())
AT_EDGES = [
    pytest.param(c, kind, id=f"{c.name}-{kind}")
    for c in FIRST
    if set(c.dtypes) & set(FLOATS)
    for kind in KINDS
    if (c.op, kind) not in OUT_OF_DOMAIN
]


@pytest.mark.parametrize("case,kind", AT_EDGES)
@pytest.mark.filterwarnings("ignore")
def test_values_at_the_edges(case, kind):
    arguments = KINDS[kind](case.args(seeded()))
    for dtype in dtypes_of(case):
        if dtype in FLOATS:
            both(case, arguments, dtype, loosen=8.0 if dtype in ("float16", "bfloat16") else 1.0)


def ctc_loss(x):
    return paddle._core.ops.warpctc(x, paddle.to_tensor([[1, 2], [2, 2]]), None, None, 0, False)


def transducer_loss(x):
    x = paddle.nn.functional.log_softmax(x.reshape([2, 4, 2, 4]), axis=-1)
    lengths = paddle.to_tensor([4, 3]), paddle.to_tensor([1, 0])
    return paddle._core.ops.warprnnt(x, paddle.to_tensor([[1], [2]]), *lengths, 0, 0.25)


@pytest.mark.parametrize("loss", [ctc_loss, transducer_loss])
def test_classes_that_never_come_have_no_weight(loss):
    logits = seeded().standard_normal((8, 2, 4)).astype("float32")
    logits[..., 3] = -np.inf
    whole = [r.numpy() for r in loss(paddle.to_tensor(logits))]
    with decomposed():
        parts = [r.numpy() for r in loss(paddle.to_tensor(logits))]
    assert all(np.isfinite(r).all() for r in whole)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-6)


def test_positions_that_are_no_numbers_leave_the_other_gradients_alone():
    x, grid = seeded().standard_normal((1, 2, 3, 3)).astype("float32"), np.zeros((1, 2, 2, 2), "float32")
    grid[0, 0, 0], grid[0, 1, 1, 0] = np.nan, np.inf

    def gradients():
        image, at = paddle.to_tensor(x, stop_gradient=False), paddle.to_tensor(grid, stop_gradient=False)
        values = paddle.nn.functional.grid_sample(image, at)
        (values[0, :, 0, 1] + values[0, :, 1, 0]).sum().backward()
        return image.grad.numpy(), at.grad.numpy()

    whole = gradients()
    with decomposed():
        parts = gradients()
    assert all(np.isfinite(g).all() and g.any() for g in whole)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-6)


def test_every_operator_with_both_is_compared():
    if ONLY:
        pytest.skip("the rows of one operator were asked for")
    assert len(BOTH) > 100
    assert BOTH <= {c.op for c in ROWS}


# -- programs --------------------------------------------------------------------------------------


def operators_of(program):
    """Names of what a captured function became, regions and gradients included."""
    entries = [e for entries in program.program_cache.values() for e in entries]
    assert entries, "nothing was captured"
    return {name for e in entries for name in re.findall(r'"pd_op\.(\w+)"', str(e.executable))}


def composed_of(names):
    return {n for n in names if RECORDS.get(n, {}).get("kind") == "composed" and not RECORDS[n]["view"]}


CAPTURED = [
    pytest.param(c, id=c.name, marks=() if c in FIRST else pytest.mark.slow)
    for c in CASES
    if not c.op.endswith("_")
    and RECORDS[c.op]["kind"] == "composed"
    and not RECORDS[c.op]["random"]
    and c.op != "gumbel_softmax"  # draws through what it is composed of
]


@pytest.mark.parametrize("case", CAPTURED)
def test_captured_programs_are_taken_apart(case):
    dtype = case.dtypes[0]
    arguments = case.args(seeded())
    whole = outcome(case, arguments, dtype)
    tensors, _ = bind(arguments, dtype)
    names = [k for k, v in tensors.items() if isinstance(v, paddle.Tensor)]
    rest = {k: v for k, v in tensors.items() if k not in names}
    with decomposed():
        program = paddle.jit.to_static(
            lambda *given: [o for o in run(case, dict(zip(names, given, strict=True)) | rest) if o is not None],
            full_graph=True,
        )
        outs = program(*(tensors[k] for k in names))
    parts = [(o.dtype, o.astype("float64") if o.dtype.is_floating_point else o) for o in outs]
    assert_same(case, dtype, [w for w in whole if w is not None], parts)
    assert not composed_of(operators_of(program))


# -- kinds and ranks -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in BUILT_IN if ONLY in (None, n)])
def test_a_record_is_of_one_kind_and_says_why(name):
    record = RECORDS[name]
    assert record["kind"] in ("primitive", "composed", "opaque")
    assert (record["kind"] == "composed") == record["composed"]
    assert bool(record["reason"]) == (record["kind"] != "composed")


def test_decompositions_end_in_primitive_and_opaque_operators():
    """Every decomposition runs, and what it calls is of a lower rank: a rank is not higher than it has to be."""
    if ONLY:
        pytest.skip("the rows of one operator were asked for")
    with decomposed():  # a call against the ranks raises
        for case in CASES:
            if RECORDS[case.op]["kind"] == "composed":
                for dtype in case.dtypes:
                    tensors, _ = bind(case.args(seeded()), dtype)
                    run(case, tensors)
    ranks = {name: RECORDS[name]["rank"] for name in BUILT_IN}
    needed, unseen = set(), []
    for name in BUILT_IN:
        record = paddle._core.describe_op(name)
        if record["kind"] != "composed":
            assert ranks[name] == 0
        elif not record["calls"]:
            if not record["view"]:  # views stay views
                unseen.append(name)
        else:
            highest = max(ranks[n] for n in record["calls"])
            assert highest < ranks[name]
            if record["says_rank"] and not record["view"]:
                assert ranks[name] == highest + 1, name
            needed |= {n for n in record["calls"] if ranks[n]}
    assert not unseen, f"decompositions that no row runs, or that call nothing: {unseen}"
    said = {name for name in BUILT_IN if RECORDS[name]["says_rank"]}
    assert said == needed, "a rank is said by the composed operators that decompositions call, and by no other"


def test_differentiable_opaque_operators_are_closed_under_differentiation():
    """What their gradient rules call has a gradient of its own, or has none to give: positions and flags."""
    if ONLY:
        pytest.skip("the rows of one operator were asked for")
    open_ended = {}
    for case in CASES:
        if RECORDS[case.op]["kind"] != "opaque" or not case.grad:
            continue
        tensors, _ = bind(case.args(seeded()), "float64")
        inputs = []
        for name in case.grad:
            for t in tensors[name] if isinstance(tensors[name], list) else [tensors[name]]:
                t.stop_gradient = False
                inputs.append(t)
        outs = [o for o in run(case, tensors) if o is not None and not o.stop_gradient]
        total = sum((paddle.cos(o) * o).sum() for o in outs)
        paddle._core.count_operators(True)
        paddle.grad([total], inputs, create_graph=True, allow_unused=True)
        called = paddle._core.count_operators(False)
        for name, dtype in called:
            # Collectives run below the layer that records: what is differentiated is the call above them.
            recorded = name in RECORDS and not name.startswith("mesh_")
            if recorded and not RECORDS[name]["differentiable"] and "float" in str(dtype):
                open_ended.setdefault(case.op, set()).add(name)
    walked = {c.op for c in CASES if c.grad}
    drawn = {n for n in BUILT_IN if RECORDS[n]["random"]}
    opaque = {n for n in BUILT_IN if RECORDS[n]["kind"] == "opaque" and RECORDS[n]["differentiable"]}
    assert opaque - drawn <= walked
    constants = {"full", "full_like", "eye", "arange", "linspace"}
    open_ended = {k: v - constants for k, v in open_ended.items() if v - constants}
    assert not open_ended, f"gradient rules call operators without gradients: {open_ended}"

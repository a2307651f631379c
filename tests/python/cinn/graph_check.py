# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a compiled graph computes what its program says.

Integers and truth values must equal those of the uncompiled program. Floats are compared with the program in float64; how
much they may differ is measured, not assumed: the float64 program is run several times with a random relative error of
the size of each operator's rounding after every operator, and a result may be off by a multiple of what that changes.
So an ill-conditioned graph has a wide bound and a well-conditioned one a few units in the last place. The uncompiled
program must keep the same bound, else the bound is wrong.
"""

import contextlib
import io

import numpy as np
import paddle
from paddle.jit import to_static
from paddle.static import InputSpec

from tests.python.cinn.graph_generator import (
    FLOATS,
    ROUNDOFF,
    Program,
    Reference,
    Step,
    apply,
    as_reference,
    make_inputs,
)
from tests.python.cinn.graph_operators import FUNCTIONS

NOISY_RUNS = 4
DRAWN_FROM = 31  # the seed of every run


class Mismatch(AssertionError):
    """A graph whose kernels compute something else."""


def dtype_of(tensor):
    return str(tensor.dtype).split(".")[-1]


def dtypes_in(program, inputs):
    """The dtypes of the operands and the result, of each step."""
    known = []

    def note(step, operands):
        result = FUNCTIONS[step.op](*operands, *step.constants)
        known.append([*[dtype_of(o) for o in operands], dtype_of(result)])
        return result

    with paddle.no_grad():
        apply(program, inputs, note)
    return known


def weights(program, results):
    """What the float results are weighted with in the loss."""
    rng = np.random.default_rng([program.seed, 77])
    return [paddle.to_tensor(rng.uniform(0.25, 1.0, r.shape)) if dtype_of(r) in FLOATS else None for r in results]


def gradients(results, factors, inputs):
    """Of the weighted sum of the float results."""
    total = None
    for r, w in zip(results, factors, strict=True):
        if w is None or r.stop_gradient:
            continue
        part = (r.astype("float64") * w).sum()
        total = part if total is None else total + part
    wanted = [x for x in inputs if not x.stop_gradient]
    if total is None or not wanted:
        return []
    return list(paddle.grad([total], wanted, allow_unused=True))


def outcome(function, inputs, factors):
    paddle.seed(DRAWN_FROM)
    results = function(*inputs)
    results = list(results) if isinstance(results, list | tuple) else [results]
    return results + gradients(results, factors, inputs)


def in_float64(program, inputs, dtypes, factors, rng=None):
    reference = Reference(rng)
    leaves = [as_reference(x) for x in inputs]
    for leaf, x in zip(leaves, inputs, strict=True):
        leaf.stop_gradient = x.stop_gradient
    steps = iter(dtypes)
    paddle.seed(DRAWN_FROM)
    results = apply(program, leaves, lambda step, operands: reference.run(step, operands, next(steps)))
    return [None if t is None else t.numpy() for t in results + gradients(results, factors, leaves)]


def values(tensor):
    return tensor.astype("float64").numpy() if dtype_of(tensor) in FLOATS else tensor.numpy()


class Bounds:
    """What the results of a program may be for one set of inputs."""

    def __init__(self, program, inputs, uncompiled, factors):
        dtypes = dtypes_in(program, inputs)
        self.exact = in_float64(program, inputs, dtypes, factors)
        runs = [
            in_float64(program, inputs, dtypes, factors, np.random.default_rng([program.seed, 5, n]))
            for n in range(NOISY_RUNS)
        ]
        self.uncompiled = uncompiled
        self.limits = []
        for i, (want, native) in enumerate(zip(self.exact, uncompiled, strict=True)):
            if want is None or dtype_of(native) not in FLOATS:
                self.limits.append(None)
                continue
            with np.errstate(all="ignore"):
                off = np.max([np.abs(run[i] - want) for run in runs], axis=0)
                off = np.where(np.isfinite(off), off, 0.0)
                size = np.where(np.isfinite(want), np.abs(want), 0.0)
            unit = ROUNDOFF[dtype_of(native)]
            # Below it float16 has gaps of its own, and x * y - x * y is the rounding of a product.
            tiny = {"float64": 1e-14, "float16": 2.0**-16}.get(dtype_of(native), 1e-7)
            self.limits.append(30 * off + 16 * off.max(initial=0.0) + 16 * unit * size + tiny)

    def check(self, results, who):
        for i, (got, want, limit) in enumerate(zip(results, self.exact, self.limits, strict=True)):
            native = self.uncompiled[i]
            if got is None or native is None:  # no gradient is one of zeros
                if any(t is not None and (values(t) != 0).any() for t in (got, native)):
                    raise Mismatch(f"{who}: result {i} is {'missing' if got is None else 'there'}")
                continue
            if got.dtype != native.dtype or list(got.shape) != list(native.shape):
                raise Mismatch(f"{who}: result {i} is {got.dtype} {got.shape}, not {native.dtype} {native.shape}")
            if limit is None:
                if not np.array_equal(values(got), values(native)):
                    raise Mismatch(f"{who}: result {i} ({dtype_of(got)}): {differing(values(got), values(native))}")
                continue
            have = values(got)
            with np.errstate(all="ignore"):
                same = (have == want) | (np.isnan(have) & np.isnan(want)) | (np.abs(have - want) <= limit)
            if not same.all():
                raise Mismatch(f"{who}: result {i} ({dtype_of(got)}): {differing(have, want, ~same, limit)}")


def differing(have, want, where=None, limit=None):
    where = have != want if where is None else where
    at = tuple(int(k) for k in np.argwhere(where)[0])
    bound = "" if limit is None else f", may be off by {limit[at]:.3g}"
    return f"{int(where.sum())} of {have.size} elements, at {list(at)} {have[at]} is not {want[at]}{bound}"


def check(program):
    """Mismatch where the program, captured and compiled, computes something else. How often a kernel ran."""
    function = lambda *xs: apply(program, xs)
    spec = None
    if program.dynamic and program.full_graph:
        spec = [
            InputSpec([n if d == () else None for d, n in zip(x.dims, program.shape(x.dims, 0), strict=True)], x.dtype)
            for x in program.inputs
        ]
    compiled = to_static(function, backend="CINN", full_graph=program.full_graph, input_spec=spec)
    before = paddle._core.pir.compiler_statistics()
    for k in range(program.num_sets):
        inputs = make_inputs(program, k)
        paddle.seed(DRAWN_FROM)
        plain = function(*inputs)
        factors = weights(program, plain)
        uncompiled = plain + gradients(plain, factors, inputs)
        bounds = Bounds(program, inputs, uncompiled, factors)
        bounds.check(uncompiled, "the uncompiled program")
        for _ in range(1 if program.full_graph else 2):  # a segment is a program from its second run on
            bounds.check(outcome(compiled, inputs, factors), f"compiled, shapes {k}")
    launches = paddle._core.pir.compiler_statistics()["launches"] - before["launches"]
    with contextlib.redirect_stdout(io.StringIO()):
        explained = str(paddle.jit.explain(compiled)(*inputs))
    if "runs operator by operator: " in explained:
        raise Mismatch("a group could not be compiled")
    return launches


def without(program, position):
    """The program less one step and all that reads it."""
    first = len(program.inputs)
    gone = {first + position}
    steps, number = [], {i: i for i in range(first)}
    for i, step in enumerate(program.steps):
        if first + i in gone or any(o in gone for o in step.operands):
            gone.add(first + i)
            continue
        number[first + i] = first + len(steps)
        steps.append(Step(step.op, tuple(number[o] for o in step.operands), step.constants))
    results = sorted({number[r] for r in program.results if r not in gone})
    read = {o for s in steps for o in s.operands}
    ends = [i for i in range(first, first + len(steps)) if i not in read]
    results = sorted({*results, *ends})
    return Program(**{**vars(program), "steps": steps, "results": results}) if results else None


def fails(program):
    """The failure as text, empty where there is none."""
    try:
        check(program)
    except Mismatch as error:
        return str(error)
    except Exception as error:  # whatever the compiler raises is a finding
        return f"{type(error).__name__}: {error}"
    return ""


def minimised(program):
    """A smaller program that fails as well: steps and results dropped, gradients and dynamic extents given up."""
    whole = fails(program)
    assert whole, "the program does not fail"
    kind = whole.split(":")[0]
    improved = True
    while improved:
        improved = False
        smaller = [without(program, i) for i in range(len(program.steps))]
        smaller += [
            Program(**{**vars(program), "results": [r for r in program.results if r != dropped]})
            for dropped in program.results
            if len(program.results) > 1
        ]
        for other in smaller:
            if other is not None and fails(other).split(":")[0] == kind:
                program, improved = other, True
                break
    return program

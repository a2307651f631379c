# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random fusion graphs: programs of up to 40 operators, each a function of its seed.

A program is data (inputs, steps, results), so that it can be printed, cut down and run in three ways: as it is, captured
and compiled, and in float64 as the reference. Extents are products of atoms; an atom has an extent for every set of
shapes that the program is called with. A step whose value would grow out of range is not taken.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import paddle

from tests.python.cinn.graph_operators import (
    ADDS,
    BINARY,
    BINARY_KINKS,
    BINARY_WHOLE,
    COMPARE,
    DRAWS,
    EXACT,
    FUNCTIONS,
    KINKS,
    REDUCE,
    REDUCE_KINKS,
    REDUCE_TRUTH,
    REDUCE_WHOLE,
    ROWS,
    SMOOTH,
    STEPS,
    TRUTH,
    WHOLE,
)

EXTENTS = (0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 47, 64, 65, 100, 127, 130)
WEIGHTS = (1, 4, 6, 6, 6, 6, 6, 6, 6, 6, 6, 4, 4, 4, 3, 3, 3, 2, 2, 2)
FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int32", "int64", "int16", "int8", "uint8")
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
MOST_ELEMENTS = 140_000
LARGEST = 500.0
LARGEST_FLOAT16 = 60.0  # whose square and cube float16 still holds


@dataclass
class Input:
    """A tensor argument: `dims` are tuples of atoms, `below` the dimension that an index counts in."""

    dtype: str
    dims: tuple
    layout: str = "dense"
    needs_gradient: bool = False
    below: tuple | None = None
    special: bool = False  # infinities, NaN and signed zeros among the values


@dataclass
class Step:
    op: str
    operands: tuple
    constants: tuple = ()


@dataclass
class Program:
    seed: int
    atoms: list  # by atom: the extent in each set of shapes
    dynamic: bool
    full_graph: bool
    gradient: bool
    inputs: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    results: list = field(default_factory=list)

    @property
    def num_sets(self):
        return len(self.atoms[0]) if self.atoms else 1

    def extent(self, dim, k):
        return int(np.prod([self.atoms[a][k] for a in dim], dtype=np.int64))

    def shape(self, dims, k):
        return [self.extent(d, k) for d in dims]

    def __str__(self):
        mode = "program" if self.full_graph else "segments"
        lines = [f"seed {self.seed}, {mode}{', dynamic extents' if self.dynamic else ''}"]
        for i, x in enumerate(self.inputs):
            shapes = " | ".join(str(self.shape(x.dims, k)) for k in range(self.num_sets))
            notes = [x.layout, *(["index"] if x.below is not None else []), *(["special"] if x.special else [])]
            lines.append(f"  %{i} = {x.dtype} {shapes} {' '.join(notes)}{' gradient' if x.needs_gradient else ''}")
        for i, s in enumerate(self.steps):
            operands = ", ".join([f"%{o}" for o in s.operands] + [repr(c) for c in s.constants])
            lines.append(f"  %{len(self.inputs) + i} = {s.op}({operands})")
        return "\n".join([*lines, f"  results {self.results}"])


def apply(program, values, after=None):
    """The results; `after(step, operands)` runs a step in another way."""
    values = list(values)
    for step in program.steps:
        operands = [values[o] for o in step.operands]
        values.append(after(step, operands) if after else FUNCTIONS[step.op](*operands, *step.constants))
    return [values[r] for r in program.results]


def make_inputs(program, k):
    """The arguments for set k of shapes: values, then tensors laid out as each input says."""
    tensors = []
    for i, x in enumerate(program.inputs):
        rng = np.random.default_rng([program.seed, i, k])
        shape = program.shape(x.dims, k)
        if x.below is not None:
            array = rng.integers(0, max(program.extent(x.below, k), 1), shape)
        elif x.dtype == "bool":
            array = rng.random(shape) < 0.5
        elif x.dtype in FLOATS:
            array = np.asarray(rng.standard_normal(shape))
            if x.special:
                odd = rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0], shape)
                array = np.where(rng.random(shape) < 0.15, odd, array)
        else:
            array = rng.integers(0 if x.dtype == "uint8" else -9, 10, shape)
        tensors.append(laid_out(paddle.to_tensor(array).astype(x.dtype), x.layout))
        tensors[-1].stop_gradient = not x.needs_gradient
    return tensors


def laid_out(tensor, layout):
    if tensor.ndim == 0 or layout == "dense":
        return tensor
    with paddle.no_grad():
        if layout == "transposed":
            order = list(range(tensor.ndim))[::-1]
            return paddle.transpose(paddle.transpose(tensor, order).clone(), order)
        if layout == "gaps":
            return paddle.stack([tensor, tensor], -1)[..., 1]
        if layout == "offset":
            return paddle.concat([tensor[:1], tensor])[1:] if tensor.shape[0] else tensor
        assert layout == "backwards", layout
        return paddle.flip(paddle.concat([tensor, tensor], 0), [0])[: tensor.shape[0]].flip([0]).flip([0])


class Reference:
    """Runs programs in float64, or with a relative error like that of each operator's dtype after every step."""

    def __init__(self, rng=None):
        self._rng = rng

    def noisy(self, value, dtype, times=1.0, along=None):
        """`along`: the operand of a function, whose derivative is computed from its rounded result."""
        if self._rng is None or dtype not in FLOATS:
            return value
        size = ROUNDOFF[dtype] * times
        noise = paddle.to_tensor(size * self._rng.standard_normal(value.shape))
        if along is not None:
            noise = noise * paddle.sin(along + float(self._rng.uniform(0, 6.25)))
        return value * (1.0 + noise)

    def run(self, step, operands, dtypes):
        """`dtypes` of the operands and the result in the program."""
        if step.op == "cast":
            target = "float64" if step.constants[0] in FLOATS else step.constants[0]
            value = operands[0].astype(target)
        else:
            # What of them has the widest rounding decides.
            floats = [d for d in dtypes if d in FLOATS]
            dtypes = [*dtypes[:-1], max(floats, key=ROUNDOFF.get) if dtypes[-1] in FLOATS else dtypes[-1]]
            if step.op in ADDS:
                operands = [self.noisy(x, d) for x, d in zip(operands, dtypes, strict=False)]
            value = FUNCTIONS[step.op](*operands, *step.constants)
        if step.op in EXACT:
            if self._rng is not None and dtypes[-1] in FLOATS and not value.stop_gradient:
                factor = self.noisy(paddle.ones(value.shape, "float64"), dtypes[-1])
                value.register_hook(lambda gradient: gradient * factor)
            return value
        if (
            step.op in SMOOTH and self._rng is not None and dtypes[0] in FLOATS
        ):  # tails of some are differences of numbers as large as the operand
            value = value + self.noisy(operands[0], dtypes[-1]) - operands[0]
        curved = step.op in SMOOTH or step.op in ROWS
        return self.noisy(value, dtypes[-1], 3.0, operands[0] if curved else None)


FUNCTIONS["cast"] = lambda x, dtype: x.astype(dtype)


@dataclass
class Value:
    dims: tuple
    dtype: str
    exact: bool
    native: object
    reference: list  # by set of shapes
    is_index: bool = False


class Generator:
    def __init__(self, seed, most_steps=40):
        self.rng = np.random.default_rng([seed, 1])
        self.most_steps = most_steps
        rng = self.rng
        dynamic = rng.random() < 0.45
        sets = 3 if dynamic else 1
        count = int(rng.integers(2, 5))
        weights = np.array(WEIGHTS) / sum(WEIGHTS)
        atoms = [tuple(int(e) for e in rng.choice(EXTENTS, sets, p=weights)) for _ in range(count)]
        if rng.random() < 0.04:  # rows that do not fit the caches
            atoms[0] = tuple(int(rng.choice([65_537, 70_001, 131_075])) for _ in range(sets))
        self.program = Program(seed, atoms, dynamic, bool(rng.random() < 0.8), bool(rng.random() < 0.5))
        self.main = str(rng.choice(FLOATS, p=[0.55, 0.15, 0.15, 0.15]))
        # Choices of their own, so that programs without random operators stay as they are.
        self.drawing = np.random.default_rng([seed, 3])
        self.draws = self.drawing.random() < 0.35
        self.values = []
        self.named = {}  # extents that slices and lists have

    # -- values --
    def shapes_of(self, dims):
        return [self.program.shape(dims, k) for k in range(self.program.num_sets)]

    def new_atom(self, key, extents):
        if key not in self.named:
            self.named[key] = len(self.program.atoms)
            self.program.atoms.append(tuple(extents))
        return self.named[key]

    def extents(self, dim):
        return [self.program.extent(dim, k) for k in range(self.program.num_sets)]

    def random_dims(self):
        rank = int(self.rng.choice([0, 1, 2, 3, 4], p=[0.06, 0.24, 0.4, 0.22, 0.08]))
        base = [(a,) for a in range(min(4, len(self.program.atoms)))]
        while True:
            dims = []
            for i in self.rng.permutation(len(base))[:rank]:
                dims.append(() if self.rng.random() < 0.15 else base[i])
            if all(np.prod(s) <= MOST_ELEMENTS for s in self.shapes_of(dims)):
                return tuple(dims)
            rank = max(rank - 1, 0)

    def add_input(self, dtype, dims, below=None):
        layouts = ["dense", "transposed", "gaps", "offset", "backwards"]
        layout = str(self.rng.choice(layouts, p=[0.68, 0.12, 0.1, 0.05, 0.05]))
        wants = self.program.gradient and dtype in FLOATS and self.rng.random() < 0.7
        special = not self.program.gradient and dtype in FLOATS and self.rng.random() < 0.03
        new = Input(dtype, tuple(dims), layout, bool(wants), below, bool(special))
        if self.program.steps:
            return None  # inputs come first
        self.program.inputs.append(new)
        i = len(self.program.inputs) - 1
        tensors = [make_inputs(replace_inputs(self.program, new, i), k)[i] for k in range(self.program.num_sets)]
        reference = [as_reference(t) for t in tensors]
        self.values.append(Value(tuple(dims), dtype, True, tensors[0].detach(), reference, below is not None))
        return i

    def pick(self, wanted):
        """A random value for which `wanted` holds, later ones more often; none."""
        known = [i for i, v in enumerate(self.values) if not v.is_index and wanted(v)]
        if not known:
            return None
        weights = np.array([1.0 + 2.0 * (i / len(self.values)) ** 2 for i in known])
        return int(self.rng.choice(known, p=weights / weights.sum()))

    def take(self, op, operands, constants=(), dims=()):
        """Adds the step when its values are in range."""
        if any(np.prod(shape) > MOST_ELEMENTS for shape in self.shapes_of(dims)):
            return None
        step = Step(op, tuple(operands), tuple(constants))
        own = [self.values[o] for o in operands]
        native = FUNCTIONS[op](*[v.native for v in own], *constants)
        dtype = native.dtype.name if hasattr(native.dtype, "name") else str(native.dtype)
        dtype = dtype.split(".")[-1]
        dtypes = [*[v.dtype for v in own], dtype]
        reference = [Reference().run(step, [v.reference[k] for v in own], dtypes) for k in range(self.program.num_sets)]
        special = any(x.special for x in self.program.inputs)
        for t in [*reference, native.astype("float64")]:
            if dtype in FLOATS and t.size:
                array = t.numpy()
                finite = np.isfinite(array)
                if not special and not finite.all():
                    return None
                if finite.any() and np.abs(array[finite]).max() > (LARGEST_FLOAT16 if dtype == "float16" else LARGEST):
                    return None
            if dtype in INTS and t.size and np.abs(t.astype("float64").numpy()).max() > 1e6:
                return None
        exact = (op in EXACT and all(v.exact for v in own)) or dtype not in FLOATS
        if op == "cast" and all(v.exact for v in own):
            exact = widens(own[0].dtype, dtype)
        self.program.steps.append(step)
        self.values.append(Value(dims, dtype, exact, native, reference))
        got = [list(t.shape) for t in reference]
        assert got == self.shapes_of(self.values[-1].dims), (
            f"{step}: {got} is not {self.shapes_of(self.values[-1].dims)}"
        )
        return len(self.values) - 1

    # -- choosing steps --
    def kinks_at(self, v):
        """May a kink lie at this value? Where it is rounded and gradients are wanted, sides could differ."""
        return v.exact or not self.program.gradient

    def choose(self, table):
        return str(self.rng.choice(sorted(table)))

    def broadcast(self, a, b):
        """The dims of both together; none where they do not go together."""
        out = []
        for k in range(max(len(a), len(b))):
            x = a[len(a) - 1 - k] if k < len(a) else ()
            y = b[len(b) - 1 - k] if k < len(b) else ()
            if x != y and x and y:
                return None
            out.append(x or y)
        return tuple(out[::-1])

    def step(self):
        kinds = [
            (self.unary, 8),
            (self.binary, 8),
            (self.reduction, 4),
            (self.row, 2.5),
            (self.reshaping, 4),
            (self.slicing, 2),
            (self.joining, 1.5),
            (self.gathering, 1.5),
            (self.casting, 1.5),
            (self.truth, 2),
            (self.whole, 2),
            (self.product, 0.7),
        ]
        weights = np.array([w for _, w in kinds])
        return kinds[int(self.rng.choice(len(kinds), p=weights / weights.sum()))][0]()

    def unary(self):
        i = self.pick(lambda v: v.dtype in FLOATS)
        if i is None:
            return None
        v, roll = self.values[i], self.rng.random()
        if self.draws and self.drawing.random() < 0.4:
            draw, p = str(self.drawing.choice(sorted(DRAWS))), float(self.drawing.choice([0.5, 0.75]))
            return self.take(draw, [i], (p,), v.dims)
        if roll < 0.25 and self.kinks_at(v):
            return self.take(self.choose(KINKS), [i], dims=v.dims)
        if roll < 0.32 and v.exact:
            return self.take(self.choose(STEPS), [i], dims=v.dims)
        return self.take(self.choose(SMOOTH), [i], dims=v.dims)

    def pair(self, wanted):
        i = self.pick(wanted)
        if i is None:
            return None
        j = self.pick(lambda v: wanted(v) and self.broadcast(self.values[i].dims, v.dims) is not None)
        if self.rng.random() < 0.5:
            i, j = j, i
        return i, j, self.broadcast(self.values[i].dims, self.values[j].dims)

    def binary(self):
        mixed = self.rng.random() < 0.15
        dtype = self.main if self.rng.random() < 0.8 else str(self.rng.choice(FLOATS))
        found = self.pair(lambda v: v.dtype in FLOATS if mixed else v.dtype == dtype)
        if not found:
            return None
        i, j, dims = found
        kinks = self.kinks_at(self.values[i]) and self.kinks_at(self.values[j])
        if kinks and self.rng.random() < 0.2:
            return self.take(self.choose(BINARY_KINKS), [i, j], dims=dims)
        return self.take(self.choose(BINARY), [i, j], dims=dims)

    def whole(self):
        if self.rng.random() < 0.4:
            i = self.pick(lambda v: v.dtype in INTS)
            return None if i is None else self.take(self.choose(WHOLE), [i], dims=self.values[i].dims)
        dtype = str(self.rng.choice(INTS))
        found = self.pair(lambda v: v.dtype == dtype)
        return self.take(self.choose(BINARY_WHOLE), found[:2], dims=found[2]) if found else None

    def truth(self):
        roll = self.rng.random()
        if roll < 0.4:  # only of exact values: rounding may not decide
            dtype = str(self.rng.choice([self.main, "int32", "int64", "bool"]))
            found = self.pair(lambda v: v.dtype == dtype and v.exact)
            return self.take(self.choose(COMPARE), found[:2], dims=found[2]) if found else None
        if roll < 0.6:
            found = self.pair(lambda v: v.dtype == "bool")
            return self.take(self.choose(TRUTH), found[:2], dims=found[2]) if found else None
        if roll < 0.65:
            i = self.pick(lambda v: v.dtype == "bool")
            return None if i is None else self.take("not", [i], dims=self.values[i].dims)
        found = self.pair(lambda v: v.dtype == self.main)
        if not found:
            return None
        c = self.pick(lambda v: v.dtype == "bool" and self.broadcast(v.dims, found[2]) is not None)
        if c is None:
            return None
        return self.take("where", [c, *found[:2]], dims=self.broadcast(self.values[c].dims, found[2]))

    def reduction(self):
        roll = self.rng.random()
        if roll < 0.75:
            i, table = self.pick(lambda v: v.dtype in FLOATS), REDUCE
            if i is not None and self.rng.random() < 0.3 and self.kinks_at(self.values[i]):
                table = REDUCE_KINKS
        elif roll < 0.9:
            i, table = self.pick(lambda v: v.dtype in ("int32", "int64")), REDUCE_WHOLE
        else:
            i, table = self.pick(lambda v: v.dtype == "bool"), REDUCE_TRUTH
        if i is None:
            return None
        v = self.values[i]
        rank = len(v.dims)
        if rank == 0:
            return None
        axes = sorted(int(a) for a in self.rng.permutation(rank)[: self.rng.integers(1, rank + 1)])
        op, keepdim = self.choose(table), bool(self.rng.random() < 0.5)
        empty = any(0 in self.extents(v.dims[a]) for a in axes)
        if empty and op not in ("sum", "int_sum", "norm_squared", "any", "all"):
            return None
        dims = tuple(() if k in axes else d for k, d in enumerate(v.dims) if keepdim or k not in axes)
        return self.take(op, [i], (axes, keepdim), dims)

    def row(self):
        i = self.pick(lambda v: v.dtype in FLOATS and len(v.dims) > 0)
        if i is None:
            return None
        v = self.values[i]
        axis = len(v.dims) - 1 if self.rng.random() < 0.6 else int(self.rng.integers(len(v.dims)))
        if 0 in self.extents(v.dims[axis]):
            return None
        return self.take(self.choose(ROWS), [i], (axis,), v.dims)

    def product(self):
        i = self.pick(lambda v: v.dtype in ("float32", "float64") and 2 <= len(v.dims) <= 3)
        if i is None or any(0 in s or s[-2] > 64 for s in self.shapes_of(self.values[i].dims)):
            return None
        dims = self.values[i].dims
        return self.take("product", [i], (), (*dims[:-1], dims[-2]))

    def reshaping(self):
        i = self.pick(lambda v: True)
        v = self.values[i]
        rank, roll = len(v.dims), self.rng.random()
        if roll < 0.3 and rank >= 2:
            perm = [int(a) for a in self.rng.permutation(rank)]
            return self.take("transpose", [i], (perm,), tuple(v.dims[a] for a in perm))
        if roll < 0.45 and rank >= 2:
            a = int(self.rng.integers(rank - 1))
            b = int(self.rng.integers(a + 1, rank))
            merged = tuple(sorted(atom for d in v.dims[a : b + 1] for atom in d))
            return self.take("flatten", [i], (a, b), (*v.dims[:a], merged, *v.dims[b + 1 :]))
        if roll < 0.55 and rank < 5:
            axis = int(self.rng.integers(rank + 1))
            return self.take("unsqueeze", [i], (axis,), (*v.dims[:axis], (), *v.dims[axis:]))
        if roll < 0.62:
            ones = [k for k, d in enumerate(v.dims) if d == ()]
            if ones:
                axis = int(self.rng.choice(ones))
                return self.take("squeeze", [i], (axis,), v.dims[:axis] + v.dims[axis + 1 :])
        if roll < 0.74:
            j = self.pick(lambda w: sorted(a for d in w.dims for a in d) == sorted(a for d in v.dims for a in d))
            if j is not None and j != i:
                return self.take("reshape_as", [i, j], (), self.values[j].dims)
        if roll < 0.84 and not self.program.dynamic:
            return self.free_reshape(i)
        if roll < 0.92:
            j = self.pick(lambda w: len(w.dims) >= rank and self.broadcast(v.dims, w.dims) == w.dims)
            if j is not None:
                return self.take("expand", [i, j], (), self.values[j].dims)
        if rank >= 2 and v.dtype in FLOATS:
            return self.take(self.choose({"tril", "triu"}), [i], (int(self.rng.integers(-3, 4)),), v.dims)
        return self.take("assign", [i], (), v.dims)

    def free_reshape(self, i):
        """Any factors of the number of elements."""
        total = int(np.prod(self.shapes_of(self.values[i].dims)[0]))
        if total == 0:
            return None
        shape, left = [], total
        for _ in range(int(self.rng.integers(0, 4))):
            factors = [f for f in range(1, min(left, 600) + 1) if left % f == 0]
            shape.append(int(self.rng.choice(factors)))
            left //= shape[-1]
        shape.append(left)
        shape = [shape[k] for k in self.rng.permutation(len(shape))]
        dims = tuple((self.new_atom(("number", e), [e]),) if e != 1 else () for e in shape)
        return self.take("reshape", [i], (shape,), dims)

    def slicing(self):
        i = self.pick(lambda v: len(v.dims) > 0)
        if i is None:
            return None
        v = self.values[i]
        axis = int(self.rng.integers(len(v.dims)))
        dim, extents = v.dims[axis], self.extents(v.dims[axis])
        roll = self.rng.random()
        if roll < 0.2 and min(extents) > 0:
            return self.take("flip", [i], (axis,), v.dims)
        if roll < 0.3 and min(extents) > 0 and not self.program.dynamic:
            return self.take("roll", [i], (int(self.rng.integers(-5, 6)), axis), v.dims)
        if min(extents) < 4 or dim == ():
            return None
        start = int(self.rng.choice([0, 0, 1, 2]))
        stop = [None, None, -1, 3][int(self.rng.integers(4))]
        step = int(self.rng.choice([1, 1, 1, 2, 3]))
        counts = [len(range(*slice(start, stop, step).indices(e))) for e in extents]
        if min(counts) == 0:
            return None
        new = () if set(counts) == {1} and not self.program.dynamic else None
        new = (self.new_atom((dim, start, stop, step), counts),) if new is None else new
        return self.take("slice", [i], (axis, start, stop, step), (*v.dims[:axis], new, *v.dims[axis + 1 :]))

    def joining(self):
        i = self.pick(lambda v: len(v.dims) > 0)
        if i is None:
            return None
        v = self.values[i]
        axis = int(self.rng.integers(len(v.dims)))

        def fits(w):
            if w.dtype != v.dtype or len(w.dims) != len(v.dims):
                return False
            return all(k == axis or a == b for k, (a, b) in enumerate(zip(v.dims, w.dims, strict=True)))

        parts = [i] + [self.pick(fits) for _ in range(int(self.rng.integers(1, 4)))]
        if self.rng.random() < 0.25:
            parts = [p for p in parts if self.values[p].dims == v.dims]
            at = int(self.rng.integers(len(v.dims) + 1))
            count = len(parts)
            new = () if count == 1 else (self.new_atom(("number", count), [count] * self.program.num_sets),)
            return self.take("stack", parts, (at,), (*v.dims[:at], new, *v.dims[at:]))
        joined = [self.values[p].dims[axis] for p in parts]
        totals = np.sum([self.extents(d) for d in joined], axis=0)
        new = (self.new_atom(("joined", tuple(sorted(joined))), [int(t) for t in totals]),)
        return self.take("concat", parts, (axis,), (*v.dims[:axis], new, *v.dims[axis + 1 :]))

    def gathering(self):
        known = [k for k, x in enumerate(self.program.inputs) if x.below is not None]
        if not known:
            return None
        at = int(self.rng.choice(known))
        index = self.program.inputs[at]
        i = self.pick(lambda v: index.below in v.dims)
        if i is None:
            return None
        v = self.values[i]
        axis = v.dims.index(index.below)
        if len(index.dims) == 1:
            if axis == 0 and self.rng.random() < 0.2:
                return self.take("gather_nd", [i, at], (), (*index.dims, *v.dims[1:]))
            op = self.choose({"gather", "index_select"})
            return self.take(op, [i, at], (axis,), (*v.dims[:axis], *index.dims, *v.dims[axis + 1 :]))
        same = len(index.dims) == len(v.dims) and all(
            k == axis or a == b for k, (a, b) in enumerate(zip(index.dims, v.dims, strict=True))
        )
        return self.take("take_along_axis", [i, at], (axis,), index.dims) if same else None

    def casting(self):
        i = self.pick(lambda v: True)
        v = self.values[i]
        target = str(self.rng.choice([*FLOATS, self.main, self.main, "int32", "int64", "int8", "uint8", "bool"]))
        special = any(x.special for x in self.program.inputs)  # which fit no integer
        if target == v.dtype or (target not in FLOATS and (special or not v.exact)):
            return None
        if target == "uint8" and any((t.astype("float64").numpy() < 0).any() for t in v.reference):
            return None
        return self.take("cast", [i], (target,), v.dims)

    # -- the whole --
    def generate(self):
        rng = self.rng
        for k in range(int(rng.integers(1, 5))):
            dtype = self.main if k == 0 or rng.random() < 0.7 else str(rng.choice([*FLOATS, *INTS, "bool", "bool"]))
            self.add_input(dtype, self.random_dims())
        if rng.random() < 0.4:
            v = self.values[int(rng.integers(len(self.values)))]
            if v.dims:
                axis = int(rng.integers(len(v.dims)))
                if min(self.extents(v.dims[axis])) > 0:
                    other = ((int(rng.integers(len(self.program.atoms))),),)
                    dims = other if rng.random() < 0.7 else v.dims[:axis] + other + v.dims[axis + 1 :]
                    if all(np.prod(s) <= MOST_ELEMENTS for s in self.shapes_of(dims)):
                        self.add_input(str(rng.choice(["int64", "int32"])), dims, below=v.dims[axis])
        wanted = int(rng.integers(2, 13)) if rng.random() < 0.75 else int(rng.integers(13, self.most_steps + 1))
        for _ in range(4 * wanted):
            if len(self.program.steps) >= wanted:
                break
            self.step()
        read = {o for s in self.program.steps for o in s.operands}
        first = len(self.program.inputs)
        ends = [i for i in range(first, len(self.values)) if i not in read]
        extra = [i for i in range(first, len(self.values)) if i in read and rng.random() < 0.1]
        self.program.results = sorted({*ends, *extra}) or [len(self.values) - 1]
        return self.program


def replace_inputs(program, new, position):
    return replace(program, inputs=[*program.inputs[:position], new])


def as_reference(tensor):
    dense = tensor.detach().clone()
    return dense.astype("float64") if dense.dtype in [getattr(paddle, f) for f in FLOATS] else dense


def widens(before, after):
    """Whether every value of a dtype is one of the other."""
    order = {"bfloat16": {"float32", "float64"}, "float16": {"float32", "float64"}, "float32": {"float64"}}
    if before in INTS or before == "bool":
        return after in ("float64", "float32") or after in INTS
    return after == before or after in order.get(before, ()) or after in INTS or after == "bool"


def generate(seed):
    return Generator(seed).generate()

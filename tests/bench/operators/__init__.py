# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What docs/operators_speed.md measures: one row per operator, and its equivalent in PyTorch.

Every operator of the case table (tests/op_cases) has a row in one of these modules; a test says
which is missing. A row looks like

    row("tanh", [normal()], lambda o, x: o.tanh(x), lambda t, x, **out: t.tanh(x, **out), out=True)

`o` is paddle._core.ops, the operators by their records, `t` is torch; the other arguments are the inputs, as tensors of the framework.
"""

import importlib
import pkgutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SQUARE = (1024, 1024)


@dataclass(frozen=True)
class Input:
    """An array drawn from a generator: make(rng, shape). dtype says what the frameworks hold."""

    make: Callable
    shape: tuple
    dtype: str


@dataclass(frozen=True)
class Row:
    """One call on both sides.

    ours and torch are the calls; torch is None where PyTorch has no counterpart, and takes out= where
    `out` says so. ours_setup and torch_setup turn the inputs into what the calls get, untimed. grad
    names the positions to differentiate: with one, forward and backward together are timed too.
    checked: the first results are compared. note: what the page says of the row, such as why it is slow.
    """

    op: str
    inputs: list
    ours: Callable
    torch: Callable | None = None
    out: bool = False
    grad: tuple = ()
    ours_setup: Callable | None = None
    torch_setup: Callable | None = None
    checked: bool = True
    variant: str = ""
    note: str = ""

    @property
    def name(self):
        return f"{self.op} ({self.variant})" if self.variant else self.op

    def arrays(self):
        """The inputs as NumPy arrays, the same in every process; others as they are."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [i.make(rng, i.shape) if isinstance(i, Input) else i for i in self.inputs]

    def text(self):
        """Shapes and dtypes of the inputs."""
        parts = []
        for i in self.inputs:
            if isinstance(i, Input):
                kind = "" if i.dtype == "float32" else " " + i.dtype
                parts.append("x".join(map(str, i.shape)) + kind)
        return ", ".join(parts)


row = Row


def normal(*shape, dtype="float32"):
    return Input(lambda rng, s: rng.standard_normal(s, dtype=np.float32), shape or SQUARE, dtype)


def between(low, high, *shape, dtype="float32"):
    return Input(lambda rng, s: rng.uniform(low, high, s).astype(np.float32), shape or SQUARE, dtype)


def integers(low, high, *shape, dtype="int64"):
    return Input(lambda rng, s: rng.integers(low, high, s).astype(dtype), shape or SQUARE, dtype)


def booleans(*shape):
    return Input(lambda rng, s: rng.random(s) < 0.5, shape or SQUARE, "bool")


def complexes(*shape):
    def make(rng, s):
        return (rng.standard_normal(s) + 1j * rng.standard_normal(s)).astype(np.complex64)

    return Input(make, shape or SQUARE, "complex64")


def of(make, *shape, dtype="float32"):
    """Any other array: make(rng, shape)."""
    return Input(lambda rng, s: make(rng, s).astype(dtype), shape or SQUARE, dtype)


def same(names, inputs, torch_names=None, out=True, grad=()):
    """Rows of operators that both sides call with the tensors alone."""
    rows = []
    for name in names.split():
        theirs = (torch_names or {}).get(name, name)
        rows.append(
            row(
                name,
                inputs,
                lambda o, *x, name=name: getattr(o, name)(*x),
                lambda t, *x, theirs=theirs, **kw: find(t, theirs)(*x, **kw),
                out=out,
                grad=grad,
            )
        )
    return rows


def find(torch, path):
    """torch.a.b of "a.b"."""
    for part in path.split("."):
        torch = getattr(torch, part)
    return torch


def all_rows():
    """Every row of every module, in order."""
    rows = []
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        rows += importlib.import_module(f"{__name__}.{module}").ROWS
    return rows

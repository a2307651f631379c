# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operator case table: rows per family, and what a row is.

A row names an operator, makes its arguments from a random generator, and gives an independent
reference in NumPy or SciPy. tests/test_op_cases.py runs every row in every mode.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field

FLOATS = ("float32", "float64")
ALL_FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int32", "int64")


@dataclass
class Case:
    """One row.

    op: operator name. args(rng): schema argument name -> NumPy array, list of arrays, or constant;
    floating-point arrays are cast to each dtype under test, others are left alone.
    ref(**args): array or tuple of arrays (None: result not compared). grad: names of the arguments
    to differentiate, up to grad_order. rtol and atol replace the dtype's tolerances.
    call(op, **tensors): what is run instead of the operator alone, made of operators: inputs brought
    into the operator's domain, results of which only invariants are determined. program: whether a
    program that is captured whole may hold it; otherwise capturing it raises NotImplementedError.
    """

    op: str
    args: Callable
    ref: Callable | None
    dtypes: tuple = ("float32",)
    grad: tuple = ()
    grad_order: int = 3
    rtol: float | None = None
    atol: float | None = None
    call: Callable | None = None
    id: str = ""
    program: bool = True
    modes: tuple = field(default=("eager", "strided", "gradient", "captured"))

    @property
    def name(self):
        return f"{self.op}-{self.id}" if self.id else self.op


def all_cases():
    """Every row of every family, in order."""
    cases = []
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")):
        cases += importlib.import_module(f"{__name__}.{module}").CASES
    return cases

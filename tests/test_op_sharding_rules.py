# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the placements of results come from: few operators can only compute with whole tensors, each for a reason.

The values that rules give are compared in test_op_sharded.py.
"""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle import _core
from paddle.distributed import Partial, Replicate, Shard

# Operators whose operands are brought together first: what is missing, or why there is nothing to split.
DYNAMIC = "the extents of its results depend on values"
COLLECTIVE = "a collective of its own, on parts"
WHOLE = {}

OPERATORS = [name for name in dir(_core.ops) if not name.startswith("__")]


def source(name):
    return _core.describe_op(name)["sharding"]


def test_operators_that_compute_whole_are_known():
    whole = {name for name in OPERATORS if source(name) == "whole"}
    missing, needless = sorted(whole - set(WHOLE)), sorted(set(WHOLE) - whole)
    assert not missing, f"{missing} compute with whole tensors: give them a rule, or a reason in WHOLE"
    assert not needless, f"{needless} stand in WHOLE and do not compute with whole tensors"
    assert all(WHOLE.values())


def test_at_most_five_percent_of_the_registry_compute_whole():
    assert len(WHOLE) <= 0.05 * len(OPERATORS)


def test_the_sources_are_what_records_say():
    said = {
        "matmul": "rule",
        "tanh": "elementwise",
        "logsumexp": "reduction",
        "linear": "decomposition",
        "unique": "whole",
        "arange": "none",
        "reshard": "rule",
    }
    assert {name: source(name) for name in said} == said


def test_operators_without_a_source_take_no_tensor():
    for name in OPERATORS:
        takes = any(kind.startswith("Tensor") for _, kind, _ in _core.describe_op(name)["arguments"])
        assert takes != (source(name) == "none"), name

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the placements of results come from: few operators can only compute with whole tensors, each for a reason.

The values that rules give are compared in test_op_sharded.py.
"""

import paddle  # noqa: F401
from paddle import _core

DYNAMIC = "the extents of its results depend on values of all parts"
COLLECTIVE = "a collective on plain tensors, of which distributed ones are made"
# Operators whose operands are brought together first, and why.
WHOLE = {
    "adjust_logits": "entries name rows and tokens of the whole",
    "as_strided": "strides are those of the memory of the whole",
    "attn_dropout_mask": "its only tensor is a random state",
    "bincount": DYNAMIC,
    "generate_proposals": DYNAMIC,
    "lamb_": "a step is as long as the norms of the whole parameter and update say",
    "masked_select": DYNAMIC,
    "matrix_nms": DYNAMIC,
    "mesh_all_gather": COLLECTIVE,
    "mesh_all_reduce": COLLECTIVE,
    "mesh_all_to_all": COLLECTIVE,
    "mesh_broadcast": COLLECTIVE,
    "mesh_reduce_scatter": COLLECTIVE,
    "multiclass_nms3": DYNAMIC,
    "nms": DYNAMIC,
    "nonzero": DYNAMIC,
    "repeat_interleave_with_tensor_index": DYNAMIC,
    "select_beams": DYNAMIC,
    "trace_beams": DYNAMIC,
    "unique": DYNAMIC,
    "unique_consecutive": DYNAMIC,
    "viterbi_decode": DYNAMIC,
}

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
        "logsumexp": "decomposition",
        "unique": "whole",
        "arange": "none",
        "reshard": "rule",
    }
    assert {name: source(name) for name in said} == said


def test_operators_without_a_source_take_no_tensor():
    for name in OPERATORS:
        takes = any(kind.startswith("Tensor") for _, kind, _ in _core.describe_op(name)["arguments"])
        assert takes != (source(name) == "none"), name

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Every operator whose record has a rule for its saved form: what the rule writes is read back as the same values."""

import numpy as np
import paddle
import pytest

from tests.test_op_cases import CASES, bind, compare, run, seeded
from tests.test_op_modes import Call, is_random, values

NAMES = sorted(name for name in dir(paddle._core.ops) if not name.startswith("_"))
RECORDS = {name: paddle._core.describe_op(name) for name in NAMES}
RULES = [name for name, record in RECORDS.items() if record["saved_form"] and record["saved_form"]["rule"]]


def test_rules_are_found():
    assert len(RULES) > 30


@pytest.mark.parametrize("name", RULES)
def test_what_the_rule_writes_is_read_back(name, tmp_path):
    rows = [case for case in CASES if case.op == name]
    assert rows, f"{name} has no row in tests/op_cases"
    for i, case in enumerate(rows):
        dtype = case.dtypes[0]
        tensors, given = bind(case.args(seeded()), dtype)
        layer = Call(case, tensors)
        layer.eval()
        inputs = layer.inputs()
        spec = [paddle.static.InputSpec(t.shape, t.dtype, f"x{k}") for k, t in enumerate(inputs)]
        paddle.jit.save(layer, str(tmp_path / f"m{i}"), input_spec=spec)
        outs = paddle.jit.load(str(tmp_path / f"m{i}"))(*inputs)
        outs = outs if isinstance(outs, list | tuple) else (outs,)
        wanted = run(case, tensors)
        present = [t for t in wanted if t is not None]
        assert [(out.dtype, out.shape) for out in outs] == [(t.dtype, t.shape) for t in present]
        if is_random(case):
            continue
        if case.ref is not None and len(outs) == len(wanted):
            compare(case, outs, given, dtype)
        for out, want in zip(outs, present, strict=True):
            np.testing.assert_allclose(values(out), values(want), rtol=1e-4, atol=1e-5)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the profiler and the NaN check tell."""

import json

import paddle
import pytest


def test_operators_and_user_spans_are_in_the_trace(tmp_path):
    x = paddle.ones([4, 4])
    with paddle.profiler.Profiler() as profiler:
        with paddle.profiler.RecordEvent("my part"):
            paddle.matmul(x, x) + x
    profiler.export(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"my part", "matmul", "add"} <= {e["name"] for e in events}
    assert all(e["dur"] >= 0 for e in events)
    assert "matmul" in profiler.summary()


def test_nothing_is_recorded_outside_a_profile():
    with paddle.profiler.Profiler() as profiler:
        pass
    paddle.ones([2]) + 1.0
    assert profiler.summary().count("\n") == 0


def test_check_nan_inf_names_the_operator():
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match="log: result 0 of shape .* NaN or infinity"):
            paddle.log(paddle.to_tensor([1.0, 0.0]))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    paddle.log(paddle.to_tensor([0.0]))

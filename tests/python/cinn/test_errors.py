# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong inside of a group is said as without it."""

import json

import paddle
import pytest
from paddle.jit import to_static


def looked_up(ids, table):
    return paddle.nn.functional.embedding(ids, table * 2) + 1


@pytest.mark.parametrize("bad", [7, -1])
def test_an_index_out_of_range_is_the_error_of_eager(at_once, counts, bad):
    compiled = to_static(looked_up, backend="CINN", full_graph=True)
    table = paddle.rand([3, 2])
    count = counts()
    assert compiled(paddle.to_tensor([1, 2]), table).shape == [2, 2]
    assert count.launches == 1
    with pytest.raises(IndexError) as eager:
        looked_up(paddle.to_tensor([0, bad]), table)
    with pytest.raises(IndexError) as of_group:
        compiled(paddle.to_tensor([0, bad]), table)
    assert str(eager.value).split(" It was recorded")[0] in str(of_group.value)
    assert compiled(paddle.to_tensor([2, 0]), table).shape == [2, 2]


def test_a_check_for_nan_names_the_operator_and_its_group(at_once):
    compiled = to_static(lambda x: paddle.log(x) * 2 + 1, backend="CINN", full_graph=True)
    compiled(paddle.ones([2]))
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match=r"^log: result 0 .* group log\+multiply\+add\."):
            compiled(paddle.to_tensor([-1.0, 1.0]))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_a_profile_names_the_operators_of_a_group(at_once):
    compiled = to_static(lambda x: paddle.tanh(x) * 2 + 1, backend="CINN", full_graph=True)
    x = paddle.rand([64, 64])
    compiled(x)
    with paddle.profiler.Profiler(targets=[paddle.profiler.ProfilerTarget.CPU]) as profile:
        compiled(x)
    assert "tanh+multiply+add" in profile.summary()


def test_a_trace_names_the_operators_of_a_group(at_once, tmp_path):
    compiled = to_static(lambda x: paddle.tanh(x) * 2 * x + 1, backend="CINN", full_graph=True)
    x = paddle.rand([64, 64])
    compiled(x)
    with paddle.profiler.Profiler(targets=[paddle.profiler.ProfilerTarget.CPU]) as profile:
        compiled(x)
    profile.export(str(tmp_path / "trace.json"), format="json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    (event,) = [e for e in events if e.get("name") == "tanh+multiply*2+add"]
    assert event["dur"] > 0

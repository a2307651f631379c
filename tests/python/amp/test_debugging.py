# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.amp.debugging`: counts of what is not finite, checks by step, calls by dtype."""

import numpy as np
import paddle
import pytest
from paddle.amp import debugging


def test_check_numerics_counts():
    stats, values = debugging.check_numerics(paddle.to_tensor([1.0, 0.0, 3.0]), "op", "x")
    assert stats.tolist() == [0, 0, 1] and stats.dtype == paddle.int64
    np.testing.assert_allclose(values.numpy(), [3.0, 0.0, 4 / 3], rtol=1e-6)
    bad = paddle.to_tensor([1.0, 0.0, float("nan"), float("inf"), -2.0])
    with pytest.raises(RuntimeError, match=r"num_nan=1, num_inf=1, num_zero=1.*op=my_op, tensor=t"):
        debugging.check_numerics(bad, "my_op", "t")
    stats, values = debugging.check_numerics(bad, "my_op", "t", debugging.DebugMode.CHECK_NAN_INF)
    assert stats.tolist() == [1, 1, 1]
    assert values.tolist()[:2] == [float("inf"), -2.0] and np.isnan(values[2].item())


def test_tensor_checker_follows_its_steps():
    debugging.TensorCheckerConfig.current_step_id = 0
    config = debugging.TensorCheckerConfig(enable=True, debug_step=[1, 2])
    bad = paddle.to_tensor([-1.0])
    found = []
    for _ in range(3):
        debugging.enable_tensor_checker(config)
        try:
            paddle.log(bad)
            found.append(False)
        except RuntimeError:
            found.append(True)
        debugging.disable_tensor_checker()
    assert found == [False, True, False]
    assert paddle.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": False}


def test_tensor_checker_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="debug_step must be list or tuple"):
        debugging.TensorCheckerConfig(enable=True, debug_step=3)
    with pytest.raises(AttributeError):
        debugging.TensorCheckerConfig(enable=True, debug_mode=3)
    with pytest.raises(NotImplementedError, match="output_dir"):
        debugging.TensorCheckerConfig(enable=True, output_dir="somewhere")
    with pytest.raises(NotImplementedError, match="writes no files"):
        debugging.compare_accuracy("a", "b", "c.xlsx")


def test_check_layer_numerics():
    class Log(paddle.nn.Layer):
        @debugging.check_layer_numerics
        def forward(self, x):
            return paddle.log(x)

    assert Log()(paddle.ones([2])).tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="Log.forward, tensor=input"):
        Log()(paddle.to_tensor([float("nan")]))
    with pytest.raises(RuntimeError, match="Log.forward, tensor=output 0"):
        Log()(paddle.to_tensor([-1.0]))
    with pytest.raises(RuntimeError, match="No elements found in args"):
        Log()()


def test_operator_stats_count_calls_by_dtype(capsys):
    x = paddle.ones([2, 2])
    with debugging.collect_operator_stats():
        paddle.matmul(x, x)
        paddle.exp(x)
        paddle.exp(x.astype("bfloat16"))
    lines = {line.split("|")[0].strip(): line for line in capsys.readouterr().out.splitlines() if "|" in line}
    assert [c.strip() for c in lines["exp"].split("|")[1:]] == ["0", "1", "1", "0"]
    assert [c.strip() for c in lines["matmul"].split("|")[1:]] == ["0", "0", "1", "0"]
    assert paddle.base.core.get_low_precision_op_list() == {"matmul_v2": "0,0,1,0", "exp": "0,1,1,0", "cast": "0,1,0,0"}
    debugging.disable_operator_stats_collection()
    assert capsys.readouterr().out == ""

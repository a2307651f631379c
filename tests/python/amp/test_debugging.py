# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.amp.debugging`: counts of what is not finite, checks by step, calls by dtype."""

import contextlib
import random

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


@contextlib.contextmanager
def checking(mode, **settings):
    debugging.TensorCheckerConfig.current_step_id = 0
    debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True, debugging.DebugMode[mode], **settings))
    try:
        yield
    finally:
        debugging.disable_tensor_checker()


BAD_LOG = (
    "[PRECISION] [ERROR] in [device=cpu, op=log, tensor=, dtype=fp32], numel=2, num_nan=0, num_inf=1, num_zero=0, "
    "max=-6.931472e-01, min=-inf, mean=-inf"
)


def test_the_checker_writes_a_line_for_each_bad_result(capfd):
    x = paddle.to_tensor([0.5, 0.0])
    with checking("CHECK_NAN_INF"):
        assert paddle.log(x).shape == [2]
        paddle.exp(x)
    assert capfd.readouterr().out.splitlines() == [BAD_LOG]
    with (
        checking("CHECK_NAN_INF_AND_ABORT"),
        pytest.raises(RuntimeError, match=r"num_inf=1, num_zero=0\) in \[.*op=log"),
    ):
        paddle.log(x)
    assert capfd.readouterr().out.splitlines() == [BAD_LOG]
    paddle.log(x)
    assert capfd.readouterr().out == ""


def test_the_checker_writes_what_its_mode_asks_for(capfd):
    with checking("CHECK_ALL_FOR_OVERFLOW"):
        paddle.abs(paddle.to_tensor([-70000.0, 1.0]))
        paddle.abs(paddle.to_tensor([-70000.0, 1.0], dtype="float64"))
        paddle.abs(paddle.to_tensor([65504.0]))
    assert capfd.readouterr().out.splitlines() == [
        "[PRECISION] in [device=cpu, op=abs, tensor=, dtype=fp32], numel=2, num_zero=0, max=7.000000e+04, "
        "min=1.000000e+00, mean=3.500050e+04"
    ]
    for dtype, short in {"float64": "fp64", "float16": "fp16", "bfloat16": "bf16"}.items():
        x = paddle.ones([2]).astype(dtype)
        with checking("CHECK_ALL"):
            paddle.abs(x)
            paddle.abs(x.astype("int32"))
        lines = capfd.readouterr().out.splitlines()
        assert lines == [
            f"[PRECISION] in [device=cpu, op=abs, tensor=, dtype={short}], numel=2, num_zero=0, max=1.000000e+00, "
            "min=1.000000e+00, mean=1.000000e+00"
        ]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"checked_op_list": ["elementwise_div"]}, ["divide"]),
        ({"checked_op_list": ["divide"]}, ["divide"]),
        ({"skipped_op_list": ["log"]}, ["divide"]),
        ({"skipped_op_list": ["elementwise_div"]}, ["log"]),
        ({"checked_op_list": ["log", "elementwise_div"], "skipped_op_list": ["log"]}, ["divide"]),
    ],
)
def test_the_checker_takes_lists_of_operators(settings, told, capfd):
    x, zero = paddle.ones([2]), paddle.zeros([2])
    with checking("CHECK_NAN_INF", **settings):
        paddle.log(zero)
        paddle.divide(x, zero)
    assert [line.split("op=")[1].split(",")[0] for line in capfd.readouterr().out.splitlines()] == told


def test_the_checker_writes_to_a_folder_and_raises_nothing(tmp_path, capfd):
    folder = tmp_path / "numbers"
    with checking("CHECK_NAN_INF_AND_ABORT", output_dir=str(folder)):
        paddle.log(paddle.to_tensor([0.5, 0.0]))
    assert (folder / "worker_cpu").read_text().splitlines() == [BAD_LOG]
    assert capfd.readouterr().out == ""


def test_an_enabled_config_seeds_the_random_numbers():
    paddle.seed(7)
    assert debugging.TensorCheckerConfig(True).seed == 7
    drawn = paddle.rand([2]).tolist(), np.random.rand(), random.random()
    np.random.seed(7)
    random.seed(7)
    paddle.seed(7)
    assert drawn == (paddle.rand([2]).tolist(), np.random.rand(), random.random())


def test_check_layer_numerics():
    class Log(paddle.nn.Layer):
        @debugging.check_layer_numerics
        def forward(self, x):
            return {"log": paddle.log(x)}

    assert Log()(paddle.ones([2]))["log"].tolist() == [0.0, 0.0]
    assert paddle.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": False}
    with pytest.raises(RuntimeError, match="Log.forward, tensor=input"):
        Log()(paddle.to_tensor([float("nan")]))
    with pytest.raises(RuntimeError, match="log: result 0 of shape .1. holds NaN"):
        Log()(paddle.to_tensor([-1.0]))
    with pytest.raises(RuntimeError, match="No elements found in args"):
        Log()()
    assert paddle.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": False}


def test_check_layer_numerics_looks_at_the_gradient():
    class Root(paddle.nn.Layer):
        @debugging.check_layer_numerics
        def forward(self, x):
            return paddle.sqrt(x)

    x = paddle.to_tensor([4.0], stop_gradient=False)
    Root()(x).backward()
    assert x.grad.tolist() == [0.25]
    root = Root()(paddle.to_tensor([0.0], stop_gradient=False))
    with pytest.raises(RuntimeError, match="Root.forward, tensor=gradient of input"):
        root.backward()
    assert Root()(paddle.to_tensor([4])).tolist() == [2.0]


def test_operator_stats_count_calls_by_dtype(capsys):
    x = paddle.ones([2, 2])
    with debugging.collect_operator_stats():
        paddle.matmul(x, x)
        paddle.exp(x)
        paddle.exp(x.astype("bfloat16"))
    lines = {line.split("|")[0].strip(): line for line in capsys.readouterr().out.splitlines() if "|" in line}
    assert [c.strip() for c in lines["exp"].split("|")[1:]] == ["0", "1", "1", "0"]
    assert [c.strip() for c in lines["matmul_v2"].split("|")[1:]] == ["0", "0", "1", "0"]
    assert paddle.base.core.get_low_precision_op_list() == {"matmul_v2": "0,0,1,0", "exp": "0,1,1,0", "cast": "0,1,0,0"}
    debugging.disable_operator_stats_collection()
    assert capsys.readouterr().out == ""


def test_numbers_without_values_and_wrong_arguments_of_check_numerics():
    stats, values = debugging.check_numerics(paddle.zeros([0, 3]), "op", "x")
    assert stats.tolist() == [0, 0, 0] and values.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(RuntimeError, match="int64"):
        debugging.check_numerics(paddle.to_tensor([1, 2]), "op", "x")
    with pytest.raises(ValueError, match="Tensor"):
        debugging.check_numerics(3, "op", "x")
    with pytest.raises(AttributeError, match="DebugMode"):
        debugging.check_numerics(paddle.ones([1]), "op", "x", 3)


def test_a_checker_knows_the_seed_and_refuses_wrong_steps():
    paddle.seed(102)
    config = debugging.TensorCheckerConfig(enable=True)
    assert config.initial_seed == config.seed == 102
    for steps in ([3], [3, 1]):
        with pytest.raises(AssertionError, match="first, last"):
            debugging.TensorCheckerConfig(enable=True, debug_step=steps)


def test_a_checked_layer_takes_a_tensor_first():
    class Same(paddle.nn.Layer):
        @debugging.check_layer_numerics
        def forward(self, x):
            return x

    with pytest.raises(RuntimeError, match="must be a Tensor"):
        Same()(3)

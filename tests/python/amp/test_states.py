# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How far a scaled step has come, and which operators run in which precision."""

import paddle
import pytest
from paddle.amp import OptimizerState


def test_states_of_steps():
    assert [state.value for state in (OptimizerState.INIT, OptimizerState.UNSCALED, OptimizerState.STEPPED)] == [
        0,
        1,
        2,
    ]
    weight = paddle.create_parameter([2], "float32")
    optimizer = paddle.optimizer.SGD(0.1, parameters=[weight])
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="unscaled already"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    optimizer.clear_grad()
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [1.0, 1.0]


def test_lists_of_operators():
    white, black = paddle.amp.white_list(), paddle.amp.black_list()
    assert {"matmul", "conv2d"} <= white["bfloat16"]["O1"] and "exp" in black["float16"]["O1"]
    assert not white["float16"]["O1"] & black["float16"]["O1"] and black["float16"]["OD"] == set()
    assert {"lookup_table_v2", "bilinear_interp_v2", "scatter"} <= black["bfloat16"]["O2"]
    assert issubclass(paddle.amp.GradScaler, paddle.amp.AmpScaler)


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_lookups_and_resizing_stay_in_float32(level):
    table, image = paddle.ones([3, 2], "bfloat16"), paddle.ones([1, 1, 2, 2], "bfloat16")
    with paddle.amp.auto_cast(level=level, dtype="bfloat16"):
        assert paddle.nn.functional.embedding(paddle.to_tensor([1]), table).dtype == paddle.float32
        assert paddle.nn.functional.interpolate(image, [4, 4]).dtype == paddle.float32


def test_dtypes_and_devices_that_are_none():
    with pytest.raises(ValueError, match="dtype"):
        paddle.amp.decorate(paddle.nn.Linear(2, 2), dtype="int32")
    for device in ("abacus", 111):
        with pytest.raises(ValueError, match="device"):
            paddle.amp.is_float16_supported(device)


def test_second_level_keeps_to_float32_where_an_input_has_it():
    low, wide = paddle.ones([2, 2], "bfloat16"), paddle.ones([2, 2])
    calls = {
        "add": lambda: low + wide,
        "concat": lambda: paddle.concat([low, wide]),
        "tanh": lambda: paddle.tanh(wide),
        "where": lambda: paddle.where(wide > 0, low, wide),
    }
    for promote, expected in ((True, paddle.float32), (False, paddle.bfloat16)):
        with paddle.amp.auto_cast(level="O2", dtype="bfloat16", use_promote=promote):
            assert {name: call().dtype for name, call in calls.items()} == dict.fromkeys(calls, expected)
            assert (low + low).dtype == paddle.tanh(low).dtype == paddle.matmul(low, wide).dtype == paddle.bfloat16
            assert paddle.exp(low).dtype == paddle.float32


@pytest.mark.parametrize("error", [AssertionError, ValueError])
def test_ratios_that_do_not_grow_or_shrink_are_refused(error):
    scaler = paddle.amp.GradScaler()
    for call in (
        lambda: paddle.amp.GradScaler(incr_ratio=0.5),
        lambda: paddle.amp.AmpScaler(decr_ratio=1.5),
        lambda: scaler.set_incr_ratio(1.0),
        lambda: scaler.set_decr_ratio(2.0),
    ):
        with pytest.raises(error):
            call()

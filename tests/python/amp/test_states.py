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

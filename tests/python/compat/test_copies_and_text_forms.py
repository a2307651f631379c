# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies, pickles and text forms of public objects; the texts are noted from PaddlePaddle 3.3.1."""

import copy
import pickle

import paddle
import pytest


def test_look_ahead_is_copied_with_its_optimizer():
    w = paddle.create_parameter([2], "float32")
    inner = paddle.optimizer.SGD(0.25, parameters=[w])
    for made in (copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))):
        other = made(paddle.incubate.LookAhead(inner, k=3))
        assert other.inner_optimizer is not inner and other.get_lr() == 0.25
    with pytest.raises(AttributeError, match="nothing"):
        other.nothing  # noqa: B018


def test_settings_and_callbacks_are_pickled():
    strategy = paddle.distributed.Strategy({"amp": {"enable": True, "level": "o2"}})
    other = pickle.loads(pickle.dumps(strategy))
    assert (other.amp.enable, other.amp.level, other.to_dict()) == (True, "o2", strategy.to_dict())
    stop = pickle.loads(pickle.dumps(paddle.callbacks.EarlyStopping(mode="max", min_delta=0.5)))
    assert stop.monitor_op(2.0, 1.0) and not stop.monitor_op(1.25, 1.0)


def test_text_forms():
    text = (
        "paddle.finfo(min=-65504, max=65504, eps=0.000976562, resolution=0.001, smallest_normal=6.10352e-05, "
        "tiny=6.10352e-05, bits=16, dtype=float16)"
    )
    assert repr(paddle.finfo("float16")) == text
    config = paddle.quantization.QuantConfig(None, None)
    assert repr(paddle.quantization.QAT(config)) == str(paddle.quantization.PTQ(config)) == "Global config:\nNone\n"
    assert repr(paddle.incubate.nn.FusedFeedForward(4, 8)) == (
        "FusedFeedForward(d_model=4, dim_feedforward=8, dropout_rate=0.1, epsilon=1e-05, activation=relu, "
        "act_dropout_rate=0.1, normalize_before=False, dtype=float32)"
    )
    program = paddle.static.Program()
    assert repr(program) == str(program)

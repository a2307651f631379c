# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What layers, losses and initializers refuse, and what they tell about states that do not fit."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn
from paddle.base.framework import EagerParamBase


def test_a_parameter_of_a_shape_and_a_dtype():
    made = EagerParamBase([2, 3], "float64")
    assert list(made.shape) == [2, 3] and made.dtype == paddle.float64 and not made.stop_gradient
    assert EagerParamBase(shape=[4], dtype="float32").shape == [4]
    assert nn.Parameter(paddle.ones([2])).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        (12, paddle.zeros([1]), TypeError, "name of buffer should be a string"),
        ("b", EagerParamBase([2], "float32"), TypeError, "buffer should be a Paddle.Tensor"),
        ("a.b", paddle.zeros([1]), KeyError, "name of buffer can not contain"),
        ("", paddle.zeros([1]), KeyError, "name of buffer can not be empty"),
        ("taken", paddle.zeros([1]), KeyError, "already exists"),
    ],
)
def test_register_buffer_refuses(name, value, error, text):
    layer = nn.Layer()
    layer.taken = 10
    with pytest.raises(error, match=text):
        layer.register_buffer(name, value)


def test_add_parameter_keeps_other_attributes():
    layer = nn.Layer()
    layer.taken = 10
    with pytest.raises(KeyError, match="already exists"):
        layer.add_parameter("taken", layer.create_parameter([1]))


def test_load_state_dict_names_what_does_not_fit():
    layer = nn.Linear(2, 2)
    found = layer.load_state_dict({"weight": paddle.ones([2, 2]), "other": paddle.ones([1])}, strict=False)
    assert found.missing_keys == ["bias"] and found.unexpected_keys == ["other"]
    assert "matched" in repr(layer.load_state_dict(layer.state_dict()))


@pytest.mark.parametrize("call", [F.mse_loss, F.l1_loss, F.square_error_cost, F.sigmoid_focal_loss])
def test_losses_take_tensors(call):
    with pytest.raises(TypeError, match="must be a Tensor"):
        call(1, paddle.ones([2]))
    with pytest.raises(TypeError, match="must be a Tensor"):
        call(paddle.ones([2]), 1)


def test_other_operands_that_are_refused():
    x = paddle.ones([2, 3])
    with pytest.raises(TypeError):
        F.margin_ranking_loss(x, x, 1)
    with pytest.raises(TypeError):
        F.label_smooth(paddle.ones([2, 3], "int32"))
    with pytest.raises(TypeError):
        F.alpha_dropout(x, p="0.5")
    with pytest.raises(TypeError):
        F.relu(paddle.ones([2], "int32"))
    with pytest.raises(ValueError, match="normalizer"):
        F.sigmoid_focal_loss(x, x, normalizer=x)
    for axis in ([0, -1], [0, 1, 0], [0, 5]):
        with pytest.raises(ValueError, match="axis"):
            F.dropout(x, axis=axis)
    with pytest.raises(ValueError, match="norm_type"):
        nn.utils.clip_grad_norm_(nn.Linear(2, 2).parameters(), 1.0, -2.0)
    with pytest.raises(AssertionError, match="dim"):
        nn.utils.weight_norm(nn.Linear(2, 3), dim=5)
    with pytest.raises(AssertionError, match="2 axes"):
        nn.Linear(3, 3, bias_attr=nn.initializer.Orthogonal())


def test_complex_normal_values_have_half_of_the_variance_in_each_part():
    paddle.seed(3)
    draw = nn.initializer.Normal(mean=2 - 1j, std=2.0)
    values = paddle.create_parameter([200, 200], "complex64", default_initializer=draw).numpy()
    assert values.dtype == np.complex64
    np.testing.assert_allclose(values.mean(), 2 - 1j, atol=0.03)
    np.testing.assert_allclose([values.real.std(), values.imag.std()], np.sqrt(2.0), rtol=0.02)


def test_dirac_and_gains():
    assert nn.init.dirac_(paddle.zeros([2, 2, 3])).tolist() == [[[0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 0]]]
    assert nn.initializer.calculate_gain("conv_transpose2d") == 1.0


def test_summary_of_a_layer_with_a_tuple_of_states():
    found = paddle.summary(nn.LSTM(16, 32, 2), [(-1, 23, 16), ((2, None, 32), (2, -1, 32))])
    assert found["total_params"] == sum(int(np.prod(p.shape)) for p in nn.LSTM(16, 32, 2).parameters())


def test_casts_refuse_what_is_no_place_and_no_layer_class():
    layer = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="device"):
        layer.to(device=1)
    with pytest.raises(AssertionError, match="blocking"):
        layer.to(blocking=1)
    with pytest.raises(TypeError, match="excluded_layers"):
        layer.float(excluded_layers="x")
    with pytest.raises(ValueError, match="dtype"):
        paddle.amp.decorate(layer, level="O2", dtype="int32")
    with pytest.raises(TypeError, match="floating dtype"):
        paddle.metric.accuracy(paddle.ones([2, 2], "int32"), paddle.zeros([2, 1], "int64"))

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


def test_cross_entropy_casts_float_classes_and_checks_its_axis():
    scores = paddle.to_tensor([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]])
    floats = F.cross_entropy(scores, paddle.to_tensor([2.0, 0.0]))
    assert float(floats) == float(F.cross_entropy(scores, paddle.to_tensor([2, 0])))
    with pytest.raises(ValueError, match="axis"):
        F.cross_entropy(scores, paddle.to_tensor([2, 0]), axis=5)
    with pytest.raises(ValueError, match="no dimensions"):
        F.cross_entropy(paddle.to_tensor(1.0), paddle.to_tensor(1))
    with pytest.raises(ValueError, match="epsilon"):
        F.poisson_nll_loss(scores, scores, epsilon=-1)
    for embed, heads in ((8, 3), (-8, 2), (8, 0)):
        with pytest.raises(AssertionError):
            nn.MultiHeadAttention(embed, heads)


def test_settings_of_images_are_checked():
    image = paddle.ones([1, 1, 4, 4])
    with pytest.raises(TypeError, match="align_corners"):
        F.interpolate(image, size=[3, 3], mode="bilinear", align_corners="x")
    with pytest.raises(ValueError, match="align_corners"):
        F.grid_sample(image, paddle.zeros([1, 2, 2, 2]), align_corners="x")
    area = F.interpolate(image, size=[2, 2], mode="area", align_corners=True)
    assert area.tolist() == [[[[1.0, 1.0], [1.0, 1.0]]]]
    for padding, error in (("x", AssertionError), ((1, 2, 3), ValueError)):
        with pytest.raises(error, match="padding"):
            paddle.vision.transforms.Pad(padding)
    with pytest.raises(AssertionError, match="padding_mode"):
        paddle.vision.transforms.Pad(1, padding_mode="x")


def test_a_value_of_another_shape_is_missing_and_unexpected():
    layer = nn.Linear(2, 2)
    with pytest.warns(UserWarning) as told:
        missing, unexpected = layer.set_state_dict({"weight": paddle.ones([3, 2])})
    assert [str(one.message) for one in told] == [
        "Skip loading for weight. weight receives a shape [3, 2], but the expected shape is [2, 2].",
        "Skip loading for bias. bias is not found in the provided dict.",
    ]
    assert sorted(missing) == ["bias", "weight"] and unexpected == ["weight"]


def test_containers_and_bilinear_refuse():
    with pytest.raises(AssertionError):
        nn.ParameterList([1])
    with pytest.raises(AssertionError, match="index"):
        nn.LayerList([nn.ReLU()]).insert(9, nn.ReLU())
    with pytest.raises(ValueError, match="rows"):
        nn.Bilinear(2, 3, 4)(paddle.ones([1, 2]), paddle.ones([2, 3]))


@pytest.mark.parametrize("clip", [nn.ClipGradByNorm(1.0), nn.ClipGradByValue(1.0), nn.ClipGradByGlobalNorm(1.0)])
def test_clipping_leaves_out_parameters_without_gradient(clip):
    pairs = [(paddle.ones([2]), paddle.full([2], 3.0)), (paddle.ones([2]), None)]
    assert len(clip(pairs)) == 1


@pytest.mark.parametrize("name", ["triplet_margin_loss", "poisson_nll_loss"])
def test_losses_do_not_spread_their_arguments(name):
    loss = getattr(paddle.nn.functional, name)
    wide, narrow = paddle.ones([2, 3]), paddle.ones([3])
    with pytest.raises(ValueError, match="must be equal"):
        loss(wide, narrow, wide) if name.startswith("triplet") else loss(wide, narrow)

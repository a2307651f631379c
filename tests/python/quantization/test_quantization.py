# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantization-aware training and calibration: values, gradients, rules and conversion."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.quant import Stub
from paddle.nn.quant.format import ConvertibleQuantedLayer, LinearDequanter, LinearQuanter, LinearQuanterDequanter
from paddle.nn.quant.qat import QuantedConv2D, QuantedLinear
from paddle.nn.quant.stub import QuanterStub
from paddle.quantization import PTQ, QAT, BaseObserver, BaseQuanter, QuantConfig, quanter
from paddle.quantization.config import SingleLayerConfig
from paddle.quantization.observers import AbsmaxObserver, GroupWiseWeightObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
from paddle.quantization.wrapper import ObserveWrapper


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.act, self.fc, self.stub = nn.Conv2D(1, 2, 3), nn.ReLU(), nn.Linear(8, 4), Stub()
        self.fc.weight.set_value(np.linspace(-1, 1, 32).reshape(8, 4).astype("float32"))
        self.fc.bias.set_value(np.zeros(4, "float32"))
        self.conv.weight.set_value(np.full((2, 1, 3, 3), 0.1, "float32"))

    def forward(self, x):
        return self.fc(self.stub(self.act(self.conv(x)).flatten(1)))


def images():
    return paddle.to_tensor(np.linspace(-1, 1, 32).reshape(2, 1, 4, 4).astype("float32"))


def fake():
    return FakeQuanterWithAbsMaxObserver(moving_rate=0.9)


def rule(kind=None, activation=None, weight=None):
    config = QuantConfig(None, None)
    if kind is not None:
        config.add_type_config(kind, activation=activation, weight=weight)
    return config


def test_quanter_follows_the_moving_average_and_passes_gradients():
    layer = fake()._instance(None)
    data = np.array([[1.0, -2.0, 3.0, 50.0]], "float32")
    state, accum = 1.0, 1.0
    for factor in (1.0, 0.1, 0.1):
        x = paddle.to_tensor(data * np.float32(factor), stop_gradient=False)
        out = layer(x)
        accum, state = accum * 0.9 + 50 * factor, state * 0.9 + 1
        scale = accum / state
        np.testing.assert_allclose(layer.scales().numpy(), [scale], rtol=1e-6)
        expected = np.round(np.clip(x.numpy() / scale, -1, 1) * 127) * scale / 127
        np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5)
        out.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), np.ones_like(data))
    layer.eval()
    layer(paddle.full([2], 1e4))
    np.testing.assert_allclose(layer.scales().numpy(), [scale], rtol=1e-6)
    assert (layer.bit_length(), layer.quant_axis(), layer.zero_points()) == (8, -1, None)


def test_the_state_of_a_quanter_is_parameters_that_are_not_trained():
    quanter = FakeQuanterWithAbsMaxObserver()._instance(nn.Linear(2, 2))
    assert [name for name, _ in quanter.named_parameters()] == ["_scale", "_state", "_accum"]
    assert all(p.stop_gradient and not p.trainable and p.shape == [1] for p in quanter.parameters())
    assert all(f".{key[1:]}_" in getattr(quanter, key).name for key in ("_scale", "_state", "_accum"))
    assert not list(quanter.named_buffers())


def test_training_matches_paddlepaddle():
    model = QAT(rule(nn.Linear, fake(), fake())).quantize(Net())
    assert isinstance(model.fc, QuantedLinear) and isinstance(model.conv, nn.Conv2D)
    golden = [
        [-0.08965912461280823, 0.15320885181427002, 0.38651949167251587, 0.6248551607131958],
        [-0.3419758081436157, 0.08823668956756592, 0.5034673810005188, 0.9287253618240356],
        [-0.6576911807060242, -0.07136452198028564, 0.4959612488746643, 1.0783978700637817],
    ]
    for i, row in enumerate(golden):
        out = model(images() * (i + 1))
        np.testing.assert_allclose(out.numpy(), [[0] * 4, row], rtol=1e-4, atol=1e-6)
    out.sum().backward()
    np.testing.assert_allclose(model.fc.weight.grad.numpy()[:3, 0], [0.95953161, 1.13053727, 1.20653975], rtol=1e-5)
    model.eval()
    golden = [-0.09485357999801636, 0.14931201934814453, 0.38390234112739563, 0.6235795021057129]
    np.testing.assert_allclose(model(images()).numpy()[1], golden, rtol=1e-4)
    converted = QAT(rule()).convert(model)
    np.testing.assert_allclose(converted(images()).numpy()[1], golden, rtol=1e-4)
    codes = converted.fc.weight.numpy()
    assert np.array_equal(codes, np.round(codes)) and np.abs(codes).max() == 127
    assert not isinstance(model.fc.weight_quanter, LinearQuanterDequanter)


def test_calibration_matches_paddlepaddle():
    net = Net()
    net.eval()
    ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
    model = ptq.quantize(net)
    kinds = [type(one) for one in (model.conv, model.act, model.fc, model.stub)]
    assert kinds == [QuantedConv2D, ObserveWrapper, QuantedLinear, QuanterStub]
    np.testing.assert_allclose(model(images()).numpy(), net(images()).numpy(), rtol=1e-6)
    model(images() * 0.5)
    np.testing.assert_allclose(model.fc.activation_quanter.scales().item(), 0.60967743, rtol=1e-6)
    golden = [-0.08535265922546387, 0.15770193934440613, 0.3911551535129547, 0.6295981407165527]
    for remain in (False, True):
        converted = ptq.convert(model, remain_weight=remain)
        np.testing.assert_allclose(converted(images()).numpy()[1], golden, rtol=1e-4)
        assert (converted.fc.weight_quanter._quanter is None) == (not remain)
    with pytest.raises(RuntimeError):
        converted.fc._convert()


def test_convolution_keeps_its_arguments():
    conv = nn.Conv2D(2, 4, 3, stride=2, padding=1, dilation=1, groups=2)
    quanted = QuantedConv2D(conv, SingleLayerConfig(None, None))
    x = paddle.rand([1, 2, 7, 7])
    np.testing.assert_allclose(quanted(x).numpy(), conv(x).numpy(), rtol=1e-6)


def test_rules_of_layers_names_and_types():
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Sigmoid()), nn.Linear(2, 2))
    config = rule(nn.Linear, fake())
    config.add_layer_config(net[2], weight=fake())
    config.add_layer_config(net[1], activation=fake(), weight=fake())
    model = QAT(config).quantize(net)
    assert model[0].weight_quanter is None and model[0].activation_quanter is not None
    assert model[2].weight_quanter is not None and model[2].activation_quanter is None
    assert isinstance(model[1][1], ObserveWrapper)
    assert isinstance(net[0], nn.Linear)
    by_name = QuantConfig(None, None)
    by_name.add_name_config([net[2].full_name()], activation=fake())
    model = QAT(by_name).quantize(net)
    assert isinstance(model[0], nn.Linear) and isinstance(model[2], QuantedLinear)
    assert "Layer prefix config" in by_name.details() and config.global_config is None
    with pytest.raises(TypeError):
        config.add_type_config("Linear")
    with pytest.raises(TypeError):
        config.add_name_config(net[0])


def test_mappings_and_leaves():
    class Doubled(nn.Layer):
        def __init__(self, layer, config):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            return self.layer(x) * 2

    net = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))
    config = QuantConfig(activation=fake(), weight=None)
    config.add_qat_layer_mapping(nn.ReLU, Doubled)
    with pytest.raises(AssertionError, match="class of layers"):
        config.add_qat_layer_mapping(nn.ReLU, dict)
    config.add_customized_leaf(nn.Sequential)
    model = QAT(config).quantize(net, inplace=True)
    assert model is net and isinstance(model[0], Doubled) and isinstance(model[1], ObserveWrapper)
    assert config.customized_leaves == [nn.Sequential]
    assert nn.ReLU in config.qat_layer_mappings and nn.ReLU not in config.default_qat_layer_mapping


def test_modes():
    with pytest.raises(AssertionError):
        PTQ(rule()).quantize(nn.Sequential(nn.Linear(2, 2)))
    net = nn.Sequential(nn.Linear(2, 2))
    net.eval()
    with pytest.raises(AssertionError):
        QAT(rule()).quantize(net)


def test_quanter_makes_a_factory():
    @quanter("Scaled")
    class ScaledLayer(BaseQuanter):
        def __init__(self, layer, factor=3):
            super().__init__()
            self.factor = factor

        def forward(self, input):
            return input * self.factor

        def scales(self):
            return paddle.ones([])

        def zero_points(self):
            return None

        def quant_axis(self):
            return -1

        def bit_length(self):
            return 8

    factory = globals()["Scaled"]
    assert str(factory(factor=4)) == "Scaled(factor=4)" and factory(5).args == (5,)
    assert factory(5)._instance(None)(paddle.ones([1])).item() == 5
    for abstract in (BaseQuanter, BaseObserver, ConvertibleQuantedLayer):
        with pytest.raises(TypeError):
            abstract()


@pytest.mark.parametrize("scales, axis", [([2.0], None), ([1.0, 2.0, 3.0], 0), ([1.0, 2.0], 1)])
@pytest.mark.parametrize("bits", [4, 8])
def test_linear_format(scales, axis, bits):
    x = np.array([[0.5, -3], [0.1, 0.2], [5, 1]], "float32")
    top = 2 ** (bits - 1) - 1
    steps = np.array(scales, "float32")
    steps = steps[:, None] if axis == 0 else steps
    codes = LinearQuanter(scales, quant_axis=axis, bit_length=bits)(paddle.to_tensor(x))
    expected = np.clip(np.round(x / steps * top), -top - 1, top)
    np.testing.assert_array_equal(codes.numpy(), expected)
    back = LinearDequanter(scales, quant_axis=axis, bit_length=bits)(codes)
    np.testing.assert_allclose(back.numpy(), expected * steps / top, rtol=1e-6)


def test_groups_of_rows():
    weight = paddle.to_tensor(np.random.default_rng(0).standard_normal((128, 4)).astype("float32"))
    observer = GroupWiseWeightObserver(8, 64)._instance(None)
    with pytest.raises(RuntimeError):
        observer.scales()
    observer(weight)
    np.testing.assert_array_equal(observer.scales().numpy(), np.abs(weight.numpy()).reshape(2, 64, 4).max(1))
    back = LinearQuanterDequanter.from_quanter(observer)(weight)
    steps = np.repeat(observer.scales().numpy(), 64, 0) / 127
    assert (np.abs(back.numpy() - weight.numpy()) <= steps * 0.501).all()
    with pytest.raises(ValueError):
        observer(paddle.ones([65, 4]))
    with pytest.raises(ValueError):
        LinearQuanter(np.ones((3, 4), "float32"), group_size=64)(weight)


def test_a_configuration_counts_as_it_was_when_it_was_given():
    observer = paddle.quantization.observers.AbsmaxObserver()
    config = paddle.quantization.QuantConfig(activation=None, weight=observer)
    ptq = paddle.quantization.PTQ(config)
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2))
    net.eval()
    config.add_layer_config(net[0], activation=None, weight=None)
    assert ptq.quantize(net)[0].weight_quanter is not None


def test_a_converted_network_stays_as_it_is():
    observer = paddle.quantization.observers.AbsmaxObserver()
    ptq = paddle.quantization.PTQ(paddle.quantization.QuantConfig(activation=observer, weight=observer))
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
    net.eval()
    found, x = ptq.quantize(net), paddle.to_tensor([[1.0, -0.5]])
    found(x)
    once = ptq.convert(found)
    twice = ptq.convert(once)
    assert [n for n, _ in once.named_sublayers()] == [n for n, _ in twice.named_sublayers()]
    assert twice(x).tolist() == once(x).tolist()


def test_leaves_of_a_configuration():
    observer = paddle.quantization.observers.AbsmaxObserver()
    net = paddle.nn.Sequential(paddle.nn.Sequential(paddle.nn.Linear(2, 2)))
    config = paddle.quantization.QuantConfig(activation=None, weight=None)
    config.add_customized_leaf(paddle.nn.Sequential)
    config.add_layer_config(net[0], activation=observer, weight=observer)
    config._specify(net)
    assert config._is_customized_leaf(net[0]) and config._is_leaf(net[0]) and not config._is_real_leaf(net[0])
    assert config._need_observe(net[0]) and config._get_observer(net[0]) is not None

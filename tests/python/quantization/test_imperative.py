# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ImperativeQuantAware`, `ImperativePTQ` and the layers they put into networks."""

import numpy as np
import paddle
import pytest
from paddle import nn, quantization
from paddle.nn.quant import quant_layers

X = np.linspace(-1, 2, 12, dtype="float32").reshape(3, 4)


def nearest(x, scale, bits=8):
    """The closed form: multiples of scale / qmax, ties away from zero."""
    top = 2 ** (bits - 1) - 1
    ratio = np.clip(x / scale, -1, 1) * top
    return np.sign(ratio) * np.floor(np.abs(ratio) + 0.5) * scale / top


def test_scale_of_each_call():
    x = paddle.to_tensor(X, stop_gradient=False)
    layer = quant_layers.FakeQuantAbsMax(quant_on_weight=True)
    y = layer(x)
    np.testing.assert_allclose(y.numpy(), nearest(X, 2.0), rtol=1e-6)
    assert layer.state_dict()["_scale"].tolist() == [2.0]
    (y * y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * y.numpy(), rtol=1e-6)  # straight through
    assert not quant_layers.FakeQuantAbsMax().state_dict()


def test_codes_are_rounded_away_from_zero():
    x = paddle.to_tensor([127.0, 2.5, 0.5, 1.5, -2.5, -0.5])
    assert quant_layers.FakeQuantAbsMax()(x).tolist() == [127.0, 3.0, 1.0, 2.0, -3.0, -1.0]
    quanter = quantization.quanters.FakeQuanterWithAbsMaxObserver()._instance(None)
    quanter.eval()
    quanter._scale.set_value(paddle.to_tensor([127.0]))
    assert quanter(x).tolist() == [127.0, 3.0, 1.0, 2.0, -3.0, -1.0]


def test_moving_scales():
    layer = quant_layers.FakeQuantMovingAverageAbsMax()
    layer(paddle.to_tensor(X))
    layer(paddle.to_tensor(2 * X))
    state = {name: value.item() for name, value in layer.state_dict().items()}
    assert state == pytest.approx({"_scale": 6.61 / 2.71, "_state": 2.71, "_accum": 6.61})
    layer.eval()
    np.testing.assert_allclose(layer(paddle.to_tensor(3 * X)).numpy(), nearest(3 * X, 6.61 / 2.71), rtol=1e-5)
    watcher = quant_layers.MovingAverageAbsMaxScale()
    assert (watcher(paddle.to_tensor(X)).numpy() == X).all() and watcher._scale.item() == 2.0


@pytest.mark.parametrize("axis", [0, 1])
def test_scales_of_channels(axis):
    layer = quant_layers.FakeQuantChannelWiseAbsMax(channel_num=X.shape[axis], quant_axis=axis, quant_on_weight=True)
    scale = np.abs(X).max(1 - axis, keepdims=True)
    np.testing.assert_allclose(layer(paddle.to_tensor(X)).numpy(), nearest(X, scale), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layer._scale.numpy(), scale.ravel())
    with pytest.raises(AssertionError):
        quant_layers.FakeQuantChannelWiseAbsMax(channel_num=3)


def network():
    rng = np.random.default_rng(0)
    net = nn.Sequential(
        nn.Conv2D(3, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 5), nn.Conv2DTranspose(2, 2, 1)
    )
    net[0].weight.set_value(rng.standard_normal((4, 3, 3, 3)).astype("float32") * 0.3)
    net[4].weight.set_value(rng.standard_normal((64, 5)).astype("float32") * 0.1)
    return net


def test_which_layers_training_changes():
    net = network()
    net.add_sublayer("pair", nn.quant.add())
    net[0].skip_quant = True
    quantization.ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max").quantize(net)
    inside = [type(child._layer).__name__ for child in net.children()]
    assert inside == ["Conv2D", "BatchNorm2D", "ReLU", "Flatten", "QuantizedLinear", "QuantizedConv2DTranspose", "add"]
    kinds = {type(child).__name__ for child in net.children()}
    assert kinds == {"MAOutputScaleLayer", "FakeQuantMAOutputScaleLayer"}
    assert net[4]._layer._fake_quant_weight._scale.shape == [5]
    assert "4._layer._fake_quant_input._accum" in net.state_dict()
    for wrong in ({"weight_quantize_type": "x"}, {"weight_bits": 20}, {"activation_quantize_type": "abs_max"}):
        with pytest.raises(AssertionError):
            quantization.ImperativeQuantAware(**wrong)


def test_training_sees_quantized_values(tmp_path):
    net = network()[:5]
    float_weight = net[4].weight.numpy()
    quantization.ImperativeQuantAware().quantize(net)
    x = paddle.to_tensor(np.random.default_rng(1).standard_normal((2, 3, 6, 6)).astype("float32"))
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    losses = []
    for _ in range(5):
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] and np.abs(net[4]._layer.weight.numpy() - float_weight).max() > 0
    net.eval()
    linear = net[4]._layer
    flat = paddle.flatten(nn.Sequential(*list(net.children())[:3])(x), 1).numpy()
    weight = linear.weight.numpy()
    expected = nearest(flat, linear._fake_quant_input._scale.item()) @ nearest(weight, np.abs(weight).max())
    np.testing.assert_allclose(net(x).numpy(), expected + linear.bias.numpy(), rtol=1e-4, atol=1e-5)
    quantization.ImperativeQuantAware().save_quantized_model(net, str(tmp_path / "net"), input_spec=[x])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "net"))(x).numpy(), net(x).numpy(), rtol=1e-5, atol=1e-6)


def test_calibration(tmp_path):
    x = paddle.to_tensor(np.random.default_rng(1).standard_normal((2, 3, 6, 6)).astype("float32"))
    net = network()[:5]
    net.eval()
    config = quantization.PTQConfig(quantization.AbsmaxQuantizer(), quantization.PerChannelAbsmaxQuantizer())
    ptq = quantization.ImperativePTQ(config)
    model = ptq.quantize(net)
    assert model is not net and not hasattr(net[0], "_quant_config")
    for factor in (1.0, 2.0, 0.5):
        model(x * factor)
    before = net(x * 2).numpy()
    ptq.save_quantized_model(model, str(tmp_path / "net"), input_spec=[x])
    found = model[0]._quant_config
    assert found.in_act_quantizer.thresholds == [pytest.approx(2 * float(x.abs().max()))]
    np.testing.assert_allclose(found.wt_quantizer.thresholds[0], np.abs(net[0].weight.numpy()).max((1, 2, 3)))
    after = paddle.jit.load(str(tmp_path / "net"))(x * 2).numpy()
    assert 0 < np.abs(after - before).max() < 0.05 * np.abs(before).max()


def test_batch_norm_is_folded():
    net = network()[:3]
    net[1]._mean.set_value(paddle.to_tensor([0.1, 0.2, -0.3, 0.4]))
    net[1]._variance.set_value(paddle.to_tensor([0.5, 2.0, 1.0, 3.0]))
    net.eval()
    x = paddle.randn([1, 3, 6, 6])
    folded = quantization.ImperativePTQ().quantize(net, fuse=True, fuse_list=[["0", "1"]])
    assert isinstance(folded[1], nn.Identity)
    np.testing.assert_allclose(folded(x).numpy(), net(x).numpy(), rtol=1e-4, atol=1e-5)


def test_thresholds_of_histograms():
    values = (paddle.to_tensor(np.random.RandomState(0).randn(1000).astype("float32")),)
    kl = quantization.KLQuantizer()
    kl.sample_data(None, values)
    kl.cal_thresholds()
    assert kl.thresholds == [pytest.approx(2.8364232, rel=1e-6)]  # PaddlePaddle's
    part = quantization.HistQuantizer(hist_percent=0.9)
    for factor in (0.25, 1.0):
        part.sample_data(None, (values[0] * factor,))
    part.cal_thresholds()
    assert part.hists[0].sum() == pytest.approx(2000, rel=1e-5)
    both = np.abs(np.concatenate([values[0].numpy(), values[0].numpy() / 4]))
    assert part.thresholds == [pytest.approx(np.quantile(both, 0.9), rel=0.02)]
    with pytest.raises(AssertionError):
        quantization.PTQConfig(quantization.PerChannelAbsmaxQuantizer(), quantization.AbsmaxQuantizer())

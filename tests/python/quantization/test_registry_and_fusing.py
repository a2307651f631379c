# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`PTQRegistry`, and batch normalisation that is taken into the layer before it."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.quantization.imperative import PTQRegistry, fuse_utils
from paddle.quantization.imperative.ptq_registry import SIMULATED_LAYERS


def test_registry():
    assert PTQRegistry.is_supported_layer(nn.Linear(2, 3)) and PTQRegistry.is_supported_layer(nn.ReLU)
    assert not PTQRegistry.is_supported_layer(nn.GELU())
    assert not PTQRegistry.is_supported_layer(nn.quant.quant_layers.QuantizedLinear)
    assert PTQRegistry.is_registered_layer(nn.quant.quant_layers.QuantizedLinear)
    assert [PTQRegistry.is_simulated_quant_layer(kind) for kind in (nn.Linear, nn.ReLU)] == [True, False]
    assert SIMULATED_LAYERS == [nn.Conv2D, nn.Linear]
    info = PTQRegistry.layer_info(nn.Linear(2, 3))
    assert (info.layer, info.input_names, info.weight_names, info.output_names) == (nn.Linear, ["X"], ["Y"], ["Out"])
    assert PTQRegistry.layer_info(nn.quant.functional_layers.add).input_names == ["X", "Y"]
    with pytest.raises(AssertionError, match="GELU is not registered"):
        PTQRegistry.layer_info(nn.GELU())


@pytest.mark.parametrize("bias", [None, False])
@pytest.mark.parametrize("kind", ["conv", "linear"])
def test_fused_layers_give_the_same(kind, bias):
    pair = {
        "conv": lambda: (nn.Conv2D(2, 3, 2, bias_attr=bias), nn.BatchNorm2D(3)),
        "linear": lambda: (nn.Linear(4, 3, bias_attr=bias), nn.BatchNorm1D(3)),
    }[kind]()
    model = nn.Sequential(nn.Sequential(*pair), nn.ReLU())
    norm = model[0][1]
    for name, values in (
        ("_mean", [0.5, -1, 2]),
        ("_variance", [1, 4, 0.25]),
        ("weight", [1, 2, -1]),
        ("bias", [0, 1, 3]),
    ):
        getattr(norm, name).set_value(np.array(values, "float32"))
    model.eval()
    x = paddle.rand([2, 2, 4, 4] if kind == "conv" else [5, 4])
    fused = fuse_utils.fuse_layers(model, [["0.0", "0.1"]])
    assert isinstance(fused[0][1], fuse_utils.Identity) and model[0][1] is norm
    np.testing.assert_allclose(fused(x), model(x), rtol=1e-5, atol=1e-5)
    assert fuse_utils.fuse_layers(model, [["0.0", "0.1"]], inplace=True) is model


def test_layers_that_cannot_be_fused():
    model = nn.Sequential(nn.Conv2D(1, 2, 2), nn.BatchNorm2D(2), nn.ReLU())
    with pytest.raises(NotImplementedError, match=r"eval\(\)"):
        fuse_utils.fuse_layers(model, [["0", "1"]])
    model.eval()
    with pytest.raises(NotImplementedError, match="Conv2D and ReLU"):
        fuse_utils.fuse_layers(model, [["0", "2"]])
    with pytest.raises(NotImplementedError, match="3 layers"):
        fuse_utils.fuse_layers(model, [["0", "1", "2"]])

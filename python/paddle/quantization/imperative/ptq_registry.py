# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The layers that calibration knows, and the names of their inputs, weights and outputs in PaddlePaddle 2."""

from ... import nn
from ...nn.quant import functional_layers, quant_layers


class LayerInfo:
    """A class of layers with the names of its inputs, weights and outputs."""

    def __init__(self, layer, input_names, weight_names, output_names):
        self.layer = layer
        self.input_names, self.weight_names, self.output_names = input_names, weight_names, output_names


_OF_ONE_TENSOR = (
    *(nn.AdaptiveMaxPool2D, nn.AdaptiveAvgPool2D, nn.AvgPool2D, nn.MaxPool2D),
    *(nn.ReLU, nn.ReLU6, nn.Hardswish, nn.Swish, nn.Sigmoid, nn.Softmax, nn.Tanh),
)
PTQ_LAYERS_INFO = [
    LayerInfo(nn.Conv2D, ["Input"], ["Filter"], ["Output"]),
    LayerInfo(nn.Linear, ["X"], ["Y"], ["Out"]),
    LayerInfo(nn.BatchNorm2D, ["X"], [], ["Y"]),
    *(LayerInfo(kind, ["X"], [], ["Out"]) for kind in _OF_ONE_TENSOR),
    LayerInfo(functional_layers.add, ["X", "Y"], [], ["Out"]),
]
QUANT_LAYERS_INFO = [
    LayerInfo(quant_layers.QuantizedConv2D, ["Input"], ["Filter"], ["Output"]),
    LayerInfo(quant_layers.QuantizedLinear, ["X"], ["Y"], ["Out"]),
]
SIMULATED_LAYERS = [nn.Conv2D, nn.Linear]


class PTQRegistry:
    """What calibration knows of classes of layers; its methods take a layer or a class.

    Example:
        >>> import paddle
        >>> from paddle.quantization.imperative import PTQRegistry
        >>> PTQRegistry.is_supported_layer(paddle.nn.Linear(2, 3))
        True
        >>> PTQRegistry.layer_info(paddle.nn.Conv2D).weight_names
        ['Filter']
    """

    supported_layers_map = {info.layer: info for info in PTQ_LAYERS_INFO}
    registered_layers_map = {**supported_layers_map, **{info.layer: info for info in QUANT_LAYERS_INFO}}
    is_inited = True

    @staticmethod
    def _class_of(layer):
        return layer if isinstance(layer, type) else type(layer)

    @classmethod
    def is_supported_layer(cls, layer):
        """Whether calibration observes layers of this class."""
        return cls._class_of(layer) in cls.supported_layers_map

    @classmethod
    def is_registered_layer(cls, layer):
        """Whether the class is known, as a layer to calibrate or as one that was made of such."""
        return cls._class_of(layer) in cls.registered_layers_map

    @classmethod
    def is_simulated_quant_layer(cls, layer):
        """Whether layers of this class are replaced by ones that quantize their weights."""
        return cls._class_of(layer) in SIMULATED_LAYERS

    @classmethod
    def layer_info(cls, layer):
        """The LayerInfo of a known class; AssertionError for others."""
        kind = cls._class_of(layer)
        if kind not in cls.registered_layers_map:
            raise AssertionError(f"PTQRegistry: {kind.__name__} is not registered.")
        return cls.registered_layers_map[kind]

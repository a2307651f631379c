# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear and convolution layers that quantize their input and weight."""

from .. import functional as F
from ..layer.conv import Conv2D
from .format import ConvertibleQuantedLayer

_CONVOLUTION = ("_stride", "_padding", "_padding_mode", "_dilation", "_groups", "_data_format")


class _Quanted(ConvertibleQuantedLayer):
    """Takes over the parameters of `layer` and puts the quanters of `q_config` before them."""

    def __init__(self, layer, q_config):
        super().__init__()
        self.weight = layer.weight
        self.bias = layer.bias
        self.name = getattr(layer, "name", None)
        self.weight_quanter = None
        self.activation_quanter = None
        if q_config.weight is not None:
            self.weight_quanter = q_config.weight._instance(layer)
        if q_config.activation is not None:
            self.activation_quanter = q_config.activation._instance(layer)

    def _quanted(self, input):
        if self.activation_quanter is not None:
            input = self.activation_quanter(input)
        weight = self.weight if self.weight_quanter is None else self.weight_quanter(self.weight)
        return input, weight

    def weights_to_quanters(self):
        """The weight and its quanter."""
        return [("weight", "weight_quanter")]

    def activation_quanters(self):
        """The quanter of the input."""
        return ["activation_quanter"]


class QuantedLinear(_Quanted):
    """`nn.Linear` on a quantized input and weight.

    Args:
        layer: The linear layer.
        q_config: Its configuration, with the factories `activation` and `weight`.
    """

    def forward(self, input):
        """The product; input [..., in_features]."""
        input, weight = self._quanted(input)
        return F.linear(input, weight, self.bias)


class QuantedConv2D(_Quanted):
    """`nn.Conv2D` on a quantized input and weight.

    Args:
        layer: The convolution.
        q_config: Its configuration, with the factories `activation` and `weight`.
    """

    _axes = 2

    def __init__(self, layer, q_config):
        super().__init__(layer, q_config)
        for name in _CONVOLUTION:
            setattr(self, name, getattr(layer, name))

    def forward(self, input):
        """The convolution of a [N, C, H, W] input (or in the layer's data format)."""
        input, weight = self._quanted(input)
        input, padding = Conv2D._padded(self, input)
        return F.conv2d(
            input, weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format
        )

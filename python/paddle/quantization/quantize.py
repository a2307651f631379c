# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Networks with quanters in their layers, and their conversion to fixed scales."""

import copy

from ..nn.quant.format import ConvertibleQuantedLayer, LinearQuanterDequanter
from .base_quanter import BaseQuanter


class Quantization:
    """What training and calibration share: putting quanters in, and fixing them.

    Args:
        config: A `QuantConfig`; what is added to it later does not count.
    """

    def __init__(self, config):
        self._config = copy.deepcopy(config)

    def __str__(self):
        return str(self._config)

    __repr__ = __str__

    def _insert(self, model, inplace):
        model = model if inplace else copy.deepcopy(model)
        self._config._specify(model)
        self._replace_children(model)
        return model

    def _replace_children(self, layer):
        for name, child in list(layer.named_children()):
            if self._config._is_quantifiable(child):
                layer._sub_layers[name] = self._config._get_qat_layer(child)
            elif self._config._need_observe(child):
                layer._sub_layers[name] = self._config._get_observe_wrapper(child)
            elif not self._config._is_leaf(child):
                self._replace_children(child)

    def convert(self, model, inplace=False, remain_weight=False):
        """Fixes the scales of a quantized network.

        Args:
            model: A network from `quantize`, trained or calibrated.
            inplace: Whether to change `model` itself.
            remain_weight: Keeps weights as values; otherwise they become codes.

        Returns:
            The network, whose quanters are quantize-dequantize layers.
        """
        model = model if inplace else copy.deepcopy(model)
        self._convert_children(model, remain_weight)
        return model

    def _convert_children(self, layer, remain_weight):
        for name, child in list(layer.named_children()):
            if isinstance(child, ConvertibleQuantedLayer):
                if not child.converted:
                    child._convert(remain_weight=remain_weight)
            elif isinstance(child, LinearQuanterDequanter):
                continue
            elif isinstance(child, BaseQuanter):
                if hasattr(child, "cal_thresholds"):
                    child.cal_thresholds()
                layer._sub_layers[name] = LinearQuanterDequanter.from_quanter(child)
            else:
                self._convert_children(child, remain_weight)


class QAT(Quantization):
    """Quantization-aware training: layers see quantized values, gradients pass straight through.

    Args:
        config: A `QuantConfig`.

    Example:
        >>> import paddle
        >>> from paddle.quantization import QAT, QuantConfig
        >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
        >>> qat = QAT(QuantConfig(activation=quanter, weight=quanter))
        >>> model = qat.quantize(paddle.nn.Sequential(paddle.nn.Linear(4, 2)))
        >>> print(model(paddle.ones([1, 4])).shape)
        paddle.Size([1, 2])
    """

    def __init__(self, config):
        super().__init__(config)

    def quantize(self, model, inplace=False):
        """The network with quanters, ready to be trained.

        Args:
            model: A network in training mode.
            inplace: Whether to change `model` itself.
        """
        assert model.training, (
            "Quantization-Aware Training should work on training models. Please set training mode by model.train()."
        )
        return self._insert(model, inplace)


class PTQ(Quantization):
    """Post-training quantization: observers collect the range of every value on sample data.

    Args:
        config: A `QuantConfig` with observers.

    Example:
        >>> import paddle
        >>> from paddle.quantization import PTQ, QuantConfig
        >>> from paddle.quantization.observers import AbsmaxObserver
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(4, 2))
        >>> model.eval()
        Sequential(
          (0): Linear(in_features=4, out_features=2, dtype=float32)
        )
        >>> ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
        >>> model = ptq.quantize(model)
        >>> out = model(paddle.ones([1, 4]))
        >>> model = ptq.convert(model)
    """

    def __init__(self, config):
        super().__init__(config)

    def quantize(self, model, inplace=False):
        """The network with observers, ready for sample data.

        Args:
            model: A network in evaluation mode.
            inplace: Whether to change `model` itself.
        """
        assert not model.training, (
            "Post-Training Quantization should not work on training models. Please set evaluation mode by model.eval()."
        )
        return self._insert(model, inplace)

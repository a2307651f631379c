# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantization by a moving average of the largest magnitude."""

from ...framework.modes import no_grad
from ...nn.quant.rounding import fake_quantize, register_states
from ..base_quanter import BaseQuanter
from ..factory import QuanterFactory


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """Factory of quanters whose scale is a moving average of the largest magnitude.

    Args:
        moving_rate: Weight of the past in the average.
        bit_length: Bits of a code.
        dtype: dtype of the scale.
        name: Prefix of the names of the scale and its sums.

    Example:
        >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> print(FakeQuanterWithAbsMaxObserver(moving_rate=0.9).kwargs["moving_rate"])
        0.9
    """

    def __init__(self, moving_rate=0.9, bit_length=8, dtype="float32", name=None):
        super().__init__(name=name, moving_rate=moving_rate, bit_length=bit_length, dtype=dtype)

    def _get_class(self):
        return FakeQuanterWithAbsMaxObserverLayer


class FakeQuanterWithAbsMaxObserverLayer(BaseQuanter):
    """The quanter: y = round(clip(x / scale) * qmax) * scale / qmax, with the gradient of y = x.

    Args:
        layer: The layer it serves.
        name: Prefix of the names of its tensors.
        moving_rate: Weight of the past in the average.
        bit_length: Bits of a code.
        dtype: dtype of the scale.
    """

    def __init__(self, layer, name=None, moving_rate=0.9, bit_length=8, dtype="float32"):
        super().__init__()
        if not 2 <= bit_length <= 16:
            raise ValueError(f"FakeQuanterWithAbsMaxObserver: bit_length must be between 2 and 16, got {bit_length}.")
        self._moving_rate = moving_rate
        self._bit_length = bit_length
        register_states(self, name or "quant_dequant", dtype, _scale=0.001, _state=1.0, _accum=1.0)

    def forward(self, input):
        """The input as its codes represent it; in training the scale follows the input first."""
        with no_grad():
            if self.training and input.size:
                self._follow(input)
        return fake_quantize(input, self._scale, self._bit_length)

    def _follow(self, input):
        largest = input.abs().max().astype(self._scale.dtype).reshape([1])
        self._accum.set_value(self._accum * self._moving_rate + largest)
        self._state.set_value(self._state * self._moving_rate + 1.0)
        self._scale.set_value(self._accum / self._state)

    def bit_length(self):
        """Bits of a code."""
        return self._bit_length

    def quant_axis(self):
        """-1: one scale for the whole tensor."""
        return -1

    def scales(self):
        """The scale, [1]."""
        return self._scale

    def zero_points(self):
        """None: the codes are symmetric."""
        return None

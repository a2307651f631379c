# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The largest magnitude of everything seen."""

from ... import tensor
from ...framework.modes import no_grad
from ..base_observer import BaseObserver
from ..factory import ObserverFactory


class AbsmaxObserver(ObserverFactory):
    """Factory of observers whose scale is the largest magnitude seen.

    Args:
        quant_bits: Bits of a code.
    """

    def __init__(self, quant_bits=8):
        super().__init__(quant_bits=quant_bits)

    def _get_class(self):
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(BaseObserver):
    """The observer; the input passes unchanged.

    Args:
        layer: The layer it serves.
        quant_bits: Bits of a code.
    """

    def __init__(self, layer, quant_bits=8):
        super().__init__()
        self._quant_bits = quant_bits
        self._largest = tensor.to_tensor(1e-7, dtype="float32")

    def forward(self, input):
        """The input itself."""
        with no_grad():
            if input.size:
                self._largest = tensor.maximum(self._largest, input.detach().abs().max().astype("float32"))
        return input

    def cal_thresholds(self):
        """Nothing is left to compute: the scale is the maximum."""

    def bit_length(self):
        """Bits of a code."""
        return self._quant_bits

    def quant_axis(self):
        """-1: one scale for the whole tensor."""
        return -1

    def scales(self):
        """The scale, a 0-d tensor."""
        return self._largest

    def zero_points(self):
        """0: the codes are symmetric."""
        return tensor.zeros([], "float32")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The largest magnitude of each group of rows of a weight."""

from ... import tensor
from ...framework.modes import no_grad
from ..base_observer import BaseObserver
from ..factory import ObserverFactory


class GroupWiseWeightObserver(ObserverFactory):
    """Factory of observers of weights with one scale a column and group of rows.

    Args:
        quant_bits: Bits of a code.
        group_size: Rows of a group: 64 or 128.
    """

    def __init__(self, quant_bits=8, group_size=128):
        super().__init__(quant_bits=quant_bits, group_size=group_size)

    def _get_class(self):
        return GroupWiseWeightObserverLayer


class GroupWiseWeightObserverLayer(BaseObserver):
    """The observer of a [K, N] weight; the weight passes unchanged.

    Args:
        layer: The layer it serves.
        quant_bits: Bits of a code.
        group_size: Rows of a group: 64 or 128.
    """

    def __init__(self, layer, quant_bits=8, group_size=128):
        super().__init__()
        if group_size not in (64, 128):
            raise ValueError(f"GroupWiseWeightObserver: group_size must be 64 or 128, got {group_size}.")
        self._quant_bits = quant_bits
        self._group_size = group_size
        self._largest = None

    def forward(self, input):
        """The weight itself."""
        if input.ndim != 2 or input.shape[0] % self._group_size:
            raise ValueError(
                f"GroupWiseWeightObserver: the weight must be a matrix whose rows divide into groups of "
                f"{self._group_size}, got shape {list(input.shape)}."
            )
        with no_grad():
            rows, columns = input.shape
            groups = input.detach().abs().reshape([rows // self._group_size, self._group_size, columns])
            self._largest = tensor.clip(groups.max(axis=1).astype("float32"), min=1e-7)
        return input

    def cal_thresholds(self):
        """Nothing is left to compute: the scales are the maxima."""

    def bit_length(self):
        """Bits of a code."""
        return self._quant_bits

    def quant_axis(self):
        """-1: the columns are the channels."""
        return -1

    def scales(self):
        """The scales, [K / group_size, N]."""
        if self._largest is None:
            raise RuntimeError("GroupWiseWeightObserver: no weight has been observed; run the model first.")
        return self._largest

    def zero_points(self):
        """Zeros: the codes are symmetric."""
        return tensor.zeros_like(self.scales())

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of every quanter."""

import abc

from ..nn.layer.layers import Layer


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """A layer that simulates quantization and knows the scales of what passed through it."""

    def __init__(self):
        super().__init__()

    @abc.abstractmethod
    def forward(self, input):
        """The input as its codes represent it."""

    @abc.abstractmethod
    def scales(self):
        """Magnitude of the largest code: a tensor."""

    @abc.abstractmethod
    def zero_points(self):
        """Codes of the value 0; None where the codes are symmetric."""

    @abc.abstractmethod
    def quant_axis(self):
        """Axis of the channels; -1 when one scale serves all of them."""

    @abc.abstractmethod
    def bit_length(self):
        """Bits of a code."""

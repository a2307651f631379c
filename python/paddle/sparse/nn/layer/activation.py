# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Activations of sparse tensors as layers."""

from ....nn import Layer
from .. import functional as F


class _Activation(Layer):
    """What the activations share: their name and printed form."""

    def __init__(self, name):
        super().__init__()
        self._name = name

    def extra_repr(self):
        """What repr shows behind the name of the class."""
        return f"name={self._name}" if self._name else ""


class ReLU(_Activation):
    """`paddle.sparse.nn.functional.relu` as a layer."""

    def __init__(self, name=None):
        super().__init__(name)

    def forward(self, x):
        """The sparse tensor with activated values."""
        return F.relu(x)


class ReLU6(_Activation):
    """`paddle.sparse.nn.functional.relu6` as a layer."""

    def __init__(self, name=None):
        super().__init__(name)

    def forward(self, x):
        """The sparse tensor with activated values."""
        return F.relu6(x)


class LeakyReLU(_Activation):
    """`paddle.sparse.nn.functional.leaky_relu` as a layer.

    Args:
        negative_slope: Slope below 0.
        name: Shown by repr.
    """

    def __init__(self, negative_slope=0.01, name=None):
        super().__init__(name)
        self._negative_slope = negative_slope

    def forward(self, x):
        """The sparse tensor with activated values."""
        return F.leaky_relu(x, self._negative_slope)


class Softmax(_Activation):
    """`paddle.sparse.nn.functional.softmax` as a layer.

    Args:
        axis: The axis; the last one in CSR form.
        name: Shown by repr.
    """

    def __init__(self, axis=-1, name=None):
        super().__init__(name)
        self._axis = axis

    def forward(self, x):
        """The sparse tensor with normalised values."""
        return F.softmax(x, self._axis)

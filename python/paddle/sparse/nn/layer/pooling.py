# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling of sparse tensors as layers."""

from ....nn import Layer
from .. import functional as F


class MaxPool3D(Layer):
    """`paddle.sparse.nn.functional.max_pool3d` as a layer.

    Args:
        kernel_size: An int, or one for each spatial axis.
        stride: The same; kernel_size if None.
        padding: The same, or "SAME", or "VALID".
        return_mask: Always False.
        ceil_mode: Windows that reach over the end count too.
        data_format: Always "NDHWC".
        name: Unused.

    Raises:
        ValueError: return_mask is True.
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NDHWC", name=None
    ):
        super().__init__()
        if return_mask:
            raise ValueError("sparse.nn.MaxPool3D: return_mask is True; only False is available.")
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.return_mask, self.ceil_mode, self.data_format = return_mask, ceil_mode, data_format
        self.name = name

    def forward(self, x):
        """The pooled sparse tensor."""
        return F.max_pool3d(x, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format)

    def extra_repr(self):
        """What repr shows behind the name of the class."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"

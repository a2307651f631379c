# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling layers whose windows follow from the size of the result: adaptive and fractional ones."""

from ...tensor._args import aliases
from .. import functional as F
from .computed import computed
from .layers import Layer


class _AdaptiveAveragePool(Layer):
    """What the adaptive average pools of images and volumes share; `_pool` is the function."""

    def _keep(self, output_size, data_format, name):
        self._output_size = output_size
        self._data_format = data_format
        self._name = name

    @aliases(input="x")
    def forward(self, x):
        return self._pool(x, self._output_size, self._data_format)

    output_size = computed(lambda self: self._output_size, doc="The size of the result.")

    def extra_repr(self):
        return f"output_size={self._output_size}"


class _AdaptiveMaximumPool(Layer):
    """What the adaptive maximum pools of images and volumes share; `_pool` is the function."""

    @aliases(return_indices="return_mask")
    def __init__(self, output_size, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._return_mask = return_mask
        self._name = name

    @aliases(input="x")
    def forward(self, x):
        return self._pool(x, self._output_size, self._return_mask)

    return_indices = computed(lambda self: self._return_mask, doc="Whether positions are given too.")

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class _FractionalPool(Layer):
    """What the fractional maximum pools share; `_pool` is the function."""

    def __init__(self, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._kernel_size = kernel_size
        self._random_u = random_u
        self._return_mask = return_mask
        self._name = name

    def forward(self, x):
        return self._pool(x, self._output_size, self._kernel_size, self._random_u, self._return_mask)

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveAvgPool1D(Layer):
    """Averages of output_size windows of sequences [N, C, L], whatever their length.

    Args:
        output_size: Number of windows.
        name: Unused.

    Example:
        >>> paddle.nn.AdaptiveAvgPool1D(2)(paddle.to_tensor([[[1.0, 3.0, 5.0, 7.0]]])).tolist()
        [[[2.0, 6.0]]]
    """

    def __init__(self, output_size, name=None):
        super().__init__()
        self.output_size = output_size
        self.name = name

    def forward(self, input):
        return F.adaptive_avg_pool1d(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2D(_AdaptiveAveragePool):
    """Average of `output_size` windows that cut images [N, C, H, W], whatever their size.

    Args:
        output_size: Number of windows: an int, or one for each axis; None keeps the extent.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> paddle.nn.AdaptiveAvgPool2D(1)(paddle.ones([2, 3, 7, 5])).shape
        paddle.Size([2, 3, 1, 1])
    """

    _pool = staticmethod(F.adaptive_avg_pool2d)

    def __init__(self, output_size, data_format="NCHW", name=None):
        super().__init__()
        self._keep(output_size, data_format, name)


class AdaptiveAvgPool3D(_AdaptiveAveragePool):
    """Average of `output_size` windows that cut volumes [N, C, D, H, W], whatever their size.

    Args:
        output_size: Number of windows: an int, or one for each axis; None keeps the extent.
        data_format: "NCDHW" or "NDHWC".
        name: Unused.

    Example:
        >>> paddle.nn.AdaptiveAvgPool3D(1)(paddle.ones([2, 3, 4, 7, 5])).shape
        paddle.Size([2, 3, 1, 1, 1])
    """

    _pool = staticmethod(F.adaptive_avg_pool3d)

    def __init__(self, output_size, data_format="NCDHW", name=None):
        super().__init__()
        self._keep(output_size, data_format, name)


class AdaptiveMaxPool1D(Layer):
    """Maxima of output_size windows of sequences [N, C, L], whatever their length.

    Args:
        output_size: Number of windows.
        return_mask: Whether the positions of the maxima are given as well.
        name: Unused.

    Example:
        >>> paddle.nn.AdaptiveMaxPool1D(2)(paddle.to_tensor([[[1.0, 3.0, 7.0, 5.0]]])).tolist()
        [[[3.0, 7.0]]]
    """

    @aliases(return_indices="return_mask")
    def __init__(self, output_size, return_mask=False, name=None):
        super().__init__()
        self.output_size = output_size
        self.return_mask = return_mask
        self.name = name

    def forward(self, input):
        return F.adaptive_max_pool1d(input, self.output_size, self.return_mask)

    return_indices = computed(lambda self: self.return_mask, doc="Whether positions are given too.")

    def extra_repr(self):
        return f"output_size={self.output_size}, return_mask={self.return_mask}"


class AdaptiveMaxPool2D(_AdaptiveMaximumPool):
    """Maxima of output_size windows of images [N, C, H, W], whatever their size.

    Args:
        output_size: An int, or one for each of the two axes; None keeps an axis.
        return_mask: Whether the positions of the maxima are given as well.
        name: Unused.

    Example:
        >>> paddle.nn.AdaptiveMaxPool2D(1)(paddle.to_tensor([[[[1.0, 3.0], [5.0, 7.0]]]])).tolist()
        [[[[7.0]]]]
    """

    _pool = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3D(_AdaptiveMaximumPool):
    """Maxima of output_size windows of volumes [N, C, D, H, W], whatever their size.

    Args:
        output_size: An int, or one for each of the three axes; None keeps an axis.
        return_mask: Whether the positions of the maxima are given as well.
        name: Unused.

    Example:
        >>> paddle.nn.AdaptiveMaxPool3D(1)(paddle.ones([2, 3, 4, 7, 5])).shape
        paddle.Size([2, 3, 1, 1, 1])
    """

    _pool = staticmethod(F.adaptive_max_pool3d)


class FractionalMaxPool2D(_FractionalPool):
    """Maximum of windows of varying size over images [N, C, H, W] (Graham 2015, arXiv:1412.6071).

    Args:
        output_size: Number of windows: an int, or one for each axis.
        kernel_size: Size of overlapping windows; None: windows that lie side by side.
        random_u: The number in (0, 1) that decides where windows begin; None: drawn at each call.
        return_mask: Whether the positions of the maxima are given as well.
        name: Unused.

    Example:
        >>> paddle.nn.FractionalMaxPool2D(3, random_u=0.3)(paddle.ones([1, 1, 7, 7])).shape
        paddle.Size([1, 1, 3, 3])
    """

    _pool = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3D(_FractionalPool):
    """Maximum of windows of varying size over volumes [N, C, D, H, W] (Graham 2015, arXiv:1412.6071).

    Args:
        output_size: Number of windows: an int, or one for each axis.
        kernel_size: Size of overlapping windows; None: windows that lie side by side.
        random_u: The number in (0, 1) that decides where windows begin; None: drawn at each call.
        return_mask: Whether the positions of the maxima are given as well.
        name: Unused.

    Example:
        >>> paddle.nn.FractionalMaxPool3D(3, random_u=0.3)(paddle.ones([1, 1, 7, 7, 7])).shape
        paddle.Size([1, 1, 3, 3, 3])
    """

    _pool = staticmethod(F.fractional_max_pool3d)

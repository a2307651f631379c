# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling layers: the functions of `paddle.nn.functional` with their arguments kept."""

from ...tensor._args import aliases
from .. import functional as F
from .computed import computed
from .layers import Layer

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
    "LPPool1D",
    "LPPool2D",
    "FractionalMaxPool2D",
    "FractionalMaxPool3D",
    "AdaptiveAvgPool1d",
    "AdaptiveMaxPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class AvgPool1D(Layer):
    """Average of the windows of sequences [N, C, L]; see `paddle.nn.functional.avg_pool1d`.

    Args:
        kernel_size: Length of the windows.
        stride: Distance of the windows; None: their length.
        padding: Elements added at the ends; also "SAME" or "VALID".
        exclusive: Whether added elements are left out of the averages.
        ceil_mode: Whether a last window may hang over.
        name: Unused.

    Example:
        >>> paddle.nn.AvgPool1D(2)(paddle.to_tensor([[[1.0, 3.0, 5.0, 7.0]]])).tolist()
        [[[2.0, 6.0]]]
    """

    def __init__(self, kernel_size, stride=None, padding=0, exclusive=True, ceil_mode=False, name=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.exclusive = exclusive
        self.name = name

    def forward(self, x):
        return F.avg_pool1d(x, self.kernel_size, self.stride, self.padding, self.exclusive, self.ceil_mode)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2D(Layer):
    """Average of the windows of images [N, C, H, W]; see `paddle.nn.functional.avg_pool2d`.

    Args:
        kernel_size: Size of the windows: an int, or one for each of the two axes.
        stride: Distance of the windows; None: their size.
        padding: Elements that are added at the ends; also "SAME" or "VALID".
        ceil_mode: Whether a last window may hang over.
        exclusive: Whether added elements are left out of the averages.
        divisor_override: What sums are divided by; None: the number of elements.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Examples:
        >>> paddle.nn.AvgPool2D(2)(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 3, 4, 4])
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        exclusive=True,
        divisor_override=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.exclusive = exclusive
        self.divisor = divisor_override
        self.data_format = data_format
        self.name = name

    def forward(self, x):
        return F.avg_pool2d(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor, self.data_format
        )

    def extra_repr(self):
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class AvgPool3D(Layer):
    """Average of the windows of volumes [N, C, D, H, W]; see `paddle.nn.functional.avg_pool3d`.

    Args:
        kernel_size: Size of the windows: an int, or one for each of the three axes.
        stride: Distance of the windows; None: their size.
        padding: Elements added at the ends; also "SAME" or "VALID".
        ceil_mode: Whether a last window may hang over.
        exclusive: Whether added elements are left out of the averages.
        divisor_override: What sums are divided by; None: the number of elements.
        data_format: "NCDHW" or "NDHWC".
        name: Unused.

    Example:
        >>> paddle.nn.AvgPool3D(2)(paddle.ones([1, 3, 4, 4, 4])).shape
        paddle.Size([1, 3, 2, 2, 2])
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        exclusive=True,
        divisor_override=None,
        data_format="NCDHW",
        name=None,
    ):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.exclusive = exclusive
        self.divisor = divisor_override
        self.data_format = data_format
        self.name = name

    def forward(self, x):
        return F.avg_pool3d(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor, self.data_format
        )

    def extra_repr(self):
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class MaxPool1D(Layer):
    """Maximum of the windows of sequences [N, C, L]; arguments as `paddle.nn.functional.max_pool1d`."""

    def __init__(self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, name=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.return_mask = return_mask
        self.ceil_mode = ceil_mode
        self.name = name

    def forward(self, input):
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.return_mask, self.ceil_mode)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool2D(Layer):
    """Maximum of the windows of images [N, C, H, W]; see `paddle.nn.functional.max_pool2d`.

    Args:
        kernel_size: Size of the windows: an int, or one for each of the two axes.
        stride: Distance of the windows; None: their size.
        padding: Elements that are added at the ends; also "SAME" or "VALID".
        return_mask: Whether the positions of the maxima are returned too.
        ceil_mode: Whether a last window may hang over.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Examples:
        >>> paddle.nn.MaxPool2D(2)(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 3, 4, 4])
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCHW", name=None
    ):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.return_mask = return_mask
        self.ceil_mode = ceil_mode
        self.data_format = data_format
        self.name = name

    def forward(self, x):
        return F.max_pool2d(
            x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode, self.data_format
        )

    def extra_repr(self):
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class MaxPool3D(Layer):
    """Maximum of the windows of volumes; arguments as `paddle.nn.functional.max_pool3d`."""

    def __init__(
        self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCDHW", name=None
    ):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.return_mask = return_mask
        self.ceil_mode = ceil_mode
        self.data_format = data_format
        self.name = name

    def forward(self, x):
        return F.max_pool3d(
            x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode, self.data_format
        )

    def extra_repr(self):
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


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


class AdaptiveAvgPool2D(Layer):
    """Average of windows that cut images [N, C, H, W] into `output_size` parts, whatever their size.

    Args:
        output_size: Number of windows: an int, or one for each axis; None keeps the extent.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Examples:
        >>> paddle.nn.AdaptiveAvgPool2D(1)(paddle.ones([2, 3, 7, 5])).shape
        paddle.Size([2, 3, 1, 1])
    """

    def __init__(self, output_size, data_format="NCHW", name=None):
        super().__init__()
        self._output_size = output_size
        self._data_format = data_format
        self._name = name

    @aliases(input="x")
    def forward(self, x):
        return F.adaptive_avg_pool2d(x, self._output_size, self._data_format)

    output_size = computed(lambda self: self._output_size, doc="The size of the result.")

    def extra_repr(self):
        return f"output_size={self._output_size}"


class AdaptiveAvgPool3D(Layer):
    """Average of output_size windows of volumes, whatever their size."""

    def __init__(self, output_size, data_format="NCDHW", name=None):
        super().__init__()
        self._output_size = output_size
        self._data_format = data_format
        self._name = name

    @aliases(input="x")
    def forward(self, x):
        return F.adaptive_avg_pool3d(x, self._output_size, self._data_format)

    output_size = computed(lambda self: self._output_size, doc="The size of the result.")

    def extra_repr(self):
        return f"output_size={self._output_size}"


class AdaptiveMaxPool1D(Layer):
    """Maximum of output_size windows of sequences [N, C, L], whatever their size."""

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


class AdaptiveMaxPool2D(Layer):
    """Maxima of output_size windows of images [N, C, H, W], whatever their size.

    Args:
        output_size: An int, or one for each of the two axes; None keeps an axis.
        return_mask: Whether the positions of the maxima are given as well.
        name: Unused.

    Example:
        >>> paddle.nn.AdaptiveMaxPool2D(1)(paddle.to_tensor([[[[1.0, 3.0], [5.0, 7.0]]]])).tolist()
        [[[[7.0]]]]
    """

    @aliases(return_indices="return_mask")
    def __init__(self, output_size, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._return_mask = return_mask
        self._name = name

    @aliases(input="x")
    def forward(self, x):
        return F.adaptive_max_pool2d(x, self._output_size, self._return_mask)

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"

    return_indices = computed(lambda self: self._return_mask, doc="Whether positions are given too.")


class AdaptiveMaxPool3D(Layer):
    """Maximum of output_size windows of volumes, whatever their size."""

    @aliases(return_indices="return_mask")
    def __init__(self, output_size, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._return_mask = return_mask
        self._name = name

    @aliases(input="x")
    def forward(self, x):
        return F.adaptive_max_pool3d(x, self._output_size, self._return_mask)

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"

    return_indices = computed(lambda self: self._return_mask, doc="Whether positions are given too.")


class MaxUnPool1D(Layer):
    """Inverse of `MaxPool1D` on the elements that it picked."""

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCL", output_size=None, name=None):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.data_format = data_format
        self.output_size = output_size
        self.name = name

    @aliases(input="x")
    def forward(self, x, indices, output_size=None):
        return F.max_unpool1d(
            x,
            indices,
            self.ksize,
            self.stride,
            self.padding,
            self.data_format,
            self.output_size if output_size is None else output_size,
        )

    def extra_repr(self):
        return f"output_size={self.output_size}"


class MaxUnPool2D(Layer):
    """Inverse of `MaxPool2D` on the elements that it picked."""

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCHW", output_size=None, name=None):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.data_format = data_format
        self.output_size = output_size
        self.name = name

    @aliases(input="x")
    def forward(self, x, indices, output_size=None):
        return F.max_unpool2d(
            x,
            indices,
            self.ksize,
            self.stride,
            self.padding,
            self.data_format,
            self.output_size if output_size is None else output_size,
        )

    def extra_repr(self):
        return f"output_size={self.output_size}"


class MaxUnPool3D(Layer):
    """Inverse of `MaxPool3D` on the elements that it picked."""

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCDHW", output_size=None, name=None):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.data_format = data_format
        self.output_size = output_size
        self.name = name

    @aliases(input="x")
    def forward(self, x, indices, output_size=None):
        return F.max_unpool3d(
            x,
            indices,
            self.ksize,
            self.stride,
            self.padding,
            self.data_format,
            self.output_size if output_size is None else output_size,
        )

    def extra_repr(self):
        return f"output_size={self.output_size}"


class LPPool1D(Layer):
    """p-norm of the windows of sequences [N, C, L]; arguments as `paddle.nn.functional.lp_pool1d`."""

    def __init__(self, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCL", name=None):
        super().__init__()
        self.norm_type = float(norm_type)
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = 0 if isinstance(padding, bool) else padding
        self.ceil_mode = padding if isinstance(padding, bool) else ceil_mode
        self.data_format = data_format
        self.name = name

    @aliases(input="x")
    def forward(self, x):
        return F.lp_pool1d(
            x, self.norm_type, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.data_format
        )

    def extra_repr(self):
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        )


class LPPool2D(Layer):
    """p-norm of the windows of images; arguments as `paddle.nn.functional.lp_pool2d`."""

    def __init__(self, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCHW", name=None):
        super().__init__()
        self.norm_type = float(norm_type)
        self.ksize = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = 0 if isinstance(padding, bool) else padding
        self.ceil_mode = padding if isinstance(padding, bool) else ceil_mode
        self.data_format = data_format
        self.name = name

    @aliases(input="x")
    def forward(self, x):
        return F.lp_pool2d(x, self.norm_type, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format)

    def extra_repr(self):
        return f"norm_type={self.norm_type}, kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class FractionalMaxPool2D(Layer):
    """Maximum of windows of varying length; arguments as `paddle.nn.functional.fractional_max_pool2d`."""

    def __init__(self, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._kernel_size = kernel_size
        self._random_u = random_u
        self._return_mask = return_mask
        self._name = name

    def forward(self, x):
        return F.fractional_max_pool2d(x, self._output_size, self._kernel_size, self._random_u, self._return_mask)

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class FractionalMaxPool3D(Layer):
    """Maximum of windows of varying length; arguments as `paddle.nn.functional.fractional_max_pool3d`."""

    def __init__(self, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._kernel_size = kernel_size
        self._random_u = random_u
        self._return_mask = return_mask
        self._name = name

    def forward(self, x):
        return F.fractional_max_pool3d(x, self._output_size, self._kernel_size, self._random_u, self._return_mask)

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


AdaptiveAvgPool1d = AdaptiveAvgPool1D
AdaptiveMaxPool1d = AdaptiveMaxPool1D
AdaptiveAvgPool2d = AdaptiveAvgPool2D
AdaptiveMaxPool2d = AdaptiveMaxPool2D
AdaptiveAvgPool3d = AdaptiveAvgPool3D
AdaptiveMaxPool3d = AdaptiveMaxPool3D
LPPool1d = LPPool1D
LPPool2d = LPPool2D
MaxUnpool1d = MaxUnPool1D
MaxUnpool2d = MaxUnPool2D
MaxUnpool3d = MaxUnPool3D

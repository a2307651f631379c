# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling layers: the functions of `paddle.nn.functional` with their arguments kept."""

from ...tensor._args import aliases
from .. import functional as F
from ._adaptive_pooling import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
    FractionalMaxPool2D,
    FractionalMaxPool3D,
)
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


class _AveragePool(Layer):
    """What the average pools of images and volumes share; `_pool` is the function."""

    def _keep(self, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format, name):
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.exclusive = exclusive
        self.divisor = divisor_override
        self.data_format = data_format
        self.name = name

    def forward(self, x):
        return self._pool(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor, self.data_format
        )

    def extra_repr(self):
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class _MaximumPool(Layer):
    """What the maximum pools of images and volumes share; `_pool` is the function."""

    def _keep(self, kernel_size, stride, padding, return_mask, ceil_mode, data_format, name):
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.return_mask = return_mask
        self.ceil_mode = ceil_mode
        self.data_format = data_format
        self.name = name

    def forward(self, x):
        return self._pool(x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode, self.data_format)

    def extra_repr(self):
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class _MaximumUnpool(Layer):
    """What the inverses of maximum pools share; `_unpool` is the function."""

    def _keep(self, kernel_size, stride, padding, data_format, output_size, name):
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.data_format = data_format
        self.output_size = output_size
        self.name = name

    @aliases(input="x")
    def forward(self, x, indices, output_size=None):
        size = self.output_size if output_size is None else output_size
        return self._unpool(x, indices, self.ksize, self.stride, self.padding, self.data_format, size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


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


class AvgPool2D(_AveragePool):
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

    Example:
        >>> paddle.nn.AvgPool2D(2)(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 3, 4, 4])
    """

    _pool = staticmethod(F.avg_pool2d)

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
        self._keep(kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format, name)


class AvgPool3D(_AveragePool):
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

    _pool = staticmethod(F.avg_pool3d)

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
        self._keep(kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format, name)


class MaxPool1D(Layer):
    """Maximum of the windows of sequences [N, C, L]; see `paddle.nn.functional.max_pool1d`.

    Args:
        kernel_size: Length of the windows.
        stride: Distance of the windows; None: their length.
        padding: Elements added at the ends, which no maximum is; also "SAME" or "VALID".
        return_mask: Whether the positions of the maxima are returned too.
        ceil_mode: Whether a last window may hang over.
        name: Unused.

    Example:
        >>> paddle.nn.MaxPool1D(2)(paddle.to_tensor([[[1.0, 3.0, 7.0, 5.0]]])).tolist()
        [[[3.0, 7.0]]]
    """

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


class MaxPool2D(_MaximumPool):
    """Maximum of the windows of images [N, C, H, W]; see `paddle.nn.functional.max_pool2d`.

    Args:
        kernel_size: Size of the windows: an int, or one for each of the two axes.
        stride: Distance of the windows; None: their size.
        padding: Elements that are added at the ends; also "SAME" or "VALID".
        return_mask: Whether the positions of the maxima are returned too.
        ceil_mode: Whether a last window may hang over.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> paddle.nn.MaxPool2D(2)(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 3, 4, 4])
    """

    _pool = staticmethod(F.max_pool2d)

    def __init__(
        self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCHW", name=None
    ):
        super().__init__()
        self._keep(kernel_size, stride, padding, return_mask, ceil_mode, data_format, name)


class MaxPool3D(_MaximumPool):
    """Maximum of the windows of volumes [N, C, D, H, W]; see `paddle.nn.functional.max_pool3d`.

    Args:
        kernel_size: Size of the windows: an int, or one for each of the three axes.
        stride: Distance of the windows; None: their size.
        padding: Elements added at the ends, which no maximum is; also "SAME" or "VALID".
        return_mask: Whether the positions of the maxima are returned too.
        ceil_mode: Whether a last window may hang over.
        data_format: "NCDHW" or "NDHWC".
        name: Unused.

    Example:
        >>> paddle.nn.MaxPool3D(2)(paddle.ones([1, 3, 4, 4, 4])).shape
        paddle.Size([1, 3, 2, 2, 2])
    """

    _pool = staticmethod(F.max_pool3d)

    def __init__(
        self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCDHW", name=None
    ):
        super().__init__()
        self._keep(kernel_size, stride, padding, return_mask, ceil_mode, data_format, name)


class MaxUnPool1D(_MaximumUnpool):
    """Inverse of `MaxPool1D` on the elements that it picked; zero elsewhere.

    Its call takes the pooled tensor [N, C, L], the positions that the pool gave with `return_mask=True`,
    and an output size in the place of that of the layer.

    Args:
        kernel_size: Length of the windows, as in the pool.
        stride: Distance of the windows; None: their size.
        padding: Elements that the pool added at the ends.
        data_format: "NCL".
        output_size: Size of the result; None: the smallest that the pool can have had.
        name: Unused.

    Example:
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 1, 4])
        >>> largest, positions = paddle.nn.MaxPool1D(2, return_mask=True)(x)
        >>> paddle.nn.MaxUnPool1D(2)(largest, positions).shape
        paddle.Size([1, 1, 4])
    """

    _unpool = staticmethod(F.max_unpool1d)

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCL", output_size=None, name=None):
        super().__init__()
        self._keep(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool2D(_MaximumUnpool):
    """Inverse of `MaxPool2D` on the elements that it picked; zero elsewhere.

    Its call takes the pooled tensor [N, C, H, W], the positions that the pool gave with `return_mask=True`,
    and an output size in the place of that of the layer.

    Args:
        kernel_size: Size of the windows: an int, or one for each of the two axes, as in the pool.
        stride: Distance of the windows; None: their size.
        padding: Elements that the pool added at the ends.
        data_format: "NCHW".
        output_size: Size of the result; None: the smallest that the pool can have had.
        name: Unused.

    Example:
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> largest, positions = paddle.nn.MaxPool2D(2, return_mask=True)(x)
        >>> paddle.nn.MaxUnPool2D(2)(largest, positions).shape
        paddle.Size([1, 1, 4, 4])
    """

    _unpool = staticmethod(F.max_unpool2d)

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCHW", output_size=None, name=None):
        super().__init__()
        self._keep(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool3D(_MaximumUnpool):
    """Inverse of `MaxPool3D` on the elements that it picked; zero elsewhere.

    Its call takes the pooled tensor [N, C, D, H, W], the positions that the pool gave with `return_mask=True`,
    and an output size in the place of that of the layer.

    Args:
        kernel_size: Size of the windows: an int, or one for each of the three axes, as in the pool.
        stride: Distance of the windows; None: their size.
        padding: Elements that the pool added at the ends.
        data_format: "NCDHW".
        output_size: Size of the result; None: the smallest that the pool can have had.
        name: Unused.

    Example:
        >>> x = paddle.arange(64, dtype="float32").reshape([1, 1, 4, 4, 4])
        >>> largest, positions = paddle.nn.MaxPool3D(2, return_mask=True)(x)
        >>> paddle.nn.MaxUnPool3D(2)(largest, positions).shape
        paddle.Size([1, 1, 4, 4, 4])
    """

    _unpool = staticmethod(F.max_unpool3d)

    def __init__(self, kernel_size, stride=None, padding=0, data_format="NCDHW", output_size=None, name=None):
        super().__init__()
        self._keep(kernel_size, stride, padding, data_format, output_size, name)


class LPPool1D(Layer):
    """p-norm of the windows of sequences [N, C, L]: (sum of x^p)^(1/p); see `paddle.nn.functional.lp_pool1d`.

    Args:
        norm_type: The order p; infinity gives the maximum.
        kernel_size: Length of the windows.
        stride: Distance of the windows; None: their size.
        padding: Zeros added at the ends.
        ceil_mode: Whether a last window may hang over.
        data_format: "NCL" or "NLC".
        name: Unused.

    Example:
        >>> paddle.nn.LPPool1D(2, 2)(paddle.to_tensor([[[3.0, 4.0]]])).tolist()
        [[[5.0]]]
    """

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
    """p-norm of the windows of images [N, C, H, W]: (sum of x^p)^(1/p); see `paddle.nn.functional.lp_pool2d`.

    Args:
        norm_type: The order p; infinity gives the maximum.
        kernel_size: Size of the windows: an int, or one for each of the two axes.
        stride: Distance of the windows; None: their size.
        padding: Zeros added at the ends.
        ceil_mode: Whether a last window may hang over.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> paddle.nn.LPPool2D(1, 2)(paddle.ones([1, 1, 2, 2])).tolist()
        [[[[4.0]]]]
    """

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

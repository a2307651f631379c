# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers of images: resizing, channels moved into pixels and back, windows as columns."""

from ...tensor._args import aliases
from .. import functional as F
from ..functional.vision import _check_factor, _check_format
from ._repr import named
from .computed import computed
from .layers import Layer

__all__ = [
    "Upsample",
    "UpsamplingNearest2D",
    "UpsamplingBilinear2D",
    "UpsamplingNearest2d",
    "UpsamplingBilinear2d",
    "PixelShuffle",
    "PixelUnshuffle",
    "ChannelShuffle",
    "Unfold",
    "Fold",
]


class Upsample(Layer):
    """Resizes sequences, images or volumes; see `paddle.nn.functional.interpolate`.

    Args:
        size: Extents of the result; None with scale_factor.
        scale_factor: Factors of the extents; None with size.
        mode: 'nearest', 'linear', 'bilinear', 'trilinear', 'bicubic' or 'area'.
        align_corners: Whether the corner elements keep their place.
        align_mode: 0: values stand at the centres of pixels; 1: at their first corner.
        data_format: "NCW", "NWC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; by default channels in front.
        recompute_scale_factor: Sample with the ratio of the (integer) sizes, not `scale_factor`.
        name: Unused.

    Example:
        >>> paddle.nn.Upsample(scale_factor=2)(paddle.ones([1, 3, 4, 5])).shape
        paddle.Size([1, 3, 8, 10])
    """

    def __init__(
        self,
        size=None,
        scale_factor=None,
        mode="nearest",
        align_corners=False,
        align_mode=0,
        data_format=None,
        recompute_scale_factor=None,
        name=None,
    ):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode.lower()
        self.align_corners, self.align_mode, self.data_format = align_corners, align_mode, data_format
        self.recompute_scale_factor, self.name = recompute_scale_factor, name

    def forward(self, x):
        return F.interpolate(
            x,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.align_mode,
            self.data_format,
            self.recompute_scale_factor,
        )

    def extra_repr(self):
        given = f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"
        text = (
            f"{given}, mode={self.mode}, align_corners={self.align_corners}, align_mode={self.align_mode}, "
            f"data_format={self.data_format}"
        )
        return named(text, self.name)


class _Upsampling(Layer):
    def __init__(self, size, scale_factor, data_format, name):
        super().__init__()
        self.size = [size, size] if isinstance(size, int) else size
        self.scale_factor, self.data_format, self.name = scale_factor, data_format, name

    def extra_repr(self):
        given = f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"
        return named(f"{given}, data_format={self.data_format}", self.name)


class UpsamplingNearest2D(_Upsampling):
    """Resizes images [N, C, H, W] to a size or by a factor, taking the nearest pixels.

    Args:
        size: (height, width) of the result; None with scale_factor.
        scale_factor: One factor or two; None with size.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> paddle.nn.UpsamplingNearest2D(size=[1, 4])(paddle.to_tensor([[[[0.0, 2.0]]]])).flatten().tolist()
        [0.0, 0.0, 2.0, 2.0]
    """

    def __init__(self, size=None, scale_factor=None, data_format="NCHW", name=None):
        super().__init__(size, scale_factor, data_format, name)

    @aliases(input="x")
    def forward(self, x):
        return F.interpolate(x, self.size, self.scale_factor, "nearest", False, 0, self.data_format)


class UpsamplingBilinear2D(_Upsampling):
    """Resizes images [N, C, H, W] to a size or by a factor, bilinearly with aligned corners.

    Args:
        size: (height, width) of the result; None with scale_factor.
        scale_factor: One factor or two; None with size.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> paddle.nn.UpsamplingBilinear2D(size=[1, 3])(paddle.to_tensor([[[[0.0, 2.0]]]])).flatten().tolist()
        [0.0, 1.0, 2.0]
    """

    def __init__(self, size=None, scale_factor=None, data_format="NCHW", name=None):
        super().__init__(size, scale_factor, data_format, name)

    @aliases(input="x")
    def forward(self, x):
        return F.interpolate(x, self.size, self.scale_factor, "bilinear", True, 0, self.data_format)


UpsamplingNearest2d = UpsamplingNearest2D
UpsamplingBilinear2d = UpsamplingBilinear2D


class _Shuffle(Layer):
    def __init__(self, argument, factor, data_format, name):
        kind = type(self).__name__
        _check_factor(factor, argument, kind)
        _check_format(data_format, kind)
        super().__init__()
        self._argument = argument
        self._data_format, self._name = data_format, name

    def _text(self, factor):
        text = f"{self._argument}={factor}"
        text += f", data_format={self._data_format}" if self._data_format != "NCHW" else ""
        return named(text, self._name)


class PixelShuffle(_Shuffle):
    """Groups of channels become squares of pixels (Shi et al. 2016): [N, C r^2, H, W] to [N, C, H r, W r].

    Args:
        upscale_factor: The edge r of the squares.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> paddle.nn.PixelShuffle(2)(paddle.ones([1, 4, 3, 3])).shape
        paddle.Size([1, 1, 6, 6])
    """

    def __init__(self, upscale_factor, data_format="NCHW", name=None):
        super().__init__("upscale_factor", upscale_factor, data_format, name)
        self._upscale_factor = upscale_factor

    def forward(self, x):
        return F.pixel_shuffle(x, self._upscale_factor, self._data_format)

    def extra_repr(self):
        return self._text(self._upscale_factor)


class PixelUnshuffle(_Shuffle):
    """Squares of pixels become groups of channels: [N, C, H r, W r] to [N, C r^2, H, W].

    Args:
        downscale_factor: The edge r of the squares.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> paddle.nn.PixelUnshuffle(2)(paddle.ones([1, 1, 6, 6])).shape
        paddle.Size([1, 4, 3, 3])
    """

    def __init__(self, downscale_factor, data_format="NCHW", name=None):
        super().__init__("downscale_factor", downscale_factor, data_format, name)
        self._downscale_factor = downscale_factor

    def forward(self, x):
        return F.pixel_unshuffle(x, self._downscale_factor, self._data_format)

    def extra_repr(self):
        return self._text(self._downscale_factor)


class ChannelShuffle(_Shuffle):
    """Interleaves groups of channels (Zhang et al. 2018); see `paddle.nn.functional.channel_shuffle`.

    Args:
        groups: Number of groups; divides the number of channels.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1])
        >>> paddle.nn.ChannelShuffle(2)(x).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """

    def __init__(self, groups, data_format="NCHW", name=None):
        super().__init__("groups", groups, data_format, name)
        self._groups = groups

    def forward(self, x):
        return F.channel_shuffle(x, self._groups, self._data_format)

    def extra_repr(self):
        return self._text(self._groups)


class Unfold(Layer):
    """The windows of images [N, C, H, W] as columns [N, C * window, windows]; see `paddle.nn.functional.unfold`.

    Args:
        kernel_sizes: Size of the windows: an int, or one for each of the two axes.
        dilations: Distance of the elements of a window.
        paddings: Zeros around the image.
        strides: Distance of the windows.
        name: Unused.

    Example:
        >>> paddle.nn.Unfold(2)(paddle.ones([1, 3, 4, 4])).shape
        paddle.Size([1, 12, 9])
    """

    @aliases(kernel_size="kernel_sizes", dilation="dilations", padding="paddings", stride="strides")
    def __init__(self, kernel_sizes, dilations=1, paddings=0, strides=1, name=None):
        super().__init__()
        self.kernel_sizes, self.dilations, self.paddings = kernel_sizes, dilations, paddings
        self.strides, self.name = strides, name

    def forward(self, input):
        return F.unfold(input, self.kernel_sizes, self.strides, self.paddings, self.dilations)

    def extra_repr(self):
        text = f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings}"
        return named(f"{text}, stride={self.strides}", self.name)


class Fold(Layer):
    """Images as the sum of their windows, the inverse of `Unfold` where windows do not overlap.

    Args:
        output_sizes: Height and width of the images.
        kernel_sizes: Size of the windows: an int, or one for each of the two axes.
        dilations: Distance of the elements of a window.
        paddings: Zeros that were around the image.
        strides: Distance of the windows.
        name: Unused.

    Example:
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> columns = paddle.nn.Unfold(2, strides=2)(x)
        >>> bool((paddle.nn.Fold(4, 2, strides=2)(columns) == x).all())
        True
    """

    @aliases(
        output_size="output_sizes",
        kernel_size="kernel_sizes",
        stride="strides",
        padding="paddings",
        dilation="dilations",
    )
    def __init__(self, output_sizes, kernel_sizes, dilations=1, paddings=0, strides=1, name=None):
        super().__init__()
        self.output_sizes, self.kernel_sizes, self.dilations = output_sizes, kernel_sizes, dilations
        self.paddings, self.strides, self.name = paddings, strides, name

    output_size = computed(lambda self: self.output_sizes, doc="The size of the images.")
    kernel_size = computed(lambda self: self.kernel_sizes, doc="The size of a window.")
    dilation = computed(lambda self: self.dilations, doc="The distance of the elements of a window.")
    padding = computed(lambda self: self.paddings, doc="The zeros around the images.")
    stride = computed(lambda self: self.strides, doc="The distance of windows.")

    def forward(self, input):
        return F.fold(input, self.output_sizes, self.kernel_sizes, self.strides, self.paddings, self.dilations)

    def extra_repr(self):
        text = f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings}"
        return named(f"{text}, stride={self.strides}", self.name)

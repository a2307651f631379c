# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transposed convolutions with the arguments in the order that PyTorch gives them."""

from .conv import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _Ordered:
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
        **attributes,
    ):
        if padding_mode != "zeros":
            raise ValueError(f"{type(self).__name__}: padding_mode has value {padding_mode!r}; it must be 'zeros'.")
        sizes = {"stride": stride, "padding": padding, "output_padding": output_padding}
        sizes.update(groups=groups, dilation=dilation, bias=bias)
        super().__init__(in_channels, out_channels, kernel_size, **sizes, **attributes)
        if device is not None or dtype is not None:
            self.to(device=device, dtype=dtype)


class ConvTranspose1d(_Ordered, Conv1DTranspose):
    """`Conv1DTranspose` with the arguments of `ConvTranspose2d`.

    Raises:
        ValueError: padding_mode is not 'zeros'.
    """


class ConvTranspose2d(_Ordered, Conv2DTranspose):
    """`Conv2DTranspose` called as ConvTranspose2d(in_channels, out_channels, kernel_size, stride, padding,
    output_padding, groups, bias, dilation, padding_mode, device, dtype).

    Raises:
        ValueError: padding_mode is not 'zeros'.

    Example:
        >>> paddle.nn.ConvTranspose2d(3, 8, 2, 2, 0, 0, 1, False)(paddle.ones([1, 3, 6, 6])).shape
        paddle.Size([1, 8, 12, 12])
    """


class ConvTranspose3d(_Ordered, Conv3DTranspose):
    """`Conv3DTranspose` with the arguments of `ConvTranspose2d`.

    Raises:
        ValueError: padding_mode is not 'zeros'.
    """

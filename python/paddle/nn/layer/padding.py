# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that pad sequences, images and volumes."""

from .. import functional as F
from .layers import Layer

__all__ = [
    f"{kind}Pad{n}D" for kind in ("", "Zero", "Constant", "Reflection", "Replication", "Circular") for n in (1, 2, 3)
]
__all__ += [name[:-1] + "d" for name in __all__[3:]]


class _Pad(Layer):
    def __init__(self, axes, padding, mode, value, data_format, name):
        super().__init__()
        self.padding = [padding] * (2 * axes) if isinstance(padding, int) else padding
        self.value = value
        self._mode, self._data_format, self._name = mode, data_format, name

    def forward(self, x):
        return F.pad(x, self.padding, self._mode, self.value, self._data_format)

    def extra_repr(self):
        text = f"padding={self.padding}, mode={self._mode}, value={self.value}, data_format={self._data_format}"
        return text + (f", name={self._name}" if self._name else "")


class Pad1D(_Pad):
    """Pads the last axis of sequences [N, C, L].

    Args:
        padding: Elements on each side, or [left, right].
        mode: 'constant', 'reflect', 'replicate' or 'circular'.
        value: What 'constant' adds.
        data_format: 'NCL' or 'NLC'.
        name: Shown by repr.

    Example:
        >>> paddle.nn.Pad1D(1)(paddle.to_tensor([[[1.0, 2.0]]])).tolist()
        [[[0.0, 1.0, 2.0, 0.0]]]
    """

    def __init__(self, padding, mode="constant", value=0.0, data_format="NCL", name=None):
        super().__init__(1, padding, mode, value, data_format, name)


class Pad2D(_Pad):
    """Pads the last two axes of images [N, C, H, W].

    Args:
        padding: Elements on each side, or [left, right, top, bottom].
        mode: 'constant', 'reflect', 'replicate' or 'circular'.
        value: What 'constant' adds.
        data_format: 'NCHW' or 'NHWC'.
        name: Shown by repr.

    Example:
        >>> paddle.nn.Pad2D([1, 2, 0, 0])(paddle.ones([1, 1, 2, 2])).shape
        paddle.Size([1, 1, 2, 5])
    """

    def __init__(self, padding, mode="constant", value=0.0, data_format="NCHW", name=None):
        super().__init__(2, padding, mode, value, data_format, name)


class Pad3D(_Pad):
    """Pads the last three axes of volumes [N, C, D, H, W].

    Args:
        padding: Elements on each side, or [left, right, top, bottom, front, back].
        mode: 'constant', 'reflect', 'replicate' or 'circular'.
        value: What 'constant' adds.
        data_format: 'NCDHW' or 'NDHWC'.
        name: Shown by repr.

    Example:
        >>> paddle.nn.Pad3D(1)(paddle.ones([1, 1, 2, 2, 2])).shape
        paddle.Size([1, 1, 4, 4, 4])
    """

    def __init__(self, padding, mode="constant", value=0.0, data_format="NCDHW", name=None):
        super().__init__(3, padding, mode, value, data_format, name)


class ZeroPad1D(Pad1D):
    """Zeros around sequences."""

    def __init__(self, padding, data_format="NCL", name=None):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ZeroPad2D(Pad2D):
    """Zeros around images."""

    def __init__(self, padding, data_format="NCHW", name=None):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ZeroPad3D(Pad3D):
    """Zeros around volumes."""

    def __init__(self, padding, data_format="NCDHW", name=None):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ConstantPad1D(Pad1D):
    """A constant around sequences."""

    def __init__(self, padding, value, data_format="NCL", name=None):
        super().__init__(padding, "constant", value, data_format, name)


class ConstantPad2D(Pad2D):
    """A constant around images."""

    def __init__(self, padding, value, data_format="NCHW", name=None):
        super().__init__(padding, "constant", value, data_format, name)


class ConstantPad3D(Pad3D):
    """A constant around volumes."""

    def __init__(self, padding, value, data_format="NCDHW", name=None):
        super().__init__(padding, "constant", value, data_format, name)


class ReflectionPad1D(Pad1D):
    """The borders of sequences reflected, without repeating the outermost elements."""

    def __init__(self, padding, data_format="NCL", name=None):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReflectionPad2D(Pad2D):
    """The borders of images reflected, without repeating the outermost elements."""

    def __init__(self, padding, data_format="NCHW", name=None):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReflectionPad3D(Pad3D):
    """The borders of volumes reflected, without repeating the outermost elements."""

    def __init__(self, padding, data_format="NCDHW", name=None):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReplicationPad1D(Pad1D):
    """The outermost elements of sequences repeated."""

    def __init__(self, padding, data_format="NCL", name=None):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class ReplicationPad2D(Pad2D):
    """The outermost elements of images repeated."""

    def __init__(self, padding, data_format="NCHW", name=None):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class ReplicationPad3D(Pad3D):
    """The outermost elements of volumes repeated."""

    def __init__(self, padding, data_format="NCDHW", name=None):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class CircularPad1D(Pad1D):
    """Sequences continued periodically."""

    def __init__(self, padding, data_format="NCL", name=None):
        super().__init__(padding, "circular", 0.0, data_format, name)


class CircularPad2D(Pad2D):
    """Images continued periodically."""

    def __init__(self, padding, data_format="NCHW", name=None):
        super().__init__(padding, "circular", 0.0, data_format, name)


class CircularPad3D(Pad3D):
    """Volumes continued periodically."""

    def __init__(self, padding, data_format="NCDHW", name=None):
        super().__init__(padding, "circular", 0.0, data_format, name)


ZeroPad1d = ZeroPad1D
ZeroPad2d = ZeroPad2D
ZeroPad3d = ZeroPad3D
ConstantPad1d = ConstantPad1D
ConstantPad2d = ConstantPad2D
ConstantPad3d = ConstantPad3D
ReflectionPad1d = ReflectionPad1D
ReflectionPad2d = ReflectionPad2D
ReflectionPad3d = ReflectionPad3D
ReplicationPad1d = ReplicationPad1D
ReplicationPad2d = ReplicationPad2D
ReplicationPad3d = ReplicationPad3D
CircularPad1d = CircularPad1D
CircularPad2d = CircularPad2D
CircularPad3d = CircularPad3D

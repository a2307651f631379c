# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms.

`norm` says which direction is divided: 'backward' the inverse by the number n of elements, 'forward' the forward
transform by n, 'ortho' both by sqrt(n). `n` or `s` cut the transformed axes or fill them up with zeros first.
"""

from . import _core, _lazy
from .framework.devices import honours_device
from .tensor._args import aliases, check_tensor, convert, finish
from .tensor._fourier import (
    axis_of,
    complex_to_complex,
    complex_to_real,
    integers,
    plan_of_axes,
    plan_of_axis,
    real_to_complex,
)

ops = _core.ops

__all__ = [
    "fft",
    "ifft",
    "rfft",
    "irfft",
    "hfft",
    "ihfft",
    "fft2",
    "ifft2",
    "rfft2",
    "irfft2",
    "hfft2",
    "ihfft2",
    "fftn",
    "ifftn",
    "rfftn",
    "irfftn",
    "hfftn",
    "ihfftn",
    "fftfreq",
    "rfftfreq",
    "fftshift",
    "ifftshift",
]
__dir__ = _lazy.listing(__name__)


@aliases(input="x", dim="axis")
def fft(x, n=None, axis=-1, norm="backward", name=None, *, out=None):
    """The Fourier transform along one axis: sum of x[m] exp(-2 pi i k m / n) over m.

    Args:
        x: Real or complex Tensor.
        n: Length of the transform; default: the extent of the axis.
        axis: The axis.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> paddle.fft.fft(paddle.ones([4])).abs().tolist()
        [4.0, 0.0, 0.0, 0.0]
    """
    return complex_to_complex(*plan_of_axis("fft", x, n, axis), norm, True, out)


@aliases(input="x", dim="axis")
def ifft(x, n=None, axis=-1, norm="backward", name=None, *, out=None):
    """The inverse of `fft`: sum of x[m] exp(2 pi i k m / n) over m, divided by n.

    Args:
        x: Real or complex Tensor.
        n: Length of the transform; default: the extent of the axis.
        axis: The axis.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> paddle.allclose(paddle.fft.ifft(paddle.fft.fft(x)).real(), x).item()
        True
    """
    return complex_to_complex(*plan_of_axis("ifft", x, n, axis), norm, False, out)


@aliases(input="x", dim="axis")
def rfft(x, n=None, axis=-1, norm="backward", name=None, *, out=None):
    """The first n // 2 + 1 frequencies of real x along one axis; the others are their conjugates.

    Args:
        x: Real Tensor.
        n: Length of the transform; default: the extent of the axis.
        axis: The axis.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> paddle.fft.rfft(paddle.ones([4])).tolist()
        [(4+0j), 0j, 0j]
    """
    return real_to_complex(*plan_of_axis("rfft", x, n, axis), norm, True, out)


@aliases(input="x", dim="axis")
def irfft(x, n=None, axis=-1, norm="backward", name=None, *, out=None):
    """The inverse of `rfft`: real numbers from the first n // 2 + 1 frequencies.

    Args:
        x: Complex Tensor.
        n: Length of the result along the axis; default: 2 (m - 1) for m frequencies.
        axis: The axis.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A real Tensor.

    Example:
        >>> paddle.fft.irfft(paddle.to_tensor([4 + 0j, 0j, 0j])).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    return complex_to_real(*plan_of_axis("irfft", x, n, axis), norm, False, out)


@aliases(input="x", dim="axis")
def hfft(x, n=None, axis=-1, norm="backward", name=None, *, out=None):
    """The real Fourier transform of a signal with Hermitian symmetry, given its first half.

    Args:
        x: Complex Tensor of the first n // 2 + 1 elements.
        n: Length of the result along the axis; default: 2 (m - 1) for m elements.
        axis: The axis.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A real Tensor.

    Example:
        >>> paddle.fft.hfft(paddle.to_tensor([1 + 0j, 0j, 0j])).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    return complex_to_real(*plan_of_axis("hfft", x, n, axis), norm, True, out)


@aliases(input="x", dim="axis")
def ihfft(x, n=None, axis=-1, norm="backward", name=None, *, out=None):
    """The inverse of `hfft`: the first n // 2 + 1 elements of the inverse transform of real x.

    Args:
        x: Real Tensor.
        n: Length of the transform; default: the extent of the axis.
        axis: The axis.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> paddle.fft.ihfft(paddle.ones([4])).real().tolist()
        [1.0, 0.0, 0.0]
    """
    return real_to_complex(*plan_of_axis("ihfft", x, n, axis), norm, False, out)


@aliases(input="x", dim="axes")
def fftn(x, s=None, axes=None, norm="backward", name=None, *, out=None):
    """The Fourier transform along several axes.

    Args:
        x: Real or complex Tensor.
        s: Lengths of the transform; default: the extents.
        axes: The axes; default: the last ones that s counts, or all.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> complex(paddle.fft.fftn(paddle.ones([2, 3]))[0, 0])
        (6+0j)
    """
    return complex_to_complex(*plan_of_axes("fftn", x, s, axes), norm, True, out)


@aliases(input="x", dim="axes")
def ifftn(x, s=None, axes=None, norm="backward", name=None, *, out=None):
    """The inverse of `fftn`.

    Args:
        x: Real or complex Tensor.
        s: Lengths of the transform; default: the extents.
        axes: The axes; default: the last ones that s counts, or all.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> complex(paddle.fft.ifftn(paddle.ones([2, 3]))[0, 0])
        (1+0j)
    """
    return complex_to_complex(*plan_of_axes("ifftn", x, s, axes), norm, False, out)


@aliases(input="x", dim="axes")
def rfftn(x, s=None, axes=None, norm="backward", name=None, *, out=None):
    """`fftn` of real x with only n // 2 + 1 frequencies along the last of `axes`.

    Args:
        x: Real Tensor.
        s: Lengths of the transform; default: the extents.
        axes: The axes; default: the last ones that s counts, or all.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> paddle.fft.rfftn(paddle.ones([2, 4])).shape
        paddle.Size([2, 3])
    """
    return real_to_complex(*plan_of_axes("rfftn", x, s, axes), norm, True, out)


@aliases(input="x", dim="axes")
def irfftn(x, s=None, axes=None, norm="backward", name=None, *, out=None):
    """The inverse of `rfftn`.

    Args:
        x: Complex Tensor.
        s: Lengths of the result along the axes; default: the extents, 2 (m - 1) along the last.
        axes: The axes; default: the last ones that s counts, or all.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A real Tensor.

    Example:
        >>> x = paddle.ones([2, 4])
        >>> paddle.fft.irfftn(paddle.fft.rfftn(x)).tolist() == x.tolist()
        True
    """
    return complex_to_real(*plan_of_axes("irfftn", x, s, axes), norm, False, out)


@aliases(input="x", dim="axes")
def hfftn(x, s=None, axes=None, norm="backward", name=None, *, out=None):
    """The real Fourier transform of a signal with Hermitian symmetry along the last of `axes`.

    Args:
        x: Complex Tensor.
        s: Lengths of the result; default: the extents, 2 (m - 1) along the last axis.
        axes: The axes; default: the last ones that s counts, or all.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A real Tensor.

    Example:
        >>> paddle.fft.hfftn(paddle.ones([2, 3])).shape
        paddle.Size([2, 4])
    """
    return complex_to_real(*plan_of_axes("hfftn", x, s, axes), norm, True, out)


@aliases(input="x", dim="axes")
def ihfftn(x, s=None, axes=None, norm="backward", name=None, *, out=None):
    """The inverse of `hfftn`, with n // 2 + 1 elements along the last of `axes`.

    Args:
        x: Real Tensor.
        s: Lengths of the transform; default: the extents.
        axes: The axes; default: the last ones that s counts, or all.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> paddle.fft.ihfftn(paddle.ones([2, 4])).shape
        paddle.Size([2, 3])
    """
    return real_to_complex(*plan_of_axes("ihfftn", x, s, axes), norm, False, out)


def _two(fn, x, s, axes):
    check_tensor(fn, x=x)
    if x.ndim < 2:
        raise ValueError(f"{fn}: x has shape {list(x.shape)}; it must have at least two dimensions.")
    if axes is not None and len(integers(fn, "axes", axes)) != 2:
        raise ValueError(f"{fn}: axes has value {axes}; it must name two axes.")
    if s is not None and len(integers(fn, "s", s)) != 2:
        raise ValueError(f"{fn}: s has value {s}; it must hold two sizes.")
    return plan_of_axes(fn, x, s, axes)


@aliases(input="x", dim="axes")
def fft2(x, s=None, axes=(-2, -1), norm="backward", name=None, *, out=None):
    """`fftn` over two axes.

    Args:
        x: Real or complex Tensor of at least two axes.
        s: Two lengths; default: the extents.
        axes: The two axes.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> complex(paddle.fft.fft2(paddle.ones([2, 3]))[0, 0])
        (6+0j)
    """
    return complex_to_complex(*_two("fft2", x, s, axes), norm, True, out)


@aliases(input="x", dim="axes")
def ifft2(x, s=None, axes=(-2, -1), norm="backward", name=None, *, out=None):
    """`ifftn` over two axes.

    Args:
        x: Real or complex Tensor of at least two axes.
        s: Two lengths; default: the extents.
        axes: The two axes.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> complex(paddle.fft.ifft2(paddle.ones([2, 3]))[0, 0])
        (1+0j)
    """
    return complex_to_complex(*_two("ifft2", x, s, axes), norm, False, out)


@aliases(input="x", dim="axes")
def rfft2(x, s=None, axes=(-2, -1), norm="backward", name=None, *, out=None):
    """`rfftn` over two axes.

    Args:
        x: Real Tensor of at least two axes.
        s: Two lengths; default: the extents.
        axes: The two axes.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> paddle.fft.rfft2(paddle.ones([2, 4])).shape
        paddle.Size([2, 3])
    """
    return real_to_complex(*_two("rfft2", x, s, axes), norm, True, out)


@aliases(input="x", dim="axes")
def irfft2(x, s=None, axes=(-2, -1), norm="backward", name=None, *, out=None):
    """The inverse of `rfft2`: `irfftn` over two axes.

    Args:
        x: Complex Tensor.
        s: Two lengths of the result; default: as of `irfftn`.
        axes: The two axes.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A real Tensor.

    Example:
        >>> paddle.fft.irfft2(paddle.fft.rfft2(paddle.ones([2, 4]))).shape
        paddle.Size([2, 4])
    """
    return complex_to_real(*_two("irfft2", x, s, axes), norm, False, out)


@aliases(input="x", dim="axes")
def hfft2(x, s=None, axes=(-2, -1), norm="backward", name=None, *, out=None):
    """`hfftn` over two axes.

    Args:
        x: Complex Tensor of at least two axes.
        s: Two lengths of the result; default: as of `hfftn`.
        axes: The two axes.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A real Tensor.

    Example:
        >>> paddle.fft.hfft2(paddle.ones([2, 3])).shape
        paddle.Size([2, 4])
    """
    return complex_to_real(*_two("hfft2", x, s, axes), norm, True, out)


@aliases(input="x", dim="axes")
def ihfft2(x, s=None, axes=(-2, -1), norm="backward", name=None, *, out=None):
    """`ihfftn` over two axes.

    Args:
        x: Real Tensor of at least two axes.
        s: Two lengths; default: the extents.
        axes: The two axes.
        norm: 'backward', 'forward' or 'ortho'.
        name: Unused.
        out: Receives the result.

    Returns:
        A complex Tensor.

    Example:
        >>> paddle.fft.ihfft2(paddle.ones([2, 4])).shape
        paddle.Size([2, 3])
    """
    return real_to_complex(*_two("ihfft2", x, s, axes), norm, False, out)


def _frequencies(fn, first, stop, n, d, dtype, out, requires_grad):
    if n * d == 0:
        raise ValueError(f"{fn}: n is {n} and d is {d}; neither may be 0.")
    values = ops.arange(first, stop, 1, _core.int64)
    dtype = convert(dtype) if dtype is not None else convert(None)
    return ops.cast(ops.roll(values, [first], [0]), dtype) * (1.0 / (n * d)), out, requires_grad


@honours_device
def fftfreq(n, d=1.0, dtype=None, name=None, *, out=None, device=None, requires_grad=False):
    """The frequencies of `fft` of n samples, d apart: 0, 1, ..., -2, -1, divided by n d.

    Args:
        n: Number of samples.
        d: Their distance.
        dtype: Of the result; default: the default dtype.
        name: Unused.
        out: Receives the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.

    Raises:
        ValueError: n or d is 0.

    Example:
        >>> paddle.fft.fftfreq(4, d=0.5).tolist()
        [0.0, 0.5, -1.0, -0.5]
    """
    values, out, grad = _frequencies("fftfreq", -(n // 2), n - n // 2, n, d, dtype, out, requires_grad)
    return finish(values, out, grad)


@honours_device
def rfftfreq(n, d=1.0, dtype=None, name=None, *, out=None, device=None, requires_grad=False):
    """The frequencies of `rfft` of n samples, d apart: 0, 1, ..., n // 2, divided by n d.

    Args:
        n: Number of samples.
        d: Their distance.
        dtype: Of the result; default: the default dtype.
        name: Unused.
        out: Receives the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.

    Raises:
        ValueError: n or d is 0.

    Example:
        >>> paddle.fft.rfftfreq(4, d=0.5).tolist()
        [0.0, 0.5, 1.0]
    """
    values, out, grad = _frequencies("rfftfreq", 0, n // 2 + 1, n, d, dtype, out, requires_grad)
    return finish(values, out, grad)


def _shifted(fn, x, axes, half):
    check_tensor(fn, x=x)
    if axes is None:
        axes = list(range(x.ndim))
    elif hasattr(axes, "__index__"):
        axes = [axes]
    axes = [axis_of(fn, a, x.ndim) for a in axes]
    return ops.roll(x, [half(x.shape[a]) for a in axes], axes) if axes else ops.assign(x)


@aliases(input="x", dim="axes")
def fftshift(x, axes=None, name=None):
    """The frequencies in ascending order, zero in the middle.

    Args:
        x: A Tensor.
        axes: The axes; default: all.
        name: Unused.

    Example:
        >>> paddle.fft.fftshift(paddle.to_tensor([0, 1, -2, -1])).tolist()
        [-2, -1, 0, 1]
    """
    return _shifted("fftshift", x, axes, lambda n: n // 2)


@aliases(input="x", dim="axes")
def ifftshift(x, axes=None, name=None):
    """The inverse of `fftshift`.

    Args:
        x: A Tensor.
        axes: The axes; default: all.
        name: Unused.

    Example:
        >>> paddle.fft.ifftshift(paddle.to_tensor([-2, -1, 0, 1])).tolist()
        [0, 1, -2, -1]
    """
    return _shifted("ifftshift", x, axes, lambda n: -(n // 2))

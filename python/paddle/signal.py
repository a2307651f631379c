# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Signals: frames, and the short-time Fourier transform with its inverse."""

from . import _bind, _core, _lazy
from .framework.checked_numbers import check_whole
from .framework.dtypes import get_default_dtype
from .tensor._args import check_tensor

ops = _core.ops

__all__ = ["stft", "istft"]
__dir__ = _lazy.listing(__name__)

_COMPLEX = (_core.complex64, _core.complex128)


def _lengths(op, n_fft, hop_length, win_length):
    check_whole(op, n_fft=n_fft)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if hop_length <= 0:
        raise _core.ArgumentValueError(f"{op}: hop_length has value {hop_length}; it must be positive.")
    if not 0 < win_length <= n_fft:
        raise _core.ArgumentValueError(
            f"{op}: win_length has value {win_length}; it must be in [1, n_fft] with n_fft {n_fft}."
        )
    return hop_length, win_length


def _window(op, window, win_length, n_fft, dtype):
    """The window (default: ones) with zeros around it up to n_fft."""
    if window is None:
        window = ops.full([win_length], 1.0, dtype)
    elif window.ndim != 1 or window.shape[0] != win_length:
        raise _core.ArgumentValueError(f"{op}: window has shape {list(window.shape)}; it must be [{win_length}].")
    if win_length == n_fft:
        return window
    left = (n_fft - win_length) // 2
    return ops.pad(window, [left, n_fft - win_length - left], 0.0)


def _real_dtype(x):
    return {_core.complex64: _core.float32, _core.complex128: _core.float64}.get(x.dtype, x.dtype)


def stft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    name=None,
):
    """The short-time Fourier transform.

    Args:
        x: Signals [time] or [batch, time], real or complex; integers are taken as the default dtype.
        n_fft: Samples of a frame.
        hop_length: Samples between frames; default n_fft // 4.
        win_length: Samples of the window; default n_fft.
        window: [win_length]; default ones.
        center: Pad the signal by n_fft // 2 on both sides, so that frame t is centered at t * hop_length.
        pad_mode: 'reflect' or 'constant', used with `center`.
        normalized: Divide by sqrt(n_fft).
        onesided: Only n_fft // 2 + 1 frequencies; default: for real x and window.

    Returns:
        Complex [frequencies, frames] or [batch, frequencies, frames].
    """
    check_tensor("stft", x=x)
    if x.dtype.name.startswith(("int", "uint", "bool")):
        x = ops.cast(x, get_default_dtype())
    if x.ndim not in (1, 2):
        raise _core.ArgumentValueError(f"stft: x has shape {list(x.shape)}; it must be [time] or [batch, time].")
    hop_length, win_length = _lengths("stft", n_fft, hop_length, win_length)
    is_complex = x.dtype in _COMPLEX or window is not None and window.dtype in _COMPLEX
    onesided = not is_complex if onesided is None else onesided
    if onesided and is_complex:
        raise _core.ArgumentValueError("stft: onesided is True and x or window is complex; pass onesided=False.")
    window = _window("stft", window, win_length, n_fft, _real_dtype(x))
    batched = x.ndim == 2
    x = x if batched else ops.unsqueeze(x, [0])
    if center:
        if pad_mode not in ("reflect", "constant"):
            raise _core.ArgumentValueError(
                f"stft: pad_mode has value {pad_mode!r}; it must be 'reflect' or 'constant'."
            )
        x = _padded(x, n_fft // 2, pad_mode)
    if not 0 < n_fft <= x.shape[-1]:
        raise _core.ArgumentValueError(
            f"stft: n_fft has value {n_fft}; it must be in [1, {x.shape[-1]}], the length of the padded signal."
        )
    if window.dtype in _COMPLEX and x.dtype not in _COMPLEX:
        x = ops.cast(x, window.dtype)
    out = ops.stft(x, window, n_fft, hop_length, normalized, onesided)
    return out if batched else ops.squeeze(out, [0])


def _padded(x, n, mode):
    """x [batch, time] with n samples on both sides."""
    if mode == "constant" or n == 0:
        return ops.pad(x, [0, 0, n, n], 0.0)
    length = x.shape[-1]
    if not length > n:
        raise ValueError(f"stft: the signal has {length} samples; reflecting {n} of them needs more than {n}.")
    before = ops.flip(ops.slice(x, [1], [1], [n + 1]), [1])
    after = ops.flip(ops.slice(x, [1], [length - n - 1], [length - 1]), [1])
    return ops.concat([before, x, after], 1)


def _envelope(window, count, hop_length, first, last):
    """The sums of the squared windows of `count` frames over the samples."""
    square = ops.abs(window) if window.dtype in _COMPLEX else window
    frames = ops.expand(ops.unsqueeze(square * square, [-1]), [square.shape[0], count])
    return ops.slice(ops.overlap_add(frames, hop_length, -1), [0], [first], [last])


def _check_covered(envelope):
    if float(ops.min(envelope.detach(), [0], False)) < 1e-11:
        raise _core.ArgumentValueError(
            "istft: the windows do not cover every sample; pass a smaller hop_length or another window."
        )


def istft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    normalized=False,
    onesided=True,
    length=None,
    return_complex=False,
    name=None,
):
    """The inverse of `stft`, by least squares over overlapping frames.

    Args:
        x: [frequencies, frames] or [batch, frequencies, frames], complex or real.
        n_fft, hop_length, win_length, window, center, normalized, onesided: As of `stft`.
        length: Samples of the result; default: all that the frames cover.
        return_complex: The signal is complex; needs onesided=False.

    Raises:
        ValueError: Shapes do not fit, or the windows do not cover every sample.
    """
    check_tensor("istft", x=x)
    if x.ndim not in (2, 3):
        raise _core.ArgumentValueError(
            f"istft: x has shape {list(x.shape)}; it must be [frequencies, frames] or [batch, frequencies, frames]."
        )
    if x.dtype not in _COMPLEX:
        x = ops.cast(x, _core.complex128 if x.dtype == _core.float64 else _core.complex64)
    hop_length, win_length = _lengths("istft", n_fft, hop_length, win_length)
    frequencies = n_fft // 2 + 1 if onesided else n_fft
    if x.shape[-2] != frequencies:
        raise _core.ArgumentValueError(
            f"istft: x has {x.shape[-2]} frequencies; with n_fft {n_fft} there must be {frequencies}."
        )
    if return_complex and onesided:
        raise _core.ArgumentValueError(
            "istft: return_complex and onesided are True; a onesided spectrum has a real signal."
        )
    settings = (window, "istft", window, win_length, n_fft, _real_dtype(x))
    window = _window(*settings[1:])
    batched = x.ndim == 3
    x = x if batched else ops.unsqueeze(x, [0])
    norm = "ortho" if normalized else "backward"
    if return_complex:
        frames = ops.fft_c2c(x, [1], norm, False)
    else:  # a real signal is that of the frequencies from 0 up
        frames = ops.fft_c2r(ops.slice(x, [1], [0], [n_fft // 2 + 1]), [1], norm, False, n_fft)
    column = ops.unsqueeze(window, [-1])
    signal = ops.overlap_add(frames * column, hop_length, -1)
    first = n_fft // 2 if center else 0
    last = signal.shape[-1] - first if length is None else min(first + length, signal.shape[-1])
    signal = ops.slice(signal, [1], [first], [last])
    envelope = _envelope(window, x.shape[-1], hop_length, first, last)
    if _core.pir.is_symbolic(envelope):  # its values, where they are known without those of x
        given = settings[0]
        if isinstance(last, int) and not (isinstance(given, _core.Tensor) and _core.pir.is_symbolic(given)):
            with _core.pir.Suspended():
                _check_covered(_envelope(_window(*settings[1:]), x.shape[-1], hop_length, first, last))
    else:
        _check_covered(envelope)
    signal = signal / envelope
    if length is not None and signal.shape[-1] < length:
        signal = ops.pad(signal, [0, 0, 0, length - signal.shape[-1]], 0.0)
    return signal if batched else ops.squeeze(signal, [0])


_bind.complete(__name__, globals())

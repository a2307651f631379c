# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mel scale, filter banks, decibels and the discrete cosine transform.

The Slaney mel scale (Auditory Toolbox, 1998) is linear up to 1000 Hz and logarithmic above; the HTK
scale is mel = 2595 log10(1 + f / 700).
"""

import math

from ... import _core, tensor

_HZ_PER_MEL = 200.0 / 3
_BREAK_HZ = 1000.0
_BREAK_MEL = _BREAK_HZ / _HZ_PER_MEL
_LOG_STEP = math.log(6.4) / 27


def hz_to_mel(freq, htk=False):
    """Frequency in mel.

    Args:
        freq: Frequency in Hz, a number or a Tensor.
        htk: HTK's scale rather than Slaney's.

    Returns:
        A float, or a Tensor of freq's shape.
    """
    if not isinstance(freq, _core.Tensor):
        if htk:
            return 2595.0 * math.log10(1.0 + freq / 700.0)
        return freq / _HZ_PER_MEL if freq < _BREAK_HZ else _BREAK_MEL + math.log(freq / _BREAK_HZ) / _LOG_STEP
    if htk:
        return 2595.0 * tensor.log10(1.0 + freq / 700.0)
    above = tensor.log(tensor.clip(freq, min=_BREAK_HZ) / _BREAK_HZ) / _LOG_STEP + _BREAK_MEL
    return tensor.where(freq < _BREAK_HZ, freq / _HZ_PER_MEL, above)


def mel_to_hz(mel, htk=False):
    """Frequency in Hz of a position on the mel scale.

    Args:
        mel: Frequency in mel, a number or a Tensor.
        htk: HTK's scale rather than Slaney's.

    Returns:
        A float, or a Tensor of mel's shape.
    """
    if not isinstance(mel, _core.Tensor):
        if htk:
            return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
        return mel * _HZ_PER_MEL if mel < _BREAK_MEL else _BREAK_HZ * math.exp((mel - _BREAK_MEL) * _LOG_STEP)
    if htk:
        return 700.0 * (tensor.exp(mel * (math.log(10.0) / 2595.0)) - 1.0)
    above = _BREAK_HZ * tensor.exp((tensor.clip(mel, min=_BREAK_MEL) - _BREAK_MEL) * _LOG_STEP)
    return tensor.where(mel < _BREAK_MEL, mel * _HZ_PER_MEL, above)


def _mel_frequencies(n_mels, f_min, f_max, htk):
    import numpy as np

    mels = np.linspace(hz_to_mel(float(f_min), htk), hz_to_mel(float(f_max), htk), n_mels)
    return np.array([mel_to_hz(float(mel), htk) for mel in mels])


def mel_frequencies(n_mels=64, f_min=0.0, f_max=11025.0, htk=False, dtype="float32"):
    """Frequencies in Hz that lie evenly on the mel scale.

    Args:
        n_mels: Number of frequencies.
        f_min, f_max: First and last frequency in Hz.
        htk: HTK's scale rather than Slaney's.
        dtype: Element type of the result.

    Returns:
        A Tensor of shape [n_mels].
    """
    return tensor.to_tensor(_mel_frequencies(n_mels, f_min, f_max, htk), dtype=dtype)


def fft_frequencies(sr, n_fft, dtype="float32"):
    """Frequencies in Hz of the bins of a one-sided Fourier transform.

    Args:
        sr: Frames per second.
        n_fft: Length of the transform.
        dtype: Element type of the result.

    Returns:
        A Tensor of shape [n_fft // 2 + 1].
    """
    return tensor.linspace(0, float(sr) / 2, n_fft // 2 + 1, dtype=dtype)


def compute_fbank_matrix(sr, n_fft, n_mels=64, f_min=0.0, f_max=None, htk=False, norm="slaney", dtype="float32"):
    """Triangular filters that lie evenly on the mel scale.

    Args:
        sr: Frames per second.
        n_fft: Length of the Fourier transform.
        n_mels: Number of filters.
        f_min, f_max: Lowest and highest frequency in Hz; f_max is sr / 2 if None.
        htk: HTK's mel scale rather than Slaney's.
        norm: "slaney" for filters of equal area, a number p for rows of p-norm 1, else filters of height 1.
        dtype: Element type of the result.

    Returns:
        A Tensor of shape [n_mels, n_fft // 2 + 1].
    """
    import numpy as np

    f_max = float(sr) / 2 if f_max is None else f_max
    bins = np.linspace(0, float(sr) / 2, n_fft // 2 + 1)
    edges = _mel_frequencies(n_mels + 2, f_min, f_max, htk)[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0, np.minimum(rising, falling))
    if norm == "slaney":
        weights *= 2.0 / (edges[2:] - edges[:-2])
    elif isinstance(norm, (int, float)):
        length = np.linalg.norm(weights, ord=norm, axis=1, keepdims=True)
        weights /= np.maximum(length, 1e-12)
    return tensor.to_tensor(weights, dtype=dtype)


def power_to_db(spect, ref_value=1.0, amin=1e-10, top_db=80.0):
    """Decibels, 10 log10(max(spect, amin) / ref_value).

    Args:
        spect: Powers.
        ref_value: Power of 0 dB.
        amin: Smallest power; smaller ones count as this one.
        top_db: Results lie at most this far below the largest; None for no limit.

    Returns:
        A Tensor of spect's shape.

    Raises:
        ValueError: amin or ref_value is not positive, or top_db is negative.
    """
    if amin <= 0 or ref_value <= 0:
        raise ValueError(f"power_to_db: amin is {amin} and ref_value {ref_value}; both must be positive.")
    if top_db is not None and top_db < 0:
        raise ValueError(f"power_to_db: top_db has value {top_db}; it must not be negative.")
    level = 10.0 * tensor.log10(tensor.clip(spect, min=amin)) - 10.0 * math.log10(max(amin, ref_value))
    return level if top_db is None else tensor.maximum(level, level.max() - top_db)


def create_dct(n_mfcc, n_mels, norm="ortho", dtype="float32"):
    """Matrix of the discrete cosine transform of type II.

    Args:
        n_mfcc: Coefficients (columns).
        n_mels: Length of what is transformed (rows).
        norm: "ortho" for orthonormal columns; None for 2 cos(pi / n_mels (n + 1/2) k).
        dtype: Element type of the result.

    Returns:
        A Tensor of shape [n_mels, n_mfcc].

    Raises:
        AssertionError: norm is something else.
    """
    import numpy as np

    if norm not in ("ortho", None):
        raise AssertionError(f"create_dct: norm has value {norm!r}; it must be 'ortho' or None.")
    basis = 2.0 * np.cos(np.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc))
    if norm == "ortho":
        basis *= math.sqrt(0.5 / n_mels)
        basis[:, :1] *= math.sqrt(0.5)
    return tensor.to_tensor(basis, dtype=dtype)

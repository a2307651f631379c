# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Spectrogram, mel spectrogram, its logarithm, and cepstral coefficients (MFCC)."""

from ... import signal, tensor
from ...nn import Layer
from ..functional import compute_fbank_matrix, create_dct, get_window, power_to_db


class Spectrogram(Layer):
    """Magnitudes of the short-time Fourier transform to a power.

    Args:
        n_fft: Length of the Fourier transform.
        hop_length: Frames from one transform to the next; n_fft // 4 if None.
        win_length: Length of the window; n_fft if None.
        window: Window, as `paddle.audio.functional.get_window` takes it.
        power: Exponent of the magnitude.
        center: Frame t is centred at t * hop_length; the signal is padded at both ends.
        pad_mode: How it is padded, as `paddle.nn.functional.pad` takes it.
        dtype: Element type of window and filters.
    """

    def __init__(
        self,
        n_fft=512,
        hop_length=512,
        win_length=None,
        window="hann",
        power=1.0,
        center=True,
        pad_mode="reflect",
        dtype="float32",
    ):
        super().__init__()
        if power <= 0:
            raise AssertionError(f"Spectrogram: power has value {power}; it must be positive.")
        win_length = n_fft if win_length is None else win_length
        self.power = power
        self._stft = {
            "n_fft": n_fft,
            "hop_length": hop_length,
            "win_length": win_length,
            "center": center,
            "pad_mode": pad_mode,
        }
        self.register_buffer("fft_window", get_window(window, win_length, fftbins=True, dtype=dtype))

    def forward(self, x):
        """Spectrogram of shape [..., n_fft // 2 + 1, frames] of waveforms x of shape [..., T]."""
        transformed = signal.stft(x, window=self.fft_window, **self._stft)
        return tensor.pow(tensor.abs(transformed), self.power)


class MelSpectrogram(Layer):
    """Spectrogram summed by filters that lie evenly on the mel scale.

    Args:
        sr: Frames per second.
        n_fft: Length of the Fourier transform.
        hop_length: Frames from one transform to the next; n_fft // 4 if None.
        win_length: Length of the window; n_fft if None.
        window: Window, as `paddle.audio.functional.get_window` takes it.
        power: Exponent of the magnitude.
        center: Frame t is centred at t * hop_length; the signal is padded at both ends.
        pad_mode: How it is padded, as `paddle.nn.functional.pad` takes it.
        n_mels: Filters.
        f_min: Lowest frequency in Hz.
        f_max: Highest frequency in Hz; sr / 2 if None.
        htk: HTK's mel scale rather than Slaney's.
        norm: Scale of the filters, as `paddle.audio.functional.compute_fbank_matrix` takes it.
        dtype: Element type of window and filters.
    """

    def __init__(
        self,
        sr=22050,
        n_fft=2048,
        hop_length=512,
        win_length=None,
        window="hann",
        power=2.0,
        center=True,
        pad_mode="reflect",
        n_mels=64,
        f_min=50.0,
        f_max=None,
        htk=False,
        norm="slaney",
        dtype="float32",
    ):
        super().__init__()
        self._spectrogram = Spectrogram(n_fft, hop_length, win_length, window, power, center, pad_mode, dtype)
        self.n_mels, self.f_min, self.htk, self.norm = n_mels, f_min, htk, norm
        self.f_max = sr / 2 if f_max is None else f_max
        filters = compute_fbank_matrix(sr, n_fft, n_mels, f_min, self.f_max, htk, norm, dtype)
        self.register_buffer("fbank_matrix", filters)

    def forward(self, x):
        """Mel spectrogram of shape [..., n_mels, frames] of waveforms x of shape [..., T]."""
        return tensor.matmul(self.fbank_matrix, self._spectrogram(x))


class LogMelSpectrogram(Layer):
    """Mel spectrogram in decibels.

    Args:
        sr: Frames per second.
        n_fft: Length of the Fourier transform.
        hop_length: Frames from one transform to the next; n_fft // 4 if None.
        win_length: Length of the window; n_fft if None.
        window: Window, as `paddle.audio.functional.get_window` takes it.
        power: Exponent of the magnitude.
        center: Frame t is centred at t * hop_length; the signal is padded at both ends.
        pad_mode: How it is padded, as `paddle.nn.functional.pad` takes it.
        n_mels: Filters.
        f_min: Lowest frequency in Hz.
        f_max: Highest frequency in Hz; sr / 2 if None.
        htk: HTK's mel scale rather than Slaney's.
        norm: Scale of the filters, as `paddle.audio.functional.compute_fbank_matrix` takes it.
        ref_value: Power of 0 dB.
        amin: Smallest power; smaller ones count as this one.
        top_db: Results lie at most this far below the largest; None for no limit.
        dtype: Element type of window and filters.
    """

    def __init__(
        self,
        sr=22050,
        n_fft=512,
        hop_length=None,
        win_length=None,
        window="hann",
        power=2.0,
        center=True,
        pad_mode="reflect",
        n_mels=64,
        f_min=50.0,
        f_max=None,
        htk=False,
        norm="slaney",
        ref_value=1.0,
        amin=1e-10,
        top_db=None,
        dtype="float32",
    ):
        super().__init__()
        self._melspectrogram = MelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk, norm, dtype
        )
        self.ref_value, self.amin, self.top_db = ref_value, amin, top_db

    def forward(self, x):
        """Levels of shape [..., n_mels, frames] of waveforms x of shape [..., T]."""
        return power_to_db(self._melspectrogram(x), self.ref_value, self.amin, self.top_db)


class MFCC(Layer):
    """Mel-frequency cepstral coefficients: the cosine transform of the mel spectrogram in decibels.

    Args:
        sr: Frames per second.
        n_mfcc: Coefficients.
        n_fft: Length of the Fourier transform.
        hop_length: Frames from one transform to the next; n_fft // 4 if None.
        win_length: Length of the window; n_fft if None.
        window: Window, as `paddle.audio.functional.get_window` takes it.
        power: Exponent of the magnitude.
        center: Frame t is centred at t * hop_length; the signal is padded at both ends.
        pad_mode: How it is padded, as `paddle.nn.functional.pad` takes it.
        n_mels: Filters.
        f_min: Lowest frequency in Hz.
        f_max: Highest frequency in Hz; sr / 2 if None.
        htk: HTK's mel scale rather than Slaney's.
        norm: Scale of the filters, as `paddle.audio.functional.compute_fbank_matrix` takes it.
        ref_value: Power of 0 dB.
        amin: Smallest power; smaller ones count as this one.
        top_db: Results lie at most this far below the largest; None for no limit.
        dtype: Element type of window and filters.
    """

    def __init__(
        self,
        sr=22050,
        n_mfcc=40,
        n_fft=512,
        hop_length=None,
        win_length=None,
        window="hann",
        power=2.0,
        center=True,
        pad_mode="reflect",
        n_mels=64,
        f_min=50.0,
        f_max=None,
        htk=False,
        norm="slaney",
        ref_value=1.0,
        amin=1e-10,
        top_db=None,
        dtype="float32",
    ):
        super().__init__()
        if n_mfcc > n_mels:
            raise AssertionError(f"MFCC: n_mfcc is {n_mfcc} and n_mels {n_mels}; n_mfcc must not be larger.")
        self._log_melspectrogram = LogMelSpectrogram(
            sr,
            n_fft,
            hop_length,
            win_length,
            window,
            power,
            center,
            pad_mode,
            n_mels,
            f_min,
            f_max,
            htk,
            norm,
            ref_value,
            amin,
            top_db,
            dtype,
        )
        self.register_buffer("dct_matrix", create_dct(n_mfcc, n_mels, dtype=dtype))

    def forward(self, x):
        """Coefficients of shape [..., n_mfcc, frames] of waveforms x of shape [..., T]."""
        return tensor.matmul(self.dct_matrix, self._log_melspectrogram(x), transpose_x=True)

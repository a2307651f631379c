# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Feature layers: values of fixed waveforms."""

import numpy as np
import paddle
import pytest

features = paddle.audio.features
X = np.sin(np.arange(400) * 0.3).astype("float32")[None]
SMALL = {"sr": 8000, "n_fft": 64, "hop_length": 100}


def test_spectrogram_is_the_transform_of_windowed_frames():
    layer = features.Spectrogram(n_fft=16, hop_length=100)
    padded = np.pad(X[0].astype("float64"), 8, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(16) / 16)
    frames = np.stack([padded[start : start + 16] for start in range(0, 401, 100)])
    want = np.abs(np.fft.rfft(frames * window)).T
    np.testing.assert_allclose(layer(paddle.to_tensor(X)).numpy()[0], want, rtol=1e-4, atol=1e-5)
    assert layer(paddle.to_tensor(X[0])).shape == [9, 5]
    with pytest.raises(AssertionError, match="power"):
        features.Spectrogram(power=-1)


def test_mel_features_have_the_values_of_paddlepaddle():
    x = paddle.to_tensor(X)
    mel = features.MelSpectrogram(n_mels=4, **SMALL)(x).numpy()
    np.testing.assert_allclose(mel[0, 0], [0.40473786, 0.60542685, 0.60543931, 0.60542941, 0.43412328], rtol=1e-4)
    levels = features.LogMelSpectrogram(n_mels=4, **SMALL)(x).numpy()
    np.testing.assert_allclose(levels[0, 1], [-14.939404, -48.314785, -48.09219, -48.26927, -15.376214], rtol=1e-3)
    layer = features.MFCC(n_mels=8, n_mfcc=3, **SMALL)
    np.testing.assert_allclose(layer(x).numpy()[0, :, 0], [-57.655, 34.014366, 4.0895634], rtol=1e-3)
    assert list(layer.state_dict()) == [
        "dct_matrix",
        "_log_melspectrogram._melspectrogram.fbank_matrix",
        "_log_melspectrogram._melspectrogram._spectrogram.fft_window",
    ]
    with pytest.raises(AssertionError, match="n_mfcc"):
        features.MFCC(n_mfcc=80)


def test_gradients_reach_the_waveform():
    x = paddle.to_tensor(X, stop_gradient=False)
    features.MFCC(n_mels=8, n_mfcc=3, **SMALL)(x).sum().backward()
    assert bool(paddle.isfinite(x.grad).all()) and float(x.grad.abs().max()) > 0

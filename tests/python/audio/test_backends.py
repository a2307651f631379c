# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Wave files written and read."""

import struct
import wave

import numpy as np
import paddle
import pytest


def test_saved_waves_load_again(tmp_path):
    path = tmp_path / "a.wav"
    x = np.sin(np.arange(800).reshape(2, 400) * 0.3).astype("float32")
    paddle.audio.save(str(path), paddle.to_tensor(x), 8000)
    y, rate = paddle.audio.load(str(path))
    assert (y.shape, y.dtype, rate) == ([2, 400], paddle.float32, 8000)
    np.testing.assert_allclose(y.numpy(), x, atol=1 / 2**15)
    raw, _ = paddle.audio.load(path, normalize=False)
    np.testing.assert_array_equal(raw.numpy(), np.trunc(x.astype("float64") * 2**15))
    part, _ = paddle.audio.load(path, frame_offset=390, num_frames=20, channels_first=False)
    np.testing.assert_array_equal(part.numpy(), y.numpy().T[390:])
    told = paddle.audio.info(path)
    assert vars(told) == {
        "sample_rate": 8000,
        "num_samples": 400,
        "num_channels": 2,
        "bits_per_sample": 16,
        "encoding": "PCM_S",
    }


def test_loud_samples_are_clipped_and_integers_kept(tmp_path):
    path = tmp_path / "a.wav"
    paddle.audio.save(path, paddle.to_tensor([[1.0], [-3.0]]), 8000, channels_first=False)
    assert paddle.audio.load(path, normalize=False)[0].tolist() == [[32767.0, -32768.0]]
    paddle.audio.save(path, paddle.to_tensor([[5, -7]], dtype="int16"), 8000)
    assert paddle.audio.load(path, normalize=False)[0].tolist() == [[5.0, -7.0]]


@pytest.mark.parametrize(
    ("width", "data", "want"),
    [
        (1, bytes([128, 0, 192]), [0.0, -1.0, 0.5]),
        (3, b"\x00\x00\x40\x00\x00\x80", [0.5, -1.0]),
        (4, struct.pack("<2i", 2**30, -(2**31)), [0.5, -1.0]),
    ],
)
def test_other_sample_widths_load(tmp_path, width, data, want):
    path = str(tmp_path / "a.wav")
    with wave.open(path, "wb") as file:
        file.setparams((1, width, 100, 0, "NONE", ""))
        file.writeframes(data)
    assert paddle.audio.load(path)[0].tolist() == [want]


def test_bad_files_and_options_are_refused(tmp_path):
    path = tmp_path / "a.wav"
    with pytest.raises(FileNotFoundError):
        paddle.audio.load(path)
    path.write_bytes(b"this is certainly not a wave file")
    with pytest.raises(NotImplementedError):
        paddle.audio.load(path)
    with pytest.raises(ValueError, match="bits_per_sample"):
        paddle.audio.save(path, paddle.zeros([1, 2]), 8000, bits_per_sample=8)
    with pytest.raises(AssertionError):
        paddle.audio.save(path, paddle.zeros([2]), 8000)
    with pytest.raises(NotImplementedError):
        paddle.audio.backends.set_backend("soundfile")
    paddle.audio.backends.set_backend("wave_backend")
    assert paddle.audio.backends.get_current_backend() == "wave_backend"

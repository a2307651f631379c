# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Wave files of integer samples (PCM) through the wave module of the standard library."""

from ... import _core, tensor
from .backend import AudioInfo


def _open(filepath, mode):
    import wave

    try:
        return wave.open(filepath if hasattr(filepath, "seek") else str(filepath), mode)
    except wave.Error as error:
        raise NotImplementedError(f"paddle.audio: {filepath} is no wave file of integer samples: {error}.") from error


def info(filepath):
    """Format of a wave file.

    Args:
        filepath: Path, or a binary file that can seek.

    Returns:
        AudioInfo: sample_rate, num_samples (frames), num_channels, bits_per_sample and encoding.

    Raises:
        NotImplementedError: The file is no wave file of integer samples.
    """
    with _open(filepath, "rb") as file:
        width = file.getsampwidth()
        encoding = "PCM_U" if width == 1 else "PCM_S"
        return AudioInfo(file.getframerate(), file.getnframes(), file.getnchannels(), 8 * width, encoding)


def _integers(data, width):
    """Samples of `width` bytes as signed integers."""
    import numpy as np

    if width == 1:
        return np.frombuffer(data, np.uint8).astype(np.int16) - 128
    if width == 3:
        wide = np.zeros((len(data) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        return wide.reshape(-1).view("<i4") >> 8
    return np.frombuffer(data, f"<i{width}")


def load(filepath, frame_offset=0, num_frames=-1, normalize=True, channels_first=True):
    """Reads a wave file.

    Args:
        filepath: Path, or a binary file that can seek.
        frame_offset: Frames that are skipped.
        num_frames: Frames that are read at most; -1 for all.
        normalize: Divide samples by their range, so that they are in [-1, 1).
        channels_first: The result has shape [channels, frames] rather than [frames, channels].

    Returns:
        (float32 Tensor of the samples, frames per second).

    Raises:
        FileNotFoundError: There is no such file.
        NotImplementedError: The file is no wave file of integer samples.
    """
    with _open(filepath, "rb") as file:
        width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
        total = file.getnframes()
        start = min(max(frame_offset, 0), total)
        file.setpos(start)
        data = file.readframes(total - start if num_frames < 0 else num_frames)
    samples = _integers(data, width).astype("float32").reshape(-1, channels)
    if normalize:
        samples = samples / 2.0 ** (8 * width - 1)
    return tensor.to_tensor(samples.T.copy() if channels_first else samples), rate


def save(filepath, src, sample_rate, channels_first=True, encoding=None, bits_per_sample=16):
    """Writes a wave file of 16-bit samples.

    Args:
        filepath: Path, or a binary file that can seek.
        src: Samples of shape [channels, frames]: floats in [-1, 1] (others are clipped), or int16.
        sample_rate: Frames per second.
        channels_first: False if src has shape [frames, channels].
        encoding: Unused; always signed integers.
        bits_per_sample: None or 16.

    Raises:
        AssertionError: src is not 2-D.
        ValueError: bits_per_sample is neither None nor 16.
        TypeError: src holds neither floats nor int16.
    """
    if src.ndim != 2:
        raise AssertionError(f"save: src has shape {list(src.shape)}; it must have 2 axes, channels and frames.")
    if bits_per_sample not in (None, 16):
        raise ValueError(f"save: bits_per_sample is {bits_per_sample}; wave files are written with 16 only.")
    samples = src.detach().numpy() if isinstance(src, _core.Tensor) else src
    samples = samples.T if channels_first else samples
    if samples.dtype.kind == "f":
        samples = (samples.astype("float64") * 2**15).clip(-(2**15), 2**15 - 1)
    elif samples.dtype != "int16":
        raise TypeError(f"save: src has dtype {samples.dtype.name}; it must be a float type or int16.")
    with _open(filepath, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(sample_rate))
        file.writeframes(samples.astype("<i2").tobytes())

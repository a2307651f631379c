# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The choice of backend, and what `paddle.audio.info` tells of a file."""


class AudioInfo:
    """Format of an audio file.

    Args:
        sample_rate: Frames per second.
        num_samples: Frames.
        num_channels: Samples per frame.
        bits_per_sample: Bits of a sample.
        encoding: "PCM_S" (signed) or "PCM_U" (unsigned).
    """

    def __init__(self, sample_rate, num_samples, num_channels, bits_per_sample, encoding):
        self.sample_rate = sample_rate
        self.num_samples = num_samples
        self.num_channels = num_channels
        self.bits_per_sample = bits_per_sample
        self.encoding = encoding


def list_available_backends():
    """Names that `set_backend` takes."""
    return ["wave_backend"]


def get_current_backend():
    """Name of the backend that `paddle.audio.load` uses."""
    return "wave_backend"


def set_backend(backend_name):
    """Chooses the backend of `paddle.audio.load`, `save` and `info`.

    Args:
        backend_name: One of `list_available_backends()`.

    Raises:
        NotImplementedError: There is no such backend.
    """
    if backend_name not in list_available_backends():
        raise NotImplementedError(
            f"set_backend: backend_name is {backend_name!r}; available are {list_available_backends()}."
        )

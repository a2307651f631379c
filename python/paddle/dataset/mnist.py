# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of the MNIST images: (784 values between -1 and 1, digit)."""

__all__ = ["test", "train"]


def _reader(mode):
    def read():
        from ..vision.datasets import MNIST

        for image, label in MNIST(mode=mode, backend="cv2"):
            yield image.reshape(-1) / 127.5 - 1.0, int(label[0])

    return read


def train():
    """Reader of the 60000 training images."""
    return _reader("train")


def test():
    """Reader of the 10000 test images."""
    return _reader("test")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of the MNIST images: (784 values between -1 and 1, digit)."""

import numpy as np

from . import common

URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
TEST_IMAGE_URL = URL_PREFIX + "t10k-images-idx3-ubyte.gz"
TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
TEST_LABEL_URL = URL_PREFIX + "t10k-labels-idx1-ubyte.gz"
TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"
TRAIN_IMAGE_URL = URL_PREFIX + "train-images-idx3-ubyte.gz"
TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
TRAIN_LABEL_URL = URL_PREFIX + "train-labels-idx1-ubyte.gz"
TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"

__all__ = ["test", "train"]


def reader_creator(image_filename, label_filename, buffer_size):
    """Reader of a file of images and a file of labels, gzipped IDX; `buffer_size` samples are made at a time."""
    from ..vision.datasets import MNIST

    def read():
        images = MNIST._read(image_filename, 2051, 3)
        labels = MNIST._read(label_filename, 2049, 1)
        for start in range(0, len(images), buffer_size):
            part = images[start : start + buffer_size].reshape(-1, 784).astype(np.float32) / 255.0 * 2.0 - 1.0
            yield from zip(part, labels[start : start + buffer_size].tolist(), strict=True)

    return read


def _fetched(url, md5):
    return common.download(url, "mnist", md5)


def train():
    """Reader of the 60000 training images."""
    files = _fetched(TRAIN_IMAGE_URL, TRAIN_IMAGE_MD5), _fetched(TRAIN_LABEL_URL, TRAIN_LABEL_MD5)
    return reader_creator(*files, 100)


def test():
    """Reader of the 10000 test images."""
    files = _fetched(TEST_IMAGE_URL, TEST_IMAGE_MD5), _fetched(TEST_LABEL_URL, TEST_LABEL_MD5)
    return reader_creator(*files, 100)


def fetch():
    """Download the four files."""
    train()
    test()

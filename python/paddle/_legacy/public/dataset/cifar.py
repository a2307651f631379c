# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of CIFAR-10 and CIFAR-100: (3072 values between 0 and 1, class)."""

import itertools

import numpy as np

from . import common

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"

__all__ = []


def reader_creator(filename, sub_name, cycle=False):
    """Reader of the members of an archive whose names hold `sub_name`.

    Args:
        filename: cifar-10-python.tar.gz or cifar-100-python.tar.gz.
        sub_name: 'data_batch' and 'test_batch', or 'train' and 'test'.
        cycle: Whether to begin anew after the last sample.
    """
    from ..vision.datasets.cifar import batches

    def once():
        for batch in batches(filename, sub_name):
            labels = batch.get(b"labels", batch.get(b"fine_labels"))
            if labels is None:
                raise ValueError(f"cifar: {filename} has a batch without b'labels' and b'fine_labels'.")
            for image, label in zip(batch[b"data"], labels, strict=True):
                yield (image / 255.0).astype(np.float32), int(label)

    def read():
        for _ in itertools.count() if cycle else (0,):
            yield from once()

    return read


def _archive100():
    return common.download(CIFAR100_URL, "cifar", CIFAR100_MD5)


def _archive10():
    return common.download(CIFAR10_URL, "cifar", CIFAR10_MD5)


def train100():
    """Reader of the 50000 training images of CIFAR-100."""
    return reader_creator(_archive100(), "train")


def test100():
    """Reader of the 10000 test images of CIFAR-100."""
    return reader_creator(_archive100(), "test")


def train10(cycle=False):
    """Reader of the 50000 training images of CIFAR-10; with `cycle` it never ends."""
    return reader_creator(_archive10(), "data_batch", cycle=cycle)


def test10(cycle=False):
    """Reader of the 10000 test images of CIFAR-10; with `cycle` it never ends."""
    return reader_creator(_archive10(), "test_batch", cycle=cycle)


def fetch():
    """Download both archives."""
    _archive10()
    _archive100()

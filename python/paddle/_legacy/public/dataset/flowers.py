# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of the Oxford 102 Flowers: (what the mapper makes of an image, class from 0)."""

import functools
import itertools
import tarfile

from .. import reader as readers
from ..utils import try_import
from . import common, image

_PREFIX = "http://paddlemodels.bj.bcebos.com/flowers/"
DATA_URL = _PREFIX + "102flowers.tgz"
LABEL_URL = _PREFIX + "imagelabels.mat"
SETID_URL = _PREFIX + "setid.mat"
DATA_MD5 = "52808999861908f626f3c1f4e79d11fa"
LABEL_MD5 = "e0620be6f572b9609742df49c70aed4d"
SETID_MD5 = "a5357ecc9cb78c4bef273ce3793fc85c"
# The largest of the three published sets is the one to train on.
TRAIN_FLAG = "tstid"
TEST_FLAG = "trnid"
VALID_FLAG = "valid"

__all__ = []


def default_mapper(is_train, sample):
    """(bytes of an image, class) -> (flat float32 array of 3 x 224 x 224 centred values, class)."""
    data, label = sample
    pixels = image.load_image_bytes(data)
    pixels = image.simple_transform(pixels, 256, 224, is_train, mean=[103.94, 116.78, 123.68])
    return pixels.flatten().astype("float32"), label


def reader_creator(
    data_file, label_file, setid_file, dataset_name, mapper, buffered_size=1024, use_xmap=True, cycle=False
):
    """Reader of one of the sets.

    Args:
        data_file: The archive 102flowers.tgz.
        label_file: imagelabels.mat.
        setid_file: setid.mat.
        dataset_name: Name of the set in `setid_file`.
        mapper: Function of (bytes of an image, class).
        buffered_size: Samples that are made ahead.
        use_xmap: Whether threads run the mapper.
        cycle: Whether to begin anew after the last sample.
    """
    scio = try_import("scipy.io", "flowers: SciPy is not installed; pip install scipy.")
    labels = scio.loadmat(label_file)["labels"][0]
    numbers = scio.loadmat(setid_file)[dataset_name][0]
    classes = {f"jpg/image_{number:05d}.jpg": int(labels[number - 1]) - 1 for number in numbers}

    def read():
        for _ in itertools.count() if cycle else (0,):
            with tarfile.open(data_file) as archive:
                for member in archive:
                    if member.name in classes:
                        yield archive.extractfile(member).read(), classes[member.name]

    if use_xmap:
        return readers.xmap_readers(mapper, read, 4, buffered_size)
    return readers.map_readers(mapper, read)


_train_mapper = functools.partial(default_mapper, True)
_test_mapper = functools.partial(default_mapper, False)


def _part(flag, mapper, buffered_size, use_xmap, cycle=False):
    return reader_creator(*_files(), flag, mapper, buffered_size, use_xmap, cycle)


def train(mapper=_train_mapper, buffered_size=1024, use_xmap=True, cycle=False):
    """Reader of the training set, 6149 images; with `cycle` it never ends."""
    return _part(TRAIN_FLAG, mapper, buffered_size, use_xmap, cycle)


def test(mapper=_test_mapper, buffered_size=1024, use_xmap=True, cycle=False):
    """Reader of the test set, 1020 images; with `cycle` it never ends."""
    return _part(TEST_FLAG, mapper, buffered_size, use_xmap, cycle)


def valid(mapper=_test_mapper, buffered_size=1024, use_xmap=True):
    """Reader of the validation set, 1020 images."""
    return _part(VALID_FLAG, mapper, buffered_size, use_xmap)


def _files():
    files = (DATA_URL, DATA_MD5), (LABEL_URL, LABEL_MD5), (SETID_URL, SETID_MD5)
    return [common.download(url, "flowers", md5) for url, md5 in files]


def fetch():
    """Download the three files."""
    _files()

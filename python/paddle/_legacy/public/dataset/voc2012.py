# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of PASCAL VOC 2012: (image [H, W, 3], class of each pixel [H, W]); Pillow reads the images."""

import io
import tarfile

import numpy as np

from ..vision.datasets._source import pillow
from . import common

VOC_URL = "http://host.robots.ox.ac.uk/pascal/VOC/voc2012/VOCtrainval_11-May-2012.tar"
VOC_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
SET_FILE = "VOCdevkit/VOC2012/ImageSets/Segmentation/{}.txt"
DATA_FILE = "VOCdevkit/VOC2012/JPEGImages/{}.jpg"
LABEL_FILE = "VOCdevkit/VOC2012/SegmentationClass/{}.png"
CACHE_DIR = "voc2012"

__all__ = []


def reader_creator(filename, sub_name):
    """Reader of the images that the archive lists under `sub_name`: 'train', 'val' or 'trainval'."""

    def read():
        image = pillow("voc2012")
        with tarfile.open(filename) as archive:

            def bytes_of(name):
                return archive.extractfile(name).read()

            for name in bytes_of(SET_FILE.format(sub_name)).decode().split():
                files = (io.BytesIO(bytes_of(form.format(name))) for form in (DATA_FILE, LABEL_FILE))
                yield tuple(np.array(image.open(file)) for file in files)

    return read


def _part(name):
    return reader_creator(common.download(VOC_URL, CACHE_DIR, VOC_MD5), name)


def train():
    """Reader of the images for training and validation, 2913."""
    return _part("trainval")


def test():
    """Reader of the images for training, 1464."""
    return _part("train")


def val():
    """Reader of the images for validation, 1449."""
    return _part("val")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Segmentation images of PASCAL VOC 2012."""

import io

import numpy as np

from ...framework.dtypes import get_default_dtype
from ...io import Dataset
from ...utils.dataset_files import _check_exists_and_download
from ._source import Archive, checked_backend, checked_mode, pillow

_URL = "https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar"
_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
_BASE = "VOCdevkit/VOC2012/"
_SETS = {"train": "trainval", "test": "train", "valid": "val"}


class VOC2012(Dataset):
    """Photographs with the class of each pixel; reads with Pillow.

    Args:
        data_file: The archive VOCtrainval_11-May-2012.tar; fetched when None.
        mode: 'train', 'valid' or 'test'.
        transform: Function of the image.
        download: Whether the file may be fetched.
        backend: 'pil' gives PIL images, 'cv2' arrays.

    Returns:
        Samples (image, image of class numbers).
    """

    def __init__(self, data_file=None, mode="train", transform=None, download=True, backend=None):
        self.backend = checked_backend("VOC2012", backend)
        self.mode = checked_mode("VOC2012", mode, tuple(_SETS))
        self.flag, self.transform = _SETS[self.mode], transform
        self.data_file = _check_exists_and_download(data_file, _URL, _MD5, "voc2012", download)
        self.dtype = get_default_dtype()
        self._archive = Archive(self.data_file)
        names = self._bytes(f"ImageSets/Segmentation/{self.flag}.txt").decode().split()
        self.data = [f"JPEGImages/{name}.jpg" for name in names]
        self.labels = [f"SegmentationClass/{name}.png" for name in names]

    def _bytes(self, name):
        return self._archive.read(_BASE + name)

    def __getitem__(self, idx):
        image, label = (
            pillow("VOC2012").open(io.BytesIO(self._bytes(name))) for name in (self.data[idx], self.labels[idx])
        )
        if self.backend == "cv2":
            image, label = np.array(image), np.array(label)
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == "cv2":
            image = image.astype(self.dtype) if isinstance(image, np.ndarray) else image
            label = label.astype(self.dtype)
        return image, label

    def __len__(self):
        return len(self.data)

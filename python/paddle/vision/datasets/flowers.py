# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Oxford 102 Flowers."""

import io

import numpy as np

from ...framework.dtypes import get_default_dtype
from ...io import Dataset
from ...utils import try_import
from ...utils.dataset_files import _check_exists_and_download
from ._source import Archive, checked_backend, checked_mode, pillow

_URL = "http://paddlemodels.bj.bcebos.com/flowers/"
# The largest of the three published sets is the one to train on.
_SETS = {"train": "tstid", "test": "trnid", "valid": "valid"}


class Flowers(Dataset):
    """Photographs of 102 flowers; reads with Pillow and SciPy.

    Args:
        data_file: The archive 102flowers.tgz.
        label_file: imagelabels.mat.
        setid_file: setid.mat.
        mode: 'train', 'valid' or 'test'.
        transform: Function of the image.
        download: Whether files may be fetched.
        backend: 'pil' gives PIL images, 'cv2' arrays [H, W, 3].

    Returns:
        Samples (image, int64 array of shape [1], from 1).
    """

    def __init__(
        self,
        data_file=None,
        label_file=None,
        setid_file=None,
        mode="train",
        transform=None,
        download=True,
        backend=None,
    ):
        self.backend = checked_backend("Flowers", backend)
        self.mode = checked_mode("Flowers", mode, tuple(_SETS))
        self.flag, self.transform = _SETS[self.mode], transform

        def file(path, name):
            return _check_exists_and_download(path, _URL + name, None, "flowers", download)

        self.data_file = file(data_file, "102flowers.tgz")
        self.label_file, self.setid_file = file(label_file, "imagelabels.mat"), file(setid_file, "setid.mat")
        scio = try_import("scipy.io", "Flowers: SciPy is not installed; pip install scipy.")
        self.labels = scio.loadmat(self.label_file)["labels"][0]
        self.indexes = scio.loadmat(self.setid_file)[self.flag][0]
        self.dtype = get_default_dtype()
        self._archive = Archive(self.data_file)

    def _image(self, number):
        return pillow("Flowers").open(io.BytesIO(self._archive.read(f"jpg/image_{number:05d}.jpg")))

    def __getitem__(self, idx):
        number = int(self.indexes[idx])
        label = np.array([self.labels[number - 1]]).astype("int64")
        image = self._image(number)
        if self.backend == "cv2":
            image = np.array(image)
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == "cv2" and isinstance(image, np.ndarray):
            image = image.astype(self.dtype)
        return image, label

    def __len__(self):
        return len(self.indexes)

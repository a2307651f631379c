# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""MNIST and Fashion-MNIST."""

import gzip
import struct

import numpy as np

from ...framework.dtypes import get_default_dtype
from ...io import Dataset
from ...utils.dataset_files import _check_exists_and_download
from ._source import checked_backend, checked_mode, pillow


class MNIST(Dataset):
    """Images of digits, 28 x 28.

    Args:
        image_path: File of images in IDX form, gzipped or not; fetched when None.
        label_path: File of labels.
        mode: 'train' or 'test'.
        transform: Function of the image.
        download: Whether files may be fetched.
        backend: 'pil' gives PIL images, 'cv2' arrays [28, 28] of the default dtype.

    Returns:
        Samples (image, int64 array of shape [1]).

    Raises:
        FileNotFoundError: A file is not there.
        AssertionError: No file is given and download is False.
        ValueError: A file is no IDX file.
    """

    NAME = "mnist"
    URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
    TRAIN_IMAGE_URL = URL_PREFIX + "train-images-idx3-ubyte.gz"
    TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
    TRAIN_LABEL_URL = URL_PREFIX + "train-labels-idx1-ubyte.gz"
    TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"
    TEST_IMAGE_URL = URL_PREFIX + "t10k-images-idx3-ubyte.gz"
    TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
    TEST_LABEL_URL = URL_PREFIX + "t10k-labels-idx1-ubyte.gz"
    TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"

    def __init__(self, image_path=None, label_path=None, mode="train", transform=None, download=True, backend=None):
        self.backend = checked_backend(type(self).__name__, backend)
        self.mode = checked_mode(type(self).__name__, mode, ("train", "test"))
        self.image_path = self._file(image_path, "IMAGE", download)
        self.label_path = self._file(label_path, "LABEL", download)
        self.transform = transform
        self.dtype = get_default_dtype()
        self.images = self._read(self.image_path, 2051, 3)
        self.labels = self._read(self.label_path, 2049, 1).astype("int64").reshape(-1, 1)
        if len(self.images) != len(self.labels):
            raise ValueError(
                f"{type(self).__name__}: there are {len(self.images)} images and {len(self.labels)} labels."
            )

    def _file(self, path, kind, download):
        name = f"{self.mode.upper()}_{kind}"
        url, md5 = getattr(self, name + "_URL"), getattr(self, name + "_MD5")
        return _check_exists_and_download(path, url, md5, self.NAME, download)

    @staticmethod
    def _read(path, magic, axes):
        with open(path, "rb") as f:
            data = f.read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        head = struct.unpack_from(f">{axes + 1}I", data) if len(data) >= 4 * (axes + 1) else (0,)
        if head[0] != magic:
            raise ValueError(f"MNIST: {path} is no IDX file of the expected kind.")
        values = np.frombuffer(data, np.uint8, offset=4 * (axes + 1))
        if values.size < np.prod(head[1:], dtype="int64"):
            raise ValueError(f"MNIST: {path} is cut off; it must hold {head[1:]} values and holds {values.size}.")
        return values[: np.prod(head[1:], dtype="int64")].reshape(head[1:])

    def __getitem__(self, idx):
        image, label = self.images[idx], self.labels[idx]
        if self.backend == "pil":
            image = pillow(type(self).__name__).fromarray(image)
        if self.transform is not None:
            image = self.transform(image if self.backend == "pil" else image.astype(self.dtype))
        elif self.backend == "cv2":
            image = image.astype(self.dtype)
        return image, label

    def __len__(self):
        return len(self.labels)


class FashionMNIST(MNIST):
    """Images of clothes, 28 x 28; see `MNIST`."""

    NAME = "fashion-mnist"
    URL_PREFIX = "https://dataset.bj.bcebos.com/fashion_mnist/"
    TRAIN_IMAGE_URL = URL_PREFIX + "train-images-idx3-ubyte.gz"
    TRAIN_IMAGE_MD5 = "8d4fb7e6c68d591d4c3dfef9ec88bf0d"
    TRAIN_LABEL_URL = URL_PREFIX + "train-labels-idx1-ubyte.gz"
    TRAIN_LABEL_MD5 = "25c81989df183df01b3e8a0aad5dffbe"
    TEST_IMAGE_URL = URL_PREFIX + "t10k-images-idx3-ubyte.gz"
    TEST_IMAGE_MD5 = "bef4ecab320f06d8554ea6380940ec79"
    TEST_LABEL_URL = URL_PREFIX + "t10k-labels-idx1-ubyte.gz"
    TEST_LABEL_MD5 = "bb300cfdad3c16e7a12a480ee83cd310"

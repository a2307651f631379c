# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""CIFAR-10 and CIFAR-100."""

import pickle
import tarfile

import numpy as np

from ...framework.dtypes import get_default_dtype
from ...io import Dataset
from ...utils.dataset_files import _check_exists_and_download
from ._source import checked_backend, checked_mode, pillow


class _ArrayUnpickler(pickle.Unpickler):
    """Loads containers, numbers and NumPy arrays only."""

    _ALLOWED = {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}
    _RECONSTRUCT = {"numpy.core.multiarray", "numpy._core.multiarray"}

    def find_class(self, module, name):
        if (module, name) in self._ALLOWED or (module in self._RECONSTRUCT and name == "_reconstruct"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"Cifar: the file asks for {module}.{name}, which is refused.")


def batches(path, part):
    """The batches, dicts with bytes keys, of the members of an archive that have `part` in their names.

    Raises:
        UnpicklingError: A member asks for more than arrays and containers.
        ValueError: A member is damaged.
    """
    with tarfile.open(path) as archive:
        members = [m for m in archive.getmembers() if m.isfile() and part in m.name]
        for member in sorted(members, key=lambda m: m.name):
            try:
                batch = _ArrayUnpickler(archive.extractfile(member), encoding="bytes").load()
            except (pickle.UnpicklingError, MemoryError):
                raise
            except Exception as e:  # damaged bytes raise whatever the opcode that they became meets
                raise ValueError(f"Cifar: member {member.name} of {path} is damaged: {e}; fetch the file again.") from e
            if not isinstance(batch, dict):
                raise ValueError(f"Cifar: member {member.name} of {path} holds no batch but a {type(batch).__name__}.")
            yield batch


class Cifar10(Dataset):
    """Images of 10 classes, 32 x 32.

    Args:
        data_file: The archive cifar-10-python.tar.gz; fetched when None.
        mode: 'train' or 'test'.
        transform: Function of the image.
        download: Whether the file may be fetched.
        backend: 'pil' gives PIL images, 'cv2' arrays [32, 32, 3] of the default dtype.

    Returns:
        Samples (image, int64 array of shape []).
    """

    _URL = "https://dataset.bj.bcebos.com/cifar/cifar-10-python.tar.gz"
    _MD5 = "c58f30108f718f92721af3b95e74349a"
    _LABELS = b"labels"
    _PARTS = {"train": "data_batch", "test": "test_batch"}

    def __init__(self, data_file=None, mode="train", transform=None, download=True, backend=None):
        owner = type(self).__name__
        self.backend = checked_backend(owner, backend)
        self.mode = checked_mode(owner, mode, ("train", "test"))
        self.data_url, self.data_md5, self.flag = self._URL, self._MD5, self._PARTS[self.mode]
        self.data_file = _check_exists_and_download(data_file, self._URL, self._MD5, "cifar", download)
        self.transform = transform
        self.dtype = get_default_dtype()
        self.data = self._read()

    def _read(self):
        data = []
        for batch in batches(self.data_file, self.flag):
            images, labels = batch.get(b"data"), batch.get(self._LABELS)
            if getattr(images, "shape", ())[1:] != (3072,) or not isinstance(labels, (list, np.ndarray)):
                raise ValueError(
                    f"{type(self).__name__}: a batch of {self.data_file} lacks b'data' of shape [n, 3072] or "
                    f"{self._LABELS!r}; fetch the file again."
                )
            if len(images) != len(labels):
                raise ValueError(
                    f"{type(self).__name__}: a batch of {self.data_file} has {len(images)} images and {len(labels)} "
                    f"labels; fetch the file again."
                )
            data.extend(zip(images, labels, strict=True))
        if not data:
            raise ValueError(f"{type(self).__name__}: {self.data_file} holds no member with {self.flag!r} in its name.")
        return data

    def __getitem__(self, idx):
        image, label = self.data[idx]
        image = image.reshape(3, 32, 32).transpose(1, 2, 0)
        if self.backend == "pil":
            image = pillow(type(self).__name__).fromarray(np.ascontiguousarray(image).astype("uint8"))
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == "cv2" and isinstance(image, np.ndarray):
            image = image.astype(self.dtype)
        return image, np.array(label).astype("int64")

    def __len__(self):
        return len(self.data)


class Cifar100(Cifar10):
    """Images of 100 classes, 32 x 32; see `Cifar10`."""

    _URL = "https://dataset.bj.bcebos.com/cifar/cifar-100-python.tar.gz"
    _MD5 = "eb9058c3a382ffc7106e4002c42a8d85"
    _LABELS = b"fine_labels"
    _PARTS = {"train": "train", "test": "test"}

    def __init__(self, data_file=None, mode="train", transform=None, download=True, backend=None):
        super().__init__(data_file, mode, transform, download, backend)

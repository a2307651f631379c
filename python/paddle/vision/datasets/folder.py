# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of the image files below a folder."""

import os

from ...framework.dtypes import get_default_dtype
from ...io import Dataset
from ...utils import try_import

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def has_valid_extension(filename, extensions):
    """Whether a file name ends with one of the extensions, in any case."""
    return filename.lower().endswith(tuple(extensions))


def pil_loader(path):
    """Read an image as an RGB PIL image."""
    image = try_import("PIL.Image", "ImageFolder: Pillow is not installed; pip install pillow, or pass loader.")
    with open(path, "rb") as f:
        return image.open(f).convert("RGB")


def cv2_loader(path):
    """Read an image as an RGB array."""
    cv2 = try_import("cv2", "ImageFolder: OpenCV is not installed; pip install opencv-python-headless.")
    return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)


def default_loader(path):
    """Read an image with the global backend."""
    from ..image import get_image_backend

    return cv2_loader(path) if get_image_backend() == "cv2" else pil_loader(path)


def _files(root, extensions, is_valid_file):
    """Names of the valid files below a folder, sorted."""
    if is_valid_file is None:

        def is_valid_file(path):
            return has_valid_extension(path, extensions)

    for folder, _, names in sorted(os.walk(root, followlinks=True)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if is_valid_file(path):
                yield path


def make_dataset(directory, class_to_idx, extensions, is_valid_file=None):
    """(file, class number) of each valid file in the folders of the classes."""
    return [
        (path, class_to_idx[name])
        for name in sorted(class_to_idx)
        for path in _files(os.path.join(directory, name), extensions, is_valid_file)
    ]


class DatasetFolder(Dataset):
    """Files sorted into one folder a class.

    Args:
        root: The folder above.
        loader: Function that reads a file; reads images by default.
        extensions: Endings of the files that count.
        transform: Function of what was read.
        is_valid_file: Function of a file name that says whether it counts, instead of extensions.

    Returns:
        Samples (what was read, class number).

    Raises:
        RuntimeError: There is no file.
    """

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        self.root, self.transform = root, transform
        extensions = IMG_EXTENSIONS if extensions is None else extensions
        self.loader, self.extensions = default_loader if loader is None else loader, extensions
        self.classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = make_dataset(root, self.class_to_idx, extensions, is_valid_file)
        if not self.samples:
            raise RuntimeError(
                f"DatasetFolder: no file is found in the folders of {root}; the extensions are {','.join(extensions)}."
            )
        self.targets = [target for _, target in self.samples]
        self.dtype = get_default_dtype()

    def __getitem__(self, index):
        path, target = self.samples[index]
        sample = self.loader(path)
        return (sample if self.transform is None else self.transform(sample)), target

    def __len__(self):
        return len(self.samples)


class ImageFolder(Dataset):
    """All image files below a folder, without classes; arguments as for `DatasetFolder`.

    Returns:
        Samples [what was read].
    """

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        self.root, self.transform = root, transform
        extensions = IMG_EXTENSIONS if extensions is None else extensions
        self.loader, self.extensions = default_loader if loader is None else loader, extensions
        self.samples = list(_files(root, extensions, is_valid_file))
        if not self.samples:
            raise RuntimeError(
                f"ImageFolder: no file is found below {root}; the extensions are {','.join(extensions)}."
            )

    def __getitem__(self, index):
        sample = self.loader(self.samples[index])
        return [sample if self.transform is None else self.transform(sample)]

    def __len__(self):
        return len(self.samples)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Images as NumPy arrays [H, W, C] in BGR order, or [H, W]: reading, resizing, cropping, flipping.

OpenCV reads and resizes where it is installed; else Pillow reads and bicubic interpolation of this package resizes.
"""

import io
import os
import pickle
import tarfile

import numpy as np

__all__ = []


def _opencv():
    try:
        import cv2
    except ImportError:
        return None
    return cv2


def load_image_bytes(bytes, is_color=True):
    """The image in the bytes of a file: uint8 array [H, W, 3] in BGR order, or [H, W] with is_color=False."""
    cv2 = _opencv()
    if cv2 is not None:
        return cv2.imdecode(np.frombuffer(bytes, np.uint8), 1 if is_color else 0)
    from ..vision.datasets._source import pillow

    opened = pillow("load_image_bytes").open(io.BytesIO(bytes))
    if not is_color:
        return np.array(opened.convert("L"))
    return np.array(opened.convert("RGB"))[:, :, ::-1].copy()


def load_image(file, is_color=True):
    """The image of a file: uint8 array [H, W, 3] in BGR order, or [H, W] with is_color=False."""
    with open(file, "rb") as opened:
        return load_image_bytes(opened.read(), is_color)


def resize_short(im, size):
    """The image with its shorter side `size` long, by bicubic interpolation.

    Args:
        im: uint8 array [H, W, C] or [H, W].
        size: Length of the shorter side.
    """
    height, width = im.shape[:2]
    if height > width:
        height, width = size * height // width, size
    else:
        height, width = size, size * width // height
    cv2 = _opencv()
    if cv2 is not None:
        return cv2.resize(im, (width, height), interpolation=cv2.INTER_CUBIC)
    from .. import to_tensor
    from ..nn.functional import interpolate

    planes = im.reshape(*im.shape[:2], -1).transpose(2, 0, 1)[None].astype("float32")
    resized = interpolate(to_tensor(planes), [height, width], mode="bicubic").numpy()[0].transpose(1, 2, 0)
    if im.dtype == np.uint8:
        resized = np.rint(resized).clip(0, 255)
    return resized.reshape(height, width, *im.shape[2:]).astype(im.dtype)


def to_chw(im, order=(2, 0, 1)):
    """The array with its axes in another order, by default channels first."""
    if len(im.shape) != len(order):
        raise AssertionError(f"to_chw: im has shape {list(im.shape)}; order {order} needs {len(order)} axes.")
    return im.transpose(order)


def _crop(im, top, left, size):
    return im[top : top + size, left : left + size]


def center_crop(im, size, is_color=True):
    """The square of `size` x `size` pixels in the middle of [H, W, C] or [H, W]."""
    return _crop(im, (im.shape[0] - size) // 2, (im.shape[1] - size) // 2, size)


def random_crop(im, size, is_color=True):
    """A square of `size` x `size` pixels somewhere in [H, W, C] or [H, W]; NumPy's random state says where."""
    top = np.random.randint(0, im.shape[0] - size + 1)
    left = np.random.randint(0, im.shape[1] - size + 1)
    return _crop(im, top, left, size)


def left_right_flip(im, is_color=True):
    """The image with left and right exchanged."""
    return im[:, ::-1]


def simple_transform(im, resize_size, crop_size, is_train, is_color=True, mean=None):
    """Resize, crop, for training flip at random, put channels first and subtract the mean.

    Args:
        im: Array [H, W, C] or [H, W].
        resize_size: Length of the shorter side before the crop.
        crop_size: Side of the crop; in the middle, at random for training.
        is_train: Whether to crop and flip at random.
        is_color: Whether a mean of one axis has a value for each channel.
        mean: Values to subtract.

    Returns:
        float32 array [C, crop_size, crop_size] or [crop_size, crop_size].
    """
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size, is_color)
        if np.random.randint(2) == 0:
            im = left_right_flip(im, is_color)
    else:
        im = center_crop(im, crop_size, is_color)
    if im.ndim == 3:
        im = to_chw(im)
    im = im.astype("float32")
    if mean is not None:
        mean = np.array(mean, dtype=np.float32)
        if mean.ndim == 1 and is_color:
            mean = mean[:, None, None]
        elif mean.ndim != 1 and mean.ndim != im.ndim:
            raise AssertionError(f"simple_transform: mean has {mean.ndim} axes; it must have 1 or {im.ndim}.")
        im = im - mean
    return im


def load_and_transform(filename, resize_size, crop_size, is_train, is_color=True, mean=None):
    """What `simple_transform` makes of the image of a file."""
    return simple_transform(load_image(filename, is_color), resize_size, crop_size, is_train, is_color, mean)


def batch_images_from_tar(data_file, dataset_name, img2label, num_per_batch=1024):
    """Write the images of an archive, as bytes, and their labels to pickled batches beside it.

    Args:
        data_file: The archive.
        dataset_name: Word for the names of the batches.
        img2label: name of a member -> label; other members are left out.
        num_per_batch: Images of a batch.

    Returns:
        Path of a file with the paths of the batches, one a line. A batch is a dict with the lists 'label' and 'data'.
    """
    folder = f"{data_file}_{dataset_name}_batch"
    listing = os.path.join(folder, f"{dataset_name}_batches.txt")
    if os.path.exists(listing):
        return listing
    os.makedirs(folder, exist_ok=True)
    paths, data, labels = [], [], []

    def write():
        paths.append(os.path.abspath(os.path.join(folder, f"batch_{len(paths)}")))
        with open(paths[-1], "wb") as file:
            pickle.dump({"label": labels, "data": data}, file, protocol=2)

    with tarfile.open(data_file) as archive:
        for member in archive:
            if member.name not in img2label:
                continue
            data.append(archive.extractfile(member).read())
            labels.append(img2label[member.name])
            if len(data) == num_per_batch:
                write()
                data, labels = [], []
    if data:
        write()
    with open(listing, "w") as file:
        file.writelines(f"{path}\n" for path in paths)
    return listing

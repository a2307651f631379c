# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of image files, with Pillow or OpenCV."""

_BACKENDS = ("pil", "cv2", "tensor")
_backend = "pil"


def _check(owner, backend):
    if backend not in _BACKENDS:
        raise ValueError(f"{owner}: backend has value {backend!r}; it must be one of {', '.join(_BACKENDS)}.")


def set_image_backend(backend):
    """Set what `image_load` and the datasets return: 'pil', 'cv2' or 'tensor'."""
    global _backend
    _check("set_image_backend", backend)
    _backend = backend


def get_image_backend():
    """What `image_load` returns by default."""
    return _backend


def image_load(path, backend=None):
    """Read an image file.

    Args:
        path: Name of the file.
        backend: 'pil' gives a PIL image, 'cv2' an array [H, W, C] in BGR order, 'tensor' a Tensor
            [C, H, W] with values between 0 and 1; what `set_image_backend` was given by default.

    Raises:
        ImportError: Pillow ('pil', 'tensor') or OpenCV ('cv2') is not installed.
    """
    from ..utils import try_import

    backend = _backend if backend is None else backend
    _check("image_load", backend)
    if backend == "cv2":
        cv2 = try_import("cv2", "image_load: OpenCV is not installed; pip install opencv-python-headless.")
        return cv2.imread(path)
    image = try_import("PIL.Image", "image_load: Pillow is not installed; pip install pillow.")
    opened = image.open(path)
    if backend == "pil":
        return opened
    from .transforms.functional import to_tensor

    return to_tensor(opened)

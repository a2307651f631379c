# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms of one image: a PIL image, a NumPy array [H, W] or [H, W, C], or a Tensor [C, H, W]."""

import numbers

import numpy as np

from ... import _core
from . import functional_array, functional_pil, functional_tensor

_INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "area", "lanczos", "box", "hamming")
_PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


def _is_pil_image(img):
    import sys

    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(img, module.Image)


def _is_tensor_image(img):
    return isinstance(img, _core.Tensor)


def _is_numpy_image(img):
    return isinstance(img, np.ndarray) and img.ndim in (2, 3)


def _backend(owner, img):
    if _is_numpy_image(img):
        return functional_array
    if _is_tensor_image(img) and img.ndim == 3:
        return functional_tensor
    if _is_pil_image(img):
        return functional_pil
    what = f"Tensor of shape {list(img.shape)}" if _is_tensor_image(img) else type(img).__name__
    raise TypeError(
        f"{owner}: img is a {what}; it must be a PIL image, a NumPy array of 2 or 3 axes, or a Tensor of 3 axes."
    )


def _check_interpolation(owner, name, allowed=_INTERPOLATIONS):
    if name not in allowed:
        raise ValueError(f"{owner}: interpolation has value {name!r}; it must be one of {', '.join(allowed)}.")


def _get_image_size(img):
    """(width, height)."""
    return _backend("transforms", img).size(img)


def to_tensor(pic, data_format="CHW"):
    """An image as a Tensor; 8-bit values become float32 between 0 and 1.

    Args:
        pic: PIL image, or array of shape [H, W] or [H, W, C].
        data_format: Layout of the result, 'CHW' or 'HWC'.

    Returns:
        Tensor of shape [C, H, W] or [H, W, C].

    Example:
        >>> import numpy as np
        >>> image = paddle.vision.transforms.to_tensor(np.full([2, 4, 3], 255, "uint8"))
        >>> image.shape, float(image.max())
        (paddle.Size([3, 2, 4]), 1.0)
    """
    if data_format not in ("CHW", "HWC"):
        raise ValueError(f"to_tensor: data_format has value {data_format!r}; it must be 'CHW' or 'HWC'.")
    if _is_tensor_image(pic):
        return pic if data_format == "CHW" else pic.transpose([1, 2, 0])
    values = _backend("to_tensor", pic).array(pic)
    if values.dtype == np.uint8:
        values = values.astype("float32") / np.float32(255)
    if data_format == "CHW":
        values = values.transpose(2, 0, 1)
    return _core.to_tensor(np.ascontiguousarray(values))


def resize(img, size, interpolation="bilinear"):
    """Resize an image.

    Args:
        img: PIL image, array [height, width, channels] or Tensor [channels, height, width].
        size: (height, width), or the length of the shorter side.
        interpolation: 'nearest', 'bilinear', 'bicubic', 'area' ('box') or 'lanczos'; 'hamming' for PIL images.

    Returns:
        An image of the kind of img.

    Raises:
        TypeError: size is neither an int nor a pair.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.resize(np.zeros([4, 8, 3], "uint8"), 2).shape  # the shorter side
        (2, 4, 3)
    """
    if isinstance(size, (list, tuple)) and len(size) == 1:
        size = int(size[0])
    if not (isinstance(size, int) or (isinstance(size, (list, tuple)) and len(size) == 2)):
        raise TypeError(f"resize: size has value {size!r}; it must be an integer or a pair.")
    if min(size if isinstance(size, (list, tuple)) else [size]) <= 0:
        raise ValueError(f"resize: size has value {size!r}; it must be positive.")
    _check_interpolation("resize", interpolation)
    return _backend("resize", img).resize(img, size, interpolation)


def pad(img, padding, fill=0, padding_mode="constant"):
    """Pad an image.

    Args:
        img: The image.
        padding: One number, (left and right, top and bottom), or (left, top, right, bottom).
        fill: Value, or one for each channel, of the mode 'constant'.
        padding_mode: 'constant', 'edge', 'reflect' or 'symmetric'.
    """
    if not isinstance(padding, (numbers.Number, list, tuple)):
        raise TypeError(f"pad: padding has value {padding!r}; it must be a number or a sequence.")
    if isinstance(padding, (list, tuple)) and len(padding) not in (2, 4):
        raise ValueError(f"pad: padding has {len(padding)} items; it must be one number, two or four.")
    if not isinstance(fill, (numbers.Number, str, list, tuple)):
        raise TypeError(f"pad: fill has value {fill!r}; it must be a number or a tuple.")
    if not isinstance(padding_mode, str):
        raise TypeError(f"pad: padding_mode has type {type(padding_mode).__name__}; it must be a str.")
    if padding_mode not in _PADDING_MODES:
        raise AssertionError(
            f"pad: padding_mode has value {padding_mode!r}; it must be one of {', '.join(_PADDING_MODES)}."
        )
    return _backend("pad", img).pad(img, padding, fill, padding_mode)


def crop(img, top, left, height, width):
    """The part of an image with the given upper left corner and size.

    Args:
        img: PIL image, array [height, width, channels] or Tensor [channels, height, width].
        top: Row of the corner.
        left: Column of the corner.
        height: Rows of the part.
        width: Columns of the part.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.crop(np.zeros([4, 4, 3], "uint8"), 1, 1, 2, 3).shape
        (2, 3, 3)
    """
    return _backend("crop", img).crop(img, top, left, height, width)


def center_crop(img, output_size):
    """The middle part of an image.

    Args:
        img: PIL image, array [height, width, channels] or Tensor [channels, height, width].
        output_size: (height, width), or one number for both.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.center_crop(np.zeros([4, 4, 3], "uint8"), (2, 3)).shape
        (2, 3, 3)
    """
    height, width = (output_size, output_size) if isinstance(output_size, numbers.Number) else output_size
    columns, rows = _get_image_size(img)
    top, left = int(round((rows - height) / 2.0)), int(round((columns - width) / 2.0))
    return crop(img, top, left, height, width)


def hflip(img):
    """The image with left and right exchanged.

    Args:
        img: PIL image, array [height, width, channels] or Tensor [channels, height, width].

    Returns:
        An image of the kind of img.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.hflip(np.array([[[1], [2]]], "uint8")).tolist()
        [[[2], [1]]]
    """
    return _backend("hflip", img).hflip(img)


def vflip(img):
    """The image upside down.

    Args:
        img: PIL image, array [height, width, channels] or Tensor [channels, height, width].

    Returns:
        An image of the kind of img.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.vflip(np.array([[[1]], [[2]]], "uint8")).tolist()
        [[[2]], [[1]]]
    """
    return _backend("vflip", img).vflip(img)


def adjust_brightness(img, brightness_factor):
    """The image with its values multiplied.

    Args:
        img: PIL image, array [height, width, channels] or Tensor [channels, height, width].
        brightness_factor: 0 gives black, 1 the image.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.adjust_brightness(np.full([1, 1, 3], 100, "uint8"), 0.5).ravel().tolist()
        [50, 50, 50]
    """
    return _backend("adjust_brightness", img).adjust_brightness(img, brightness_factor)


def adjust_contrast(img, contrast_factor):
    """The image blended with its mean brightness; 0 gives gray, 1 the image."""
    return _backend("adjust_contrast", img).adjust_contrast(img, contrast_factor)


def adjust_saturation(img, saturation_factor):
    """The image blended with its gray form; 0 gives gray, 1 the image."""
    return _backend("adjust_saturation", img).adjust_saturation(img, saturation_factor)


def adjust_hue(img, hue_factor):
    """The image with its hues turned by `hue_factor` of a circle, between -0.5 and 0.5."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"adjust_hue: hue_factor has value {hue_factor}; it must be between -0.5 and 0.5.")
    return _backend("adjust_hue", img).adjust_hue(img, hue_factor)


def to_grayscale(img, num_output_channels=1):
    """The image in gray, with 1 or 3 channels."""
    if num_output_channels not in (1, 3):
        raise ValueError(f"to_grayscale: num_output_channels has value {num_output_channels}; it must be 1 or 3.")
    return _backend("to_grayscale", img).to_grayscale(img, num_output_channels)


def rotate(img, angle, interpolation="nearest", expand=False, center=None, fill=0):
    """The image turned counter-clockwise.

    Args:
        img: The image.
        angle: Degrees.
        interpolation: 'nearest' or 'bilinear' ('bicubic' for PIL images).
        expand: Enlarge the result so that all of the image is in it.
        center: (x, y) of the fixed point; the middle by default.
        fill: Value, or one for each channel, outside of the image.

    Returns:
        An image of the kind of img.

    Raises:
        ValueError: interpolation is unknown.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.rotate(np.zeros([2, 4, 3], "uint8"), 90, expand=True).shape
        (4, 2, 3)
    """
    backend = _backend("rotate", img)
    _check_interpolation("rotate", interpolation, _warps(backend))
    return backend.rotate(img, angle, interpolation, expand, center, fill)


def _warps(backend):
    return ("nearest", "bilinear", "bicubic") if backend is functional_pil else ("nearest", "bilinear")


def affine(img, angle, translate, scale, shear, interpolation="nearest", fill=0, center=None):
    """The image turned, moved, scaled and sheared.

    Args:
        img: The image.
        angle: Degrees, clockwise.
        translate: (x, y) in pixels.
        scale: Factor > 0.
        shear: Degrees along x, or (along x, along y).
        interpolation, fill, center: As for `rotate`.
    """
    if not isinstance(angle, numbers.Number):
        raise TypeError(f"affine: angle has value {angle!r}; it must be a number.")
    if not isinstance(translate, (list, tuple)) or len(translate) != 2:
        raise TypeError(f"affine: translate has value {translate!r}; it must be a pair.")
    if scale <= 0:
        raise ValueError(f"affine: scale has value {scale}; it must be positive.")
    shear = (shear, 0.0) if isinstance(shear, numbers.Number) else tuple(shear)
    if len(shear) not in (1, 2):
        raise ValueError(f"affine: shear has {len(shear)} items; it must be a number or a pair.")
    shear = (shear[0], shear[0]) if len(shear) == 1 else shear
    backend = _backend("affine", img)
    _check_interpolation("affine", interpolation, _warps(backend))
    return backend.affine(img, angle, translate, scale, shear, interpolation, fill, center)


def perspective(img, startpoints, endpoints, interpolation="nearest", fill=0):
    """The image with four points moved.

    Args:
        img: The image.
        startpoints: Four (x, y) of the image.
        endpoints: Where they go.
        interpolation, fill: As for `rotate`.
    """
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise ValueError(
            f"perspective: {len(startpoints)} startpoints and {len(endpoints)} endpoints are given; four are needed."
        )
    backend = _backend("perspective", img)
    _check_interpolation("perspective", interpolation, _warps(backend))
    return backend.perspective(img, startpoints, endpoints, interpolation, fill)


def erase(img, i, j, h, w, v, inplace=False):
    """The image with a rectangle overwritten.

    Args:
        img: The image.
        i, j: Row and column of the upper left corner.
        h, w: Height and width.
        v: The values.
        inplace: Write into `img` (arrays and Tensors).
    """
    return _backend("erase", img).erase(img, i, j, h, w, v, inplace)


def normalize(img, mean, std, data_format="CHW", to_rgb=False):
    """(img - mean) / std, for each channel.

    Args:
        img: The image; Tensors keep their type, others give float32 arrays.
        mean, std: One number for each channel.
        data_format: Layout of arrays and Tensors, 'CHW' or 'HWC'.
        to_rgb: Exchange the first and the third channel of an array before.
    """
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    if _is_tensor_image(img):
        mean = _core.to_tensor(np.array(mean, "float32").reshape(shape)).astype(img.dtype)
        std = _core.to_tensor(np.array(std, "float32").reshape(shape)).astype(img.dtype)
        return (img - mean) / std
    values = np.array(img, dtype="float32")
    if to_rgb:
        values = values[::-1] if data_format == "CHW" else values[..., ::-1]
    mean, std = np.array(mean, "float32").reshape(shape), np.array(std, "float32").reshape(shape)
    return (values - mean) / std

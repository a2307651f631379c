# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms of NumPy images of shape [height, width] or [height, width, channels], by NumPy."""

import numpy as np

from . import _color, _geometry


def size(img):
    return img.shape[1], img.shape[0]


def array(img):
    return img[:, :, None] if img.ndim == 2 else img


def _like(img, values):
    """`values` in the dtype of `img`, rounded and limited for integers."""
    if img.dtype.kind in "iu":
        limits = np.iinfo(img.dtype)
        return np.clip(np.rint(values), limits.min, limits.max).astype(img.dtype)
    return values.astype(img.dtype)


def _peak(img):
    """White: 255 for integers, and for floats that go beyond 1 (bytes read as floats)."""
    return 255.0 if img.dtype.kind in "iu" or (img.size and img.max() > 1) else 1.0


def _limited(img, values):
    """`values` between black and white, in the dtype of `img`; cut off for integers, as Pillow does."""
    return np.clip(values, 0.0, _peak(img)).astype(img.dtype)


def resize(img, size, interpolation):
    height, width = _geometry.output_size(size, img.shape[1], img.shape[0])
    if img.dtype == np.uint8 and interpolation == "bilinear":
        return _resize_bytes(img, height, width)
    out = img
    for axis, target in ((0, height), (1, width)):
        if out.shape[axis] != target:
            out = _along(out, axis, _geometry.resize_taps(out.shape[axis], target, interpolation))
    return out if out.dtype == img.dtype else _like(img, out)


def _resize_bytes(img, height, width):
    """Bilinear, in the integers of OpenCV: weights of 11 bits, and sums of rows that are cut off."""

    def taps(source, target):
        position = ((np.arange(target) + 0.5) * (source / target) - 0.5).astype("float32")
        first = np.floor(position)
        weight = np.rint((position - first) * np.float32(2048)).astype("int32")
        first = first.astype("int64")
        return [(np.clip(first + k, 0, source - 1), w) for k, w in ((0, 2048 - weight), (1, weight))]

    if img.shape[:2] == (height, width):
        return img
    columns = taps(img.shape[1], width)
    ones = [1] * (img.ndim - 2)
    total = 2
    for row, weight in taps(img.shape[0], height):
        picked = img[row]
        line = sum(picked[:, index] * w.reshape(-1, *ones) for index, w in columns)
        total = total + ((line >> 4) * weight.reshape(-1, 1, *ones) >> 16)
    return (total >> 2).astype(np.uint8)


def _along(values, axis, taps):
    total = None
    for index, weight in taps:
        part = np.take(values, index, axis)
        if weight is None:
            return part
        shape = [1] * values.ndim
        shape[axis] = -1
        part = part * weight.reshape(shape)
        total = part if total is None else np.add(total, part, out=total)
    return total


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = _geometry.sides(padding)
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (img.ndim - 2)
    if padding_mode != "constant":
        return np.pad(img, widths, padding_mode)
    if not isinstance(fill, (list, tuple)):
        return np.pad(img, widths, constant_values=fill)
    out = np.empty((img.shape[0] + top + bottom, img.shape[1] + left + right, *img.shape[2:]), img.dtype)
    out[...] = fill
    out[top : top + img.shape[0], left : left + img.shape[1]] = img
    return out


def crop(img, top, left, height, width):
    return img[top : top + height, left : left + width]


def hflip(img):
    return img[:, ::-1]


def vflip(img):
    return img[::-1]


def adjust_brightness(img, factor):
    peak = _peak(img)
    return np.clip(img.astype("float64" if peak == 255 else "float32") * factor, 0.0, peak).astype(img.dtype)


def _gray(img):
    """Brightness, of shape [height, width, 1]."""
    values = array(img).astype("float32")
    if values.shape[2] == 1:
        return values
    return _color.luma(values[..., 0], values[..., 1], values[..., 2])[..., None]


def _blend(img, other, factor):
    values = array(img).astype("float32")
    return _limited(img, (values * factor + other * (1 - factor)).reshape(img.shape))


def adjust_contrast(img, factor):
    if img.dtype == np.uint8:
        # PaddlePaddle turns 8-bit values about one fixed gray, whatever the image shows.
        return np.clip((np.arange(256) - 74) * factor + 74, 0, 255).astype(np.uint8)[img]
    mean = _gray(img).mean()
    return _blend(img, np.rint(mean) if img.dtype.kind in "iu" else mean, factor)


def adjust_saturation(img, factor):
    return _blend(img, _gray(img), factor)


def adjust_hue(img, factor):
    values = array(img)
    if values.shape[2] == 1:
        return img
    if img.dtype == np.uint8:
        return _color.shift_hue_bytes(img, int(factor * 255))
    values = values.astype("float32") / _peak(img)
    out = _color.shift_hue(np, values[..., 0], values[..., 1], values[..., 2], factor)
    return _limited(img, np.stack([*out, *np.moveaxis(values[..., 3:], -1, 0)], -1) * _peak(img))


def to_grayscale(img, channels):
    return np.repeat(_like(img, _gray(img)), channels, axis=2)


def _sampled(img, inverse, width, height, interpolation, fill):
    x, y = _geometry.source_points(inverse, width, height)
    flat = img.reshape(img.shape[0] * img.shape[1], -1)
    total, cover = 0.0, 0.0
    for index, weight in _geometry.sample_taps(x, y, img.shape[1], img.shape[0], interpolation):
        total = total + flat[index] * weight[:, None]
        cover = cover + weight
    total = total + (1 - cover)[:, None] * np.asarray(fill, "float32").reshape(1, -1)[:, : flat.shape[1]]
    return _like(img, total).reshape(height, width, *img.shape[2:])


def rotate(img, angle, interpolation, expand, center, fill):
    inverse, width, height = _geometry.rotation_inverse(img.shape[1], img.shape[0], angle, center, expand)
    return _sampled(img, _geometry.of_centers(inverse), width, height, interpolation, fill)


def affine(img, angle, translate, scale, shear, interpolation, fill, center):
    height, width = img.shape[:2]
    center = (width / 2, height / 2) if center is None else center
    inverse = _geometry.affine_inverse(center, angle, translate, scale, shear)
    return _sampled(img, inverse, width, height, interpolation, fill)


def perspective(img, startpoints, endpoints, interpolation, fill):
    inverse = _geometry.of_centers(_geometry.perspective_inverse(startpoints, endpoints))
    return _sampled(img, inverse, img.shape[1], img.shape[0], interpolation, fill)


def erase(img, top, left, height, width, value, inplace):
    out = img if inplace else img.copy()
    out[top : top + height, left : left + width] = value
    return out

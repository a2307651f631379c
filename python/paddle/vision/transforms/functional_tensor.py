# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms of image Tensors of shape [channels, height, width], by operators that have gradients."""

import numpy as np

from ... import _core, tensor
from . import _color, _geometry


def size(img):
    return img.shape[-1], img.shape[-2]


def array(img):
    return img.numpy().transpose(1, 2, 0)


def _peak(img):
    return 1.0 if img.is_floating_point() else 255.0


def _floats(img):
    return img if img.is_floating_point() else img.astype("float32")


def _like(img, values):
    if img.is_floating_point():
        return values.astype(img.dtype)
    return tensor.clip(tensor.round(values), 0.0, 255.0).astype(img.dtype)


def _limited(img, values):
    return _like(img, tensor.clip(values, 0.0, _peak(img)))


def resize(img, size, interpolation):
    height, width = _geometry.output_size(size, img.shape[-1], img.shape[-2])
    if interpolation == "area":
        from ...nn.functional import interpolate

        pooled = interpolate(_floats(img).unsqueeze(0), [height, width], mode="area")
        return _like(img, pooled.squeeze(0))
    out = img
    for axis, target in ((-2, height), (-1, width)):
        if out.shape[axis] != target:
            taps = _geometry.resize_taps(out.shape[axis], target, interpolation)
            out = _along(out if taps[0][1] is None else _floats(out), axis, taps)
    return out if out.dtype == img.dtype else _like(img, out)


def _along(values, axis, taps):
    total = None
    for index, weight in taps:
        part = tensor.index_select(values, _core.to_tensor(index), values.ndim + axis)
        if weight is None:
            return part
        weight = _core.to_tensor(weight).astype(values.dtype)
        part = part * (weight.reshape([-1, 1]) if axis == -2 else weight)
        total = part if total is None else total + part
    return total


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = _geometry.sides(padding)
    if padding_mode == "constant" and not isinstance(fill, (list, tuple)):
        channels, height, width = img.shape[-3:]
        out = tensor.full([channels, height + top + bottom, width + left + right], fill, img.dtype)
        return _placed(out, img, top, left)
    mode = "constant" if padding_mode == "constant" else padding_mode
    options = {} if mode != "constant" else {"constant_values": -1}
    rows = np.pad(np.arange(img.shape[-2]), (top, bottom), mode, **options)
    columns = np.pad(np.arange(img.shape[-1]), (left, right), mode, **options)
    out = img
    for axis, index in ((-2, rows), (-1, columns)):
        out = tensor.index_select(out, _core.to_tensor(np.maximum(index, 0)), img.ndim + axis)
    if mode != "constant":
        return out
    inside = _core.to_tensor((rows >= 0)[:, None] & (columns >= 0))
    fills = _core.to_tensor(np.array(fill)).astype(img.dtype).reshape([-1, 1, 1])
    return tensor.where(inside, out, fills + tensor.zeros_like(out))


def _placed(out, img, top, left):
    out[:, top : top + img.shape[-2], left : left + img.shape[-1]] = img
    return out


def crop(img, top, left, height, width):
    return img[:, top : top + height, left : left + width]


def hflip(img):
    return tensor.flip(img, [-1])


def vflip(img):
    return tensor.flip(img, [-2])


def adjust_brightness(img, factor):
    return _limited(img, _floats(img) * factor)


def _gray(img):
    values = _floats(img)
    if img.shape[0] == 1:
        return values
    return _color.luma(values[0:1], values[1:2], values[2:3], 0.2989)


def adjust_contrast(img, factor):
    return _limited(img, _floats(img) * factor + _gray(img).mean() * (1 - factor))


def adjust_saturation(img, factor):
    return _limited(img, _floats(img) * factor + _gray(img) * (1 - factor))


def adjust_hue(img, factor):
    if img.shape[0] == 1:
        return img
    values = _floats(img) / _peak(img)
    out = _color.shift_hue(tensor, values[0], values[1], values[2], factor)
    return _limited(img, tensor.stack(list(out), 0) * _peak(img))


def to_grayscale(img, channels):
    gray = _like(img, _gray(img))
    return gray if channels == 1 else tensor.concat([gray] * channels, 0)


def _sampled(img, inverse, width, height, interpolation, fill):
    x, y = _geometry.source_points(inverse, width, height)
    values = _floats(img)
    flat = values.reshape([img.shape[0], img.shape[1] * img.shape[2]])
    total, cover = None, 0.0
    for index, weight in _geometry.sample_taps(x, y, img.shape[2], img.shape[1], interpolation):
        part = tensor.index_select(flat, _core.to_tensor(index), 1) * _core.to_tensor(weight).astype(values.dtype)
        total = part if total is None else total + part
        cover = cover + weight
    if fill is not None:  # what lies outside counts twice, as in PaddlePaddle: as zeros and as fill
        fill = _core.to_tensor(np.asarray(fill, "float32").reshape(-1, 1)).astype(values.dtype)
        inside, outside = (_core.to_tensor(part).astype(values.dtype) for part in (cover, 1 - cover))
        total = total * inside + outside * fill
    return _like(img, total).reshape([img.shape[0], height, width])


def rotate(img, angle, interpolation, expand, center, fill):
    inverse, width, height = _geometry.rotation_inverse(img.shape[2], img.shape[1], angle, center, expand)
    return _sampled(img, inverse, width, height, interpolation, fill)


def affine(img, angle, translate, scale, shear, interpolation, fill, center):
    height, width = img.shape[1:]
    center = (width / 2, height / 2) if center is None else center
    inverse = _geometry.affine_inverse(center, angle, translate, scale, shear)
    return _sampled(img, inverse, width, height, interpolation, fill)


def perspective(img, startpoints, endpoints, interpolation, fill):
    inverse = _geometry.perspective_inverse(startpoints, endpoints)
    return _sampled(img, inverse, img.shape[2], img.shape[1], interpolation, fill)


def erase(img, top, left, height, width, value, inplace):
    out = img if inplace else img.clone()
    out[:, top : top + height, left : left + width] = value
    return out

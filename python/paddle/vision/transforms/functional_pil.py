# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms of PIL images, by Pillow."""

import numpy as np

from . import _geometry


def _method(name):
    from PIL import Image

    names = {"nearest": "NEAREST", "bilinear": "BILINEAR", "bicubic": "BICUBIC", "lanczos": "LANCZOS"}
    names.update(box="BOX", hamming="HAMMING", area="BOX")
    return getattr(Image.Resampling, names[name])


def size(img):
    return img.size


def array(img):
    """The pixels as an array of shape [height, width, channels]."""
    kinds = {"I": np.int32, "I;16": np.int16, "F": np.float32, "1": np.uint8}
    values = np.array(img, kinds.get(img.mode), copy=True)
    if img.mode == "1":
        values = 255 * values
    return values[:, :, None] if values.ndim == 2 else values


def resize(img, size, interpolation):
    height, width = _geometry.output_size(size, *img.size)
    return img.resize((width, height), _method(interpolation))


def pad(img, padding, fill, padding_mode):
    from PIL import Image, ImageOps

    left, top, right, bottom = _geometry.sides(padding)
    if padding_mode == "constant":
        if img.mode == "P":
            palette = img.getpalette()
            img = ImageOps.expand(img, border=(left, top, right, bottom), fill=fill)
            img.putpalette(palette)
            return img
        return ImageOps.expand(img, border=(left, top, right, bottom), fill=fill)
    values = np.asarray(img)
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (values.ndim - 2)
    out = Image.fromarray(np.pad(values, widths, padding_mode))
    if img.mode == "P":
        out.putpalette(img.getpalette())
    return out


def crop(img, top, left, height, width):
    return img.crop((left, top, left + width, top + height))


def hflip(img):
    from PIL import Image

    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def vflip(img):
    from PIL import Image

    return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def _enhance(name, img, factor):
    from PIL import ImageEnhance

    return getattr(ImageEnhance, name)(img).enhance(factor)


def adjust_brightness(img, factor):
    return _enhance("Brightness", img, factor)


def adjust_contrast(img, factor):
    return _enhance("Contrast", img, factor)


def adjust_saturation(img, factor):
    return _enhance("Color", img, factor)


def adjust_hue(img, factor):
    from PIL import Image

    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    turned = (np.asarray(hue).astype("int32") + int(factor * 255)) % 256
    merged = Image.merge("HSV", (Image.fromarray(turned.astype("uint8")), saturation, value))
    return merged.convert(img.mode)


def to_grayscale(img, channels):
    gray = img.convert("L")
    if channels == 1:
        return gray
    from PIL import Image

    return Image.merge("RGB", (gray, gray, gray))


def _fill(img, fill):
    """A fill value of the image's number of channels."""
    bands = len(img.getbands())
    if isinstance(fill, (list, tuple)):
        return tuple(fill) if bands > 1 else fill[0]
    return (fill,) * bands if bands > 1 else fill


def rotate(img, angle, interpolation, expand, center, fill):
    return img.rotate(angle, _method(interpolation), expand, center, fillcolor=_fill(img, fill))


def affine(img, angle, translate, scale, shear, interpolation, fill, center):
    from PIL import Image

    center = (img.size[0] / 2, img.size[1] / 2) if center is None else center
    inverse = _geometry.affine_inverse(center, angle, translate, scale, shear)
    method = _method(interpolation)
    return img.transform(
        img.size, Image.Transform.AFFINE, inverse[:2].ravel().tolist(), method, fillcolor=_fill(img, fill)
    )


def perspective(img, startpoints, endpoints, interpolation, fill):
    from PIL import Image

    matrix = _geometry.perspective_inverse(startpoints, endpoints).ravel()[:8].tolist()
    method = _method(interpolation)
    return img.transform(img.size, Image.Transform.PERSPECTIVE, matrix, method, fillcolor=_fill(img, fill))


def erase(img, top, left, height, width, value, inplace):
    from PIL import Image

    values = np.array(img)
    values[top : top + height, left : left + width] = value
    return Image.fromarray(values.astype("uint8"))

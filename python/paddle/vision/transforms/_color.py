# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of colours for arrays and Tensors alike; `xp` is numpy or paddle.

Channels are floating-point, between 0 and 1 for hue.
"""

import numpy as np


def luma(r, g, b, red=0.299):
    """Brightness of a colour (ITU-R BT.601)."""
    return r * red + g * 0.587 + b * 0.114


def shift_hue(xp, r, g, b, amount):
    """Colours with the hue turned by `amount` of a full circle."""
    h, s, v = _to_hsv(xp, r, g, b)
    h = h + amount
    return _to_rgb(xp, h - xp.floor(h), s, v)


def _to_hsv(xp, r, g, b):
    high = xp.maximum(xp.maximum(r, g), b)
    low = xp.minimum(xp.minimum(r, g), b)
    spread = high - low
    zero, one = xp.zeros_like(high), xp.ones_like(high)
    safe = xp.where(spread == 0, one, spread)
    saturation = xp.where(spread == 0, zero, spread / xp.where(high == 0, one, high))
    red, green, blue = (high - r) / safe, (high - g) / safe, (high - b) / safe
    hue = xp.where(r == high, blue - green, xp.where(g == high, 2.0 + red - blue, 4.0 + green - red)) / 6.0
    hue = xp.where(spread == 0, zero, hue - xp.floor(hue))
    return hue, saturation, high


def _to_rgb(xp, h, s, v):
    def channel(n):
        k = h * 6.0 + n
        k = k - xp.floor(k / 6.0) * 6.0
        ramp = xp.clip(xp.minimum(k, 4.0 - k), 0.0, 1.0)
        return v - v * s * ramp

    return channel(5.0), channel(3.0), channel(1.0)


def shift_hue_bytes(img, steps):
    """An 8-bit array [height, width, channels] with its hue turned by `steps` 256ths of a circle.

    Hue and saturation are bytes on the way, as with OpenCV's full-range HSV, so that the result has its numbers.
    The first channel counts as blue.
    """
    b, g, r = (img[..., i].astype("int64") for i in range(3))
    high, low = np.maximum(np.maximum(b, g), r), np.minimum(np.minimum(b, g), r)
    spread = high - low
    saturation = (spread * _SATURATION[high] + 2048) >> 12
    hue = np.where(high == r, g - b, np.where(high == g, b - r + 2 * spread, r - g + 4 * spread))
    hue = ((hue * _HUE[spread] + 2048) >> 12) + steps & 255
    h, s, v = hue.astype("float32") * np.float32(6 / 255), saturation / np.float32(255), high / np.float32(255)
    sector = np.floor(h)
    part = h - sector
    sector = sector.astype("int64") % 6
    levels = np.stack([v, v * (1 - s), v * (1 - s * part), v * (1 - s * (1 - part))], -1).astype("float32")
    order = _SECTORS[sector]
    out = np.take_along_axis(levels, order, -1)
    out = np.clip(np.rint(out * np.float32(255)), 0, 255).astype(np.uint8)
    return np.concatenate([out, img[..., 3:]], -1) if img.shape[-1] > 3 else out


def _reciprocals(scale):
    numbers = np.arange(256)
    return np.where(numbers > 0, np.rint(scale / np.maximum(numbers, 1)), 0).astype("int64")


# Fixed-point reciprocals of 12 bits, and (blue, green, red) of each sixth of the circle as numbers of levels.
_SATURATION, _HUE = _reciprocals(255 << 12), _reciprocals((256 << 12) / 6)
_SECTORS = np.array([[1, 3, 0], [1, 0, 2], [3, 0, 1], [0, 2, 1], [0, 1, 3], [2, 1, 0]])

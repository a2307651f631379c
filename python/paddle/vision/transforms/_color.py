# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of colours for arrays and Tensors alike; `xp` is numpy or paddle.

Channels are floating-point, between 0 and 1 for hue.
"""


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

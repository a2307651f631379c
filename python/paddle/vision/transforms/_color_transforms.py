# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Classes of transforms that change colours: brightness, contrast, saturation, hue, scale and grey."""

import numbers
import random

from . import functional as F
from ._base import BaseTransform, Compose


def _check_input(value, name, center=1, bound=(0, float("inf")), clip_first_on_zero=True):
    """The range of a random factor from a number or a pair; None when nothing changes."""
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"{name}: the value is {value}; a single number must not be negative.")
        value = [center - value, center + value]
        if clip_first_on_zero:
            value[0] = max(value[0], 0)
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        if not bound[0] <= value[0] <= value[1] <= bound[1]:
            raise ValueError(f"{name}: the value is {value}; it must be ordered and within {bound}.")
    else:
        raise TypeError(f"{name}: the value is {value!r}; it must be a number or a pair.")
    return None if value[0] == value[1] == center else value


class _ColorTransform(BaseTransform):
    """A colour changed by a random factor around 1."""

    def __init__(self, value, keys=None):
        super().__init__(keys)
        self.value = _check_input(value, type(self).__name__)

    def _get_params(self, inputs):
        return None if self.value is None else random.uniform(*self.value)

    def _apply_image(self, img):
        return img if self.params is None else self._adjust(img, self.params)


class BrightnessTransform(_ColorTransform):
    """Multiplies brightness by a random factor from 1 - value to 1 + value."""

    def __init__(self, value, keys=None):
        super().__init__(value, keys)

    _adjust = staticmethod(F.adjust_brightness)


class ContrastTransform(_ColorTransform):
    """Multiplies contrast by a random factor from 1 - value to 1 + value."""

    def __init__(self, value, keys=None):
        super().__init__(value, keys)

    _adjust = staticmethod(F.adjust_contrast)


class SaturationTransform(_ColorTransform):
    """Multiplies saturation by a random factor from 1 - value to 1 + value."""

    def __init__(self, value, keys=None):
        super().__init__(value, keys)

    _adjust = staticmethod(F.adjust_saturation)


class HueTransform(_ColorTransform):
    """Turns hues by a random part of a circle from -value to value, at most 0.5."""

    def __init__(self, value, keys=None):
        BaseTransform.__init__(self, keys)
        self.value = _check_input(value, "HueTransform", center=0, bound=(-0.5, 0.5), clip_first_on_zero=False)

    _adjust = staticmethod(F.adjust_hue)


class ColorJitter(BaseTransform):
    """Changes brightness, contrast, saturation and hue at random, in random order.

    Args:
        brightness: A factor is drawn from [max(0, 1 - brightness), 1 + brightness]; so for contrast and saturation.
        contrast: As brightness.
        saturation: As brightness.
        hue: A turn is drawn from [-hue, hue], of a full circle; at most 0.5.
        keys: What the entries of a tuple are, as in "image"; None for one image.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)(np.zeros([4, 4, 3], "uint8")).shape
        (4, 4, 3)
    """

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0, keys=None):
        super().__init__(keys)
        self.brightness, self.contrast, self.saturation, self.hue = brightness, contrast, saturation, hue
        self._transforms = [
            BrightnessTransform(brightness, keys),
            ContrastTransform(contrast, keys),
            SaturationTransform(saturation, keys),
            HueTransform(hue, keys),
        ]

    def _get_params(self, inputs):
        order = list(self._transforms)
        random.shuffle(order)
        return Compose(order)

    def _apply_image(self, img):
        return self.params(img)


class Normalize(BaseTransform):
    """(image - mean) / std per channel; see `paddle.vision.transforms.normalize`.

    Args:
        mean: A number for three channels, or one per channel.
        std: As mean.
        data_format: Layout of the image: "CHW" or "HWC".
        to_rgb: Whether the order of the channels is turned round.
        keys: What the entries of a tuple are, as in "image"; None for one image.

    Example:
        >>> import numpy as np
        >>> image = np.full([1, 2, 2], 3.0, "float32")
        >>> paddle.vision.transforms.Normalize([1.0], [2.0])(image).tolist()
        [[[1.0, 1.0], [1.0, 1.0]]]
    """

    def __init__(self, mean=0.0, std=1.0, data_format="CHW", to_rgb=False, keys=None):
        super().__init__(keys)
        self.mean = [mean] * 3 if isinstance(mean, numbers.Number) else mean
        self.std = [std] * 3 if isinstance(std, numbers.Number) else std
        self.data_format, self.to_rgb = data_format, to_rgb

    def _apply_image(self, img):
        return F.normalize(img, self.mean, self.std, self.data_format, self.to_rgb)


class Grayscale(BaseTransform):
    """See `to_grayscale`."""

    def __init__(self, num_output_channels=1, keys=None):
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, img):
        return F.to_grayscale(img, self.num_output_channels)

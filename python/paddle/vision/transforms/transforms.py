# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms as classes: those of colours come from `_color_transforms`, those of geometry stand here.
Random ones draw from Python's `random`."""

import math
import numbers
import random

import numpy as np

from ... import tensor as _tensor
from . import functional as F
from ._base import BaseTransform, Compose, probability  # noqa: F401
from ._color_transforms import (  # noqa: F401
    BrightnessTransform,
    ColorJitter,
    ContrastTransform,
    Grayscale,
    HueTransform,
    Normalize,
    SaturationTransform,
    _check_input,
)

_get_image_size = F._get_image_size


def _degrees(owner, name, value):
    """A range of angles from a number or a pair."""
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"{owner}: {name} has value {value}; a single number must not be negative.")
        return (-value, value)
    if len(value) != 2:
        raise ValueError(f"{owner}: {name} has {len(value)} items; it must be a number or a pair.")
    return value


def _pair(size):
    return (int(size), int(size)) if isinstance(size, numbers.Number) else size


class ToTensor(BaseTransform):
    """Images as Tensors; bytes become numbers from 0 to 1. See `paddle.vision.transforms.to_tensor`.

    Args:
        data_format: Layout of the result: "CHW" or "HWC".
        keys: What the entries of a tuple are, as in "image"; None for one image.

    Example:
        >>> import numpy as np
        >>> image = paddle.vision.transforms.ToTensor()(np.full([2, 2, 3], 255, "uint8"))
        >>> image.shape, float(image.max())
        (paddle.Size([3, 2, 2]), 1.0)
    """

    def __init__(self, data_format="CHW", keys=None):
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, img):
        return F.to_tensor(img, self.data_format)


class Resize(BaseTransform):
    """Resizes images; see `paddle.vision.transforms.resize`.

    Args:
        size: (height, width), or the length of the shorter edge.
        interpolation: 'nearest', 'bilinear', 'area', 'bicubic' or 'lanczos'.
        keys: What the entries of a tuple are, as in "image"; None for one image.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.Resize((8, 6))(np.zeros([4, 4, 3], "uint8")).shape
        (8, 6, 3)
    """

    def __init__(self, size, interpolation="bilinear", keys=None):
        super().__init__(keys)
        if not isinstance(size, (int, list, tuple)):
            raise AssertionError(f"Resize: size has value {size!r}; it must be an integer or a pair.")
        self.size, self.interpolation = size, interpolation

    def _apply_image(self, img):
        return F.resize(img, self.size, self.interpolation)


class RandomResizedCrop(BaseTransform):
    """A random part of the image, resized.

    Args:
        size: (height, width) of the result, or one number for both.
        scale: Range of the part's area, relative to the image.
        ratio: Range of its width / height.
        interpolation: See `resize`.
    """

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3.0 / 4, 4.0 / 3), interpolation="bilinear", keys=None):
        super().__init__(keys)
        self.size = _pair(size)
        if scale[0] > scale[1] or ratio[0] > ratio[1]:
            raise AssertionError(f"RandomResizedCrop: scale {scale} and ratio {ratio} must be ordered.")
        self.scale, self.ratio, self.interpolation = scale, ratio, interpolation

    def _get_param(self, image, attempts=10):
        """(top, left, height, width) of a random part."""
        width, height = _get_image_size(image)
        for _ in range(attempts):
            area = np.random.uniform(*self.scale) * width * height
            aspect = math.exp(np.random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if 0 < w <= width and 0 < h <= height:
                return random.randint(0, height - h), random.randint(0, width - w), h, w
        aspect = min(max(width / height, self.ratio[0]), self.ratio[1])  # the middle, as large as fits
        w, h = min(width, round(height * aspect)), min(height, round(width / aspect))
        return (height - h) // 2, (width - w) // 2, h, w

    def _get_params(self, inputs):
        return self._get_param(inputs[self.keys.index("image")])

    def _apply_image(self, img):
        return F.resize(F.crop(img, *self.params), self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """The middle part of an image; see `paddle.vision.transforms.center_crop`.

    Args:
        size: (height, width), or one number for both.
        keys: What the entries of a tuple are, as in "image"; None for one image.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.CenterCrop(2)(np.zeros([4, 4, 3], "uint8")).shape
        (2, 2, 3)
    """

    def __init__(self, size, keys=None):
        super().__init__(keys)
        self.size = _pair(size)

    def _apply_image(self, img):
        return F.center_crop(img, self.size)


class _RandomFlip(BaseTransform):
    def __init__(self, prob=0.5, keys=None):
        super().__init__(keys)
        self.prob = probability(type(self).__name__, prob)

    def _get_params(self, inputs):
        return random.random() < self.prob

    def _apply_image(self, img):
        return self._flip(img) if self.params else img


class RandomHorizontalFlip(_RandomFlip):
    """Exchanges left and right with probability `prob`.

    Args:
        prob: The probability.
        keys: What the entries of a tuple are, as in "image"; None for one image.

    Example:
        >>> import numpy as np
        >>> image = np.arange(2, dtype="uint8").reshape([1, 2, 1])
        >>> paddle.vision.transforms.RandomHorizontalFlip(1.0)(image).ravel().tolist()
        [1, 0]
    """

    def __init__(self, prob=0.5, keys=None):
        super().__init__(prob, keys)

    _flip = staticmethod(F.hflip)


class RandomVerticalFlip(_RandomFlip):
    """Turns the image upside down with probability `prob`."""

    def __init__(self, prob=0.5, keys=None):
        super().__init__(prob, keys)

    _flip = staticmethod(F.vflip)


class Transpose(BaseTransform):
    """Permutes the axes of an image; PIL images become arrays.

    Args:
        order: The axes of the image in their new order.
        keys: What the entries of a tuple are, as in "image"; None for one image.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.Transpose()(np.zeros([4, 5, 3], "uint8")).shape
        (3, 4, 5)
    """

    def __init__(self, order=(2, 0, 1), keys=None):
        super().__init__(keys)
        self.order = order

    def _apply_image(self, img):
        if F._is_tensor_image(img):
            return img.transpose(list(self.order))
        values = np.asarray(img)
        return (values[..., None] if values.ndim == 2 else values).transpose(self.order)


class RandomCrop(BaseTransform):
    """A random part of given size.

    Args:
        size: (height, width), or one number for both.
        padding: Padding before, see `pad`.
        pad_if_needed: Pad images that are too small.
        fill, padding_mode: See `pad`.

    Raises:
        ValueError: The image is smaller than the size.

    Example:
        >>> import numpy as np
        >>> paddle.vision.transforms.RandomCrop(3, padding=1)(np.zeros([4, 4, 3], "uint8")).shape
        (3, 3, 3)
    """

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant", keys=None):
        super().__init__(keys)
        self.size = _pair(size)
        self.padding, self.pad_if_needed = padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def _get_param(self, img, output_size):
        """(top, left, height, width) of a random part."""
        width, height = _get_image_size(img)
        h, w = output_size
        if h > height or w > width:
            raise ValueError(
                f"RandomCrop: size is {tuple(output_size)} and the image is {(height, width)}; the image must not be "
                f"smaller. Pass pad_if_needed=True."
            )
        return random.randint(0, height - h), random.randint(0, width - w), h, w

    def _padded(self, img):
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        width, height = _get_image_size(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, (self.size[1] - width, 0), self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, (0, self.size[0] - height), self.fill, self.padding_mode)
        return img

    def _get_params(self, inputs):
        return self._get_param(self._padded(inputs[self.keys.index("image")]), self.size)

    def _apply_image(self, img):
        return F.crop(self._padded(img), *self.params)


class Pad(BaseTransform):
    """See `pad`."""

    def __init__(self, padding, fill=0, padding_mode="constant", keys=None):
        super().__init__(keys)
        if isinstance(padding, (list, tuple)) and len(padding) == 1:
            padding = padding[0]
        if not isinstance(padding, (numbers.Number, list, tuple)):
            raise AssertionError(f"Pad: padding has value {padding!r}; it must be a number or a list of numbers.")
        if isinstance(padding, (list, tuple)) and len(padding) not in (2, 4):
            raise ValueError(
                f"Pad: padding has {len(padding)} items; it must be a number, or a list of 2 or 4 numbers."
            )
        if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
            raise AssertionError(
                f"Pad: padding_mode has value {padding_mode!r}; it must be 'constant', 'edge', 'reflect' or 'symmetric'."
            )
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def _apply_image(self, img):
        return F.pad(img, self.padding, self.fill, self.padding_mode)


class RandomAffine(BaseTransform):
    """A random affine map.

    Args:
        degrees: Range of the angle, as a pair, or a number d for (-d, d).
        translate: Largest shifts (x, y), relative to the size.
        scale: Range of the factor.
        shear: Range of shears in degrees: a number, (low, high) along x, or four numbers for x and y.
        interpolation, fill, center: See `rotate`.
    """

    def __init__(
        self,
        degrees,
        translate=None,
        scale=None,
        shear=None,
        interpolation="nearest",
        fill=0,
        center=None,
        keys=None,
    ):
        super().__init__(keys)
        self.degrees = _degrees("RandomAffine", "degrees", degrees)
        if translate is not None and (len(translate) != 2 or not all(0 <= t <= 1 for t in translate)):
            raise ValueError(f"RandomAffine: translate has value {translate}; it must be two numbers from 0 to 1.")
        if scale is not None and (len(scale) != 2 or min(scale) <= 0):
            raise ValueError(f"RandomAffine: scale has value {scale}; it must be two positive numbers.")
        if isinstance(shear, (list, tuple)) and len(shear) == 4:
            self.shear = shear
        else:
            self.shear = None if shear is None else _degrees("RandomAffine", "shear", shear)
        if center is not None and (not isinstance(center, (list, tuple)) or len(center) != 2):
            error = ValueError if isinstance(center, (list, tuple)) else TypeError
            raise error(f"RandomAffine: center has value {center!r}; it must be two numbers.")
        self.translate, self.scale, self.center = translate, scale, center
        self.interpolation, self.fill = interpolation, fill

    def _get_param(self, img_size, degrees, translate=None, scale_ranges=None, shears=None):
        """(angle, (x, y), scale, (shear x, shear y))."""
        angle = random.uniform(*degrees)
        shift = (0, 0)
        if translate is not None:
            reach = [t * n for t, n in zip(translate, img_size, strict=True)]
            shift = tuple(int(random.uniform(-r, r)) for r in reach)
        scale = 1.0 if scale_ranges is None else random.uniform(*scale_ranges)
        shear = (0.0, 0.0)
        if shears is not None:
            shear = (random.uniform(*shears[:2]), random.uniform(*shears[2:]) if len(shears) == 4 else 0.0)
        return angle, shift, scale, shear

    def _get_params(self, inputs):
        size = _get_image_size(inputs[self.keys.index("image")])
        return self._get_param(size, self.degrees, self.translate, self.scale, self.shear)

    def _apply_image(self, img):
        return F.affine(img, *self.params, self.interpolation, self.fill, self.center)


class RandomRotation(BaseTransform):
    """A random rotation; `degrees` is a pair, or a number d for (-d, d); else as `rotate`."""

    def __init__(self, degrees, interpolation="nearest", expand=False, center=None, fill=0, keys=None):
        super().__init__(keys)
        self.degrees = _degrees("RandomRotation", "degrees", degrees)
        self.interpolation, self.expand, self.center, self.fill = interpolation, expand, center, fill

    def _get_param(self, degrees):
        return random.uniform(*degrees)

    def _get_params(self, inputs):
        return self._get_param(self.degrees)

    def _apply_image(self, img):
        return F.rotate(img, self.params, self.interpolation, self.expand, self.center, self.fill)


class RandomPerspective(BaseTransform):
    """Moves the corners at random.

    Args:
        prob: Probability that anything is done.
        distortion_scale: How far, from 0 to 1.
        interpolation, fill: See `rotate`.
    """

    def __init__(self, prob=0.5, distortion_scale=0.5, interpolation="nearest", fill=0, keys=None):
        super().__init__(keys)
        self.prob = probability("RandomPerspective", prob)
        if not 0 <= distortion_scale <= 1:
            raise AssertionError(
                f"RandomPerspective: distortion_scale has value {distortion_scale}; it is from 0 to 1."
            )
        self.distortion_scale, self.interpolation, self.fill = distortion_scale, interpolation, fill

    def get_params(self, width, height, distortion_scale):
        """(corners of the image, where they go)."""
        reach_x, reach_y = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))

        def moved(right, bottom):
            x = random.uniform(width - reach_x - 1, width) if right else random.uniform(0, reach_x + 1)
            y = random.uniform(height - reach_y - 1, height) if bottom else random.uniform(0, reach_y + 1)
            return [int(x), int(y)]

        corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
        start = [[right * (width - 1), bottom * (height - 1)] for right, bottom in corners]
        return start, [moved(right, bottom) for right, bottom in corners]

    def _get_params(self, inputs):
        if random.random() >= self.prob:
            return None
        return self.get_params(*_get_image_size(inputs[self.keys.index("image")]), self.distortion_scale)

    def _apply_image(self, img):
        if self.params is None:
            return img
        return F.perspective(img, *self.params, self.interpolation, self.fill)


class RandomErasing(BaseTransform):
    """Overwrites a random rectangle.

    Args:
        prob: Probability that anything is done.
        scale: Range of the rectangle's area, relative to the image.
        ratio: Range of its height / width.
        value: Number, one number for each channel, or 'random'.
        inplace: Write into the image.
    """

    def __init__(self, prob=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False, keys=None):
        super().__init__(keys)
        for name, pair in (("scale", scale), ("ratio", ratio)):
            if not isinstance(pair, (tuple, list)):
                raise AssertionError(f"RandomErasing: {name} should be a tuple or list, got {pair!r}.")
        if not 0 <= scale[0] <= scale[1] <= 1:
            raise AssertionError(
                f"RandomErasing: scale should be of kind (min, max) and in range [0, 1], got {scale!r}."
            )
        if not ratio[0] <= ratio[1]:
            raise AssertionError(f"RandomErasing: ratio should be of kind (min, max), got {ratio!r}.")
        if not 0 <= prob <= 1:
            raise AssertionError(f"RandomErasing: The probability should be in range [0, 1], got {prob!r}.")
        if isinstance(value, str) and value != "random":
            raise ValueError(f"RandomErasing: value must be 'random' when type is str, got {value!r}.")
        if not isinstance(value, (numbers.Number, str, list, tuple)):
            raise AssertionError(
                f"RandomErasing: value has value {value!r}; it must be a number, a sequence or 'random'."
            )
        self.prob = prob
        self.scale, self.ratio, self.value, self.inplace = scale, ratio, value, inplace

    def _get_param(self, img, scale, ratio, value):
        """(top, left, height, width, value) of a rectangle, of the whole image when none fits."""
        width, height = _get_image_size(img)
        channels = img.shape[0] if F._is_tensor_image(img) else np.asarray(img).reshape(height, width, -1).shape[2]
        for _ in range(10):
            area = np.random.uniform(*scale) * width * height
            aspect = math.exp(np.random.uniform(math.log(ratio[0]), math.log(ratio[1])))
            h, w = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if h < height and w < width:
                break
        else:
            return None
        values = self._values(img, value, channels, h, w)
        top, left = np.random.randint(0, height - h + 1), np.random.randint(0, width - w + 1)
        return top, left, h, w, values

    @staticmethod
    def _values(img, value, channels, h, w):
        tensor = F._is_tensor_image(img)
        if isinstance(value, str) and tensor:
            return _tensor.normal(shape=[channels, h, w]).astype(img.dtype)
        if isinstance(value, str):
            noise = np.random.normal(size=[h, w, channels]) * 255
        else:
            numbers_ = [value] if isinstance(value, numbers.Number) else list(value)
            if len(numbers_) not in (1, channels):
                raise ValueError(f"RandomErasing: value has {len(numbers_)} items and the image {channels} channels.")
            noise = np.array(numbers_, "float32").reshape([-1, 1, 1] if tensor else [1, 1, -1])
        if tensor:
            return _tensor.to_tensor(np.broadcast_to(noise, [channels, h, w]).copy()).astype(img.dtype)
        return noise if np.asarray(img).ndim == 3 else noise[..., 0]

    def _get_params(self, inputs):
        if random.random() >= self.prob:
            return None
        return self._get_param(inputs[self.keys.index("image")], self.scale, self.ratio, self.value)

    def _apply_image(self, img):
        return img if self.params is None else F.erase(img, *self.params, self.inplace)

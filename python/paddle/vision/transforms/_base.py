# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the classes of transforms build on: a list of transforms, and a call that hands each input of a
tuple to the method for its kind."""


class Compose:
    """Transforms one after the other.

    Args:
        transforms: List of functions.

    Example:
        >>> import numpy
        >>> from paddle.vision.transforms import Compose, Resize, ToTensor
        >>> Compose([Resize(4), ToTensor()])(numpy.zeros([8, 8, 3], "uint8")).shape
        paddle.Size([3, 4, 4])
    """

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, data):
        for transform in self.transforms:
            data = transform(data)
        return data

    def __repr__(self):
        lines = "".join(f"    {transform}\n" for transform in self.transforms)
        return f"{type(self).__name__}(\n{lines})"


class BaseTransform:
    """Base: applies `_apply_<key>` to each input.

    A subclass defines `_apply_image(self, image)`, and `_get_params(self, inputs)` when something
    random is shared by all inputs; its result is in `self.params`.

    Args:
        keys: Kinds of the inputs, of 'image', 'coords', 'boxes', 'mask'; ('image',) by default.
            Inputs beyond the keys pass through.
    """

    def __init__(self, keys=None):
        if keys is None:
            keys = ("image",)
        elif not isinstance(keys, (list, tuple, str)):
            raise ValueError(f"{type(self).__name__}: keys has value {keys!r}; it must be a list or tuple.")
        for key in keys:
            if self._get_apply(key) is None and key not in ("image", "coords", "boxes", "mask"):
                raise NotImplementedError(
                    f"{type(self).__name__}: keys holds {key!r}, which is no known kind of input."
                )
        self.keys = keys
        self.params = None

    def _get_params(self, inputs):
        return None

    def __call__(self, inputs):
        single = not isinstance(inputs, tuple)
        inputs = (inputs,) if single else inputs
        self.params = self._get_params(inputs)
        outputs = []
        for key, value in zip(self.keys, inputs, strict=False):
            apply = self._get_apply(key)
            outputs.append(value if apply is None else apply(value))
        outputs.extend(inputs[len(self.keys) :])
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _get_apply(self, key):
        return getattr(self, f"_apply_{key}", None)

    def _apply_image(self, image):
        raise NotImplementedError(f"{type(self).__name__}: _apply_image is not defined.")


def probability(owner, prob):
    """`prob`; AssertionError unless it is between 0 and 1."""
    if not 0 <= prob <= 1:
        raise AssertionError(f"{owner}: prob has value {prob}; it must be between 0 and 1.")
    return prob

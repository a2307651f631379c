# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Dropout with decisions along some axes, as a layer."""

from ....nn import Dropout

__all__ = ["FusedDropout"]


class FusedDropout(Dropout):
    """`paddle.nn.Dropout` that checks its arguments as it is made.

    Args:
        p: Probability of a zero.
        axis: Axis, or axes, along which the decision is made; None for every element.
        mode: 'upscale_in_train' or 'downscale_in_infer', as of `paddle.nn.Dropout`.

    Raises:
        TypeError: p is no number, or axis is neither an int nor a list of them.
        ValueError: p lies outside [0, 1], or there is no such mode.

    Example:
        >>> paddle.incubate.nn.FusedDropout(0.5, axis=0)
        FusedDropout(p=0.5, axis=[0], mode=upscale_in_train)
    """

    def __init__(self, p=0.5, axis=None, mode="upscale_in_train", name=None):
        if not isinstance(p, (float, int)):
            raise TypeError(f"FusedDropout: p has type {type(p).__name__}; it must be a number.")
        if not 0 <= p <= 1:
            raise ValueError(f"FusedDropout: p has value {p}; it must lie in [0, 1].")
        if mode not in ("downscale_in_infer", "upscale_in_train"):
            raise ValueError(f"FusedDropout: mode has value {mode!r}; 'upscale_in_train' or 'downscale_in_infer'.")
        if axis is not None and not isinstance(axis, (int, list, tuple)):
            raise TypeError(f"FusedDropout: axis has type {type(axis).__name__}; it must be an int or a list of them.")
        axis = [axis] if isinstance(axis, int) else axis
        super().__init__(p, False, None if axis is None else list(axis), mode, name)

    def extra_repr(self):
        text = f"p={self.p}, axis={self.axis}, mode={self.mode}"
        return f"{text}, name={self.name}" if self.name else text

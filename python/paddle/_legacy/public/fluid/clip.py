# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Clipping of gradients by the names of PaddlePaddle 1."""

from ..nn.clip import (
    ClipGradBase,
    ClipGradByGlobalNorm,
    ClipGradByNorm,
    ClipGradByValue,
    append_gradient_clip_ops,
    set_gradient_clip,
)


class GradientClipByValue(ClipGradByValue):
    """Elements of gradients cut off at `min` and `max`.

    Args:
        max: Largest element.
        min: Smallest element; None: -max.
        need_clip: Function that says of a parameter whether it counts; None: all do.
    """

    def __init__(self, max, min=None, need_clip=None):
        super().__init__(max, min)
        self._need_clip_func = need_clip

    def __call__(self, params_grads):
        return _some(self, super().__call__, params_grads)


class GradientClipByNorm(ClipGradByNorm):
    """Each gradient made shorter where its length is above `clip_norm`.

    Args:
        clip_norm: The length.
        need_clip: Function that says of a parameter whether it counts; None: all do.
    """

    def __init__(self, clip_norm, need_clip=None):
        super().__init__(clip_norm)
        self._need_clip_func = need_clip

    def __call__(self, params_grads):
        return _some(self, super().__call__, params_grads)


class GradientClipByGlobalNorm(ClipGradByGlobalNorm):
    """All gradients made shorter by one factor where their common length is above `clip_norm`.

    Args:
        clip_norm: The length.
        group_name: Kept.
        need_clip: Function that says of a parameter whether it counts; None: all do.
    """

    def __init__(self, clip_norm, group_name="default_group", need_clip=None):
        super().__init__(clip_norm, group_name)
        self._need_clip_func = need_clip

    def __call__(self, params_grads):
        return _some(self, super().__call__, params_grads)


def _some(rule, clip, params_grads):
    """The pairs, those that count being clipped."""
    counts = rule._need_clip_func
    if counts is None:
        return clip(params_grads)
    chosen = iter(clip([pair for pair in params_grads if counts(pair[0])]))
    return [next(chosen) if counts(pair[0]) else pair for pair in params_grads]


class ErrorClipByValue:
    """Kept for programs that give variables an `error_clip`: gradients of variables are not clipped, so it refuses.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(self, max, min=None):
        raise NotImplementedError(
            "ErrorClipByValue: paddle clips gradients of parameters; pass an optimizer grad_clip."
        )


def error_clip_callback(block, context):
    """Nothing: no variable has an `error_clip`."""


__all__ = [
    "ClipGradBase",
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "ErrorClipByValue",
    "GradientClipByGlobalNorm",
    "GradientClipByNorm",
    "GradientClipByValue",
    "append_gradient_clip_ops",
    "set_gradient_clip",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors of arrays, and the mode of layers."""

from ... import _core
from ...base.dygraph.base import to_variable as _to_variable
from ...nn.layer.layers import Layer


def to_variable(value, name=None, zero_copy=None, dtype=None):
    """A tensor of an array; it gets no gradient until `stop_gradient` is set to False.

    Args:
        value: An array, a list, a number or a Tensor, which is given back in its dtype.
        name: Its name.
        zero_copy: Kept.
        dtype: Its dtype; None: that of the array.

    Example:
        >>> import numpy as np
        >>> from paddle import fluid
        >>> fluid.dygraph.to_variable(np.ones([2, 2], "float32")).shape
        paddle.Size([2, 2])
    """
    if isinstance(value, _core.Tensor):
        return value if dtype is None else value.astype(dtype)
    return _to_variable(value, name, zero_copy, dtype)


def in_training():
    """Whether functions such as dropout work as in training: the last call of a layer's `train()` or `eval()` decides."""
    from ...framework.modes import in_dynamic_mode

    return Layer._last_mode if in_dynamic_mode() else True

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that were contributed."""

from ...nn.functional._by_name import activated
from ...static.metric import ctr_metric_bundle
from .. import absent


def fused_elemwise_activation(x, y, functor_list, axis=-1, scale=0.0, save_intermediate_out=True):
    """Two functions in turn, as ['elementwise_add', 'relu'] or ['relu', 'elementwise_add'].

    Args:
        x: A tensor.
        y: A tensor.
        functor_list: Names; one of them is 'elementwise_add' or 'elementwise_mul'.
        axis: Where the axes of y begin below those of x.
        scale: Factor of 'scale'.
        save_intermediate_out: Kept.
    """
    from .. import layers

    def unary(name, value):
        return layers.scale(value, scale) if name == "scale" else activated(value, name)

    first, second = functor_list
    if first.startswith("elementwise"):
        return getattr(layers, first)(x, unary(second, y), axis=axis)
    return unary(first, getattr(layers, second)(x, y, axis=axis))


def __getattr__(name):
    raise absent.error(__name__, name)


__all__ = ["ctr_metric_bundle", "fused_elemwise_activation"]

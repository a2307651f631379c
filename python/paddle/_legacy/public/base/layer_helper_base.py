# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LayerHelperBase`, the part of `LayerHelper` that makes parameters, under its older path."""

from ..framework.layer_helper import LayerHelper

__all__ = ["LayerHelperBase"]


class LayerHelperBase(LayerHelper):
    """A `LayerHelper` whose name is given.

    Args:
        name: Name of the layer, a prefix of what it makes.
        layer_type: Type of the layer.
    """

    def __init__(self, name, layer_type):
        super().__init__(layer_type, name=name)

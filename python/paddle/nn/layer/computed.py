# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes that layers have beside those that PaddlePaddle gives them."""


class computed:
    """What a function of the layer gives, until a program assigns a value of its own: unlike a property it never refuses.

    Args:
        function: Takes the layer.
        doc: What the attribute is.
    """

    def __init__(self, function, doc=None):
        self.function, self.__doc__ = function, doc or function.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, layer, owner=None):
        if layer is None:
            return self
        for members in (layer._parameters, layer._sub_layers, layer._buffers):
            if self.name in members:
                return members[self.name]
        return self.function(layer)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`LayerHelper`: a name of its own and parameters for operator code outside a Layer."""

from ..utils import unique_name
from .dtypes import convert, get_default_dtype
from .param_attr import ParamAttr
from .parameter import make_parameter


class LayerHelper:
    """Makes the parameters of one use of an operator.

    Args:
        layer_type: Prefix of the generated name.
        kwargs: Arguments of the operator; `name` replaces the generated name.
    """

    def __init__(self, layer_type, **kwargs):
        self.layer_type = layer_type
        name = kwargs.get("name")
        self.kwargs = {**kwargs, "name": unique_name.generate(layer_type) if name is None else name}

    @property
    def name(self):
        """The first part of the names of the parameters."""
        return self.kwargs["name"]

    @property
    def param_attr(self):
        """The ParamAttr of the argument `param_attr`."""
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self):
        """The ParamAttr of the argument `bias_attr`."""
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def get_default_dtype(self):
        """Name of the dtype of parameters that name none."""
        return get_default_dtype()

    def create_parameter(self, attr, shape, dtype=None, is_bias=False, default_initializer=None):
        """A parameter, or None where `attr` is False.

        Args:
            attr: What ParamAttr describes.
            is_bias: Zeros instead of Xavier's values by default.
            default_initializer: Used where `attr` names none.
        """
        from ..nn import initializer

        attr = ParamAttr._to_attr(attr)
        if attr is False:
            return None
        init = initializer.default_for(is_bias, default_initializer)
        dtype = convert(dtype or get_default_dtype())
        return make_parameter(shape, dtype, attr, init, self.name, "b" if is_bias else "w")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Parameter` of a program: made in a block; `isinstance` distinguishes it from other values."""

from ..framework.param_attr import ParamAttr
from ..framework.parameter import EagerParamBase, create_parameter
from .variable_members import MEMBERS


class _ParameterType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, EagerParamBase)

    def __subclasscheck__(cls, subclass):
        return issubclass(subclass, EagerParamBase) or type.__subclasscheck__(cls, subclass)


class Parameter(metaclass=_ParameterType):
    """A parameter of a program.

    Args:
        block: The block that reads it.
        shape: Its shape, all extents positive.
        dtype: Its dtype.
        type: Kept for programs that name the kind of variable; parameters are dense.
        kwargs: name, initializer, trainable, regularizer, optimize_attr, need_clip.
    """

    to_string = MEMBERS["to_string"]

    def __new__(cls, block, shape, dtype, type="DENSE_TENSOR", **kwargs):
        if any(extent < 0 for extent in shape):
            raise ValueError(f"Parameter: the extents of shape {list(shape)} must not be negative.")
        attr = ParamAttr(
            name=kwargs.get("name"),
            initializer=kwargs.get("initializer"),
            learning_rate=kwargs.get("optimize_attr", {}).get("learning_rate", 1.0),
            regularizer=kwargs.get("regularizer"),
            trainable=kwargs.get("trainable", True),
            need_clip=kwargs.get("need_clip", True),
        )
        return create_parameter(shape, dtype, attr=attr)

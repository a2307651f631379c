# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Members that `Variable` has beyond those of Tensor: its value in a scope, its description, names that follow from
its own. The values of programs have them; a tensor with values of its own has not."""

from .. import _core, _legacy
from ..framework import modes
from ..framework.parameter import EagerParamBase


class Member:
    """A method or property of the values of programs: an eager tensor has no such attribute.

    Args:
        function: The method, or what gives the property.
        is_property: Whether it is one.
    """

    def __init__(self, function, is_property=False):
        self._function, self._is_property = function, is_property
        self.__doc__ = function.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, value, owner=None):
        if value is None:
            return self if self._is_property else self._function
        if modes.in_dynamic_mode() and value._is_initialized():
            raise AttributeError(f"'{type(value).__name__}' object has no attribute '{self._name}'")
        return self._function(value) if self._is_property else self._function.__get__(value)


def get_value(self, scope=None):
    """What a scope holds for the variable.

    Args:
        scope: The Scope; None: the current one.

    Returns:
        A DenseTensor.

    Raises:
        TypeError: `scope` is no Scope.
        ValueError: The scope has no value of that name.
    """
    from .scope import Scope, global_scope

    if scope is not None and not isinstance(scope, Scope):
        raise TypeError(f"Variable.get_value: scope has type {type(scope).__name__}; pass a Scope.")
    found = (scope or global_scope()).find_var(self.name)
    if found is None:
        raise ValueError(f"Variable.get_value: the scope has no variable {self.name!r}; run the startup program first.")
    return found.get_tensor()


def set_value(self, value, scope=None):
    """Give the variable a value in a scope.

    Args:
        value: An array, a Tensor or a DenseTensor of its shape.
        scope: The Scope; None: the current one.

    Raises:
        TypeError: `value` or `scope` has another type.
        ValueError: The scope has no value of that name, or the shapes differ.
    """
    import numpy

    from .scope import DenseTensor

    if not isinstance(value, (numpy.ndarray, _core.Tensor, DenseTensor)):
        raise TypeError(
            f"Variable.set_value: value has type {type(value).__name__}; pass an array, a Tensor or a DenseTensor."
        )
    held = get_value(self, scope)
    value = value._get() if isinstance(value, DenseTensor) else value
    if list(value.shape) != held.shape():
        raise ValueError(
            f"Variable.set_value: value has shape {list(value.shape)}; {self.name} has shape {held.shape()}."
        )
    held.set(value)


def to_string(self, throw_on_error, with_details=False):
    """The description of the variable as text.

    Args:
        throw_on_error: Accepted: a variable always has a description.
        with_details: Whether it has a parameter's settings too.
    """
    from ..framework.variable_kinds import datatype_to_vartype

    is_parameter = isinstance(self, EagerParamBase)
    described = _legacy.messages.VarDesc(name=self.name)
    described.type.type = _legacy.messages.VarType.DENSE_TENSOR
    tensor = described.type.dense_tensor.tensor
    tensor.data_type = int(datatype_to_vartype[self.dtype])
    tensor.dims.extend(extent if type(extent) is int else -1 for extent in self.shape)
    if not is_parameter:
        described.type.dense_tensor.legacy_lod_level = getattr(self, "lod_level", 0)
    described.persistable = is_parameter or bool(self.persistable)
    if is_parameter:
        described.is_parameter = True
    described.stop_gradient = bool(self.stop_gradient)
    text = str(described)
    if with_details and is_parameter:
        names = ("trainable", "optimize_attr", "regularizer", "need_clip")
        text += "".join(f"{name}: {getattr(self, name)}\n" for name in names)
    return text


def attr(self, name):
    """An attribute of the variable's description; it has none.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(f"Variable.attr: {self.name} has no attribute {name!r}; operators have attributes.")


def _attr_names(self):
    """Names of the attributes of the variable's description: none."""
    return []


def _grad_name(self):
    """The name of its gradient in descriptions of programs."""
    return self.name + "@GRAD"


def _id(self):
    """A text that no other value has."""
    return str(id(self))


MEMBERS = {
    "attr": Member(attr),
    "attr_names": Member(_attr_names, True),
    "get_value": Member(get_value),
    "grad_name": Member(_grad_name, True),
    "id": Member(_id, True),
    "to_string": Member(to_string),
}


def install():
    """Give the members to the values of programs."""
    for name, member in MEMBERS.items():
        member.__set_name__(_core.Tensor, name)
        setattr(_core.Tensor, name, member)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The types of programs: values and blocks."""

from .. import _core, _lazy
from ..framework import modes
from ..static.program import Block, Program


class _ValueType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, _core.Tensor) and not modes.in_dynamic_mode() and not instance._is_initialized()

    def __getattr__(cls, name):
        return getattr(_core.Tensor, name)  # its methods are those of tensors

    def __dir__(cls):
        return sorted({*type.__dir__(cls), *dir(_core.Tensor)})


class Value(metaclass=_ValueType):
    """Type of the values of a program, for `isinstance`; they come from `paddle.static.data` and operators."""

    def __init__(self):
        raise TypeError("Value: values of a program come from paddle.static.data and from operators.")


_INSERTION = (
    "InsertionPoint",
    "get_current_insertion_point",
    "reset_insertion_point_to_end",
    "reset_insertion_point_to_start",
    "set_insertion_point",
    "set_insertion_point_after",
    "set_insertion_point_to_block_end",
)
_TRANSLATION = ("IrMapping", "translate_to_pir", "translate_to_pir_with_param_map", "value_is_persistable")
_PASSES = ("PassManager", "append_shadow_output", "append_shadow_outputs")

__getattr__ = _lazy.attribute_hook(
    __name__,
    ("core",),
    {
        **{name: ("paddle.pir.insertion", name) for name in _INSERTION},
        **{name: ("paddle.pir.passes", name) for name in _PASSES},
        **{name: ("paddle.pir.translation", name) for name in _TRANSLATION},
        "OpOperand": ("paddle.static.operators", "OpOperand"),
        "Operation": ("paddle.static.operators", "Operator"),
        "clone_program": ("paddle.static.copy", "clone_program"),
        "get_used_external_value": ("paddle.static.values", "get_used_external_value"),
        "program_guard": ("paddle.static", "program_guard"),
    },
)

__all__ = ["Block", "Program", "Value"]

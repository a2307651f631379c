# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs, their dtypes and their parameters."""

from .. import _core
from ..framework import parameter as _parameter
from ..framework.data_checks import convert_np_dtype_to_dtype_
from ..framework.variable_kinds import VarDesc, datatype_to_vartype, vartype_to_datatype
from ..static.program import (
    Program,
    data,
    default_main_program,
    default_startup_program,
    program_guard,
    switch_main_program,
    switch_startup_program,
)

DataType = _core.DType
# NumPy's name of each dtype; of bfloat16, the one of the arrays that hold its bits.
_PADDLE_PIR_DTYPE_2_NUMPY_DTYPE = {
    dtype: "uint16" if dtype == _core.bfloat16 else dtype.name for dtype in set(vartype_to_datatype)
}


def create_parameter(dtype, shape, name=None, **kwargs):
    """A parameter of the current program.

    Args:
        dtype: Its dtype.
        shape: Its shape.
        name: Its name; None for a generated one.
        kwargs: initializer, trainable, regularizer, need_clip and optimize_attr, as of ParamAttr.
    """
    from ..framework.param_attr import ParamAttr

    if dtype is None or shape is None:
        raise ValueError(f"create_parameter: {'dtype' if dtype is None else 'shape'} is None; give both.")
    attr = ParamAttr(
        name,
        kwargs.get("initializer"),
        (kwargs.get("optimize_attr") or {}).get("learning_rate", 1.0),
        kwargs.get("regularizer"),
        kwargs.get("trainable", True),
        need_clip=kwargs.get("need_clip", True),
    )
    return _parameter.create_parameter(shape, dtype, attr=attr)


def set_state_dict(program, state_dict, scope=None):
    """Give the parameters and the other state of a program the values of those names.

    Args:
        program: The Program.
        state_dict: Values by name, such as `paddle.load` gives; with the table of names that keep_name_table=True
            keeps, the keys are those of a layer.
        scope: The Scope; None: the current one.
    """
    table = state_dict.get("StructuredToParameterName@@", {})
    named = {table.get(key, key): value for key, value in state_dict.items() if key != "StructuredToParameterName@@"}
    program.set_state_dict(named, scope)


__all__ = [
    "DataType",
    "Program",
    "VarDesc",
    "convert_np_dtype_to_dtype_",
    "create_parameter",
    "data",
    "datatype_to_vartype",
    "default_main_program",
    "default_startup_program",
    "program_guard",
    "switch_main_program",
    "switch_startup_program",
    "vartype_to_datatype",
]

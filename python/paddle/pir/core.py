# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs, their dtypes and their parameters."""

from .. import _core
from ..base.core import VarDesc
from ..framework.data_checks import convert_np_dtype_to_dtype_
from ..framework.parameter import create_parameter
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
# Variables have the dtypes of tensors: each stands for itself.
vartype_to_datatype = {value: value for value in vars(VarDesc.VarType).values() if isinstance(value, _core.DType)}
datatype_to_vartype = dict(vartype_to_datatype)

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

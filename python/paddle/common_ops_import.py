# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that operator code written for PaddlePaddle imports together: checks of arguments, dtypes, modes."""

from . import _lazy
from .framework.data_checks import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from .framework.modes import in_dynamic_mode, in_dynamic_or_pir_mode, in_pir_mode
from .framework.param_attr import ParamAttr
from .utils import unique_name

_FROM = {
    "Constant": ("paddle.nn.initializer", "Constant"),
    "Variable": ("paddle", "Tensor"),
    "convert_np_dtype_to_dtype_": ("paddle.framework.data_checks", "convert_np_dtype_to_dtype_"),
    "core": ("paddle.base.core", None),
}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)

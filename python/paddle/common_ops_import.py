# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that operator code written for PaddlePaddle imports together: checks of arguments, dtypes, modes."""

from . import _lazy

_FROM = {
    "Constant": ("paddle.nn.initializer", "Constant"),
    "LayerHelper": ("paddle.framework.layer_helper", "LayerHelper"),
    "ParamAttr": ("paddle.framework.param_attr", "ParamAttr"),
    "Variable": ("paddle", "Tensor"),
    "core": ("paddle.base.core", None),
    "unique_name": ("paddle.utils.unique_name", None),
    **{
        name: ("paddle.framework.data_checks", name)
        for name in (
            "check_dtype",
            "check_type",
            "check_variable_and_dtype",
            "convert_dtype",
            "convert_np_dtype_to_dtype_",
        )
    },
    **{name: ("paddle.framework.modes", name) for name in ("in_dynamic_mode", "in_dynamic_or_pir_mode", "in_pir_mode")},
}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.base.framework`: modes, parameters and programs under their older path."""

from .. import _lazy
from ..framework import _current_expected_place, use_pir_api
from ..framework.data_checks import convert_np_dtype_to_dtype_
from ..framework.modes import in_dynamic_mode, in_dynamic_or_pir_mode, in_pir_mode
from ..utils import unique_name
from . import core

in_dygraph_mode = in_dynamic_mode

_FROM = {
    "EagerParamBase": ("paddle.framework.parameter", "EagerParamBase"),
    "Parameter": ("paddle.framework.parameter", "EagerParamBase"),
    "Variable": ("paddle", "Tensor"),
    "CPUPlace": ("paddle", "CPUPlace"),
    "CUDAPlace": ("paddle.device", "CUDAPlace"),
    "set_flags": ("paddle.framework.flags", "set_flags"),
    "get_flags": ("paddle.framework.flags", "get_flags"),
    "dygraph_only": ("paddle.framework.modes", "dygraph_only"),
    **{
        name: ("paddle.static", name)
        for name in ("Program", "default_main_program", "default_startup_program", "program_guard", "name_scope")
    },
}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""State of the framework: modes, dtypes, random state, parameters, saving and loading."""

import contextlib

from .. import _lazy, _legacy
from .dtypes import finfo, get_default_dtype, iinfo, set_default_dtype
from .modes import (
    enable_grad,
    in_dynamic_mode,
    in_dynamic_or_pir_mode,
    in_pir_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    use_pir_api,
)
from .random import get_rng_state, seed, set_rng_state

_FROM = {
    "ParamAttr": ("paddle.framework.param_attr", "ParamAttr"),
    "EagerParamBase": ("paddle.framework.parameter", "EagerParamBase"),
    "Parameter": ("paddle.framework.parameter", "EagerParamBase"),
    "create_parameter": ("paddle.framework.parameter", "create_parameter"),
    "LayerHelper": ("paddle.framework.layer_helper", "LayerHelper"),
    "save": ("paddle.framework.io", "save"),
    "load": ("paddle.framework.io", "load"),
    "get_flags": ("paddle.framework.flags", "get_flags"),
    "set_flags": ("paddle.framework.flags", "set_flags"),
    "CPUPlace": ("paddle", "CPUPlace"),
    "in_pir_executor_mode": ("paddle.framework.modes", "in_pir_mode"),
    "CUDAPlace": ("paddle.device", "CUDAPlace"),
    "IrGraph": ("paddle.base.framework", "IrGraph"),
    "core": ("paddle.base.core", None),
    "CUDAPinnedPlace": ("paddle.device", "CUDAPinnedPlace"),
    "CustomPlace": ("paddle.device", "CustomPlace"),
    "convert_np_dtype_to_dtype_": ("paddle.framework.data_checks", "convert_np_dtype_to_dtype_"),
    "dygraph_only": ("paddle.framework.modes", "dygraph_only"),
    "LayerList": ("paddle.nn", "LayerList"),
    "OpProtoHolder": ("paddle.base.op_proto", "OpProtoHolder"),
    "grad": ("paddle.autograd", "grad"),
    "Program": ("paddle.static", "Program"),
    "Block": ("paddle.base.framework", "Block"),
    "XPUPlace": ("paddle.device", "XPUPlace"),
    "base": ("paddle.base", None),
    "disable_static": ("paddle", "disable_static"),
    "enable_static": ("paddle", "enable_static"),
    "async_save": ("paddle", "async_save"),
    "clear_async_save_task_queue": ("paddle", "clear_async_save_task_queue"),
    "is_persistable": ("paddle.static", "is_persistable"),
}
__getattr__ = _lazy.attribute_hook(__name__, ("io", "io_utils", "random", "recall_error"), _FROM)


def _current_expected_place():
    """The place on which new tensors are made."""
    from .devices import current_place

    return current_place()


_current_expected_place_ = _current_expected_place


def _no_check_dy2st_diff():
    """Context manager that changes nothing: capture has no check to turn off."""
    return contextlib.nullcontext()


def _dygraph_tracer():
    """The tracer of eager mode; None while a program is recorded."""
    return _legacy.tracer if in_dynamic_mode() else None

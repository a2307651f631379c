# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that programs import from PaddlePaddle's `paddle.base`."""

from .. import _lazy
from ..framework.param_attr import ParamAttr
from ..utils import unique_name
from . import core

_FROM = {
    "CPUPlace": ("paddle", "CPUPlace"),
    "Tensor": ("paddle.static.scope", "DenseTensor"),
    "create_lod_tensor": ("paddle.base.lod_tensor", "create_lod_tensor"),
    "DataFeeder": ("paddle.base.data_feeder", "DataFeeder"),
    "DatasetFactory": ("paddle.base.dataset", "DatasetFactory"),
    "WeightNormParamAttr": ("paddle.static", "WeightNormParamAttr"),
    "_Scope": ("paddle.static", "Scope"),
    "disable_imperative": ("paddle.base.dygraph", "disable_dygraph"),
    "enable_imperative": ("paddle.base.dygraph", "enable_dygraph"),
    "in_dygraph_mode": ("paddle", "in_dynamic_mode"),
    **{name: ("paddle.base.dygraph", name) for name in ("disable_dygraph", "enable_dygraph")},
    **{
        name: ("paddle.device", name)
        for name in (
            "CUDAPinnedPlace",
            "CUDAPlace",
            "CustomPlace",
            "IPUPlace",
            "XPUPinnedPlace",
            "XPUPlace",
            "is_compiled_with_cinn",
            "is_compiled_with_cuda",
            "is_compiled_with_rocm",
            "is_compiled_with_xpu",
        )
    },
    **{name: ("paddle.base.core", name) for name in ("DenseTensor", "DenseTensorArray", "LoDTensor", "LoDTensorArray")},
    **{name: ("paddle.base.lod_tensor", name) for name in ("create_lod_tensor", "create_random_int_lodtensor")},
    "initializer": ("paddle.nn.initializer", None),
    "regularizer": ("paddle.regularizer", None),
    **{name: ("paddle.framework.modes", name) for name in ("in_dynamic_or_pir_mode", "in_pir_mode")},
    **{name: ("paddle.framework.flags", name) for name in ("get_flags", "set_flags")},
    **{
        name: ("paddle.static", name)
        for name in (
            "BuildStrategy",
            "CompiledProgram",
            "ExecutionStrategy",
            "Executor",
            "Program",
            "Scope",
            "Variable",
            "append_backward",
            "cpu_places",
            "cuda_places",
            "default_main_program",
            "default_startup_program",
            "device_guard",
            "global_scope",
            "gradients",
            "name_scope",
            "program_guard",
            "scope_guard",
            "xpu_places",
        )
    },
    "require_version": ("paddle.utils", "require_version"),
}
__getattr__ = _lazy.attribute_hook(
    __name__,
    (
        "backward",
        "compiler",
        "data_feeder",
        "dygraph",
        "executor",
        "framework",
        "io",
        "layer_helper",
        "layer_helper_base",
        "layers",
        "libpaddle",
        "lod_tensor",
        "log_helper",
        "param_attr",
        "proto",
        "reader",
        "variable_index",
        "wrapped_decorator",
    ),
    _FROM,
)

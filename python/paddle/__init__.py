# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The `paddle` package: public names of the framework.

Names of operators come from the operator records through `_bind`; composites that no single
operator covers are written in `paddle.tensor`.  Heavy submodules are imported on first use.
"""

from . import _conflict, _openmp_spinning

_conflict.check(__path__)

with _openmp_spinning.Brief():
    from . import _core
from . import _bind, _foreign_submodules, _lazy, _legacy, _paths, version
from ._core import Tensor
from ._exported import __all__
from .version import full_version as __version__

__git_commit__ = "unknown"

__path__.append(_legacy.PUBLIC)
_bind.load(_core)

for _name in (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "float8_e4m3fn",
    "float8_e5m2",
    "pstring",
    "raw",
):
    globals()[_name] = getattr(_core, _name)
for _alias, _name in (
    ("half", "float16"),
    ("float", "float32"),
    ("double", "float64"),
    ("short", "int16"),
    ("int", "int32"),
    ("long", "int64"),
    ("uint16", "bfloat16"),
    ("cfloat", "complex64"),
    ("cdouble", "complex128"),
):
    globals()[_alias] = getattr(_core, _name)
dtype = _core.DType
from math import e, inf, nan, pi

newaxis = None
CPUPlace = _core.CPUPlace

from .framework.dtypes import finfo, get_default_dtype, iinfo, set_default_dtype
from .framework.modes import (
    disable_static,
    enable_grad,
    enable_static,
    in_dynamic_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from .framework.random import get_rng_state, seed, set_rng_state
from .tensor import *
from .tensor import to_string as _to_string

set_printoptions = _to_string.set_printoptions
_to_string.install()

_paths.install()
_foreign_submodules.install()

_MODULES = {
    "_C",
    "amp",
    "autograd",
    "base",
    "callbacks",
    "common_ops_import",
    "compat",
    "dataset",
    "reader",
    "cuda",
    "decomposition",
    "device",
    "distributed",
    "distribution",
    "fft",
    "functional",
    "random",
    "special",
    "framework",
    "hapi",
    "hub",
    "incubate",
    "inference",
    "io",
    "jit",
    "library",
    "llm",
    "linalg",
    "metric",
    "nn",
    "onnx",
    "pir",
    "pir_utils",
    "optimizer",
    "profiler",
    "quantization",
    "regularizer",
    "signal",
    "sparse",
    "static",
    "sysconfig",
    "text",
    "utils",
    "vision",
    "audio",
    "geometric",
}
_FROM = {
    "LLM": ("paddle.llm.engine", "LLM"),
    "paddle": ("paddle", None),  # the package names itself
    "core": ("paddle.base.core", None),
    "ops": ("paddle._ops", "ops"),
    "Event": ("paddle.device", "Event"),
    "Model": ("paddle.hapi.model", "Model"),
    "Stream": ("paddle.device", "Stream"),
    "device_guard": ("paddle.device", "device_guard"),
    "summary": ("paddle.hapi.model_summary", "summary"),
    "flops": ("paddle.hapi.dynamic_flops", "flops"),
    "batch": ("paddle.io.reader", "batch"),
    "grad": ("paddle.autograd", "grad"),
    **{
        name: ("paddle.amp", name)
        for name in (
            "autocast",
            "get_autocast_cpu_dtype",
            "get_autocast_dtype",
            "get_autocast_gpu_dtype",
            "is_autocast_enabled",
        )
    },
    **{
        f"monkey_patch_{name}": ("paddle.framework.patches", f"monkey_patch_{name}")
        for name in (
            *("dtype", "generated_methods_for_tensor", "generated_methods_for_value", "math_tensor"),
            *("program", "value", "variable"),
        )
    },
    "conv1d": ("paddle.nn.functional", "conv1d"),
    "conv2d": ("paddle.nn.functional", "conv2d"),
    "conv3d": ("paddle.nn.functional", "conv3d"),
    "layer_norm": ("paddle.nn.functional", "layer_norm"),
    "group_norm": ("paddle.nn.functional", "group_norm"),
    "adaptive_avg_pool1d": ("paddle.nn.functional", "adaptive_avg_pool1d"),
    "is_compiled_with_ipu": ("paddle.device", "is_compiled_with_ipu"),
    "get_cudnn_version": ("paddle.device", "get_cudnn_version"),
    "get_default_device": ("paddle.device", "get_default_device"),
    "set_default_device": ("paddle.device", "set_default_device"),
    "CustomPlace": ("paddle.device", "CustomPlace"),
    "XPUPlace": ("paddle.device", "XPUPlace"),
    "XPUPinnedPlace": ("paddle.device", "XPUPinnedPlace"),
    "IPUPlace": ("paddle.device", "IPUPlace"),
    "disable_signal_handler": ("paddle.framework.modes", "disable_signal_handler"),
    "save": ("paddle.framework.io", "save"),
    "async_save": ("paddle.framework.async_io", "async_save"),
    "clear_async_save_task_queue": ("paddle.framework.async_io", "clear_async_save_task_queue"),
    "check_shape": ("paddle.framework.data_checks", "check_shape"),
    "IrGuard": ("paddle.pir_utils", "IrGuard"),
    "load": ("paddle.framework.io", "load"),
    "ParamAttr": ("paddle.framework.param_attr", "ParamAttr"),
    "LazyGuard": ("paddle.framework.parameter", "LazyGuard"),
    "Parameter": ("paddle.framework.parameter", "EagerParamBase"),
    "create_parameter": ("paddle.framework.parameter", "create_parameter"),
    "set_device": ("paddle.device", "set_device"),
    "get_device": ("paddle.device", "get_device"),
    "is_compiled_with_cuda": ("paddle.device", "is_compiled_with_cuda"),
    "is_compiled_with_rocm": ("paddle.device", "is_compiled_with_rocm"),
    "is_compiled_with_xpu": ("paddle.device", "is_compiled_with_xpu"),
    "is_compiled_with_cinn": ("paddle.device", "is_compiled_with_cinn"),
    "is_compiled_with_distribute": ("paddle.device", "is_compiled_with_distribute"),
    "is_compiled_with_custom_device": ("paddle.device", "is_compiled_with_custom_device"),
    "CUDAPlace": ("paddle.device", "CUDAPlace"),
    "CUDAPinnedPlace": ("paddle.device", "CUDAPinnedPlace"),
    "DataParallel": ("paddle.distributed.parallel", "DataParallel"),
    "get_flags": ("paddle.framework.flags", "get_flags"),
    "set_flags": ("paddle.framework.flags", "set_flags"),
    "get_num_threads": ("paddle.framework.threads", "get_num_threads"),
    "set_num_threads": ("paddle.framework.threads", "set_num_threads"),
    "get_cuda_rng_state": ("paddle.framework.random", "get_cuda_rng_state"),
    "set_cuda_rng_state": ("paddle.framework.random", "set_cuda_rng_state"),
    "Generator": ("paddle.framework.random", "Generator"),
    "FloatTensor": ("paddle.tensor.typed", "FloatTensor"),
    "DoubleTensor": ("paddle.tensor.typed", "DoubleTensor"),
    "HalfTensor": ("paddle.tensor.typed", "HalfTensor"),
    "BFloat16Tensor": ("paddle.tensor.typed", "BFloat16Tensor"),
    "ByteTensor": ("paddle.tensor.typed", "ByteTensor"),
    "CharTensor": ("paddle.tensor.typed", "CharTensor"),
    "ShortTensor": ("paddle.tensor.typed", "ShortTensor"),
    "IntTensor": ("paddle.tensor.typed", "IntTensor"),
    "LongTensor": ("paddle.tensor.typed", "LongTensor"),
    "BoolTensor": ("paddle.tensor.typed", "BoolTensor"),
    "Size": ("paddle.tensor.typed", "Size"),
    "asarray": ("paddle.tensor.exchange", "asarray"),
    "as_tensor": ("paddle.tensor.exchange", "as_tensor"),
    "MmapStorage": ("paddle.tensor.mapped", "MmapStorage"),
    "from_numpy": ("paddle.tensor.exchange", "from_numpy"),
    "from_dlpack": ("paddle.tensor.exchange", "from_dlpack"),
    "to_dlpack": ("paddle.tensor.exchange", "to_dlpack"),
    "manual_seed": ("paddle.framework.random", "manual_seed"),
    "hann_window": ("paddle.tensor.window", "hann_window"),
    "hamming_window": ("paddle.tensor.window", "hamming_window"),
    "bartlett_window": ("paddle.tensor.window", "bartlett_window"),
    "blackman_window": ("paddle.tensor.window", "blackman_window"),
    "kaiser_window": ("paddle.tensor.window", "kaiser_window"),
    "get_device_module": ("paddle.device", "get_device_module"),
    "pdist": ("paddle.nn.functional", "pdist"),
    "view_as_real": ("paddle.tensor.window", "view_as_real"),
    "view_as_complex": ("paddle.tensor.window", "view_as_complex"),
    "enable_compat": ("paddle.compat.proxy", "enable_torch_proxy"),
    "disable_compat": ("paddle.compat.proxy", "disable_torch_proxy"),
    "use_compat_guard": ("paddle.compat.proxy", "use_torch_proxy_guard"),
    "_C_ops": ("paddle._C_ops", None),
    "_legacy_C_ops": ("paddle._legacy_C_ops", None),
}
__getattr__ = _lazy.attribute_hook(__name__, _MODULES, _FROM)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid`: the interface of programs written for PaddlePaddle 1.8 to 2.4, over the functions of today.

It is there after `import paddle.fluid`. Names, arguments and results are those of PaddlePaddle 2.0 to 2.4: static programs
need `paddle.enable_static()` first. What is not here raises an AttributeError that says what to use.
"""

from .. import _lazy
from . import absent

_OF_STATIC = (
    "BuildStrategy ExecutionStrategy Program Scope Variable WeightNormParamAttr append_backward cpu_places "
    "default_main_program default_startup_program device_guard global_scope gradients load_program_state name_scope "
    "program_guard scope_guard set_program_state xpu_places"
).split()
_OF_BASE = (
    "CUDAPinnedPlace CUDAPlace CPUPlace DatasetFactory LoDTensor LoDTensorArray XPUPlace create_lod_tensor "
    "create_random_int_lodtensor disable_dygraph disable_imperative enable_dygraph enable_imperative get_flags set_flags "
    "is_compiled_with_cuda is_compiled_with_rocm is_compiled_with_xpu require_version _Scope in_dygraph_mode"
).split()
_FROM = {
    **{name: ("paddle.static", name) for name in _OF_STATIC},
    **{name: ("paddle.base", name) for name in _OF_BASE},
    "ParamAttr": ("paddle", "ParamAttr"),
    "Tensor": ("paddle.base", "LoDTensor"),
    "CompiledProgram": ("paddle.fluid.executor", "CompiledProgram"),
    "ParallelExecutor": ("paddle.fluid.executor", "ParallelExecutor"),
    "Executor": ("paddle.fluid.executor", "Executor"),
    "DataFeeder": ("paddle.fluid.data_feeder", "DataFeeder"),
    "DataFeedDesc": ("paddle.fluid.executor", "DataFeedDesc"),
    "cuda_places": ("paddle.fluid.executor", "cuda_places"),
    "cuda_pinned_places": ("paddle.fluid.executor", "cuda_pinned_places"),
    "data": ("paddle.fluid.layers.inputs", "data_v2"),
    "embedding": ("paddle.fluid.layers.with_parameters", "embedding_v2"),
    "one_hot": ("paddle.fluid.layers.shapes", "one_hot_v2"),
    "save": ("paddle.fluid.io", "save"),
    "load": ("paddle.fluid.io", "load"),
    "save_dygraph": ("paddle.fluid.dygraph.checkpoint", "save_dygraph"),
    "load_dygraph": ("paddle.fluid.dygraph.checkpoint", "load_dygraph"),
    "DistributeTranspiler": ("paddle.fluid.transpiler", "DistributeTranspiler"),
    "DistributeTranspilerConfig": ("paddle.fluid.transpiler", "DistributeTranspilerConfig"),
    "memory_optimize": ("paddle.fluid.transpiler", "memory_optimize"),
    "release_memory": ("paddle.fluid.transpiler", "release_memory"),
    "libpaddle": ("paddle.base.libpaddle", None),
}
_SUBMODULES = (
    "average clip compiler contrib core core_avx core_noavx data_feeder dataloader dataset dygraph dygraph_utils executor framework "
    "incubate initializer install_check io layers metrics nets optimizer profiler proto reader regularizer transpiler"
).split()
_found = _lazy.attribute_hook(__name__, _SUBMODULES, _FROM)


def __getattr__(name):
    try:
        return _found(name)
    except AttributeError as reason:
        if name in _FROM or name in _SUBMODULES:
            raise
        raise absent.error(__name__, name) from reason


__all__ = sorted({*_FROM, *_SUBMODULES} - {"_Scope"})

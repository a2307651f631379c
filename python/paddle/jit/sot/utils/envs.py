# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Environment variables of PaddlePaddle's bytecode interpreter, and guards that set them; they change nothing here."""

import contextlib

from ....utils.environments import (
    BooleanEnvironmentVariable,
    EnvironmentVariableGuard,
    IntegerEnvironmentVariable,
    StringEnvironmentVariable,
)

ENV_ENABLE_SOT_STEP_PROFILER = BooleanEnvironmentVariable("ENABLE_SOT_STEP_PROFILER", False)
ENV_MIN_GRAPH_SIZE = IntegerEnvironmentVariable("MIN_GRAPH_SIZE", 10)
ENV_SOT_ALLOW_DYNAMIC_SHAPE = BooleanEnvironmentVariable("SOT_ALLOW_DYNAMIC_SHAPE", True)
ENV_SOT_BREAK_GRAPH_ON_GET_SYMBOLIC_VALUE = BooleanEnvironmentVariable("SOT_BREAK_GRAPH_ON_GET_SYMBOLIC_VALUE", False)
ENV_SOT_CE_DEBUG_MODE = BooleanEnvironmentVariable("SOT_CE_DEBUG_MODE", False)
ENV_SOT_ENABLE_0_SIZE_FALLBACK = BooleanEnvironmentVariable("SOT_ENABLE_0_SIZE_FALLBACK", True)
ENV_SOT_ENABLE_COMPILE_TIME_LIMIT = BooleanEnvironmentVariable("SOT_ENABLE_COMPILE_TIME_LIMIT", True)
ENV_SOT_ENABLE_FASTER_GUARD = BooleanEnvironmentVariable("SOT_ENABLE_FASTER_GUARD", False)
ENV_SOT_ENABLE_GUARD_TREE = BooleanEnvironmentVariable("SOT_ENABLE_GUARD_TREE", False)
ENV_SOT_ENABLE_STRICT_GUARD_CHECK = BooleanEnvironmentVariable("SOT_ENABLE_STRICT_GUARD_CHECK", False)
ENV_SOT_EXPORT = StringEnvironmentVariable("SOT_EXPORT", "")
ENV_SOT_FORCE_FALLBACK_SIR_IDS = StringEnvironmentVariable("SOT_FORCE_FALLBACK_SIR_IDS", "")
ENV_SOT_LOG_LEVEL = IntegerEnvironmentVariable("SOT_LOG_LEVEL", 0)
ENV_SOT_SERIALIZE_INFO = BooleanEnvironmentVariable("SOT_SERIALIZE_INFO", False)
ENV_SOT_SPECIALIZED_DIM_NUMBERS = StringEnvironmentVariable("SOT_SPECIALIZED_DIM_NUMBERS", "0")
ENV_SOT_TRACE_NUMPY = BooleanEnvironmentVariable("ENV_SOT_TRACE_NUMPY", True)
ENV_SOT_UNSAFE_CACHE_FASTPATH = BooleanEnvironmentVariable("SOT_UNSAFE_CACHE_FASTPATH", False)
ENV_SOT_WITH_CONTROL_FLOW = BooleanEnvironmentVariable("SOT_WITH_CONTROL_FLOW", True)
ENV_STRICT_MODE = BooleanEnvironmentVariable("STRICT_MODE", False)


def _guard(variable, what):
    @contextlib.contextmanager
    def guard(value):
        with EnvironmentVariableGuard(variable, value):
            yield

    guard.__doc__ = f"Inside, {variable.name} ({what}) has another value."
    return guard


allow_dynamic_shape_guard = _guard(ENV_SOT_ALLOW_DYNAMIC_SHAPE, "programs for varying extents")
enable_0_size_fallback_guard = _guard(ENV_SOT_ENABLE_0_SIZE_FALLBACK, "plain calls for empty tensors")
export_guard = _guard(ENV_SOT_EXPORT, "folder of exported code")
faster_guard_guard = _guard(ENV_SOT_ENABLE_FASTER_GUARD, "guards in C++")
guard_tree_guard = _guard(ENV_SOT_ENABLE_GUARD_TREE, "guards as a tree")
min_graph_size_guard = _guard(ENV_MIN_GRAPH_SIZE, "operators from which on a program is made")
sot_step_profiler_guard = _guard(ENV_ENABLE_SOT_STEP_PROFILER, "a profile of each step")
specialized_dim_numbers_guard = _guard(ENV_SOT_SPECIALIZED_DIM_NUMBERS, "extents that get programs of their own")
strict_mode_guard = _guard(ENV_STRICT_MODE, "errors instead of falling back")
with_allow_dynamic_shape_guard = allow_dynamic_shape_guard  # its name in PaddlePaddle 3.0
with_control_flow_guard = _guard(ENV_SOT_WITH_CONTROL_FLOW, "control flow in programs")

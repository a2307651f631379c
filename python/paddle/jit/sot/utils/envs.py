# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Environment variables of PaddlePaddle's bytecode interpreter, and guards that set them; they change nothing here."""

from ....utils.environments import (
    BooleanEnvironmentVariable,
    EnvironmentVariableGuard,
    IntegerEnvironmentVariable,
    StringEnvironmentVariable,
)

ENV_MIN_GRAPH_SIZE = IntegerEnvironmentVariable("MIN_GRAPH_SIZE", 10)
ENV_SOT_ALLOW_DYNAMIC_SHAPE = BooleanEnvironmentVariable("SOT_ALLOW_DYNAMIC_SHAPE", True)
ENV_SOT_ENABLE_FASTER_GUARD = BooleanEnvironmentVariable("SOT_ENABLE_FASTER_GUARD", False)
ENV_SOT_ENABLE_GUARD_TREE = BooleanEnvironmentVariable("SOT_ENABLE_GUARD_TREE", False)
ENV_SOT_EXPORT = StringEnvironmentVariable("SOT_EXPORT", "")
ENV_SOT_WITH_CONTROL_FLOW = BooleanEnvironmentVariable("SOT_WITH_CONTROL_FLOW", True)
ENV_STRICT_MODE = BooleanEnvironmentVariable("STRICT_MODE", False)


def _guard(variable, what):
    def guard(value):
        return EnvironmentVariableGuard(variable, value)

    guard.__doc__ = f"Inside, {variable.name} ({what}) has another value."
    return guard


allow_dynamic_shape_guard = _guard(ENV_SOT_ALLOW_DYNAMIC_SHAPE, "programs for varying extents")
export_guard = _guard(ENV_SOT_EXPORT, "folder of exported code")
faster_guard_guard = _guard(ENV_SOT_ENABLE_FASTER_GUARD, "guards in C++")
guard_tree_guard = _guard(ENV_SOT_ENABLE_GUARD_TREE, "guards as a tree")
min_graph_size_guard = _guard(ENV_MIN_GRAPH_SIZE, "operators from which on a program is made")
strict_mode_guard = _guard(ENV_STRICT_MODE, "errors instead of falling back")
with_control_flow_guard = _guard(ENV_SOT_WITH_CONTROL_FLOW, "control flow in programs")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of PaddlePaddle's bytecode interpreter. Python itself runs functions here, so they are kept and change
nothing."""

from .envs import (
    ENV_MIN_GRAPH_SIZE,
    ENV_SOT_ALLOW_DYNAMIC_SHAPE,
    ENV_SOT_ENABLE_FASTER_GUARD,
    ENV_SOT_ENABLE_GUARD_TREE,
    ENV_SOT_EXPORT,
    ENV_SOT_WITH_CONTROL_FLOW,
    ENV_STRICT_MODE,
    allow_dynamic_shape_guard,
    export_guard,
    faster_guard_guard,
    guard_tree_guard,
    min_graph_size_guard,
    strict_mode_guard,
    with_control_flow_guard,
)
from .exceptions import BreakGraphError, FallbackError, InnerError

__all__ = [
    "ENV_MIN_GRAPH_SIZE",
    "ENV_SOT_ALLOW_DYNAMIC_SHAPE",
    "ENV_SOT_ENABLE_FASTER_GUARD",
    "ENV_SOT_ENABLE_GUARD_TREE",
    "ENV_SOT_EXPORT",
    "ENV_SOT_WITH_CONTROL_FLOW",
    "ENV_STRICT_MODE",
    "BreakGraphError",
    "FallbackError",
    "InnerError",
    "allow_dynamic_shape_guard",
    "export_guard",
    "faster_guard_guard",
    "guard_tree_guard",
    "min_graph_size_guard",
    "strict_mode_guard",
    "with_control_flow_guard",
]

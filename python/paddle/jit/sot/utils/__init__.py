# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of PaddlePaddle's bytecode interpreter. Python itself runs functions here, so they are kept and change
nothing."""

from .envs import (
    allow_dynamic_shape_guard,
    export_guard,
    faster_guard_guard,
    guard_tree_guard,
    min_graph_size_guard,
    strict_mode_guard,
    with_control_flow_guard,
)

__all__ = [
    "allow_dynamic_shape_guard",
    "export_guard",
    "faster_guard_guard",
    "guard_tree_guard",
    "min_graph_size_guard",
    "strict_mode_guard",
    "with_control_flow_guard",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of tensors under the module path that programs written for PyTorch import them from."""

from .compat import split
from .tensor import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_shapes,
    einsum,
    meshgrid,
    norm,
    unique_consecutive,
)

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "einsum",
    "meshgrid",
    "norm",
    "split",
    "unique_consecutive",
]

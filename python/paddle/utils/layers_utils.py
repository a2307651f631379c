# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Nested structures under their older path."""

from . import (
    assert_same_structure,
    convert_to_list,
    flatten,
    is_same_shape,
    is_sequence,
    map_structure,
    pack_sequence_as,
    to_sequence,
)

__all__ = [
    "assert_same_structure",
    "convert_to_list",
    "flatten",
    "is_same_shape",
    "is_sequence",
    "map_structure",
    "pack_sequence_as",
    "to_sequence",
]

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


class NotSupportedTensorArgumentError(TypeError):
    """An argument is a tensor that must be a number.

    Args:
        msg: The message.
        name: The name of the argument.
    """

    def __init__(self, msg, name):
        super().__init__(msg)
        self.name = name


__all__ = [
    "NotSupportedTensorArgumentError",
    "assert_same_structure",
    "convert_to_list",
    "flatten",
    "is_same_shape",
    "is_sequence",
    "map_structure",
    "pack_sequence_as",
    "to_sequence",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Containers of Python, and lists with run-time length: which values are some, and copies of them."""

from collections import deque

from ... import tree
from .dict_structure import dict_node
from .dynamic_list import ColumnStore, DynamicList


def is_container(value):
    """Whether a value is a container that code can change."""
    return isinstance(value, (list, dict, set, deque, DynamicList))


def list_node(value):
    """For tree.flatten: a DynamicList is made of its columns, and these of tensors."""
    if isinstance(value, DynamicList):
        return DynamicList, value.store
    return (value.constructor, value.tensors) if isinstance(value, ColumnStore) else None


def copy_containers(value):
    """The value with copies of its lists and dicts."""
    return tree.unflatten(tree.flatten(value, lambda _: False, [], lambda v: dict_node(v) or list_node(v)), [])

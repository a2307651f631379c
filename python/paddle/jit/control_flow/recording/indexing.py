# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Subscripts: reads, writes and updates of elements, also at indices that only the running program knows."""

import builtins
import operator

from ..context import active, is_symbolic
from ..values.dynamic_list import DynamicList
from ..values.logic import or_
from .branches import if_
from .dict_operations import read_key, set_key


def get_item(container, index):
    """`container[index]`, also of a list or tuple at an index that is a tensor."""
    if isinstance(container, dict):
        return read_key(container, index)
    if not isinstance(container, (list, tuple)) or not is_symbolic(index):
        return container[index]
    if not container:
        raise IndexError("to_static: the list is empty and is read at a position that is a tensor.")
    return DynamicList.of(list(container), container[0], getattr(active, "input_symbols", None))[index]


def update_item(operation, container, index, value):
    """`container[index] += value()`; `operation` is the name of the operator's function."""
    held = get_item(container, index)
    changed = getattr(operator, operation)(held, value())
    set_item(changed, container, index)


def set_item(value, container, index):
    """`container[index] = value`, also of a list at an index that is a tensor."""
    if isinstance(container, dict):
        return set_key(container, index, value)
    if not isinstance(container, list) or not is_symbolic(index):
        container[index] = value
        return
    at = index.reshape([]).astype("int64")
    count = len(container)
    for k in builtins.range(count):
        here = or_(lambda k=k: at == k, lambda k=k: at == k - count)
        container[k] = if_(here, lambda old: (value,), lambda old: (old,), (container[k],), ("list element",))[0]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of generators that were rewritten as functions which return lists."""

from ..values.dynamic_list import DynamicList


def generator_result(made):
    """The result of a call of such a generator, from the list that it made."""
    return iter(made) if isinstance(made, list) else made


def yield_from(values):
    """The items of a `yield from`, to be appended to that list."""
    return values if isinstance(values, DynamicList) else list(values)

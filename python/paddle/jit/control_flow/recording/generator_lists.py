# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What generators give that are functions which make lists."""

from ..values.dynamic_list import DynamicList


def generator_result(made):
    """What a call of such a generator gives."""
    return iter(made) if isinstance(made, list) else made


def yield_from(values):
    """What `yield from` gives on, to be added to a list."""
    return values if isinstance(values, DynamicList) else list(values)

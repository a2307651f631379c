# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names that converted code uses: `__jst`."""

from .convert import convert_callee as call
from .iteration import comprehension, enumerate_, for_, get_item, range_, set_item, update_item, zip_
from .places import set_attribute
from .runtime import and_, assert_, choose, compare, if_, none_of, not_, or_, while_
from .values import Undefined, result

__all__ = [
    "Undefined",
    "and_",
    "assert_",
    "call",
    "choose",
    "compare",
    "comprehension",
    "enumerate_",
    "for_",
    "get_item",
    "if_",
    "none_of",
    "not_",
    "or_",
    "range_",
    "result",
    "set_attribute",
    "set_item",
    "update_item",
    "while_",
    "zip_",
]

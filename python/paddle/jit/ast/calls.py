# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names that converted code uses: `__jst`."""

from .convert import convert_callee as call
from .generators import listed, yielded
from .iteration import comprehension, enumerate_, for_, get_item, range_, set_item, update_item, zip_
from .one_of import is_none
from .places import set_attribute
from .presence import all_there, attribute, contains, delete
from .reach import follow
from .refusals import bound, raise_if, raised, trying
from .runtime import and_, assert_, choose, compare, if_, none_of, not_, or_, while_
from .truth import flagged
from .undefined import Undefined
from .unwound import unwound
from .values import result, written_names

__all__ = [
    "Undefined",
    "all_there",
    "and_",
    "assert_",
    "attribute",
    "bound",
    "call",
    "choose",
    "compare",
    "comprehension",
    "contains",
    "delete",
    "enumerate_",
    "flagged",
    "follow",
    "for_",
    "get_item",
    "if_",
    "is_none",
    "listed",
    "none_of",
    "not_",
    "or_",
    "raise_if",
    "raised",
    "range_",
    "result",
    "set_attribute",
    "set_item",
    "trying",
    "unwound",
    "update_item",
    "while_",
    "yielded",
    "written_names",
    "zip_",
]

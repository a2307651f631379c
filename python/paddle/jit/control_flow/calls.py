# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names that converted code uses: `__jst`."""

from .convert import convert_callee as call
from .iteration import (
    comprehension,
    dict_comprehension,
    enumerate_,
    for_,
    generated,
    get_item,
    range_,
    set_item,
    update_item,
    zip_,
)
from .one_of import is_none
from .places import set_attribute
from .presence import all_there, attribute, contains, delete, merged
from .reach import follow, object_in
from .refusals import bound, raise_if, raised, trying
from .runtime import and_, assert_, choose, compare, if_, none_of, not_, or_, while_
from .truth import flagged
from .undefined import Undefined
from .unpacked import joined, unpacked, with_rest
from .unwound import unwound
from .values import result, written_names
from .yields import listed, yielded

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
    "dict_comprehension",
    "enumerate_",
    "flagged",
    "follow",
    "for_",
    "generated",
    "get_item",
    "if_",
    "is_none",
    "joined",
    "listed",
    "merged",
    "none_of",
    "not_",
    "object_in",
    "or_",
    "raise_if",
    "raised",
    "range_",
    "result",
    "set_attribute",
    "set_item",
    "trying",
    "unpacked",
    "unwound",
    "update_item",
    "while_",
    "with_rest",
    "yielded",
    "written_names",
    "zip_",
]

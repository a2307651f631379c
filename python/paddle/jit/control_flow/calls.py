# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions that converted code calls, as attributes of `__jst`."""

from .convert import convert_callee as call
from .effects.mutable_locations import set_attribute
from .effects.reachability import non_container, stored_attribute
from .recording.branches import choose, if_
from .recording.dict_operations import contains, delete_item, dict_display, keyword_arguments, read_attribute
from .recording.exceptions import assert_, check_bound, exception_or_unreachable, raise_if, try_block
from .recording.generator_lists import generator_result, yield_from
from .recording.indexing import get_item, set_item, update_item
from .recording.iteration import (
    comprehension,
    dict_comprehension,
    enumerate_,
    for_,
    generator_expression,
    range_,
    zip_,
)
from .recording.loops import while_
from .recording.unpacking import list_display, unpack, unpack_starred
from .recording.variables import return_value, user_locals, variables_at_exception
from .values.logic import and_, compare, jump_flag, none_of, not_, or_
from .values.tagged_union import is_none
from .values.undefined import Undefined

__all__ = [
    "Undefined",
    "and_",
    "assert_",
    "call",
    "check_bound",
    "choose",
    "compare",
    "comprehension",
    "contains",
    "delete_item",
    "dict_comprehension",
    "dict_display",
    "enumerate_",
    "exception_or_unreachable",
    "for_",
    "generator_expression",
    "generator_result",
    "get_item",
    "if_",
    "is_none",
    "jump_flag",
    "keyword_arguments",
    "list_display",
    "non_container",
    "none_of",
    "not_",
    "or_",
    "raise_if",
    "range_",
    "read_attribute",
    "return_value",
    "set_attribute",
    "set_item",
    "stored_attribute",
    "try_block",
    "unpack",
    "unpack_starred",
    "update_item",
    "user_locals",
    "variables_at_exception",
    "while_",
    "yield_from",
    "zip_",
]

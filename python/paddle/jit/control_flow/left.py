# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a captured function leaves behind in objects that outlive it."""

from .. import tree
from .one_of import OneOf
from .reach import Reach
from .values import active


def check_none_left(*roots):
    """Raises when something seen from the roots holds what is None in some runs only: code that is not captured would
    find neither there."""
    if not getattr(active, "kept_alternatives", False):
        return
    reach = Reach()
    for root in roots:
        reach.add(root, "")
    found = None
    for name, get, put in reach.variables:
        if isinstance(get(), OneOf):
            found = name
            put(None)
    for _, container in reach.containers:
        if isinstance(container, (dict, list)):
            for key, value in list(container.items() if isinstance(container, dict) else enumerate(container)):
                if isinstance(value, OneOf):
                    found = key
                    container[key] = None
    if found is not None:
        raise TypeError(
            f"to_static: {found!r} is None in some runs and something else in others, as a branch or loop on a tensor "
            "decides, and an object, list, dict or enclosing function keeps it behind the function; set it to one of the "
            "two before the function ends."
        )


def check_saved(result):
    """Raises when a program that goes to a file returns one of two values of different structure, rank or dtype."""

    def check(value):
        if isinstance(value, OneOf):
            raise TypeError(
                "to_static: the function returns values of different structure, rank or dtype, as a branch or loop on a "
                "tensor decides; a saved program has one type for each result: return the same in all branches."
            )
        return False

    if getattr(active, "alternatives", None):
        tree.flatten(result, check, [])

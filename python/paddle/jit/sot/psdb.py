# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Marks in functions whose operators run in segments: as Python itself runs on every call, they are plain calls."""

import builtins


def assert_true(input):
    """Raise AssertionError when a value is false."""
    assert input


def print(*args, **kwargs):
    """`print`, at once."""
    builtins.print(*args, **kwargs)


def breakpoint():
    """Enter the debugger."""
    import pdb

    pdb.set_trace()


def breakgraph():
    """Nothing: a segment ends by itself where a value is needed."""


def fallback(recursive=False):
    """Nothing: Python runs the function in any case."""


def in_sot():
    """False: no bytecode is interpreted, Python runs the function itself."""
    return False


def check_no_breakgraph(fn):
    """`fn`: it is never broken, Python runs all of it."""
    return fn


def check_no_fallback(fn):
    """`fn`: there is nothing to fall back to."""
    return fn

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How much capture says about itself: `set_verbosity`, `set_code_level`."""

import os
import sys

_level = int(os.environ.get("TRANSLATOR_VERBOSITY", "0") or 0)
_code_level = int(os.environ.get("TRANSLATOR_CODE_LEVEL", "0") or 0)
_stdout = {"log": False, "code": False}
_said = set()


def set_verbosity(level=0, also_to_stdout=False):
    """Says on stderr what is captured anew and why, and which guards pin sizes, from level 1 on.

    Args:
        level: 0 is silent.
        also_to_stdout: Say it on stdout too.
    """
    global _level
    if not isinstance(level, int) or isinstance(level, bool):
        raise TypeError(f"set_verbosity: level has type {type(level).__name__}; it must be an int.")
    _level = level
    _stdout["log"] = bool(also_to_stdout)


def set_code_level(level=100, also_to_stdout=False):
    """Prints the converted source of functions that are captured with `full_graph=True`, on stderr.

    Args:
        level: 0 prints nothing.
        also_to_stdout: Print it on stdout too.
    """
    global _code_level
    if not isinstance(level, int) or isinstance(level, bool):
        raise TypeError(f"set_code_level: level has type {type(level).__name__}; it must be an int.")
    _code_level = level
    _stdout["code"] = bool(also_to_stdout)


def level():
    return _level


def code_level():
    return _code_level


def _write(kind, text):
    print(text, file=sys.stderr)
    if _stdout[kind]:
        print(text)


def say_once(text):
    """A line at verbosity 1 and above, once per process."""
    if _level >= 1 and text not in _said:
        _said.add(text)
        _write("log", text)


def say_code(text):
    if _code_level > 0:
        _write("code", text)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How much capture says about itself: `set_verbosity`, `set_code_level`."""

import os
import sys

VERBOSITY_ENV_NAME, CODE_LEVEL_ENV_NAME = "TRANSLATOR_VERBOSITY", "TRANSLATOR_CODE_LEVEL"


def _of_environment(name):
    return int(os.environ.get(name, "0") or 0)


_level = _of_environment(VERBOSITY_ENV_NAME)
_code_level = _of_environment(CODE_LEVEL_ENV_NAME)
_stdout = {"log": False, "code": False}
_said = set()


def _checked(what, level, also_to_stdout):
    if level is not None and not isinstance(level, int):
        raise TypeError(f"{what}: level has type {type(level).__name__}; it must be an int.")
    if not isinstance(also_to_stdout, bool):
        raise AssertionError(f"{what}: also_to_stdout has type {type(also_to_stdout).__name__}; it must be a bool.")


def set_verbosity(level=0, also_to_stdout=False):
    """Says on stderr what is captured anew and why, and which guards pin sizes, from level 1 on.

    Args:
        level: 0 is silent; None is what the environment variable TRANSLATOR_VERBOSITY says.
        also_to_stdout: Say it on stdout too.

    Raises:
        TypeError: `level` is no int.
        AssertionError: `also_to_stdout` is no bool.
    """
    global _level
    _checked("set_verbosity", level, also_to_stdout)
    _level = level
    _stdout["log"] = also_to_stdout


def set_code_level(level=100, also_to_stdout=False):
    """Prints the converted source of functions that are captured with `full_graph=True`, on stderr.

    Args:
        level: 0 prints nothing; None is what the environment variable TRANSLATOR_CODE_LEVEL says.
        also_to_stdout: Print it on stdout too.

    Raises:
        TypeError: `level` is no int.
        AssertionError: `also_to_stdout` is no bool.
    """
    global _code_level
    _checked("set_code_level", level, also_to_stdout)
    _code_level = level
    _stdout["code"] = also_to_stdout


def level():
    """How much is said."""
    return _of_environment(VERBOSITY_ENV_NAME) if _level is None else _level


def code_level():
    """From 1 on, converted source is printed."""
    return _of_environment(CODE_LEVEL_ENV_NAME) if _code_level is None else _code_level


def say(text):
    """A line, at any verbosity."""
    _write("log", text)


def _write(kind, text):
    print(text, file=sys.stderr)
    if _stdout[kind]:
        print(text)


def say_once(text):
    """A line at verbosity 1 and above, once per process."""
    if level() >= 1 and text not in _said:
        _said.add(text)
        _write("log", text)


def say_code(text):
    if code_level() > 0:
        _write("code", text)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What an error that comes up in a capture says: the calls in the user's source that led to it.

The environment variable TRANSLATOR_DISABLE_NEW_ERROR=1 leaves messages as they are, TRANSLATOR_SIMPLIFY_NEW_ERROR=0
lists the calls inside of libraries as well.
"""

import linecache
import os
import sysconfig
import textwrap
import traceback

from ..control_flow.convert import TYPED

ERROR_DATA = "_paddle_error_data"  # the attribute of an exception that holds its ErrorData
DISABLE_ERROR_ENV_NAME = "TRANSLATOR_DISABLE_NEW_ERROR"
DEFAULT_DISABLE_NEW_ERROR = 0
SIMPLIFY_ERROR_ENV_NAME = "TRANSLATOR_SIMPLIFY_NEW_ERROR"
DEFAULT_SIMPLIFY_NEW_ERROR = 1
SOURCE_CODE_RANGE = 5  # lines that are shown around the one that failed
BLANK_COUNT_BEFORE_FILE_STR = 4

_LIBRARIES = ("paddle", "numpy", "scipy")
_STANDARD = sysconfig.get_paths()["stdlib"]


class Dy2StKeyError(KeyError):
    """A KeyError of a capture, whose text is shown as it is."""

    def __str__(self):
        return str(self.args[0]) if self.args else ""


def _setting(name, default):
    return int(os.environ.get(name, default) or 0)


def _is_users(frame):
    file = frame.f_code.co_filename
    if file.startswith(_STANDARD) and "site-packages" not in file:
        return False
    if file.startswith("<") and not file.startswith(TYPED):
        return False
    return (frame.f_globals.get("__name__") or "").partition(".")[0] not in _LIBRARIES


def _calls_of(trace, simplified):
    """(file, line, function, whether it is the user's) of each call of a traceback from the user's first one on."""
    calls = [
        (frame.f_code.co_filename, line, frame.f_code.co_name, _is_users(frame))
        for frame, line in traceback.walk_tb(trace)
    ]
    first = next((i for i, call in enumerate(calls) if call[3]), len(calls))
    return [call for call in calls[first:] if call[3] or not simplified]


def _source_around(file, line):
    """Lines of a file with a mark at one of them."""
    first = max(1, line - SOURCE_CODE_RANGE // 2)
    shown = [linecache.getline(file, n).rstrip("\n") for n in range(first, first + SOURCE_CODE_RANGE)]
    shown = textwrap.dedent("\n".join(shown)).split("\n")
    at = shown[line - first]
    blanks = len(at) - len(at.lstrip())
    shown.insert(line - first + 1, " " * blanks + "~" * len(at.strip()) + " <--- HERE")
    return "\n".join(shown).rstrip()


class ErrorData:
    """Where in the user's source an exception of a capture came up.

    Args:
        error_type: The type of the exception.
        error_value: The exception, as it was raised.
        origin_traceback: Its traceback.
    """

    def __init__(self, error_type, error_value, origin_traceback):
        self.error_type = error_type
        self.error_value = str(error_value)
        self._calls = {simplified: _calls_of(origin_traceback, simplified) for simplified in (True, False)}

    def create_message(self):
        """The calls that led to the exception, the last of the user's with the lines around it, and what it says."""
        calls = self._calls[bool(_setting(SIMPLIFY_ERROR_ENV_NAME, DEFAULT_SIMPLIFY_NEW_ERROR))]
        last = max((i for i, call in enumerate(calls) if call[3]), default=None)
        blanks = " " * BLANK_COUNT_BEFORE_FILE_STR
        lines = ["In transformed code:", ""]
        for i, (file, line, function, _) in enumerate(calls):
            lines.append(f'{blanks}File "{file}", line {line}, in {function}')
            shown = _source_around(file, line) if i == last else linecache.getline(file, line).strip()
            lines.append(textwrap.indent(shown, blanks * 2))
        said = f"{self.error_type.__name__}: {self.error_value}"
        return "\n".join([*lines, "", textwrap.indent(said, blanks)])


def named(error):
    """The exception of a capture that says where it came up: the same, or a Dy2StKeyError in the place of a KeyError."""
    if getattr(error, ERROR_DATA, None) is not None:
        return error
    data = ErrorData(type(error), error, error.__traceback__)
    silent = _setting(DISABLE_ERROR_ENV_NAME, DEFAULT_DISABLE_NEW_ERROR) or not data._calls[True]
    if not silent and type(error) is KeyError:
        error = Dy2StKeyError(data.create_message()).with_traceback(error.__traceback__)
        error.__suppress_context__ = True
    elif not silent and isinstance(error, SyntaxError):
        error.msg = data.create_message()
    elif not silent and len(error.args) <= 1 and type(error).__str__ is Exception.__str__:
        error.args = (data.create_message(),)
    setattr(error, ERROR_DATA, data)
    return error


__all__ = [
    "BLANK_COUNT_BEFORE_FILE_STR",
    "DEFAULT_DISABLE_NEW_ERROR",
    "DEFAULT_SIMPLIFY_NEW_ERROR",
    "DISABLE_ERROR_ENV_NAME",
    "ERROR_DATA",
    "SIMPLIFY_ERROR_ENV_NAME",
    "SOURCE_CODE_RANGE",
    "Dy2StKeyError",
    "ErrorData",
]

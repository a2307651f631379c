# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How much capture says, and lines in that stream, under their PaddlePaddle path."""

from .. import verbosity
from ..verbosity import CODE_LEVEL_ENV_NAME, VERBOSITY_ENV_NAME, set_code_level, set_verbosity
from ..verbosity import code_level as get_code_level
from ..verbosity import level as get_verbosity

LOG_AllTransformer = 100  # the level at which the source after all changes is printed; it is the only one there is


def log(level, msg, *args):
    """A line from a verbosity on.

    Args:
        level: The verbosity.
        msg: The text, with places for `args` as `%` has them.
        args: What is put there.
    """
    if get_verbosity() >= level:
        verbosity.say(f"(Level {level}) {msg % args if args else msg}")


def warn(msg, *args):
    """A warning, at any verbosity; see `log`."""
    verbosity.say(f"WARNING: {msg % args if args else msg}")


def error(msg, *args):
    """An error, at any verbosity; see `log`."""
    verbosity.say(f"ERROR: {msg % args if args else msg}")


__all__ = [
    "CODE_LEVEL_ENV_NAME",
    "VERBOSITY_ENV_NAME",
    "LOG_AllTransformer",
    "error",
    "get_code_level",
    "get_verbosity",
    "log",
    "set_code_level",
    "set_verbosity",
    "warn",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The capture that this thread records into, and what is known about it."""

import os
import threading

from ... import _core

RUNTIME_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep  # frames of files in it are not the user's

# The state of this thread; attributes that were never set are read with getattr():
#   capture             the Capture or Recording, or None
#   input_symbols       text of the symbols that extents of its inputs have, or None
#   is_saved            whether the program goes to a file
#   escaped_error       type name of an exception that left a region that was being recorded, or None
#   try_depth           number of open regions at the innermost `try` with handlers, or None
#   short_circuits      conditions under which Python evaluates the operand of `and` or `or` that is evaluated now
#   loop_depth          number of loops on tensors that are being recorded
#   has_unions          whether TaggedUnions were made
#   stores_unions       whether one was written to a location that may outlive the function
#   optional_keys       the list of OptionalKeys
#   aliases             see effects/branch_aliases.py
#   created_objects     objects that the peeled first round of a loop made
#   replacements        the undo log of effects/list_replacement.py
#   container_copies    see effects/container_aliases.py
#   written_state, read_state   see values/state_reads.py
active = threading.local()


def set_capture(capture, input_symbols=None):
    """Makes `capture` the one that regions are recorded into; returns the previous (capture, symbols).

    Args:
        capture: The Capture, or None.
        input_symbols: Text of the symbols that stand for extents of its inputs; None: they are not known.
    """
    previous = getattr(active, "capture", None), getattr(active, "input_symbols", None)
    active.capture, active.input_symbols, active.escaped_error = capture, input_symbols, None
    return previous


def reset_function_state(is_saved=False):
    """Forgets what another captured function left in `active`.

    Args:
        is_saved: Whether the program goes to a file.
    """
    active.is_saved = is_saved
    active.has_unions = active.stores_unions = False
    active.try_depth = active.optional_keys = active.aliases = None
    active.created_objects = active.replacements = active.container_copies = None


def note_escaping_error(error):
    """Remembers that an exception leaves a region that is being recorded."""
    if isinstance(error, Exception):
        active.escaped_error = type(error).__name__


def check_escaped_error():
    """Raises when an exception left a region of the capture and was caught by the function: what follows would be
    recorded for runs that take another path."""
    if active.escaped_error is not None:
        raise RuntimeError(
            f"to_static: {active.escaped_error} leaves a branch or loop on a tensor and is caught outside of it; a captured "
            "program cannot do that. Decide by Python values, or let the exception reach the caller."
        )


def is_symbolic(value):
    """Whether a value is a tensor of the capture, whose elements are not known yet."""
    return isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The capture that this thread records into, and what is known of it."""

import os
import threading

from ... import _core

RUNTIME_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep  # frames of files in it are not the user's
active = threading.local()


def set_capture(capture, extents=None):
    """Makes `capture` the one that regions are recorded into; returns the previous (capture, extents).

    Args:
        capture: The Capture, or None.
        extents: Text of the symbols that its inputs have as extents; None: not known.
    """
    previous = getattr(active, "capture", None), getattr(active, "extents", None)
    active.capture, active.extents, active.left = capture, extents, None
    return previous


def reset_function_state(is_saved=False):
    """Forgets what another captured function left: handlers around it, values that are one of two. `is_saved`: the
    program goes to a file."""
    active.is_saved = is_saved
    active.alternatives = active.tried = active.optional = active.joined = active.new_objects = active.replaced = (
        active.copies
    ) = None
    active.kept_alternatives = False


def note_escaping_error(error):
    """Notices that an exception leaves a branch or loop that is being recorded."""
    if isinstance(error, Exception):
        active.left = type(error).__name__


def check_escaped_error():
    """Raises when an exception left a branch or loop of the capture and was caught by the function: what follows
    would be recorded for runs that take another way."""
    if active.left is not None:
        raise RuntimeError(
            f"to_static: {active.left} leaves a branch or loop on a tensor and is caught outside of it; a captured "
            "program cannot do that. Decide by Python values, or let the exception reach the caller."
        )


def is_symbolic(value):
    """A tensor of the capture, whose values are unknown."""
    return isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams and events of accelerators. The CPU has none: making one says so, and guards without a stream do nothing."""


def _absent(what):
    raise ValueError(f"{what}: streams belong to GPUs and other accelerators; this build runs on the CPU alone.")


class Stream:
    """A queue of work on an accelerator."""

    def __init__(self, device=None, priority=2, stream_base=None):
        _absent("Stream")


class Event:
    """A point in the work of a stream."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        _absent("Event")


class stream_guard:
    """Context manager that makes a stream the current one; None changes nothing."""

    def __init__(self, stream=None):
        if stream is not None:
            _absent("stream_guard")

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return False


StreamContext = stream_guard


def stream(stream):
    """`stream_guard`."""
    return stream_guard(stream)


def current_stream(device=None):
    """The current stream of a device."""
    _absent("current_stream")


def set_stream(stream):
    """Make a stream the current one."""
    _absent("set_stream")


def is_current_stream_capturing():
    """False: there is no stream that could be captured."""
    return False

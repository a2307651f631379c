# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams and events of accelerators. The CPU has none: making one says so, and guards without a stream do nothing."""


def _absent(what):
    raise ValueError(f"{what}: streams belong to GPUs and other accelerators; paddle runs on the CPU alone.")


class Stream:
    """A queue of work on an accelerator."""

    def __init__(self, device=None, priority=2, stream_base=None):
        _absent("Stream")

    def query(self):
        """Whether the work is done."""
        _absent("Stream.query")

    def record_event(self, event=None):
        """The point in the work that has been reached, as an Event."""
        _absent("Stream.record_event")

    def synchronize(self):
        """Wait until the work is done."""
        _absent("Stream.synchronize")

    def wait_event(self, event):
        """Let later work wait for an event."""
        _absent("Stream.wait_event")

    def wait_stream(self, stream):
        """Let later work wait for what another stream has now."""
        _absent("Stream.wait_stream")


class Event:
    """A point in the work of a stream."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        _absent("Event")

    def elapsed_time(self, end_event):
        """Milliseconds between this event and another."""
        _absent("Event.elapsed_time")

    def query(self):
        """Whether the point is reached."""
        _absent("Event.query")

    def record(self, stream=None):
        """Take the point that a stream has reached."""
        _absent("Event.record")

    def synchronize(self):
        """Wait until the point is reached."""
        _absent("Event.synchronize")


class stream_guard:
    """Context manager that makes a stream the current one; None changes nothing."""

    def __init__(self, stream=None):
        if stream is not None:
            _absent("stream_guard")

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
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


def get_stream_from_external(data_ptr, device=None):
    """The stream that another library made."""
    _absent("get_stream_from_external")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams and events of accelerators. The CPU has none: making one says so, and guards without a stream do nothing."""

from .. import _core
from ..framework.devices import convert_to_place, current_place


def _absent(what):
    raise ValueError(f"{what}: streams belong to GPUs and other accelerators; paddle runs on the CPU alone.")


def _accelerator(what, device):
    """The place of a device with streams."""
    if isinstance(device, int):
        device = f"{current_place().get_device_type()}:{device}" if not current_place().is_cpu_place() else None
    place = current_place() if device is None else convert_to_place(device)
    if place.is_cpu_place():
        _absent(what)
    return place


class Stream:
    """A queue of work on an accelerator.

    Args:
        device: Name or place of the device; None for the current one.
        priority: 1 is served before 2, the usual one.
        stream_base: A stream of `_core` that this object stands for.
    """

    def __init__(self, device=None, priority=2, stream_base=None):
        if stream_base is not None:
            self.stream_base = stream_base
            return
        place = _accelerator("Stream", device)
        if priority not in (1, 2):
            raise ValueError(f"Stream: priority has value {priority!r}; it must be 1 or 2.")
        self.stream_base = _core.new_stream(place, 2 - priority)

    @property
    def device(self):
        """Place of the device."""
        return _core.stream_place(self.stream_base)

    def query(self):
        """Whether the work is done."""
        return _core.stream_query(self.stream_base)

    def record_event(self, event=None):
        """The point in the work that has been reached, as an Event."""
        event = event if event is not None else Event(device=self.device)
        event.record(self)
        return event

    def synchronize(self):
        """Wait until the work is done."""
        _core.stream_synchronize(self.stream_base)

    def wait_event(self, event):
        """Let later work wait for an event."""
        if event.event_base is not None:
            _core.stream_wait(self.stream_base, event.event_base)

    def wait_stream(self, stream):
        """Let later work wait for what another stream has now."""
        self.wait_event(stream.record_event())

    def __eq__(self, other):
        return isinstance(other, Stream) and hash(self) == hash(other)

    def __hash__(self):
        return _core.stream_identity(self.stream_base)

    def __repr__(self):
        return f"<paddle.device.Stream device={_core.place_text(self.device)} stream={hash(self):#x}>"


class Event:
    """A point in the work of a stream.

    Args:
        enable_timing: Whether `elapsed_time` may be asked; the plugin has to tell times.
        blocking: Kept for programs that pass it: every wait blocks.
        interprocess: Refused: events belong to their process.
        device: Name or place of the device; None for the current one.
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, device=None):
        self._place = _accelerator("Event", device)
        if interprocess:
            raise NotImplementedError("Event: interprocess=True is not supported by devices of plugins.")
        self._timed, self.event_base = bool(enable_timing), None

    @property
    def device(self):
        """Place of the device."""
        return self._place

    def elapsed_time(self, end_event):
        """Milliseconds between this event and another.

        Args:
            end_event: The later event; both have `enable_timing` and have happened.

        Raises:
            ValueError: An event was not recorded, has not happened, or tells no time.
        """
        for event in (self, end_event):
            if event.event_base is None or not event._timed:
                raise ValueError("Event.elapsed_time: record both events first, made with enable_timing=True.")
        return _core.event_elapsed(self.event_base, end_event.event_base)

    def query(self):
        """Whether the point is reached; True before `record`."""
        return self.event_base is None or _core.event_query(self.event_base)

    def record(self, stream=None):
        """Take the point that a stream has reached; None is the current one.

        Raises:
            NotImplementedError: The event is to tell its time, and the plugin tells none.
        """
        stream = current_stream(self._place) if stream is None else stream
        self.event_base = _core.stream_record(stream.stream_base, self._timed)

    def synchronize(self):
        """Wait until the point is reached."""
        if self.event_base is not None:
            _core.event_synchronize(self.event_base)


class stream_guard:
    """Context manager that makes a stream the current one of its device; None changes nothing."""

    def __init__(self, stream=None):
        if stream is not None and not isinstance(stream, Stream):
            raise TypeError(f"stream_guard: stream has type {type(stream).__name__}; pass a paddle.device.Stream.")
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self._previous = set_stream(self.stream)
        return self.stream

    def __exit__(self, exc_type, exc_val, exc_tb):
        if self.stream is not None:
            set_stream(self._previous)
        return False


StreamContext = stream_guard


def stream(stream):
    """`stream_guard`."""
    return stream_guard(stream)


def current_stream(device=None):
    """The current stream of a device."""
    return Stream(stream_base=_core.current_stream(_accelerator("current_stream", device)))


def set_stream(stream):
    """Make a stream the current one of its device, for this thread; the one of before."""
    previous = current_stream(stream.device)
    _core.set_stream(stream.stream_base)
    return previous


def is_current_stream_capturing():
    """False: there is no stream that could be captured."""
    return False


def get_stream_from_external(data_ptr, device=None):
    """The stream that another library made.

    Raises:
        ValueError: Streams of plugins cannot be taken over from others.
    """
    _absent("get_stream_from_external")

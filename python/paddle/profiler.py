# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiling: `RecordEvent` marks a span, `Profiler` collects them, over the core's recorder."""

import contextlib

from . import _core


def _call(name, *args):
    fn = getattr(_core, name, None)
    if fn is None:
        raise NotImplementedError(f"profiler: this build has no {name}; it records no spans.")
    return fn(*args)


class RecordEvent(contextlib.ContextDecorator):
    """A named span; does nothing where the build has no recorder.

    Args:
        name: Name of the span.
    """

    def __init__(self, name, event_type=None):
        self.name = name

    def begin(self):
        """Start the span."""
        if hasattr(_core, "profiler_push"):
            _core.profiler_push(self.name)

    def end(self):
        """End the span."""
        if hasattr(_core, "profiler_pop"):
            _core.profiler_pop()

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *error):
        self.end()
        return False


class Profiler:
    """Records spans between `start` and `stop`."""

    def __init__(self, *, targets=None, scheduler=None, on_trace_ready=None, **options):
        self._ready = on_trace_ready
        self.step_num = 0

    def start(self):
        """Begin recording."""
        _call("profiler_start")

    def stop(self):
        """End recording, and hand over to `on_trace_ready`."""
        _call("profiler_stop")
        if self._ready is not None:
            self._ready(self)

    def step(self, num_samples=None):
        """Mark the end of a training step."""
        self.step_num += 1

    def export(self, path, format="json"):
        """Write the recorded spans to a file."""
        _call("profiler_export", path)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()
        return False

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiling: `RecordEvent` marks a span, `Profiler` collects spans of operators and of the user."""

import contextlib
import enum
import os

from . import _core


class ProfilerTarget(enum.Enum):
    """What is profiled."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


class SortedKeys(enum.Enum):
    """Order of the rows of `Profiler.summary`."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3


class RecordEvent(contextlib.ContextDecorator):
    """A named span, recorded while a Profiler runs.

    Args:
        name: Name of the span.
    """

    def __init__(self, name, event_type=None):
        self.name = name
        self._begin = None

    def begin(self):
        """Start the span."""
        self._begin = _core.profiler_now()

    def end(self):
        """End the span."""
        if self._begin is not None:
            _core.profiler_record(self.name, self._begin, _core.profiler_now())
            self._begin = None

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *error):
        self.end()
        return False


def export_chrome_tracing(dir_name, worker_name=None):
    """A handler for `on_trace_ready` that writes a Chrome trace into dir_name."""

    def handler(profiler):
        os.makedirs(dir_name, exist_ok=True)
        name = worker_name or f"host_pid_{os.getpid()}"
        profiler.export(os.path.join(dir_name, f"{name}.json"))

    return handler


class Profiler:
    """Records the operators of the calling thread and all RecordEvents between `start` and `stop`.

    Args:
        on_trace_ready: Called with the profiler after `stop`.
    """

    def __init__(self, *, targets=None, scheduler=None, on_trace_ready=None, **options):
        if scheduler is not None:
            raise NotImplementedError("Profiler: scheduler is not supported; call start() and stop() around the steps.")
        for target in targets or ():
            if target is not ProfilerTarget.CPU:
                raise ValueError(f"Profiler: targets holds {target}; this build records ProfilerTarget.CPU.")
        self._ready = on_trace_ready
        self._spans = []
        self._steps = []

    def start(self):
        """Begin recording."""
        self._steps = [_core.profiler_now()]
        _core.profiler_start()

    def stop(self):
        """End recording, and hand over to `on_trace_ready`."""
        self._spans = _core.profiler_stop()
        if self._ready is not None:
            self._ready(self)

    def step(self, num_samples=None):
        """Mark the end of a training step."""
        self._steps.append(_core.profiler_now())

    def step_info(self, unit=None):
        """Mean time of the steps so far."""
        if len(self._steps) < 2:
            return "no step yet"
        mean = (self._steps[-1] - self._steps[0]) / (len(self._steps) - 1)
        return f"{mean / 1e6:.3f} ms a step"

    def export(self, path, format="json"):
        """Write the recorded spans as a Chrome trace."""
        if format != "json":
            raise ValueError(f"Profiler.export: format has value {format!r}; only 'json' is written.")
        _core.profiler_export(path)

    def summary(self, sorted_by=SortedKeys.CPUTotal, **options):
        """Print calls, total, mean, longest and shortest time by name; returns the text."""
        times = {}
        for name, _, begin, end, _ in self._spans:
            times.setdefault(name, []).append((end - begin) / 1e6)
        keys = {
            SortedKeys.CPUTotal: sum,
            SortedKeys.CPUAvg: lambda t: sum(t) / len(t),
            SortedKeys.CPUMax: max,
            SortedKeys.CPUMin: min,
        }
        rows = sorted(times.items(), key=lambda item: -keys[sorted_by](item[1]))
        lines = [f"{'name':<36}{'calls':>8}{'total ms':>12}{'mean':>10}{'max':>10}{'min':>10}"]
        for name, t in rows:
            lines.append(f"{name:<36}{len(t):>8}{sum(t):>12.3f}{sum(t) / len(t):>10.4f}{max(t):>10.4f}{min(t):>10.4f}")
        text = "\n".join(lines)
        print(text)
        return text

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()
        return False

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiling under another of its paths."""

from . import (
    Profiler,
    ProfilerState,
    ProfilerTarget,
    RecordEvent,
    SortedKeys,
    SummaryView,
    export_chrome_tracing,
    export_protobuf,
    make_scheduler,
)


def get_profiler(config_path):
    """A Profiler from a JSON file; one with the defaults, and a warning, where the file cannot be read.

    Args:
        config_path: File with the arguments of Profiler: `targets`, `scheduler`, `on_trace_ready`, `timer_only`.
            A function stands as {"name": {"module": ..., "use_direct": ..., "args": [...], "kwargs": {...}}}; with
            `use_direct` it is the function itself, else what it returns.
    """
    import importlib
    import json
    import warnings

    def function(described):
        ((name, how),) = described.items()
        found = getattr(importlib.import_module(how["module"]), name)
        return found if how.get("use_direct") else found(*how.get("args", ()), **how.get("kwargs", {}))

    try:
        with open(config_path) as file:
            config = json.load(file)
        given = {"timer_only": bool(config.get("timer_only", False))}
        given["targets"] = [ProfilerTarget[name.upper()] for name in config.get("targets", ())] or None
        schedule, ready = config.get("scheduler"), config.get("on_trace_ready")
        given["scheduler"] = function(schedule) if isinstance(schedule, dict) else schedule and tuple(schedule)
        given["on_trace_ready"] = function(ready) if ready else None
        return Profiler(**given)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        warnings.warn(f"get_profiler: {config_path!r} cannot be used ({error}); the defaults are taken.", stacklevel=2)
        return Profiler()


__all__ = [
    "get_profiler",
    "Profiler",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "export_chrome_tracing",
    "export_protobuf",
    "make_scheduler",
]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiling by the names of PaddlePaddle 1, through `paddle.profiler`."""

import contextlib

from .. import profiler as _profiler

_running = []


def start_profiler(state="CPU", tracer_option="Default"):
    """Begin to measure operators.

    Args:
        state: 'CPU', 'GPU' or 'All'.
        tracer_option: Kept.
    """
    if state not in ("CPU", "GPU", "All"):
        raise ValueError(f"start_profiler: state has value {state!r}; it must be 'CPU', 'GPU' or 'All'.")
    if not _running:
        _running.append(_profiler.Profiler(targets=[_profiler.ProfilerTarget.CPU]))
        _running[-1].start()


def stop_profiler(sorted_key=None, profile_path="/tmp/profile"):
    """End and print a table.

    Args:
        sorted_key: Kept.
        profile_path: File of the trace (JSON).
    """
    if _running:
        profiler = _running.pop()
        profiler.stop()
        profiler.summary()
        profiler.export(profile_path, format="json")


def reset_profiler():
    """Forget what was measured."""
    if _running:
        _running.pop().stop()
        start_profiler()


@contextlib.contextmanager
def profiler(state="CPU", sorted_key=None, profile_path="/tmp/profile", tracer_option="Default"):
    """Inside, operators are measured; a table is printed at the end."""
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


def cuda_profiler(output_file, output_mode=None, config=None):
    """Raises RuntimeError: paddle has no CUDA."""
    raise RuntimeError("cuda_profiler: paddle has no CUDA; use fluid.profiler.profiler.")


__all__ = ["cuda_profiler", "profiler", "reset_profiler", "start_profiler", "stop_profiler"]

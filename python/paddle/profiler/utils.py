# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`RecordEvent` under its older path, and the schedules of static programs."""

from . import RecordEvent as RecordEvent
from . import load_profiler_result as load_profiler_result


def __getattr__(name):
    if name == "_is_profiler_used":
        return in_profiler_mode()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def in_profiler_mode():
    """Whether a profiler is started."""
    from . import Profiler

    return Profiler._started > 0


def switch_job_schedule_profiler(model, iter_id, start, end, exit_after_prof=True):
    """Profile the schedule of a static model's jobs from iteration `start` to `end`.

    Raises:
        NotImplementedError: Always: programs run here without a schedule of jobs.
    """
    raise NotImplementedError(
        "switch_job_schedule_profiler: programs of paddle have no schedule of jobs; use paddle.profiler.Profiler."
    )

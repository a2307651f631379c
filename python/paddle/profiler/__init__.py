# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiling: `RecordEvent` marks a span, `Profiler` collects spans of operators and of the user."""

import contextlib
import enum
import os
import warnings

from .. import _core, _lazy, _paths
from .saved_spans import load_profiler_result, write_spans

__all__ = [
    "Profiler",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "export_chrome_tracing",
    "export_protobuf",
    "load_profiler_result",
    "make_scheduler",
]
_SUBMODULES = ("profiler", "profiler_statistic", "statistic_helper", "utils")
__getattr__ = _lazy.attribute_hook(__name__, _SUBMODULES, {})
__dir__ = _lazy.listing(__name__)


class ProfilerState(enum.Enum):
    """What the profiler does in a step."""

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerTarget(enum.Enum):
    """What is profiled."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


class SortedKeys(enum.Enum):
    """Order of the rows of `Profiler.summary`; the GPU keys sort as their CPU counterparts."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(enum.Enum):
    """Tables of `Profiler.summary`."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


class TracerEventType(enum.Enum):
    """Kinds of spans; a `RecordEvent` keeps the one that it is given."""

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14
    DygraphKernelLaunch = 15
    StaticKernelLaunch = 16

    def __int__(self):
        return self.value


_RECORDING = (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)


def make_scheduler(*, closed, ready, record, repeat=0, skip_first=0):
    """A function from the number of a step to what the profiler does in it.

    After `skip_first` steps come cycles of `closed` + `ready` + `record` steps; the last step of a
    cycle is RECORD_AND_RETURN.

    Args:
        closed, ready, record: Steps of each kind in a cycle; record is at least 1.
        repeat: Number of cycles; 0: without end.
        skip_first: Steps before the first cycle.

    Returns:
        A function int -> ProfilerState.

    Raises:
        AssertionError: For a negative number, or record < 1.
    """
    if min(closed, ready, repeat, skip_first) < 0 or record < 1:
        raise AssertionError(
            f"make_scheduler: closed={closed}, ready={ready}, record={record}, repeat={repeat}, "
            f"skip_first={skip_first}; record must be at least 1 and the others at least 0."
        )
    cycle = closed + ready + record

    def scheduler(step):
        step -= skip_first
        if step < 0 or (repeat and step >= repeat * cycle):
            return ProfilerState.CLOSED
        position = step % cycle
        if position < closed:
            return ProfilerState.CLOSED
        if position < closed + ready:
            return ProfilerState.READY
        return ProfilerState.RECORD if position < cycle - 1 else ProfilerState.RECORD_AND_RETURN

    return scheduler


def _scheduler_of(scheduler):
    if scheduler is None:
        return lambda step: ProfilerState.RECORD
    if callable(scheduler):
        return scheduler
    is_pair = isinstance(scheduler, (tuple, list)) and len(scheduler) == 2
    if is_pair and 0 <= scheduler[0] < scheduler[1]:
        begin, end = scheduler
        return make_scheduler(closed=max(begin - 1, 0), ready=min(begin, 1), record=end - begin, repeat=1)
    error = AssertionError if is_pair else ValueError
    raise error(
        f"Profiler: scheduler has value {scheduler!r}; it must be a function of the step, or a pair (start, end) of "
        f"steps with 0 <= start < end."
    )


class RecordEvent(contextlib.ContextDecorator):
    """A named span, recorded while a Profiler runs.

    Args:
        name: Name of the span.
        event_type: Its kind.
    """

    def __init__(self, name, event_type=TracerEventType.PythonUserDefined):
        self.name, self.event_type = name, event_type
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

    def __exit__(self, exc_type, exc_value, traceback):
        self.end()
        return False


def _handler(dir_name, worker_name, format, ending):
    def handler(recorded):
        import datetime
        import socket

        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"host_{socket.gethostname()}pid_{os.getpid()}"
        moment = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        recorded.export(os.path.join(dir_name, f"{worker}_time_{moment}.{ending}"), format)

    return handler


def export_protobuf(dir_name, worker_name=None):
    """A handler for `Profiler(on_trace_ready=...)` that writes '<worker>_time_<moment>.paddle_trace.pb' into a folder.

    Args:
        dir_name: The folder; it is made when it is not there.
        worker_name: First part of the name of the file; None for that of the machine and process.

    Returns:
        A function that takes the Profiler; `load_profiler_result` reads the file.
    """
    return _handler(dir_name, worker_name, "pb", "paddle_trace.pb")


def export_chrome_tracing(dir_name, worker_name=None):
    """A handler for `Profiler(on_trace_ready=...)` that writes a Chrome trace, '<worker>_time_<moment>.paddle_trace.json',
    into a folder.

    Args:
        dir_name: The folder; it is made when it is not there.
        worker_name: First part of the name of the file; None for that of the machine and process.

    Returns:
        A function that takes the Profiler.
    """

    return _handler(dir_name, worker_name, "json", "paddle_trace.json")


class Profiler:
    """Records the operators and all RecordEvents between `start` and `stop`, on all threads.

    Args:
        targets: Iterable of ProfilerTarget; paddle records ProfilerTarget.CPU.
        scheduler: Function step -> ProfilerState (`make_scheduler`), or a pair (start, end) of steps
            to record. None: every step.
        on_trace_ready: Called with the profiler when a recording ends.
        timer_only: Measure steps only, record no spans.
        record_shapes, profile_memory, emit_nvtx, with_flops: Accepted with a warning; not recorded.

    Example:
        >>> with paddle.profiler.Profiler(scheduler=(1, 3)) as profiler:
        ...     for _ in range(4):
        ...         _ = paddle.ones([2]) + 1.0
        ...         profiler.step()
    """

    _started = 0  # how many run now

    def __init__(
        self,
        *,
        targets=None,
        scheduler=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        timer_only=False,
        emit_nvtx=False,
        custom_device_types=[],  # noqa: B006
        with_flops=False,
    ):
        for target in targets or ():
            if target is not ProfilerTarget.CPU:
                raise ValueError(f"Profiler: targets holds {target}; paddle records ProfilerTarget.CPU.")
        extras = {
            "record_shapes": record_shapes,
            "profile_memory": profile_memory,
            "emit_nvtx": emit_nvtx,
            "with_flops": with_flops,
        }
        if any(extras.values()):
            names = ", ".join(name for name, wanted in extras.items() if wanted)
            warnings.warn(f"Profiler: {names}: paddle records times only.", stacklevel=2)
        self.current_state = ProfilerState.CLOSED
        self.step_num = 0
        self.scheduler = _scheduler_of(scheduler)
        self._ready = on_trace_ready
        self._timer_only = timer_only
        self._spans = []
        self._steps = []
        self._samples = 0
        self._runs = False

    def start(self):
        """Begin with the state that the scheduler gives to the current step."""
        self._steps, self._samples = [_core.profiler_now()], 0
        if not self._runs:
            self._runs, Profiler._started = True, Profiler._started + 1
        self._enter(self.scheduler(self.step_num))

    def stop(self):
        """End a recording in progress, and hand over to `on_trace_ready`."""
        if self.current_state in _RECORDING:
            self._finish()
        self.current_state = ProfilerState.CLOSED
        if self._runs:
            self._runs, Profiler._started = False, Profiler._started - 1

    def step(self, num_samples=None):
        """Mark the end of a training step.

        Args:
            num_samples: Number of samples of the step, for `step_info`.
        """
        self._steps.append(_core.profiler_now())
        self._samples += num_samples or 0
        self.step_num += 1
        following = self.scheduler(self.step_num)
        returns = self.current_state is ProfilerState.RECORD_AND_RETURN
        if returns or (self.current_state is ProfilerState.RECORD and following not in _RECORDING):
            self._finish()
            self.current_state = ProfilerState.CLOSED
        self._enter(following)

    def _enter(self, state):
        if state in _RECORDING and self.current_state not in _RECORDING and not self._timer_only:
            _core.profiler_start()
        self.current_state = state

    def _finish(self):
        self._spans = [] if self._timer_only else _core.profiler_stop()
        if self._ready is not None:
            self._ready(self)

    def step_info(self, unit=None):
        """Mean time of the steps so far, and samples per second where `step` was given their number."""
        if len(self._steps) < 2:
            return "no step yet"
        seconds = (self._steps[-1] - self._steps[0]) / 1e9
        steps = len(self._steps) - 1
        speed, of = (self._samples, unit or "samples") if self._samples else (steps, "steps")
        return f" batch_cost: {seconds / steps:.5f} s ips: {speed / seconds:.3f} {of}/s"

    def export(self, path="", format="json"):
        """Write the recorded spans.

        Args:
            path: File to write.
            format: "json" for a Chrome trace, "pb" for messages that `load_profiler_result` reads.
        """
        if format not in ("json", "pb"):
            raise ValueError(f"Profiler.export: format has value {format!r}; it must be 'json' or 'pb'.")
        if format == "json":
            _core.profiler_export(path)
        else:
            write_spans(path, self._spans)

    def summary(self, sorted_by=SortedKeys.CPUTotal, op_detail=True, thread_sep=False, time_unit="ms", views=None):
        """Print calls, total, mean, longest and shortest time by name; returns the text.

        Args:
            sorted_by: Order of the rows.
            op_detail: False: spans of the user only.
            thread_sep: True: one table for each thread.
            time_unit: "s", "ms", "us" or "ns".
            views: SummaryView or list of them; the table is printed for OverView, OperatorView and UDFView.
        """
        units = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
        if time_unit not in units:
            raise ValueError(f"Profiler.summary: time_unit has value {time_unit!r}; it must be one of {list(units)}.")
        spans = [s for s in self._spans if self._is_shown(s, op_detail, views)]
        threads = sorted({s[4] for s in spans}) if thread_sep else [None]
        tables = []
        for thread in threads or [None]:
            times = {}
            for name, _, begin, end, on in spans:
                if thread in (None, on):
                    times.setdefault(name, []).append((end - begin) / units[time_unit])
            title = "" if thread is None else f"thread {thread}\n"
            tables.append(title + _table(times, sorted_by, time_unit))
        text = "\n\n".join(tables)
        print(text)
        return text

    @staticmethod
    def _is_shown(span, op_detail, views):
        is_operator = span[1] == "operator"
        if views is None:
            return op_detail or not is_operator
        wanted = views if isinstance(views, (list, tuple)) else [views]
        return SummaryView.OverView in wanted or (
            SummaryView.OperatorView in wanted if is_operator else SummaryView.UDFView in wanted
        )

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.stop()
        return False


def _table(times, sorted_by, unit):
    keys = {"Total": sum, "Avg": lambda t: sum(t) / len(t), "Max": max, "Min": min}
    key = keys[sorted_by.name[3:]]
    rows = sorted(times.items(), key=lambda item: -key(item[1]))
    lines = [f"{'name':<36}{'calls':>8}{'total ' + unit:>12}{'mean':>10}{'max':>10}{'min':>10}"]
    for name, t in rows:
        lines.append(f"{name:<36}{len(t):>8}{sum(t):>12.3f}{sum(t) / len(t):>10.4f}{max(t):>10.4f}{min(t):>10.4f}")
    return "\n".join(lines)


_paths.attach(__name__)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints the progress of a loop: step, values, time per step."""

import sys
import time


class ProgressBar:
    """Progress of a loop.

    Args:
        num: Number of steps; None when it is not known.
        width: Characters of the bar.
        verbose: 0 prints nothing, 1 a bar that is redrawn, 2 one line per call.
        start: Whether to start the clock.
        file: Where to print.
    """

    def __init__(self, num=None, width=30, verbose=1, start=True, file=None):
        self._num, self._width, self._verbose = num, width, verbose
        self._file = file
        self._last_width = 0
        self._start = time.time() if start else None

    def start(self):
        """Start the clock anew."""
        self._start = time.time()

    def update(self, current_num, values=None):
        """Print step `current_num` with `values`, a list of (name, number or list of numbers, or text)."""
        if not self._verbose:
            return
        values = values or []
        if self._num:
            current_num = min(current_num, self._num)
        elapsed = time.time() - (self._start or time.time())
        each = elapsed / current_num if current_num else 0.0
        finished = self._num is not None and current_num >= self._num
        parts = [self._count(current_num, finished)]
        parts += [f"{name}: {_numbers(value)}" for name, value in values]
        if self._verbose == 1 and self._num and not finished:
            parts.append(f"ETA: {_clock(each * (self._num - current_num))}")
        parts.append(f"{_duration(each)}/step")
        self._print(" - ".join(parts), finished)

    def _count(self, current, finished):
        if not self._num:
            return f"step {current}"
        text = f"step {current:{len(str(self._num))}d}/{self._num}"
        if self._verbose != 1:
            return text
        done = int(current / self._num * self._width)
        bar = "=" * done if finished else "=" * max(done - 1, 0) + ">" + "." * (self._width - max(done, 1))
        return f"{text} [{bar}]"

    def _print(self, text, finished):
        out = self._file or sys.stdout
        if self._verbose == 1:
            out.write("\b" * self._last_width + "\r" + text.ljust(self._last_width) + ("\n" if finished else ""))
            self._last_width = 0 if finished else len(text)
        else:
            out.write(text + "\n")
        out.flush()


def _numbers(value):
    items = value if isinstance(value, (list, tuple)) else [value]
    return " ".join(_number(item) for item in items)


def _number(value):
    import numpy

    if isinstance(value, numpy.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, (float, numpy.floating)):
        return str(value)
    return f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"


def _duration(seconds):
    if seconds >= 1:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"


def _clock(seconds):
    if seconds < 60:
        return f"{seconds:.0f}s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Named timers."""

import time

_timers = None


class _Timer:
    def __init__(self, name):
        self.name_ = name
        self.elapsed_ = 0.0
        self.started_ = False
        self.start_time = 0.0

    def start(self):
        """Begin an interval."""
        if self.started_:
            raise RuntimeError(f"timer {self.name_}: it has already been started.")
        self.start_time, self.started_ = time.time(), True

    def stop(self):
        """End the interval."""
        if not self.started_:
            raise RuntimeError(f"timer {self.name_}: it is not started.")
        self.elapsed_ += time.time() - self.start_time
        self.started_ = False

    def reset(self):
        """Forget what was measured."""
        self.elapsed_, self.started_ = 0.0, False

    def elapsed(self, reset=True):
        """Seconds of all intervals."""
        running = self.started_
        if running:
            self.stop()
        seconds = self.elapsed_
        if reset:
            self.reset()
        if running:
            self.start()
        return seconds


class Timers:
    """Timers by name, made on first use."""

    def __init__(self):
        self.timers = {}

    def __call__(self, name):
        return self.timers.setdefault(name, _Timer(name))

    def log(self, names, normalizer=1.0, reset=True):
        """Print the named timers in milliseconds."""
        parts = [f"{n}: {self.timers[n].elapsed(reset) * 1000.0 / normalizer:.2f}" for n in names]
        print("time (ms) | " + " | ".join(parts), flush=True)

    def info(self, names, normalizer=1.0, reset=True):
        """Milliseconds by name."""
        return {n: self.timers[n].elapsed(reset) * 1000.0 / normalizer for n in names}


def is_timer_initialized():
    """Whether `set_timers` was called."""
    return _timers is not None


def set_timers():
    """Create the timers of this process."""
    global _timers
    _timers = Timers()


def get_timers():
    """The timers of this process."""
    if _timers is None:
        raise AssertionError("get_timers: the timers are not initialised; call set_timers() first.")
    return _timers

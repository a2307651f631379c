# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Communications that go on while the program does: a thread that runs them in order, and messages to come.

Where ranks are threads, the core finds deadlocks by counting the threads that may still call something. A thread that
waits for a task is none of them; the thread that ends the task counts it again before it ends itself.
"""

import collections
import queue
import threading

from ... import _core
from ...framework import execution_context

_IDLE_SECONDS = 1.0  # After which a thread without calls ends.


class Task:
    """A communication; finished when it is made without a worker.

    Args:
        worker: The Worker that runs it.
    """

    def __init__(self, worker=None):
        self._worker, self.error = worker, None
        self._done = None if worker is None else threading.Event()
        self.waiting = 0

    def wait(self, timeout=None):
        """Return when the result is there; False after `timeout` seconds without it.

        Raises:
            RuntimeError: A member is gone, called something else, or took longer than the limit of the group.
        """
        if self._done is not None and not self._worker.wait(self, self._done, timeout):
            return False
        if self.error is not None:
            raise self.error
        return True

    def end(self):
        """Note that it has run."""
        self._done.set()

    def is_completed(self):
        """Whether the result is there."""
        return self._done is None or self._done.is_set()

    def synchronize(self):
        """Wait for the result."""
        self.wait()


class Worker:
    """Runs functions in the order in which they come, on a thread that lives while there are some.

    Args:
        name: Of the thread.
    """

    def __init__(self, name):
        self._name, self._context = name, execution_context.bound()
        self._calls, self._lock = queue.SimpleQueue(), threading.Lock()
        self._unfinished, self._is_running, self._last = 0, False, None

    def run(self, function, sync=True):
        """Call a function now, or behind those that run already; its Task."""
        if sync and (self._last is None or self._last.is_completed()):
            function()
            return Task()
        self._last = task = self._start(function)
        if sync:
            task.wait()
        return task

    def finish(self):
        """Wait for what was started; errors are raised where the tasks are waited for."""
        last = self._last
        if last is not None and not last.is_completed():
            self.wait(last, last._done)

    def _start(self, function):
        task = Task(self)
        with self._lock:
            self._unfinished += 1
            if self._unfinished == 1:
                _core.add_rank_threads(1)
            self._calls.put((task, function))
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name=self._name, daemon=True).start()
        return task

    def wait(self, task, done, timeout=None):
        """Wait for a task of this worker; False after the timeout."""
        with self._lock:
            if done.is_set():
                return True
            task.waiting += 1
        _core.add_rank_threads(-1)
        if done.wait(timeout):
            return True
        with self._lock:
            if done.is_set():
                return True
            task.waiting -= 1
        _core.add_rank_threads(1)
        return False

    def _run(self):
        if self._context is None:
            self._run_all()
            return
        with self._context:
            self._run_all()

    def _run_all(self):
        while True:
            try:
                task, function = self._calls.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._unfinished == 0:
                        self._is_running = False
                        return
                continue
            try:
                function()
            except BaseException as error:
                task.error = error
            del function
            with self._lock:
                self._unfinished -= 1
                task.end()
                _core.add_rank_threads(task.waiting - (self._unfinished == 0))


class _Receipt(Task):
    """A message that is expected; the first `wait` takes it, behind those that were expected before."""

    def __init__(self, inbox, take):
        super().__init__()
        self._inbox, self.take = inbox, take

    def wait(self, timeout=None):
        """Return when the message is there."""
        self._inbox.take_until(self)
        if self.error is not None:
            raise self.error
        return True

    def is_completed(self):
        """Whether the message was taken."""
        return self.take is None


class Inbox:
    """Messages that are expected of one member, in order."""

    def __init__(self):
        self._expected, self._lock = collections.deque(), threading.RLock()

    def expect(self, take):
        """A Task that is done when a function was called that takes the next message."""
        receipt = _Receipt(self, take)
        with self._lock:
            self._expected.append(receipt)
        return receipt

    def take_until(self, receipt):
        """Take the messages that are expected up to a receipt."""
        with self._lock:
            while not receipt.is_completed():
                first = self._expected.popleft()
                try:
                    first.take()
                except BaseException as error:
                    first.error = error
                first.take = None

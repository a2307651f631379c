# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the processes of a data loader do when they end."""

import atexit
import signal
import sys

__all__ = ["MP_STATUS_CHECK_INTERVAL", "CleanupFuncRegistrar"]

MP_STATUS_CHECK_INTERVAL = 5.0  # seconds between two looks at whether the other processes live


class CleanupFuncRegistrar:
    """Functions that are called when the process ends, by itself or through a signal."""

    _registered = set()

    @classmethod
    def register(cls, function, signals=None):
        """Call a function once when the process ends.

        Args:
            function: It takes no arguments.
            signals: Signals that end the process after the function was called; none by default.

        Raises:
            TypeError: `function` is not callable.
        """
        if not callable(function):
            raise TypeError(f"register: function is a {type(function).__name__}; it must be callable.")
        if function in cls._registered:
            return
        cls._registered.add(function)
        atexit.register(function)
        for number in signals or ():
            cls._end_on(number)

    @classmethod
    def _end_on(cls, number):
        previous = signal.getsignal(number)

        def handler(got, frame):
            if callable(previous):
                previous(got, frame)
            sys.exit(got)  # runs what atexit holds

        signal.signal(number, handler)

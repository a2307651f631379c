# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A bar that shows how far something is."""

import sys
import time

_WIDTH = 30
_SECONDS = 0.1


class Progress:
    """A bar in one line that is written anew.

    Args:
        what: What is done, in a word.
        shows: Whether anything is written.
        out: Where; None: the standard error.

    Example:
        >>> from paddle.llm.progress import Progress
        >>> with Progress("reading", shows=False) as bar:
        ...     bar.update(1, 2)
    """

    def __init__(self, what, shows=True, out=None):
        self._what, self._shows, self._out = what, shows, out or sys.stderr
        self._last, self._is_open = 0.0, False

    def update(self, done, total):
        """So much of the whole is done."""
        now = time.monotonic()
        if not self._shows or total <= 0 or (done < total and now - self._last < _SECONDS):
            return
        self._last, self._is_open = now, True
        filled = _WIDTH * done // total
        self._out.write(f"\r{self._what} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}")
        self._out.flush()

    def close(self):
        """Ends the line."""
        if self._is_open:
            self._is_open = False
            self._out.write("\n")
            self._out.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

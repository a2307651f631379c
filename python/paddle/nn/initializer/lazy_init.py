# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The switch behind `paddle.LazyGuard`."""

from ...framework.parameter import LazyGuard

__all__ = ["LazyGuard"]


class LazyInitHelper:
    """Whether parameters get their initial values only from `initialize()`."""

    @property
    def state(self):
        """True inside a LazyGuard and after enable()."""
        return LazyGuard._depth > 0

    _state = state  # the name that model libraries read

    def enable(self):
        """Leave the values of new parameters to `initialize()`."""
        if not self.state:
            LazyGuard._depth = 1

    def disable(self):
        """Give new parameters their values at once."""
        LazyGuard._depth = 0


_helper = LazyInitHelper()


def lazy_init_helper():
    """The one LazyInitHelper."""
    return _helper

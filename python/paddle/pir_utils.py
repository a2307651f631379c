# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Switches between the forms of programs of PaddlePaddle 3: here all programs have one form, PIR."""

from .base.dygraph.base import guard
from .framework import modes


class IrGuard:
    """Inside, static mode is on and calls are recorded; leaving it restores the mode before."""

    def __enter__(self):
        self._dynamic = modes.in_dynamic_mode()
        modes.enable_static()
        return self

    def __exit__(self, *error):
        if self._dynamic:
            modes.disable_static()
        return False


class OldIrGuard(IrGuard):
    """`IrGuard`: there is no other form of programs."""


class DygraphPirGuard:
    """Inside, calls run at once; programs that are made have the form PIR."""

    def __enter__(self):
        self._guard = guard()
        self._guard.__enter__()
        return self

    def __exit__(self, *error):
        return self._guard.__exit__(*error)


class DygraphOldIrGuard(DygraphPirGuard):
    """`DygraphPirGuard`: there is no other form of programs."""

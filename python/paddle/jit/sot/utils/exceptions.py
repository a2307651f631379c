# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of functions that run in segments: what the marks of `paddle.jit.sot.psdb` raise where they do not hold."""


class SotErrorBase(Exception):
    """What errors of functions in segments have in common."""


class InnerError(SotErrorBase):
    """A mark of `psdb` does not hold."""


class FallbackError(SotErrorBase):
    """A function that cannot run in segments at all."""


class BreakGraphError(SotErrorBase):
    """A call that cannot be part of a segment."""

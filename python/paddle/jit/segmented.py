# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls whose operators are recorded and run together: `to_static(full_graph=False)`."""

import contextlib
import warnings

from .. import _core
from . import tree, verbosity
from .spec import InputSpec, is_input


def _form_of(args, kwargs):
    """Structure and InputSpecs of the arguments of a call."""
    leaves = []
    structure = tree.flatten((args, kwargs), is_input, leaves)
    stops = [getattr(v, "stop_gradient", True) for v in leaves]
    return structure, [InputSpec(v.shape, v.dtype, None, s) for v, s in zip(leaves, stops, strict=True)]


class SegmentedCalls:
    """The segments of one function, and calls that run in them.

    Args:
        of: What messages call the function.
        compiled: Whether the programs of segments are compiled; None: as FLAGS_use_cinn says.
    """

    watch = None  # what counts kinds of calls: `sot.opcode_translator.executor.executor_cache`

    def __init__(self, of, compiled=None):
        self._of = of
        self._compiled = compiled
        self.forget()
        self._warned = False
        self.seen = None  # structure and InputSpecs of the first call

    def __len__(self):
        return len(self._known)

    def forget(self):
        """Forgets the segments: the next calls capture anew."""
        self._known = _core.pir.Segments()
        self._known.compiled = self._compiled

    def pays(self):
        """Whether calls still run in segments: not after too many different ones."""
        return self._known.pays()

    def __call__(self, function, args, kwargs, reports=None):
        segments = self._known
        if SegmentedCalls.watch is not None:
            SegmentedCalls.watch.notice(function, args, kwargs)
        if reports is None:
            if not segments.pays():
                self._warn_of_bound(segments)
                return function(*args, **kwargs)
            if verbosity.level():
                reports = _core.pir.SegmentReports()
        if not segments.begin(reports):  # a part of a function that runs so
            return function(*args, **kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the user's
                segments.end()
            raise
        segments.end()
        if self.seen is None:
            self.seen = _form_of(args, kwargs)
        if verbosity.level() and reports is not None:
            self._say_what_is_new(reports.take())
        return result

    def _warn_of_bound(self, segments):
        if segments.is_full and not self._warned:
            self._warned = True
            warnings.warn(
                f"to_static: {self._of} had {len(segments)} different segments; it runs without them from now on. "
                "paddle.jit.explain says what differs from call to call: numbers of Python that change are part of "
                "a segment, tensors are not.",
                stacklevel=4,
            )

    def _say_what_is_new(self, reports):
        for report in reports:
            if report.anew:
                verbosity.say_once(
                    f"to_static: {self._of} captured a segment of {len(report.calls)} calls anew: {report.anew}"
                )

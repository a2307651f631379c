# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables of a loop on tensors that may still be the tensor from before the loop, to which writes go, too."""

from ... import _core
from .truth import scalar
from .values import is_symbolic


class Kept:
    """The tensors that variables of a loop held before it.

    Args:
        capture: The capture.
        before: By position of a variable, what it held.
        watched: Positions of those that rounds write; more are added. For each the loop carries whether the variable
            is another tensor by now.
    """

    def __init__(self, capture, before, watched):
        self._capture, self._watched = capture, watched
        self._before = {}
        if isinstance(capture, _core.pir.Capture):
            self._before = {k: v for k, v in before.items() if is_symbolic(v) and capture.stood_before(v)}
        self._order = sorted(watched & self._before.keys())
        self._parted = {}  # position -> that bool tensor at the start of a round
        self._leave = {}  # position -> whether every round gives another tensor

    def start(self):
        """First values of what the loop carries in addition."""
        import paddle

        return [paddle.full([], False, "bool") for _ in self._order]

    def begin_round(self, current, marks):
        """A round begins with these variables."""
        self._parted = dict(zip(self._order, marks, strict=True))
        for k, mark in self._parted.items():
            self._capture.join(current[k], self._before[k], mark, None)

    def finds_written(self, current):
        """Whether a round wrote a variable that was not watched, or the tensor from before."""
        is_written = self._capture.is_written
        found = {k for k, v in self._before.items() if is_written(current[k]) or is_written(v)} - self._watched
        self._watched |= found
        return bool(found)

    def end_round(self, current, following):
        """What the next round begins with for the additional values, whose variables are then `following`."""
        marks = []
        for k in self._before:
            when = self._capture.parting(following[k], current[k])
            self._leave[k] = when is None
            if k not in self._parted:
                continue
            mark = _core.ops.full([], True, _core.bool) if when is None else self._parted[k]
            for parts in when or ():
                mark = _core.ops.logical_or(mark, parts)
            marks.append(mark)
        return marks

    def end_loop(self, final, marks, entered):
        """The loop is over and gave these variables; `entered`: the condition of its first round."""
        marks = dict(zip(self._order, marks, strict=True))
        for k, before in self._before.items():
            if k in marks or self._leave[k]:
                self._capture.join(final[k], before, marks[k] if k in marks else scalar(entered), None)

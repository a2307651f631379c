# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables of a loop on tensors that may still be the tensor from before the loop, to which writes go, too, or another
one that somebody else holds."""

from .... import _core
from ..context import is_symbolic
from ..values.conditions import scalar
from .branch_aliases import record_alias


class LoopAliases:
    """The tensors that variables of a loop held before it.

    Args:
        capture: The capture.
        before: By position of a variable, what it held.
        watched: Positions of those for which the loop carries whether the variable is another tensor by now: those that
            rounds write, and those that a round may replace or not; more are added.
        shared: By position, what a variable may be in a round, as another recording of the round found.
        exchanged: Positions of variables that only change places; more are added.
        made: By position, the tensor that an earlier recording of the round seemed to make; more are added.
    """

    def __init__(self, capture, before, watched, shared, exchanged, made):
        self._capture, self._watched, self._shared, self._exchanged = capture, watched, shared, exchanged
        self._made, self._unsure = made, []
        self._known = isinstance(capture, _core.pir.Capture)  # else no tensors have views
        self._first = before if self._known else {}
        self._before = {k: v for k, v in self._first.items() if is_symbolic(v) and capture.stood_before(v)}
        self._before = {k: v for k, v in self._before.items() if k not in exchanged}
        self._order = sorted(watched & self._before.keys())
        self._parted = {}  # position -> that bool tensor at the start of a round
        self._leave = {}  # position -> whether every round gives another tensor
        self._given = {}  # position -> tensors that a variable may be behind a round, and perhaps in the next one

    def start(self):
        """First values of what the loop carries in addition."""
        import paddle

        return [paddle.full([], False, "bool") for _ in self._order]

    def begin_round(self, current, marks):
        """A round begins with these variables."""
        self._parted = dict(zip(self._order, marks, strict=True))
        for k, mark in self._parted.items():
            record_alias(self._capture, current[k], self._before[k], mark, None, False)
        for k, tensors in self._shared.items():
            self._capture.may_be(current[k], tensors)
        if self._exchanged:
            self._capture.apart([current[k] for k in sorted(self._exchanged)])

    def finds_written(self, current):
        """Whether a round wrote a variable that was not watched, or the tensor from before."""
        is_written = self._capture.is_written
        found = {k for k, v in self._before.items() if is_written(current[k]) or is_written(v)} - self._watched
        self._watched |= found
        return bool(found)

    def finds_shared(self, current, following):
        """Whether a round wrote something, and variables turn out to be what others hold, too: the round is recorded
        again, as that may be so from its beginning. So it is for a variable that some rounds replace."""
        if not self._known:
            return False
        found = self._find_exchanged(current, following)
        if self._unsure:
            return True
        if found - self._exchanged:
            self._exchanged |= found
            if self._capture.round_writes or found & self._watched:
                return True
            self._before = {k: v for k, v in self._before.items() if k not in found}
        partings = {k: self._capture.parting(following[k], current[k]) for k in self._before}
        some = {k for k, parts in partings.items() if parts} - self._watched
        self._watched |= some
        self._find_given(current, following, partings)
        if not self._capture.round_writes or self._shared:
            return bool(some)
        held = [id(m) for tensors in self._given.values() for m in {id(m): m for m in tensors}.values()]
        stood = any(self._capture.stood_before(m) for tensors in self._given.values() for m in tensors)
        if stood or len(set(held)) < len(held):
            self._shared.update(self._given)
            return True
        return bool(some)

    def _find_exchanged(self, current, following):
        """Positions of variables that have each other's tensors behind a round, or new ones: `a, b = b, a`, or
        `last = h; h = f(h)`. If no two of them are one tensor before the loop, no two ever are."""
        source = {k: next((j for j, c in current.items() if c is t), None) for k, t in following.items()}
        can = {k for k, j in source.items() if j is not None or self._is_made(following[k])}
        before = None
        while can != before:  # what comes from others comes from these, and from one each
            before = set(can)
            given = [id(following[k]) for k in can]
            can = {k for k in can if source[k] is None or source[k] in can}
            can = {k for k in can if given.count(id(following[k])) == 1}
        moved, before = {k for k in can if source[k] not in (k, None)}, None
        while moved != before:
            before, moved = moved, moved | {source[k] for k in moved if source[k] is not None}
        made = {k for k in moved if source[k] is None}
        if any(self._capture.is_written(current[k]) for k in made):
            return set()
        memories = [self._capture.memories(self._first[k]) for k in moved if isinstance(self._first[k], _core.Tensor)]
        apart = {id(m) for own in memories for m in own}
        if len(apart) < len(moved):
            return set()
        self._unsure = [k for k in made if k not in self._made]
        same = any(self._made.get(k) is following[k] for k in made)  # from outside of the loop, as it is there again
        self._made.update((k, following[k]) for k in made)
        return set() if same else moved

    def _is_made(self, tensor):
        """Whether a tensor is no view and was made, or at least written, by the round."""
        memories = self._capture.memories(tensor)
        return len(memories) == 1 and memories[0] is tensor and self._capture.is_written(tensor)

    def _find_given(self, current, following, partings):
        own, others = {}, {}  # position -> memory that stands for it in the round; positions that it may come from
        for k in following:
            memories = self._capture.memories(current[k])
            own[k] = memories[1:] if k in self._parted else memories
        owner = {id(m): k for k, memories in own.items() for m in memories}
        first = {k: self._capture.memories(v) if isinstance(v, _core.Tensor) else [] for k, v in self._first.items()}
        self._given = {}
        for k, tensor in following.items():
            memories = self._capture.memories(tensor)
            if partings.get(k) is not None:  # the tensor from before the loop is joined
                memories = [m for m in memories if m is not first[k][0]]
            others[k] = {owner[id(m)] for m in memories if id(m) in owner}
            self._given[k] = [m for m in memories if id(m) not in owner]
        for _ in following:
            for k, positions in others.items():
                for other in positions - {k}:
                    more = (*first[other], *self._given[other])
                    self._given[k] += [m for m in more if not any(m is n for n in self._given[k])]
        for k in following:
            if k not in self._before:
                self._given[k] += first[k]

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
            mark = marks.get(k)
            if mark is None:
                mark = scalar(entered) if self._leave[k] else _core.ops.full([], False, _core.bool)
            record_alias(self._capture, final[k], before, mark, None, False)
        for k, tensors in self._given.items():
            self._capture.may_be(final[k], tensors)
        if self._exchanged:
            self._capture.apart([final[k] for k in sorted(self._exchanged)])

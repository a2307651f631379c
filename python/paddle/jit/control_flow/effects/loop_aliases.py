# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Aliases of loop-carried variables: in a round, or after the loop, such a variable may still be the very tensor from
before the loop, or one that another variable holds; writes go to that tensor, too."""

from .... import _core
from ..context import is_symbolic
from ..values.conditions import scalar
from .branch_aliases import record_alias


class LoopAliases:
    """The aliases of the loop-carried variables of one recording of a loop.

    What a recording finds goes into the sets and dicts that it was given, and the loop is recorded again.

    Args:
        capture: The capture.
        initial: By position of a variable, what it held before the loop.
        tracked: Positions of the variables for which the loop carries a bool: whether they are another tensor by now.
            They are those that rounds write, and those that only some rounds replace.
        may_alias: By position, the tensors that a variable may be in a round.
        permuted: Positions of variables whose tensors rounds only exchange.
        created: By position, the tensor that a round seemed to create for a permuted variable.
    """

    def __init__(self, capture, initial, tracked, may_alias, permuted, created):
        self._capture, self._tracked, self._may_alias, self._permuted = capture, tracked, may_alias, permuted
        self._created, self._unsure = created, []
        self._has_aliases = isinstance(capture, _core.pir.Capture)  # else no tensors have views
        self._initial = initial if self._has_aliases else {}
        self._before = {k: v for k, v in self._initial.items() if is_symbolic(v) and capture.stood_before(v)}
        self._before = {k: v for k, v in self._before.items() if k not in permuted}
        self._order = sorted(tracked & self._before.keys())
        self._is_replaced = {}  # position of a tracked variable -> its bool at the start of the round
        self._always_replaced = {}  # position -> whether every round replaces the tensor
        self._tensors_after = {}  # position -> tensors that a variable may be after a round, perhaps also in the next

    def start(self):
        """The initial values of the bools that the loop carries for the tracked variables."""
        import paddle

        return [paddle.full([], False, "bool") for _ in self._order]

    def begin_round(self, current, replaced):
        """Records the aliases at the start of a round, with these variables and bools."""
        self._is_replaced = dict(zip(self._order, replaced, strict=True))
        for k, is_replaced in self._is_replaced.items():
            record_alias(self._capture, current[k], self._before[k], is_replaced, None, False)
        for k, tensors in self._may_alias.items():
            self._capture.may_be(current[k], tensors)
        if self._permuted:
            self._capture.apart([current[k] for k in sorted(self._permuted)])

    def finds_writes(self, current):
        """Whether a round wrote a variable that was not tracked, or the tensor from before the loop."""
        is_written = self._capture.is_written
        found = {k for k, v in self._before.items() if is_written(current[k]) or is_written(v)} - self._tracked
        self._tracked |= found
        return bool(found)

    def finds_aliases(self, current, following):
        """Whether the loop has to be recorded again: a round wrote something, and variables turn out to be tensors that
        others hold, which may be so from the beginning of the round; or only some rounds replace a variable."""
        if not self._has_aliases:
            return False
        found = self._find_permuted(current, following)
        if self._unsure:
            return True
        if found - self._permuted:
            self._permuted |= found
            if self._capture.round_writes or found & self._tracked:
                return True
            self._before = {k: v for k, v in self._before.items() if k not in found}
        replaced_when = {k: self._capture.parting(following[k], current[k]) for k in self._before}
        partly_replaced = {k for k, parts in replaced_when.items() if parts} - self._tracked
        self._tracked |= partly_replaced
        self._find_tensors_after(current, following, replaced_when)
        if not self._capture.round_writes or self._may_alias:
            return bool(partly_replaced)
        held = [id(m) for tensors in self._tensors_after.values() for m in {id(m): m for m in tensors}.values()]
        stood = any(self._capture.stood_before(m) for tensors in self._tensors_after.values() for m in tensors)
        if stood or len(set(held)) < len(held):
            self._may_alias.update(self._tensors_after)
            return True
        return bool(partly_replaced)

    def _find_permuted(self, current, following):
        """Positions of variables that get each other's tensors in a round, or new ones: `a, b = b, a`, or `last = h; h
        = f(h)`. If no two of them are one tensor before the loop, no two ever are."""
        source = {k: next((j for j, c in current.items() if c is t), None) for k, t in following.items()}
        candidates = {k for k, j in source.items() if j is not None or self._is_created(following[k])}
        before = None
        while candidates != before:  # the tensors of candidates come from candidates, each from another one
            before = set(candidates)
            given = [id(following[k]) for k in candidates]
            candidates = {k for k in candidates if source[k] is None or source[k] in candidates}
            candidates = {k for k in candidates if given.count(id(following[k])) == 1}
        permuted, before = {k for k in candidates if source[k] not in (k, None)}, None
        while permuted != before:
            before, permuted = permuted, permuted | {source[k] for k in permuted if source[k] is not None}
        created = {k for k in permuted if source[k] is None}
        if any(self._capture.is_written(current[k]) for k in created):
            return set()
        memories = [
            self._capture.memories(self._initial[k]) for k in permuted if isinstance(self._initial[k], _core.Tensor)
        ]
        distinct = {id(m) for own in memories for m in own}
        if len(distinct) < len(permuted):
            return set()
        self._unsure = [k for k in created if k not in self._created]
        same = any(
            self._created.get(k) is following[k] for k in created
        )  # it comes from outside of the loop: the earlier recording had it, too
        self._created.update((k, following[k]) for k in created)
        return set() if same else permuted

    def _is_created(self, tensor):
        """Whether a tensor is no view and was created, or at least written, by the round."""
        memories = self._capture.memories(tensor)
        return len(memories) == 1 and memories[0] is tensor and self._capture.is_written(tensor)

    def _find_tensors_after(self, current, following, replaced_when):
        """Sets _tensors_after: the tensors that come from outside of the round, also through other variables."""
        own, others = {}, {}  # position -> memory that stands for it in the round; positions that it may come from
        for k in following:
            memories = self._capture.memories(current[k])
            own[k] = memories[1:] if k in self._is_replaced else memories
        owner = {id(m): k for k, memories in own.items() for m in memories}
        first = {k: self._capture.memories(v) if isinstance(v, _core.Tensor) else [] for k, v in self._initial.items()}
        self._tensors_after = {}
        for k, tensor in following.items():
            memories = self._capture.memories(tensor)
            if replaced_when.get(k) is not None:  # the tensor from before the loop is a recorded alias
                memories = [m for m in memories if m is not first[k][0]]
            others[k] = {owner[id(m)] for m in memories if id(m) in owner}
            self._tensors_after[k] = [m for m in memories if id(m) not in owner]
        for _ in following:
            for k, positions in others.items():
                for other in positions - {k}:
                    more = (*first[other], *self._tensors_after[other])
                    self._tensors_after[k] += [m for m in more if not any(m is n for n in self._tensors_after[k])]
        for k in following:
            if k not in self._before:
                self._tensors_after[k] += first[k]

    def end_round(self, current, following):
        """The bools of the tracked variables with which the next round begins, whose variables are then `following`."""
        replaced = []
        for k in self._before:
            when = self._capture.parting(following[k], current[k])
            self._always_replaced[k] = when is None
            if k not in self._is_replaced:
                continue
            is_replaced = _core.ops.full([], True, _core.bool) if when is None else self._is_replaced[k]
            for parts in when or ():
                is_replaced = _core.ops.logical_or(is_replaced, parts)
            replaced.append(is_replaced)
        return replaced

    def end_loop(self, final, replaced, entered):
        """Records the aliases of the results of the loop; `entered` is the condition of its first round."""
        replaced = dict(zip(self._order, replaced, strict=True))
        for k, before in self._before.items():
            is_replaced = replaced.get(k)
            if is_replaced is None:
                is_replaced = scalar(entered) if self._always_replaced[k] else _core.ops.full([], False, _core.bool)
            record_alias(self._capture, final[k], before, is_replaced, None, False)
        for k, tensors in self._tensors_after.items():
            self._capture.may_be(final[k], tensors)
        if self._permuted:
            self._capture.apart([final[k] for k in sorted(self._permuted)])

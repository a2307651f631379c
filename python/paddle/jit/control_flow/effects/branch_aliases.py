# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Aliases of the results of an `if`: a result may be the very tensor that one branch had from before it, and what is
written to one of the two is then written to the other, too."""

from .... import _core
from ..context import active, is_symbolic
from ..values.conditions import scalar
from ..values.logic import not_


def _is_constant_memory(capture, tensor):
    """Whether a tensor is memory that cannot be written: a leaf that needs a gradient."""
    memory = capture.memories(tensor)[0]
    return memory.is_leaf and not memory.stop_gradient


def record_alias(capture, result, before, left, other, stood):
    """Records in the capture that `result` is the very tensor `before`, unless the bool tensor `left` is true; where it
    is not, it is `other`, if that `stood` there before the region."""
    capture.join(result, before, left, other, stood)
    if getattr(active, "aliases", None) is None:
        active.aliases = {}
    active.aliases[id(result)] = result, before, other if stood else None


def _alternatives(capture, tensor):
    """Capture.alternatives, with the tensors that were recorded as aliases in the place of others that stand for the
    same."""
    parts = capture.alternatives(tensor)
    alias = (getattr(active, "aliases", None) or {}).get(id(tensor))
    if alias is None or len(parts) == 1:
        return parts
    _, before, other = alias
    own = [before] if capture.stood_before(before) else [one for one, *_ in _alternatives(capture, before)]
    rest = [parts[-1][0]] if other is None else [other]
    if other is not None and not capture.stood_before(other):
        rest = [one for one, *_ in _alternatives(capture, other)]
    tensors = [*own, *rest]
    if len(tensors) != len(parts):
        return parts
    return [(one, *conditions) for one, (_, *conditions) in zip(tensors, parts, strict=True)]


_ALIAS_LIMIT = 8  # so many tensors one result may be; writes to further ones are not followed


class _AliasCandidate:
    """A tensor from before an `if`, and for each branch when a result is that tensor: a list of conjunctions of
    conditions."""

    def __init__(self, tensor):
        self.tensor, self.when = tensor, ([], [])

    @property
    def decided(self):
        """Whether conditions inside of a branch decide, and not only that of the `if`."""
        return any(conditions for side in self.when for conditions in side) or all(self.when)

    def flag(self, side):
        """Recorded in a branch: whether the result is the tensor."""
        flag = _core.ops.full([], False, _core.bool)
        for conditions in self.when[side]:
            holds = _core.ops.full([], True, _core.bool)
            for mask, wanted in conditions:
                holds = _core.ops.logical_and(holds, scalar(mask) if wanted else not_(scalar(mask)))
            flag = _core.ops.logical_or(flag, holds)
        return flag


class BranchAliases:
    """The tensors from before an `if` that its results may be.

    Args:
        capture: The capture.
        pairs: The leaves of variables after the two branches.
        wanted: Positions of the pairs that become results.
        known: Identities of what the variables and locations held before.
    """

    def __init__(self, capture, pairs, wanted, known):
        self._capture, self._known = capture, known
        self._found = {}  # position -> (candidates, other tensors)
        if isinstance(capture, _core.pir.Capture):  # static programs have no tensors that others hold
            self._found = {k: self._candidates(pairs[k]) for k in wanted}
        self._decided = [c for candidates, _ in self._found.values() for c in candidates if c.decided]

    def _candidates(self, pair):
        candidates, others = {}, []
        for side, tensor in enumerate(pair):
            if not isinstance(tensor, _core.Tensor):
                continue
            parts = [(tensor, (), ())]
            if is_symbolic(tensor) and not self._stood(tensor):  # it is the result of a branch inside of this one
                parts = _alternatives(self._capture, tensor)
            for one, masks, wanted in parts:
                if not self._stood(one) or (id(one) not in candidates and len(candidates) == _ALIAS_LIMIT):
                    others.append(one)
                elif not _is_constant_memory(self._capture, one):
                    found = candidates.setdefault(id(one), _AliasCandidate(one))
                    found.when[side].append(list(zip(masks, wanted, strict=True)))
        return list(candidates.values()), others

    def _stood(self, tensor):
        return self._capture.stood_before(tensor) if is_symbolic(tensor) else id(tensor) in self._known

    def flags(self, side):
        """Recorded in a branch: for each tensor that conditions inside of it decide about, whether the result is that
        tensor."""
        return [c.flag(side) for c in self._decided]

    def record(self, results, flags, test):
        """Records the aliases of the results (position -> tensor); `flags` are the results of both branches for
        flags()."""
        test = scalar(test)
        decided = {id(c): flag for c, flag in zip(self._decided, flags, strict=True)}
        for k, (candidates, others) in self._found.items():
            parts = []
            for c in candidates:
                flag = decided[id(c)] if c.decided else test if c.when[0] else not_(test)
                parts.append((c.tensor, flag))
            self._chain(results[k], parts, others)

    def _chain(self, result, parts, others):
        """Records a result that is the first of the tensors in `parts`, pairs (tensor, flag), whose flag is true."""
        rest = parts.pop()[0] if len(parts) > 1 and not others else None
        if not parts:
            self._capture.may_be(result, others)
        for at in reversed(range(len(parts))):
            tensor, flag = parts[at]
            target = _core.ops.assign(result) if at else result
            record_alias(self._capture, target, tensor, not_(flag), rest, rest is not None)
            if rest is None:
                self._capture.may_be(target, others)
            rest = target

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`while`. It is plain Python until its condition is a tensor of the capture in progress; then its body is recorded."""

import builtins

from .... import _core
from ....framework.symint import SymInt, number
from ... import tree
from ..context import active, is_symbolic
from ..effects.container_aliases import LoopContainerAliases, check_stored_containers, note_copies
from ..effects.list_replacement import log_position, roll_back
from ..effects.loop_aliases import LoopAliases
from ..effects.loop_carried_keys import LoopCarriedKeys, changed_keys
from ..effects.mutable_locations import MutableLocations
from ..values.conditions import scalar
from ..values.dynamic_list import ColumnStore, DynamicList
from ..values.flattening import (
    as_tensor,
    flatten,
    flatten_contents,
    flatten_object,
    is_same,
    shape_outside,
    unflatten_all,
)
from ..values.logic import truth
from ..values.mismatch import raise_mismatch
from ..values.object_values import is_captured_object, merged_object
from ..values.tagged_union import UnionConstructor, as_union
from ..values.undefined import Missing, Undefined
from .branches import OpenRegion, example_of, has_tensors, if_, list_before, replace_list
from .exceptions import Unreachable


def while_(test, body, values, names, slots=()):
    condition = truth(test(*values))
    while not is_symbolic(condition):
        if not condition:
            return values
        values = body(*values)
        condition = truth(test(*values))
    try:
        with OpenRegion():
            return _symbolic_while(test, body, values, names, slots, condition)
    except Unreachable:  # its first round raises
        return if_(condition, body, lambda *v: v, values, names, slots)


def _local_to_round(name):
    return Undefined(name, "; it is made in a round of a loop on a tensor: set it before the loop")


def _of_two_types(name, before, after):
    """What stands for a variable that rounds give another dtype or rank: each has its own, and none is left."""
    first, then = (f"{t.dtype} of shape {list(t.shape)}" for t in (before, after))
    return Undefined(
        name,
        refusal=f"to_static: a loop on a tensor gives {name!r} as {first} and as {then}, and it is read in a round or "
        "after the loop; dtype and rank must be the same; cast or reshape one of them.",
    )


_ABSENT = Undefined("alternative")


def _absent_like(value):
    structure, leaves = flatten(value)
    return tree.unflatten(structure, [_ABSENT] * len(leaves))


class _LoopState:
    """The variables of a loop on tensors, its places behind them."""

    def __init__(self, values, names, slots, ignored=(), tags=(), rebound=()):
        self.values, self.slots, self.count = values, slots, len(values)
        self.links = LoopContainerAliases(values, names)
        self.locations = MutableLocations(slots, ignored)
        self.tags = LoopCarriedKeys(self.locations, tags)
        self.names = [*names, *self.locations.names]
        self.start = self.locations.snapshot()
        self.constants = set()  # positions of variables that the first round gave their value
        self.locals = {}  # of those that have no value outside of a round: what stands there
        self.objects = set()  # positions of variables for which every round makes an object: attributes are values
        self.begun = set()  # of those that got the structure of their value from a round
        self.first = []  # see first_changed
        self.rebound = set(rebound)  # names of slots of which rounds set another list
        self.alternatives = [None] * len(self.names)  # structures of those that are None or something else
        structures, _ = self.taken(values, self.start)
        self.alternatives = [
            s if isinstance(s, tree.Made) and s.function == UnionConstructor(None) else None for s, _ in structures
        ]

    def taken(self, values, contents):
        """(structures, leaves) of variables and contents of places."""
        structures, leaves = [], []
        values = [self.locals.get(i, v) for i, v in enumerate(values)]
        variables = [flatten_object(v) if i in self.objects else flatten(v) for i, v in enumerate(values)]
        names = self.names[self.count :]
        for k, (content, name) in enumerate(zip(contents, names, strict=True)):
            content = self._with_deleted(k, content)
            is_rebound = isinstance(content, DynamicList) and name in self.rebound
            variables.append(flatten(content) if is_rebound else flatten_contents(content, self.locations, name))
        taken = zip(variables, self.alternatives, strict=False)
        variables = [own if like is None else as_union(own, like, _ABSENT) or own for own, like in taken]
        for i in self.begun:  # a round that leaves it without a value
            if len(variables[i][1]) == 1 and isinstance(variables[i][1][0], Undefined):
                structure, own = flatten(self.values[i])
                variables[i] = structure, [_ABSENT] * len(own)
        variables += map(flatten, self.tags.read())
        for (structure, own), name in zip(variables, [*self.names, *self.tags.names], strict=True):
            structures.append((structure, len(own)))
            leaves.extend((leaf, name) for leaf in own)
        return structures, leaves

    def _with_deleted(self, k, content):
        """What stands at a position, with the keys that a round deleted: a bool says that they are not there."""
        before = self.start[k]
        if k < len(self.locations.named) or not isinstance(content, dict) or not isinstance(before, dict):
            return content
        owner = self.locations.container_at(k)
        deleted = [key for key in before if key not in content and self.tags.knows(owner, key)]
        if not deleted:
            return content
        kept = {key: content[key] if key in content else _absent_like(before[key]) for key in before}
        return {**kept, **content}

    def keep_unused(self, current, leaves):
        """A round gave one of two alternatives, or no value: what stands for the other one stays. `leaves` are
        changed."""
        if (self.begun or self.tags.pairs or any(self.alternatives)) and len(current) == len(leaves):
            for k, (leaf, name) in enumerate(leaves):
                if leaf is _ABSENT:
                    leaves[k] = current[k], name

    def set(self, structures, leaves):
        """Gives the places their contents; returns the variables."""
        made = unflatten_all(structures, leaves)
        contents = [Missing if isinstance(v, Undefined) else v for v in made[self.count : len(self.names)]]
        kept = [s if _are_identical(s, c) else c for s, c in zip(self.start, contents, strict=True)]
        self.locations.restore(kept)
        self.tags.note(made[len(self.names) :])
        return self.links.with_aliases(made[: self.count])

    def finds_first(self, contents):
        """Whether a round sets keys or attributes first, or deletes some; they are prepared before the next one."""
        changes = zip(self.start, contents, strict=True)
        first = [f for k, (before, now) in enumerate(changes) for f in changed_keys(self.locations, k, before, now)]
        self.first = [f for f in first if not self.tags.knows(*f[:2])]
        return bool(self.first)

    def restart(self, values, position, elements):
        """The loop with a list that grows at a position of its variables; `elements`: some of it, or Columns. None:
        what stands there, and only a called function sees, is left as it leaves it."""
        ignored = self.locations.ignoring(position - self.count) if position >= self.count else []
        if elements is None:
            return self.anew(values, ignored)
        ignored = ignored[:-1]
        like = elements if isinstance(elements, ColumnStore) else example_of(elements, self.names[position])
        if position < self.count:
            old, made = values[position], DynamicList.of(values[position], like, active.input_symbols)
            values = [made if v is old else v for v in values]
        else:
            held = self.locations.dynamic_list_at(position - self.count)
            if held is None and isinstance(self.start[position - self.count], DynamicList):
                held = self.start[position - self.count]
                self._note_rebound(held, self.names[position])
            if held is not None:
                held.store = held.with_columns_for(like).store
                return self.anew(values, ignored)
            old = list_before(self.locations, self.start, position - self.count)
            replace_list(self.locations, old, DynamicList.of(old, like, active.input_symbols))
        return self.anew(values, ignored)

    def _note_rebound(self, held, name):
        """Rounds set another list in the place of one that a slot holds: it must not be seen elsewhere."""
        if self.locations.count_holders(held) > 1 or any(v is held for v in self.values):
            raise_mismatch("a loop", name)
        self.rebound.add(name)

    def anew(self, values, ignored):
        """The loop to begin again with."""
        return _LoopState(values, self.names[: self.count], self.slots, ignored, self.tags.pairs, self.rebound)


def _are_identical(a, b):
    """Whether two contents hold the very same values."""
    if isinstance(a, (list, dict)) and type(a) is type(b) and len(a) == len(b):
        pairs = zip(a, b, strict=True) if isinstance(a, list) else ((a[k], b.get(k)) for k in a)
        return all(p is q for p, q in pairs)
    return a is b


def _symbolic_while(test, body, values, names, slots, condition):
    """Leaves that a round changes are values of the loop; a first round shows which they are."""
    capture = active.capture
    values = tuple(number(v) if isinstance(v, SymInt) else v for v in values)
    varying = {}  # position of a leaf -> example of its type, or None for its own
    watched, shared, exchanged, made = set(), {}, set(), {}  # see Kept
    loop = _LoopState(values, names, slots)
    for _ in builtins.range(12):
        structures, leaves = loop.taken(loop.values, loop.start)
        order = sorted(varying)
        start = [_initial_value(leaves[k][0], varying[k]) for k in order]
        since = log_position()
        kept = LoopAliases(capture, {k: leaves[k][0] for k in order}, watched, shared, exchanged, made)
        capture.begin_while(scalar(condition), [*start, *kept.start()])
        active.loop_depth = getattr(active, "loop_depth", 0) + 1
        try:
            while True:
                arguments = capture.begin_round()
                arguments, marks = arguments[: len(order)], arguments[len(order) :]
                current = [leaf for leaf, _ in leaves]
                for k, argument in zip(order, arguments, strict=True):
                    current[k] = argument
                kept.begin_round(current, marks)
                given = loop.set(structures, current)
                after = body(*given)
                contents = loop.locations.snapshot()
                if loop.links.find_changes(after):
                    changed = loop.values, {}
                    break
                check_stored_containers("a loop", after, loop.names, given, loop.locations, contents)
                new_structures, new_leaves = loop.taken(after, contents)
                loop.keep_unused(current, new_leaves)
                changed = _change(loop, structures, current, new_structures, new_leaves, varying, after, contents)
                if changed is None and kept.finds_writes(current):
                    changed = loop.values, varying
                if changed is not None:
                    break
                next_values = [as_tensor(new_leaves[k][0], a) for k, a in zip(order, arguments, strict=True)]
                following = dict(zip(order, next_values, strict=True))
                if kept.finds_aliases(dict(zip(order, arguments, strict=True)), following):
                    changed = loop.values, varying
                    break
                again = scalar(as_tensor(truth(test(*after)), condition))
                loop.locations.restore(loop.start)
                roll_back(since)
                marks = kept.end_round(current, following)
                if capture.end_round(again, [*next_values, *marks]):
                    results = capture.end_while()
                    final = [leaf for leaf, _ in leaves]
                    for k, tensor in zip(order, results[: len(order)], strict=True):
                        final[k] = tensor
                    kept.end_loop(final, results[len(order) :], condition)
                    behind = loop.set(structures, final)
                    note_copies("a loop", values, behind, loop.names)
                    return behind
        except BaseException:
            loop.locations.restore(loop.start)
            roll_back(since)
            raise
        finally:
            active.loop_depth -= 1
        loop.locations.restore(loop.start)
        roll_back(since)
        capture.drop_while()
        again, varying = changed
        for first in loop.first:
            loop.tags.prepare(*first)
        if not varying:  # leaves have other positions now
            watched, shared, exchanged, made = set(), {}, set(), {}
        if again is _PEEL:
            return _peeled(test, body, values, names, slots, condition, varying)
        if isinstance(again, tuple):  # a list that grows
            loop, varying = loop.restart(loop.values, *again), {}
        else:
            known = loop.constants, loop.locals, loop.begun, loop.objects, loop.links
            loop = loop.anew(again, loop.locations.ignoring(None))
            loop.constants, loop.locals, loop.begun, loop.objects, loop.links = known
    raise RuntimeError("to_static: the variables of a loop on tensors do not settle; keep their types.")


# What _changed gives with the name of a variable that is None before the loop and that a round gives tensors.
_PEEL = object()


def _peeled(test, body, values, names, slots, condition, name):
    """The loop with its first round in front of it: from then on the variables have their types. Behind a loop without
    a round the variable is None; programs to be saved cannot hold that."""

    def rounds(*values):
        made = tuple(map(merged_object, body(*values)))
        new = [v for v in made if is_captured_object(v) and not any(v is w for w in values)]
        active.created_objects = [*(getattr(active, "created_objects", None) or ()), *new]
        return while_(test, body, made, names, slots)

    if not getattr(active, "is_saved", False):
        return if_(condition, rounds, lambda *v: v, values, names, slots)

    def check(holds):
        if not holds:
            raise RuntimeError(
                f"to_static: a loop on a tensor runs no round, so {name!r} is None after it; a saved program cannot "
                "hold that. Set it to a tensor before the loop."
            )

    active.capture.host_call(check, [scalar(condition)])
    return rounds(*values)


def _change(loop, structures, current, new_structures, new_leaves, varying, after, contents):
    """None when the varying leaves are all that changed, else what to begin again with: variables, a list that
    grows and what it holds, or _FIRST_ROUND; and what is known of the leaves."""
    if loop.finds_first(contents):
        return list(loop.values), {}
    if [tree.key_of(s) for s, _ in structures] != [tree.key_of(s) for s, _ in new_structures]:
        started = list(loop.values)
        for i, (name, a, b) in enumerate(zip(loop.names, structures, new_structures, strict=False)):
            if tree.key_of(a[0]) == tree.key_of(b[0]):
                continue
            before = loop.values[i] if i < loop.count else loop.start[i - loop.count]
            now = after[i] if i < loop.count else contents[i - loop.count]
            seen = i >= loop.count and loop.locations.is_changed_by_calls_only(i - loop.count)
            if isinstance(before, list) and isinstance(now, list) and len(before) != len(now):
                return (i, None if seen and not has_tensors([*before, *now]) else [*before, *now]), varying
            now = now if isinstance(now, ColumnStore) else getattr(now, "store", now)
            if isinstance(before, (list, DynamicList, ColumnStore)) and isinstance(now, ColumnStore):
                return (i, now), varying
            now = merged_object(now)
            if i < loop.count and is_captured_object(now) and (before is None or type(before) is type(now)):
                if not any(v is before for v in getattr(active, "created_objects", None) or ()):
                    return _PEEL, name  # the object from before the loop stays what it is
                loop.objects.add(i)
                continue
            if i < loop.count and (b[1] == 0 or i in loop.constants) and not isinstance(now, (list, tuple, dict)):
                _assume_invariant(loop, started, i, now)
                continue
            if b[1] > 0 and _is_first_none(before, now):
                return _PEEL, name
            if seen and (i - loop.count >= len(loop.locations.named) or not has_tensors([before, now])):
                return (i, None), varying
            if i >= loop.count or not isinstance(before, Undefined):
                raise_mismatch("a loop", name)
            if b[1] > 0 and i not in loop.begun and not isinstance(now, DynamicList):
                loop.begun.add(i)
                started[i] = tree.unflatten(b[0], [Undefined(name)] * b[1])
                continue
            loop.locals[i] = started[i] = _local_to_round(name)
        return started, {}  # leaves have other positions now
    if loop.tags.finds_more():
        return list(loop.values), {}
    started = _type_changes(loop, structures, current, new_leaves)
    if started is not None:
        return started, {}
    constants = _first_numbers(loop, structures, current, new_leaves)
    if constants is not None:
        return constants, varying
    grown = dict(varying)
    for k, (old, (new, _)) in enumerate(zip(current, new_leaves, strict=True)):
        if k not in varying and not is_same(old, new):
            grown[k] = _type_of_carried(new, old)
    return None if grown.keys() == varying.keys() else (list(loop.values), grown)


def _is_first_none(before, now):
    """Whether a value, or one in a dict, is None before a round and something else behind it."""
    if isinstance(before, dict) and isinstance(now, dict):
        return any(v is None and now.get(key) is not None for key, v in before.items())
    return before is None


def _assume_invariant(loop, started, i, value):
    """What every round assigns alike is there before the loop; other values than tensors that differ from round
    to round are of one round only."""
    if i in loop.constants:
        loop.locals[i] = started[i] = _local_to_round(loop.names[i])
    else:
        started[i] = value
        loop.constants.add(i)


def _type_changes(loop, structures, current, new_leaves):
    """The variables to begin again with when rounds give tensors among them another dtype or rank; else None."""
    started, at = None, 0
    for i, (_, count) in enumerate(structures[: loop.count]):
        pairs = zip(current[at : at + count], (leaf for leaf, _ in new_leaves[at : at + count]), strict=True)
        for old, new in pairs:
            tensors = isinstance(old, _core.Tensor) and isinstance(new, _core.Tensor)
            if tensors and (old.dtype != new.dtype or len(old.shape) != len(new.shape)):
                started = started or list(loop.values)
                loop.locals[i] = started[i] = _of_two_types(loop.names[i], old, new)
                break
        at += count
    return started


def _first_numbers(loop, structures, current, new_leaves):
    """The variables to begin again with when one, or a part of one, is first a number inside of the loop; else None."""
    started, at = None, 0
    for i, (_, count) in enumerate(structures[: loop.count]):
        news = [leaf for leaf, _ in new_leaves[at : at + count]]
        first = [
            isinstance(old, Undefined) and not isinstance(new, (_core.Tensor, Undefined))
            for old, new in zip(current[at : at + count], news, strict=True)
        ]
        if any(first):
            structure, leaves = flatten(loop.values[i])
            started = started or list(loop.values)
            started[i] = tree.unflatten(
                structure, [new if is_first else leaf for leaf, new, is_first in zip(leaves, news, first, strict=True)]
            )
        at += count
    return started


class _ValueType:
    """What a value of the loop starts as when it is no tensor before the loop."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def _type_of_carried(new, old):
    import paddle

    if isinstance(new, _core.Tensor):
        return _ValueType(list(new.shape), new.dtype)
    if isinstance(new, float) and type(old) in (int, float):
        return _ValueType([], paddle.get_default_dtype())
    return None


def _initial_value(leaf, kind):
    import paddle

    if isinstance(leaf, Undefined):
        if kind is None:
            leaf._raise()
        return paddle.zeros(shape_outside(kind.shape), kind.dtype)
    if isinstance(leaf, _core.Tensor):
        return leaf
    return as_tensor(leaf, leaf) if kind is None else paddle.full(kind.shape, leaf, kind.dtype)

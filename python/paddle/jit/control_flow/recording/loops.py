# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`while`. It is plain Python until its condition is a tensor of the capture; then its body is recorded.

Which variables are loop-carried is found as a fixpoint: a round is recorded with those that are known so far, and what
it changes besides, or gives another structure, makes the loop be recorded again with more of them."""

import builtins

from .... import _core
from ....framework.symint import SymInt, number
from ... import tree
from ..context import active, is_symbolic
from ..effects.container_aliases import check_stored_containers, note_copies
from ..effects.list_replacement import log_position, roll_back
from ..effects.loop_aliases import LoopAliases
from ..values.conditions import scalar
from ..values.dynamic_list import ColumnStore, DynamicList
from ..values.flattening import as_tensor, flatten, is_same, shape_outside
from ..values.logic import truth
from ..values.mismatch import raise_mismatch
from ..values.object_values import is_captured_object, merged_object
from ..values.undefined import Undefined
from .branches import OpenRegion, has_tensors, if_
from .exceptions import Unreachable
from .loop_state import LoopState

# What _change() returns, with the name of a variable that is None before the loop and holds tensors after a round.
_PEEL = object()
_MOST_RECORDINGS = 12  # of one loop


def while_(test, body, values, names, effects=()):
    """A `while`, whose condition and body are functions of the variables that rounds change.

    Args:
        test: The condition.
        body: A round; it gives the variables after it.
        values: The variables.
        names: Their names.
        effects: What rounds may change besides; the descriptions of MutableLocations.
    """
    condition = truth(test(*values))
    while not is_symbolic(condition):
        if not condition:
            return values
        values = body(*values)
        condition = truth(test(*values))
    try:
        with OpenRegion():
            return _symbolic_while(test, body, values, names, effects, condition)
    except Unreachable:  # the first round always raises
        return if_(condition, body, lambda *v: v, values, names, effects)


def _local_to_round(name):
    """The value outside of a round of a variable that exists in rounds only."""
    return Undefined(name, "; it is made in a round of a loop on a tensor: set it before the loop")


def _of_two_types(name, before, after):
    """The value of a variable to which rounds give another dtype or rank: inside of a round it is that of the round,
    elsewhere its use raises."""
    first, then = (f"{t.dtype} of shape {list(t.shape)}" for t in (before, after))
    return Undefined(
        name,
        refusal=f"to_static: a loop on a tensor gives {name!r} as {first} and as {then}, and it is read in a round or "
        "after the loop; dtype and rank must be the same; cast or reshape one of them.",
    )


def _symbolic_while(test, body, values, names, effects, condition):
    """Records a loop until no further leaves of its variables vary from round to round."""
    capture = active.capture
    values = tuple(number(v) if isinstance(v, SymInt) else v for v in values)
    carried = {}  # position of a loop-carried leaf -> its _ValueType, or None for that before the loop
    tracked, may_alias, permuted, created = set(), {}, set(), {}  # see LoopAliases
    loop = LoopState(values, names, effects)
    for _ in builtins.range(_MOST_RECORDINGS):
        structures, leaves = loop.flattened(loop.values, loop.initial_contents)
        order = sorted(carried)
        initial = [_initial_value(leaves[k][0], carried[k]) for k in order]
        log_start = log_position()
        loop_aliases = LoopAliases(capture, {k: leaves[k][0] for k in order}, tracked, may_alias, permuted, created)
        capture.begin_while(scalar(condition), [*initial, *loop_aliases.start()])
        active.loop_depth = getattr(active, "loop_depth", 0) + 1
        try:
            while True:
                arguments = capture.begin_round()
                arguments, replaced = arguments[: len(order)], arguments[len(order) :]
                current = [leaf for leaf, _ in leaves]
                for k, argument in zip(order, arguments, strict=True):
                    current[k] = argument
                loop_aliases.begin_round(current, replaced)
                given = loop.assign(structures, current)
                after = body(*given)
                contents = loop.locations.snapshot()
                if loop.aliases.find_changes(after):
                    changed = loop.values, {}
                    break
                check_stored_containers("a loop", after, loop.names, given, loop.locations, contents)
                new_structures, new_leaves = loop.flattened(after, contents)
                loop.fill_absent(current, new_leaves)
                changed = _change(loop, structures, current, new_structures, new_leaves, carried, after, contents)
                if changed is None and loop_aliases.finds_writes(current):
                    changed = loop.values, carried
                if changed is not None:
                    break
                next_values = [as_tensor(new_leaves[k][0], a) for k, a in zip(order, arguments, strict=True)]
                following = dict(zip(order, next_values, strict=True))
                if loop_aliases.finds_aliases(dict(zip(order, arguments, strict=True)), following):
                    changed = loop.values, carried
                    break
                again = scalar(as_tensor(truth(test(*after)), condition))
                loop.locations.restore(loop.initial_contents)
                roll_back(log_start)
                replaced = loop_aliases.end_round(current, following)
                if capture.end_round(again, [*next_values, *replaced]):
                    results = capture.end_while()
                    final = [leaf for leaf, _ in leaves]
                    for k, tensor in zip(order, results[: len(order)], strict=True):
                        final[k] = tensor
                    loop_aliases.end_loop(final, results[len(order) :], condition)
                    final_values = loop.assign(structures, final)
                    note_copies("a loop", values, final_values, loop.names)
                    return final_values
        except BaseException:
            loop.locations.restore(loop.initial_contents)
            roll_back(log_start)
            raise
        finally:
            active.loop_depth -= 1
        loop.locations.restore(loop.initial_contents)
        roll_back(log_start)
        capture.drop_while()
        change, carried = changed
        for new_key in loop.new_keys:
            loop.keys.prepare(*new_key)
        if not carried:  # leaves have other positions from now on
            tracked, may_alias, permuted, created = set(), {}, set(), {}
        if change is _PEEL:
            return _peeled(test, body, values, names, effects, condition, carried)
        if isinstance(change, tuple):  # a list that becomes a DynamicList
            loop, carried = loop.with_dynamic_list(loop.values, *change), {}
        else:
            known = loop.invariants, loop.round_locals, loop.shaped_by_round, loop.object_variables, loop.aliases
            loop = loop.next_recording(change, loop.locations.ignoring(None))
            loop.invariants, loop.round_locals, loop.shaped_by_round, loop.object_variables, loop.aliases = known
    raise RuntimeError("to_static: the variables of a loop on tensors do not settle; keep their types.")


def _peeled(test, body, values, names, effects, condition, name):
    """The loop with its first round peeled off: after it the variable `name` has the type that rounds give it. After a
    run without a round it is None, which programs that are saved cannot hold."""

    def rounds(*values):
        made = tuple(map(merged_object, body(*values)))
        new = [v for v in made if is_captured_object(v) and not any(v is w for w in values)]
        active.created_objects = [*(getattr(active, "created_objects", None) or ()), *new]
        return while_(test, body, made, names, effects)

    if not getattr(active, "is_saved", False):
        return if_(condition, rounds, lambda *v: v, values, names, effects)

    def check(holds):
        if not holds:
            raise RuntimeError(
                f"to_static: a loop on a tensor runs no round, so {name!r} is None after it; a saved program cannot "
                "hold that. Set it to a tensor before the loop."
            )

    active.capture.host_call(check, [scalar(condition)])
    return rounds(*values)


def _change(loop, structures, current, new_structures, new_leaves, carried, after, contents):
    """What a recorded round makes to be changed before the loop is recorded again; None when only the carried leaves
    vary.

    Returns:
        A pair. First the variables before the loop, or (position, elements) of a list that becomes a DynamicList, or
        _PEEL; second the carried leaves that are known then, or the name of the variable that _PEEL is for.
    """
    if loop.finds_new_keys(contents):
        return list(loop.values), {}
    if [tree.key_of(s) for s, _ in structures] != [tree.key_of(s) for s, _ in new_structures]:
        restarted = list(loop.values)
        for i, (name, a, b) in enumerate(zip(loop.names, structures, new_structures, strict=False)):
            if tree.key_of(a[0]) == tree.key_of(b[0]):
                continue
            before = loop.values[i] if i < loop.count else loop.initial_contents[i - loop.count]
            now = after[i] if i < loop.count else contents[i - loop.count]
            by_calls_only = i >= loop.count and loop.locations.is_changed_by_calls_only(i - loop.count)
            if isinstance(before, list) and isinstance(now, list) and len(before) != len(now):
                return (i, None if by_calls_only and not has_tensors([*before, *now]) else [*before, *now]), carried
            now = now if isinstance(now, ColumnStore) else getattr(now, "store", now)
            if isinstance(before, (list, DynamicList, ColumnStore)) and isinstance(now, ColumnStore):
                return (i, now), carried
            now = merged_object(now)
            if i < loop.count and is_captured_object(now) and (before is None or type(before) is type(now)):
                if not any(v is before for v in getattr(active, "created_objects", None) or ()):
                    return _PEEL, name  # the object from before the loop is not changed
                loop.object_variables.add(i)
                continue
            if i < loop.count and (b[1] == 0 or i in loop.invariants) and not isinstance(now, (list, tuple, dict)):
                _assume_invariant(loop, restarted, i, now)
                continue
            if b[1] > 0 and _is_none_first(before, now):
                return _PEEL, name
            if by_calls_only and (i - loop.count >= len(loop.locations.named) or not has_tensors([before, now])):
                return (i, None), carried
            if i >= loop.count or not isinstance(before, Undefined):
                raise_mismatch("a loop", name)
            if b[1] > 0 and i not in loop.shaped_by_round and not isinstance(now, DynamicList):
                loop.shaped_by_round.add(i)
                restarted[i] = tree.unflatten(b[0], [Undefined(name)] * b[1])
                continue
            loop.round_locals[i] = restarted[i] = _local_to_round(name)
        return restarted, {}  # leaves have other positions from now on
    if loop.keys.finds_more():
        return list(loop.values), {}
    restarted = _type_changes(loop, structures, current, new_leaves)
    if restarted is not None:
        return restarted, {}
    constants = _first_numbers(loop, structures, current, new_leaves)
    if constants is not None:
        return constants, carried
    more = dict(carried)
    for k, (old, (new, _)) in enumerate(zip(current, new_leaves, strict=True)):
        if k not in carried and not is_same(old, new):
            more[k] = _type_of_carried(new, old)
    return None if more.keys() == carried.keys() else (list(loop.values), more)


def _is_none_first(before, now):
    """Whether a value, or one in a dict, is None before a round and something else after it."""
    if isinstance(before, dict) and isinstance(now, dict):
        return any(v is None and now.get(key) is not None for key, v in before.items())
    return before is None


def _assume_invariant(loop, restarted, i, value):
    """Takes a variable as loop-invariant: what every round assigns is there before the loop. A value that is no tensor
    and differs from round to round exists in its round only."""
    if i in loop.invariants:
        loop.round_locals[i] = restarted[i] = _local_to_round(loop.names[i])
    else:
        restarted[i] = value
        loop.invariants.add(i)


def _type_changes(loop, structures, current, new_leaves):
    """The variables of the next recording when rounds give tensors among them another dtype or rank; else None."""
    restarted, at = None, 0
    for i, (_, count) in enumerate(structures[: loop.count]):
        pairs = zip(current[at : at + count], (leaf for leaf, _ in new_leaves[at : at + count]), strict=True)
        for old, new in pairs:
            tensors = isinstance(old, _core.Tensor) and isinstance(new, _core.Tensor)
            if tensors and (old.dtype != new.dtype or len(old.shape) != len(new.shape)):
                restarted = restarted or list(loop.values)
                loop.round_locals[i] = restarted[i] = _of_two_types(loop.names[i], old, new)
                break
        at += count
    return restarted


def _first_numbers(loop, structures, current, new_leaves):
    """The variables of the next recording when one, or a part of one, is a number first inside of the loop; else
    None."""
    restarted, at = None, 0
    for i, (_, count) in enumerate(structures[: loop.count]):
        news = [leaf for leaf, _ in new_leaves[at : at + count]]
        first = [
            isinstance(old, Undefined) and not isinstance(new, (_core.Tensor, Undefined))
            for old, new in zip(current[at : at + count], news, strict=True)
        ]
        if any(first):
            structure, leaves = flatten(loop.values[i])
            restarted = restarted or list(loop.values)
            restarted[i] = tree.unflatten(
                structure, [new if is_first else leaf for leaf, new, is_first in zip(leaves, news, first, strict=True)]
            )
        at += count
    return restarted


class _ValueType:
    """The type of a loop-carried value that is no tensor before the loop."""

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

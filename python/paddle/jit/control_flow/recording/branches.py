# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`if` and conditional expressions. Each is plain Python unless a tensor of the capture in progress decides; then both
branches are recorded as regions."""

from .... import _core
from ..context import active, is_symbolic, note_escaping_error
from ..effects.branch_aliases import BranchAliases
from ..effects.container_aliases import (
    check_copies,
    check_stored_containers,
    copy_each,
    first_aliases,
    merge_aliases,
    note_copies,
)
from ..effects.list_replacement import log_position, replace_everywhere, roll_back
from ..effects.mutable_locations import MutableLocations
from ..values.conditions import scalar
from ..values.containers import copy_containers, is_container
from ..values.dynamic_list import DynamicList
from ..values.flattening import as_tensor, flatten, flatten_contents, is_same, placeholder, unflatten_all
from ..values.logic import truth
from ..values.mismatch import raise_mismatch
from ..values.optional_keys import has_key_with, note_optional_key
from ..values.phi import can_merge, merge_branches
from ..values.tagged_union import TaggedUnion
from ..values.undefined import Missing, Undefined
from .exceptions import Unreachable


def if_(test, yes, no, values, names, slots=(), may_differ=True):
    """An `if`: two functions of the variables that they change.

    Args:
        test: A condition.
        yes: The branch that is taken where it holds.
        no: The other one.
        values: The variables.
        names: Their names.
        slots: What the branches change besides; see Places.
        may_differ: Whether a variable may be one of two values of different structure.
    """
    test = truth(test)
    if not is_symbolic(test):
        return yes(*values) if test else no(*values)
    with OpenRegion():
        return _symbolic_if(test, yes, no, values, names, slots, may_differ)


class OpenRegion:
    """A branch or loop while it is recorded: an exception drops what of it there is."""

    def __enter__(self):
        self._capture = active.capture
        self._depth = self._capture.open_scopes

    def __exit__(self, kind, error, trace):
        if error is not None:
            self._capture.drop_scopes(self._depth)
            note_escaping_error(error)


def _symbolic_if(test, yes, no, values, names, slots, may_differ):
    capture, locations = active.capture, MutableLocations(slots)
    before = locations.snapshot()
    capture.begin_if(scalar(test))
    raw, states, dead, holders = _record((yes, no), values, locations, before, names)
    if dead:
        return _reachable_branch((yes, no), dead, test, values, locations, before)
    _unify_lists(capture, list(zip(*raw, strict=True)), raw, names)
    ends = [[flatten(v) for v in end] for end in raw]
    changed = locations.changed(before, *states)
    _unify_lists_at(capture, locations, changed, states)
    _separate_containers(locations, changed, states)
    parts, left = _add_contents(ends, locations, changed, states)
    own = {len(names) + i for i, (k, key) in enumerate(parts) if key is not Missing or k < len(locations.named)}
    all_names = [*names, *(locations.names[k] for k, _ in parts)]
    structures, pairs = merge_branches(*ends, all_names, *((len(names), own) if may_differ else ()))
    optional = _optional_entries(locations, parts, states, before)
    pairs += [pair for _, pair in optional]
    known = {id(leaf) for v in (*values, *before) for leaf in flatten(v)[1]}
    leaves = _phi_results(pairs, known, test)
    there = leaves[len(leaves) - len(optional) :]
    merged = unflatten_all(structures, leaves)
    state = list(before)
    for k, key in left:  # as a called function left it
        _set_content(state, before, k, key, _changed_by_calls(locations, before, states, k, key))
    grown = _write_contents(locations, before, state, zip(parts, merged[len(names) :], strict=True))
    for (part, _), tag in zip(optional, there, strict=True):
        _note_optional(locations, state, *part, tag)
    for old, new in grown:
        replace_list(locations, old, new)
    merged = tuple(merge_aliases(merged[: len(names)], raw, [first for first, _ in holders], names))
    for given in (values, *(made for _, made in holders)):
        note_copies("an if", given, merged, names)
    return merged


def _record(branches, values, locations, before, names):
    """Runs both branches: their results, the states that they leave, which of them always raise, and of each
    other one what first_holders() finds, and what it gave."""
    capture = active.capture
    raw, states, dead, holders = [], [], [], []
    try:
        for i, branch in enumerate(branches):
            since = log_position()
            capture.enter_branch(i)
            try:
                given = copy_each(values)
                made = list(branch(*given))
            except Unreachable:
                dead.append(i)
            else:
                raw.append(copy_each(made))
                holders.append((first_aliases(made), made))
                check_copies(values, given, names)
                states.append(locations.snapshot())
                check_stored_containers("an if", made, names, given, locations, states[-1])
            capture.leave_branch(i)
            locations.restore(before)
            roll_back(since)
    except BaseException:
        locations.restore(before)
        roll_back(since)
        raise
    return raw, states, dead, holders


def _add_contents(ends, locations, changed, states):
    """Appends what the branches changed besides their variables to their ends. Gives its parts, as pairs of a place and
    a key, and those that called functions left behind in one branch only, which cannot be joined."""
    parts = [(k, key) for k in changed for key in _keys(states, k)]
    taken = [
        [flatten_contents(locations.value_at_key(s[k], k, key), locations, locations.names[k]) for s in states]
        for k, key in parts
    ]
    left = [
        locations.is_changed_by_calls_only(k) and not can_merge(*pair)
        for (k, _), pair in zip(parts, taken, strict=True)
    ]
    for end, own in zip(ends, zip(*taken, strict=True), strict=False):
        end.extend(v for v, is_left in zip(own, left, strict=True) if not is_left)
    left = [part for part, is_left in zip(parts, left, strict=True) if is_left]
    return [part for part in parts if part not in left], left


def _phi_results(pairs, known, test):
    """Ends the branches: the value behind them of each pair of leaves, of which those that differ are results."""
    capture = active.capture
    wanted = [k for k, (a, b) in enumerate(pairs) if not is_same(a, b) and not _is_set_in_one_branch(a, b)]
    first_of = _first_of_equal(pairs, wanted)
    wanted = [k for k in wanted if first_of[k] == k]
    joins = BranchAliases(capture, pairs, wanted, known)
    results = capture.end_if(*[_results_of(i, pairs, wanted, joins) for i in range(2)])
    leaves = [a if not isinstance(a, Undefined) else b for a, b in pairs]
    for k, tensor in zip(wanted, results, strict=False):
        leaves[k] = tensor
    for k, first in first_of.items():
        leaves[k] = leaves[first]
    joins.record(leaves, results[len(wanted) :], test)
    return leaves


def _results_of(i, pairs, wanted, joins):
    """The results of branch `i`."""
    capture = active.capture
    capture.enter_branch(i)
    made = []
    for k in wanted:
        own, other = pairs[k][i], pairs[k][1 - i]
        made.append(as_tensor(placeholder(other) if isinstance(own, Undefined) else own, other))
    made += joins.flags(i)
    capture.leave_branch(i)
    return made


def _write_contents(locations, before, state, joined):
    """Puts joined parts into `state` and writes it to the places. Gives the lists that grew, as pairs of the list of
    before and the one that takes its place."""
    grown = {}  # by a list's identity: it may stand in a slot and be a container, too
    for (k, key), value in joined:
        active.stores_unions = active.stores_unions or isinstance(value, TaggedUnion)
        if key is not Missing:
            _set_content(state, before, k, key, value)
        elif isinstance(value, DynamicList) and list_before(locations, before, k) is not None:
            grown.setdefault(id(list_before(locations, before, k)), (list_before(locations, before, k), value))
        else:
            state[k] = Missing if isinstance(value, Undefined) else value
    locations.restore(state)
    return list(grown.values())


def _dict_of(locations, state, k, key):
    """The dict, and its key, that a part is: of a container, of what stands in a slot, or of an object."""
    if key is not Missing:
        return locations.container_at(k) if k >= len(locations.named) else state[k], key
    owner, name = locations.named[k].owner if k < len(locations.named) else (Missing, "")
    return None if owner is Missing else getattr(owner, "__dict__", None), name


def _has_key_after(locations, state, before, k, key):
    """Whether a key is in a dict behind a branch: True, False or a bool tensor of the branch."""
    value = locations.value_at_key(state[k], k, key)
    if value is Missing or isinstance(value, Undefined):
        return False
    for reading in (state, before):
        owner, name = _dict_of(locations, reading, k, key)
        there = has_key_with(owner, name, value)
        if there is not True:
            return there
    return True


def _optional_entries(locations, parts, states, before):
    """The keys of dicts that are not there behind both branches, and for each the two values of _is_there."""
    found = [
        ((k, key), tuple(_has_key_after(locations, state, before, k, key) for state in states))
        for k, key in parts
        if isinstance(_dict_of(locations, before, k, key)[0], dict)
    ]
    return [(part, there) for part, there in found if any(t is not True for t in there)]


def _note_optional(locations, state, k, key, tag):
    owner, name = _dict_of(locations, state, k, key)
    if isinstance(owner, dict) and name in owner and is_symbolic(tag):
        note_optional_key(owner, name, tag)


def _keys(states, k):
    """The keys of a dict after either branch, each a value of its own; Missing for other contents."""
    if not all(type(state[k]) is dict for state in states):
        return [Missing]
    return list(dict.fromkeys(key for state in states for key in state[k]))


def _separate_containers(locations, changed, states):
    """Variables that hold a container of before after one branch, and another one after the other: what they hold."""
    for k in changed:
        held = [state[k] for state in states]
        if k < len(locations.named) and held[0] is not held[1] and any(map(is_container, held)):
            for state in states:
                state[k] = locations.contents_of(state[k], state)


def _first_of_equal(pairs, wanted):
    """For each result the first one that is the same tensor as it is behind either branch."""
    known = {}
    return {k: known.setdefault(tuple(map(id, pairs[k])) if _are_tensors(pairs[k]) else k, k) for k in wanted}


def _are_tensors(pair):
    return all(isinstance(v, _core.Tensor) for v in pair)


def _is_set_in_one_branch(a, b):
    """Whether only one branch sets it, to a number: then it is that number."""
    return any(isinstance(p, Undefined) and isinstance(q, (bool, int, float)) for p, q in ((a, b), (b, a)))


def _reachable_branch(branches, dead, test, values, locations, before):
    """An `if` of which one branch raises: that one alone, and behind it what the other one does."""
    capture = active.capture
    capture.drop_scopes(capture.open_scopes - 1)
    capture.begin_if(scalar(test))
    since = log_position()
    for i in dead:
        capture.enter_branch(i)
        try:
            branches[i](*map(copy_containers, values))
        except Unreachable:
            capture.leave_branch(i)
            locations.restore(before)
            roll_back(since)
    capture.end_if([], [])
    if len(dead) == 2:
        raise Unreachable
    return branches[1 - dead[0]](*values)


def _set_content(state, before, k, key, value):
    """Puts a value in the place of a reading, or in that of a key of the dict there."""
    if key is Missing:
        state[k] = value
        return
    state[k] = {} if state[k] is before[k] else state[k]
    if value is not Missing and not isinstance(value, Undefined):
        state[k][key] = value


def _changed_by_calls(locations, before, states, k, key):
    was, *parts = [locations.value_at_key(state[k], k, key) for state in (before, *states)]
    return parts[0] if parts[1] is was else parts[1]


def list_before(locations, before, k):
    """The plain list that stood in a slot, or that a container is."""
    if k >= len(locations.named):
        return locations.list_at(k)
    return before[k] if isinstance(before[k], list) else None


def replace_list(locations, old, new):
    is_replaced = locations.replace(old, new)
    replace_everywhere(old, new)
    if not is_replaced:
        raise TypeError(
            "to_static: a list grows in a branch or loop on a tensor, but stands in no variable or attribute "
            "that can be set; assign it to one."
        )


def has_tensors(elements):
    return any(isinstance(leaf, _core.Tensor) for e in elements for leaf in flatten(e)[1])


def _unify_lists(capture, pairs, ends, names, optional=()):
    """Lists that have different lengths after two branches become lists whose length the program decides.

    Args:
        capture: The capture.
        pairs: What the variables hold after the two branches; lists where they hold some.
        ends: Two lists of the variables, which are changed.
        names: Names of the variables.
        optional: For each, whether a list without tensors may stay a plain one; empty: for none.
    """
    optional = optional or [False] * len(pairs)
    for k, pair in enumerate(pairs):
        if not all(isinstance(v, (list, DynamicList)) for v in pair):
            continue
        grown = [v for v in pair if isinstance(v, DynamicList)]
        if not grown and (len(pair[0]) == len(pair[1]) or (optional[k] and not has_tensors([*pair[0], *pair[1]]))):
            continue
        like = grown[0].store if grown else example_of([e for v in pair for e in v], names[k])
        made = list(pair)
        for as_lists in (True, False):  # first both as lists that grow, then with columns of one kind
            for i in range(2):
                capture.enter_branch(i)
                made[i] = DynamicList.of(made[i], like if as_lists else made[1 - i].store, active.input_symbols)
                capture.leave_branch(i)
        for end, value in zip(ends, made, strict=True):
            end[k] = value


def example_of(elements, name):
    """An element that shows structure, shapes and dtypes of a list: one with tensors if there is any."""
    counts = [sum(isinstance(leaf, _core.Tensor) for leaf in flatten(e)[1]) for e in elements]
    if not elements or not any(flatten(e)[1] for e in elements):
        raise_mismatch("an if or a loop", name)
    return elements[counts.index(max(counts))]


def _unify_lists_at(capture, locations, changed, states):
    """The same for what slots and containers hold."""

    def listed(k, state):
        held = state[k]
        if k >= len(locations.named):
            return held if locations.list_at(k) is not None else None
        return locations.contents_of(held, state) if isinstance(held, list) else held

    def wanted(k):
        held = [state[k] for state in states]
        is_slot = k < len(locations.named)
        return not is_slot or any(isinstance(v, DynamicList) for v in held) or not all(map(locations.is_tracked, held))

    pairs = [tuple(listed(k, s) for s in states) if wanted(k) else (None, None) for k in changed]
    ends = [[state[k] for k in changed] for state in states]
    _unify_lists(
        capture,
        pairs,
        ends,
        [locations.names[k] for k in changed],
        list(map(locations.is_changed_by_calls_only, changed)),
    )
    for state, end in zip(states, ends, strict=True):
        for k, value in zip(changed, end, strict=True):
            state[k] = value


def choose(test, yes, no, slots=()):
    """A conditional expression; `slots`: what its parts change, see Places."""
    test = truth(test)
    if not is_symbolic(test):
        return yes() if test else no()
    return if_(test, lambda _: (yes(),), lambda _: (no(),), (None,), ("conditional expression",), slots)[0]

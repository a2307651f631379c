# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`if` and conditional expressions. Each is plain Python unless a tensor of the capture decides; then both branches are
recorded as regions of one operation, and what differs after them becomes phi values."""

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


def if_(condition, then_branch, else_branch, values, names, effects=(), allow_unions=True):
    """An `if`, whose branches are functions of the variables that they change.

    Args:
        condition: A condition.
        then_branch: The branch for where it is true.
        else_branch: The other one.
        values: The variables.
        names: Their names.
        effects: What the branches may change besides; the descriptions of MutableLocations.
        allow_unions: Whether a variable may become a TaggedUnion.
    """
    condition = truth(condition)
    if not is_symbolic(condition):
        return then_branch(*values) if condition else else_branch(*values)
    with OpenRegion():
        return _symbolic_if(condition, then_branch, else_branch, values, names, effects, allow_unions)


class OpenRegion:
    """Around the recording of a branch or loop: an exception drops the regions that are open."""

    def __enter__(self):
        self._capture = active.capture
        self._depth = self._capture.open_scopes

    def __exit__(self, kind, error, trace):
        if error is not None:
            self._capture.drop_scopes(self._depth)
            note_escaping_error(error)


def _symbolic_if(condition, then_branch, else_branch, values, names, effects, allow_unions):
    capture, locations = active.capture, MutableLocations(effects)
    before = locations.snapshot()
    capture.begin_if(scalar(condition))
    results, snapshots, raising, aliases = _record((then_branch, else_branch), values, locations, before, names)
    if raising:
        return _reachable_branch((then_branch, else_branch), raising, condition, values, locations, before)
    _unify_lists(capture, list(zip(*results, strict=True)), results, names)
    ends = [[flatten(v) for v in end] for end in results]
    changed = locations.changed(before, *snapshots)
    _unify_lists_at(capture, locations, changed, snapshots)
    _separate_containers(locations, changed, snapshots)
    entries, unmerged = _add_contents(ends, locations, changed, snapshots)
    may_be_unions = {
        len(names) + i for i, (k, key) in enumerate(entries) if key is not Missing or k < len(locations.named)
    }
    all_names = [*names, *(locations.names[k] for k, _ in entries)]
    lists = {
        len(names) + i for i, (k, key) in enumerate(entries) if key is Missing and locations.list_at(k) is not None
    }
    structures, pairs = merge_branches(*ends, all_names, *((len(names), may_be_unions, lists) if allow_unions else ()))
    optional = _optional_entries(locations, entries, snapshots, before)
    pairs += [pair for _, pair in optional]
    known = {id(leaf) for v in (*values, *before) for leaf in flatten(v)[1]}
    leaves = _phi_results(pairs, known, condition)
    presences = leaves[len(leaves) - len(optional) :]
    merged = unflatten_all(structures, leaves)
    contents = list(before)
    for k, key in unmerged:  # these stay as the called functions left them
        _set_content(contents, before, k, key, _changed_by_calls(locations, before, snapshots, k, key))
    dynamic_lists = _write_contents(locations, before, contents, zip(entries, merged[len(names) :], strict=True))
    for (entry, _), presence in zip(optional, presences, strict=True):
        _note_presence(locations, contents, *entry, presence)
    for old, new in dynamic_lists:
        replace_list(locations, old, new)
    merged = tuple(merge_aliases(merged[: len(names)], results, [first for first, _ in aliases], names))
    for given in (values, *(made for _, made in aliases)):
        note_copies("an if", given, merged, names)
    return merged


def _record(branches, values, locations, before, names):
    """Records both branches.

    Returns:
        The results and the snapshots at the ends of the branches that do not always raise, the numbers of those that
        do, and for each of the former (first_aliases() of its variables, the variables).
    """
    capture = active.capture
    results, snapshots, raising, aliases = [], [], [], []
    try:
        for i, branch in enumerate(branches):
            position = log_position()
            capture.enter_branch(i)
            try:
                given = copy_each(values)
                made = list(branch(*given))
            except Unreachable:
                raising.append(i)
            else:
                results.append(copy_each(made))
                aliases.append((first_aliases(made), made))
                check_copies(values, given, names)
                snapshots.append(locations.snapshot())
                check_stored_containers("an if", made, names, given, locations, snapshots[-1])
            capture.leave_branch(i)
            locations.restore(before)
            roll_back(position)
    except BaseException:
        locations.restore(before)
        roll_back(position)
        raise
    return results, snapshots, raising, aliases


def _add_contents(ends, locations, changed, snapshots):
    """Appends what the branches changed besides their variables to their flattened ends.

    Returns:
        The entries that were appended, pairs of a position and a key of the dict there (or Missing), and those that
        only one branch's calls changed and that have no phi value.
    """
    entries = [(k, key) for k in changed for key in _keys(snapshots, k)]
    flattened = [
        [flatten_contents(locations.value_at_key(s[k], k, key), locations, locations.names[k]) for s in snapshots]
        for k, key in entries
    ]
    unmerged = [
        locations.is_changed_by_calls_only(k) and not can_merge(*pair)
        for (k, _), pair in zip(entries, flattened, strict=True)
    ]
    for end, own in zip(ends, zip(*flattened, strict=True), strict=False):
        end.extend(v for v, is_unmerged in zip(own, unmerged, strict=True) if not is_unmerged)
    unmerged = [entry for entry, is_unmerged in zip(entries, unmerged, strict=True) if is_unmerged]
    return [entry for entry in entries if entry not in unmerged], unmerged


def _phi_results(pairs, known, condition):
    """Ends the operation, and gives the value after it of each pair of leaves. Those that differ are its results."""
    capture = active.capture
    differing = [k for k, (a, b) in enumerate(pairs) if not is_same(a, b) and not _is_set_in_one_branch(a, b)]
    first_of = _first_of_equal(pairs, differing)
    differing = [k for k in differing if first_of[k] == k]
    branch_aliases = BranchAliases(capture, pairs, differing, known)
    results = capture.end_if(*[_results_of(i, pairs, differing, branch_aliases) for i in range(2)])
    leaves = [a if not isinstance(a, Undefined) else b for a, b in pairs]
    for k, tensor in zip(differing, results, strict=False):
        leaves[k] = tensor
    for k, first in first_of.items():
        leaves[k] = leaves[first]
    branch_aliases.record(leaves, results[len(differing) :], condition)
    return leaves


def _results_of(i, pairs, differing, branch_aliases):
    """The results of one of the branches."""
    capture = active.capture
    capture.enter_branch(i)
    made = []
    for k in differing:
        own, other = pairs[k][i], pairs[k][1 - i]
        made.append(as_tensor(placeholder(other) if isinstance(own, Undefined) else own, other))
    made += branch_aliases.flags(i)
    capture.leave_branch(i)
    return made


def _write_contents(locations, before, contents, merged):
    """Puts phi values into `contents` and restores the locations from it.

    Returns:
        Pairs of a list and the DynamicList that takes its place.
    """
    dynamic_lists = {}  # by the list's identity: a named location may hold it, and it may be a container, too
    for (k, key), value in merged:
        parts = value if isinstance(value, list) else [value]
        active.stores_unions = active.stores_unions or any(isinstance(part, TaggedUnion) for part in parts)
        if key is not Missing:
            _set_content(contents, before, k, key, value)
        elif isinstance(value, DynamicList) and list_before(locations, before, k) is not None:
            dynamic_lists.setdefault(id(list_before(locations, before, k)), (list_before(locations, before, k), value))
        else:
            contents[k] = Missing if isinstance(value, Undefined) else value
    locations.restore(contents)
    return list(dynamic_lists.values())


def _dict_of(locations, contents, k, key):
    """(dict, key) that an entry is: of a container, of what a named location holds, or of an object; (None, name) for
    others."""
    if key is not Missing:
        return locations.container_at(k) if k >= len(locations.named) else contents[k], key
    owner, name = locations.named[k].owner if k < len(locations.named) else (Missing, "")
    return None if owner is Missing else getattr(owner, "__dict__", None), name


def _has_key_after(locations, contents, before, k, key):
    """Whether a dict has a key at the end of a branch: True, False or a bool tensor of the branch."""
    value = locations.value_at_key(contents[k], k, key)
    if value is Missing or isinstance(value, Undefined):
        return False
    for snapshot in (contents, before):
        owner, name = _dict_of(locations, snapshot, k, key)
        presence = has_key_with(owner, name, value)
        if presence is not True:
            return presence
    return True


def _optional_entries(locations, entries, snapshots, before):
    """The entries that are keys which not every run has after the branches, and for each its presence at the end of
    both."""
    found = [
        ((k, key), tuple(_has_key_after(locations, contents, before, k, key) for contents in snapshots))
        for k, key in entries
        if isinstance(_dict_of(locations, before, k, key)[0], dict)
    ]
    return [(entry, pair) for entry, pair in found if any(p is not True for p in pair)]


def _note_presence(locations, contents, k, key, presence):
    owner, name = _dict_of(locations, contents, k, key)
    if isinstance(owner, dict) and name in owner and is_symbolic(presence):
        note_optional_key(owner, name, presence)


def _keys(snapshots, k):
    """The keys of a dict at the end of either branch, each of which has a value of its own; [Missing] for other
    contents."""
    if not all(type(contents[k]) is dict for contents in snapshots):
        return [Missing]
    return list(dict.fromkeys(key for contents in snapshots for key in contents[k]))


def _separate_containers(locations, changed, snapshots):
    """Where a named location holds different containers at the ends of the branches, these are merged by what they
    hold."""
    for k in changed:
        held = [contents[k] for contents in snapshots]
        if k < len(locations.named) and held[0] is not held[1] and any(map(is_container, held)):
            for contents in snapshots:
                contents[k] = locations.contents_of(contents[k], contents)


def _first_of_equal(pairs, differing):
    """For each result the first one that is the same tensor at the end of either branch."""
    known = {}
    return {k: known.setdefault(tuple(map(id, pairs[k])) if _are_tensors(pairs[k]) else k, k) for k in differing}


def _are_tensors(pair):
    return all(isinstance(v, _core.Tensor) for v in pair)


def _is_set_in_one_branch(a, b):
    """Whether only one branch sets a variable, to a number: then it is that number after the `if`."""
    return any(isinstance(p, Undefined) and isinstance(q, (bool, int, float)) for p, q in ((a, b), (b, a)))


def _reachable_branch(branches, raising, condition, values, locations, before):
    """An `if` of which branches always raise: these alone are recorded, and what the other one does follows it."""
    capture = active.capture
    capture.drop_scopes(capture.open_scopes - 1)
    capture.begin_if(scalar(condition))
    position = log_position()
    for i in raising:
        capture.enter_branch(i)
        try:
            branches[i](*map(copy_containers, values))
        except Unreachable:
            capture.leave_branch(i)
            locations.restore(before)
            roll_back(position)
    capture.end_if([], [])
    if len(raising) == 2:
        raise Unreachable
    return branches[1 - raising[0]](*values)


def _set_content(contents, before, k, key, value):
    """Puts a value at a position of a snapshot, or at a key of the dict there."""
    if key is Missing:
        contents[k] = value
        return
    contents[k] = {} if contents[k] is before[k] else contents[k]
    if value is not Missing and not isinstance(value, Undefined):
        contents[k][key] = value


def _changed_by_calls(locations, before, snapshots, k, key):
    """What the calls of one branch left at an entry."""
    initial, *ends = [locations.value_at_key(contents[k], k, key) for contents in (before, *snapshots)]
    return ends[0] if ends[1] is initial else ends[1]


def list_before(locations, before, k):
    """The plain list that a named location held before, or that a container is; None for others."""
    if k >= len(locations.named):
        return locations.list_at(k)
    return before[k] if isinstance(before[k], list) else None


def replace_list(locations, old, new):
    """Puts the DynamicList `new` wherever the list `old` is."""
    is_replaced = locations.replace(old, new)
    replace_everywhere(old, new)
    if not is_replaced:
        raise TypeError(
            "to_static: a list grows in a branch or loop on a tensor, but stands in no variable or attribute "
            "that can be set; assign it to one."
        )


def has_tensors(elements):
    """Whether some elements of a list hold tensors."""
    return any(isinstance(leaf, _core.Tensor) for e in elements for leaf in flatten(e)[1])


def _unify_lists(capture, pairs, ends, names, may_stay_plain=()):
    """Makes DynamicLists of lists that have different lengths after two branches.

    Args:
        capture: The capture.
        pairs: What the variables hold at the ends of the two branches; lists where these hold some.
        ends: The two lists of the variables, which are changed.
        names: Names of the variables.
        may_stay_plain: For each, whether a list without tensors may stay as it is; empty: for none.
    """
    may_stay_plain = may_stay_plain or [False] * len(pairs)
    for k, pair in enumerate(pairs):
        if not all(isinstance(v, (list, DynamicList)) for v in pair):
            continue
        dynamic_lists = [v for v in pair if isinstance(v, DynamicList)]
        if not dynamic_lists and (
            len(pair[0]) == len(pair[1]) or (may_stay_plain[k] and not has_tensors([*pair[0], *pair[1]]))
        ):
            continue
        like = dynamic_lists[0].store if dynamic_lists else example_of([e for v in pair for e in v], names[k])
        made = list(pair)
        for as_lists in (True, False):  # first both as DynamicLists, then with columns of one kind
            for i in range(2):
                capture.enter_branch(i)
                made[i] = DynamicList.of(made[i], like if as_lists else made[1 - i].store, active.input_symbols)
                capture.leave_branch(i)
        for end, value in zip(ends, made, strict=True):
            end[k] = value


def example_of(elements, name):
    """An element that has the structure, shapes and dtypes of a list: one with tensors if there is any."""
    counts = [sum(isinstance(leaf, _core.Tensor) for leaf in flatten(e)[1]) for e in elements]
    if not elements or not any(flatten(e)[1] for e in elements):
        raise_mismatch("an if or a loop", name)
    return elements[counts.index(max(counts))]


def _unify_lists_at(capture, locations, changed, snapshots):
    """Does the same for what the locations hold."""

    def list_of(k, contents):
        held = contents[k]
        if k >= len(locations.named):
            return held if locations.list_at(k) is not None else None
        return locations.contents_of(held, contents) if isinstance(held, list) else held

    def is_needed(k):
        held = [contents[k] for contents in snapshots]
        is_named = k < len(locations.named)
        return not is_named or any(isinstance(v, DynamicList) for v in held) or not all(map(locations.is_tracked, held))

    pairs = [tuple(list_of(k, s) for s in snapshots) if is_needed(k) else (None, None) for k in changed]
    ends = [[contents[k] for k in changed] for contents in snapshots]
    _unify_lists(
        capture,
        pairs,
        ends,
        [locations.names[k] for k in changed],
        list(map(locations.is_changed_by_calls_only, changed)),
    )
    for contents, end in zip(snapshots, ends, strict=True):
        for k, value in zip(changed, end, strict=True):
            contents[k] = value


def choose(condition, then_branch, else_branch, effects=()):
    """A conditional expression; `effects`: what its operands may change, see if_()."""
    condition = truth(condition)
    if not is_symbolic(condition):
        return then_branch() if condition else else_branch()
    return if_(
        condition, lambda _: (then_branch(),), lambda _: (else_branch(),), (None,), ("conditional expression",), effects
    )[0]

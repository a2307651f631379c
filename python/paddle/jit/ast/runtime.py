# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What converted code calls.  Each function is plain Python unless the value that decides is a tensor
of the capture in progress; then the branches or the body are recorded as regions."""

import builtins

from ... import _core
from ...framework.symint import SymInt, is_known, number
from .. import tree
from .grown import Columns, GrownList
from .places import Missing, Places, copied
from .values import (
    Undefined,
    active,
    as_tensor,
    both,
    filler,
    flatten,
    flatten_contents,
    is_symbolic,
    mismatch,
    note_left,
    rebuild,
    same,
    set_capture,
    truth,
)

__all__ = ["set_capture"]


def if_(test, yes, no, values, names, slots=()):
    test = truth(test)
    if not is_symbolic(test):
        return yes(*values) if test else no(*values)
    with _Open():
        return _symbolic_if(test, yes, no, values, names, slots)


class _Open:
    """A branch or loop while it is recorded: an exception drops what of it there is."""

    def __enter__(self):
        self._capture = active.capture
        self._depth = self._capture.open_scopes

    def __exit__(self, kind, error, trace):
        if error is not None:
            self._capture.drop_scopes(self._depth)
            note_left(error)


def _symbolic_if(test, yes, no, values, names, slots):
    capture = active.capture
    places = Places(slots)
    before = places.read()
    capture.begin_if(_scalar(test))
    raw, states = [], []
    try:
        for i, branch in enumerate((yes, no)):
            capture.enter_branch(i)
            raw.append(list(branch(*map(copied, values))))
            states.append(places.read())
            capture.leave_branch(i)
            places.write(before)
    except BaseException:
        places.write(before)
        raise
    _even(capture, list(zip(*raw, strict=True)), raw, names)
    ends = [[flatten(v) for v in end] for end in raw]
    changed = places.changed(before, *states)
    _even_places(capture, places, changed, states)
    parts = [(k, key) for k in changed for key in _keys(states, k)]
    for end, state in zip(ends, states, strict=True):
        end.extend(flatten_contents(_part(state[k], key), places, places.names[k]) for k, key in parts)
    structures, pairs = both(*ends, [*names, *(places.names[k] for k, _ in parts)])
    wanted = [k for k, (a, b) in enumerate(pairs) if not same(a, b)]
    sides = []
    for i in range(2):
        capture.enter_branch(i)
        side = []
        for k in wanted:
            own, other = pairs[k][i], pairs[k][1 - i]
            if isinstance(own, Undefined):
                own = filler(other)
            side.append(as_tensor(own, other))
        capture.leave_branch(i)
        sides.append(side)
    results = capture.end_if(*sides)
    leaves = [a if not isinstance(a, Undefined) else b for a, b in pairs]
    for k, tensor in zip(wanted, results, strict=True):
        leaves[k] = tensor
    merged = rebuild(structures, leaves)
    state = list(before)
    grown = {}  # by a list's identity: it may stand in a slot and be a container, too
    for (k, key), value in zip(parts, merged[len(names) :], strict=True):
        if key is not Missing:
            state[k] = {} if state[k] is before[k] else state[k]
            if not isinstance(value, Undefined):
                state[k][key] = value
        elif isinstance(value, GrownList) and _list_before(places, before, k) is not None:
            grown.setdefault(id(_list_before(places, before, k)), (_list_before(places, before, k), value))
        else:
            state[k] = Missing if isinstance(value, Undefined) else value
    places.write(state)
    for old, new in grown.values():
        _replace(places, old, new)
    return merged[: len(names)]


def _keys(states, k):
    """The keys of a dict after either branch, each a value of its own; Missing for other contents."""
    if not all(type(state[k]) is dict for state in states):
        return [Missing]
    return list(dict.fromkeys(key for state in states for key in state[k]))


def _part(contents, key):
    return contents if key is Missing else contents.get(key, Missing)


def _list_before(places, before, k):
    """The plain list that stood in a slot, or that a container is."""
    if k >= len(places.slots):
        return places.list_at(k)
    return before[k] if isinstance(before[k], list) else None


def _replace(places, old, new):
    if not places.replace(old, new):
        raise TypeError(
            "to_static: a list grows in a branch or loop on a tensor, but stands in no variable or attribute "
            "that can be set; assign it to one."
        )


def _even(capture, pairs, ends, names):
    """Lists that have different lengths after two branches become lists whose length the program decides.

    Args:
        capture: The capture.
        pairs: What the variables hold after the two branches; lists where they hold some.
        ends: Two lists of the variables, which are changed.
        names: Names of the variables.
    """
    for k, pair in enumerate(pairs):
        if not all(isinstance(v, (list, GrownList)) for v in pair):
            continue
        grown = [v for v in pair if isinstance(v, GrownList)]
        if not grown and len(pair[0]) == len(pair[1]):
            continue
        like = grown[0].columns if grown else _example_of([e for v in pair for e in v], names[k])
        made = list(pair)
        for as_lists in (True, False):  # first both as lists that grow, then with columns of one kind
            for i in range(2):
                capture.enter_branch(i)
                made[i] = GrownList.of(made[i], like if as_lists else made[1 - i].columns, active.extents)
                capture.leave_branch(i)
        for end, value in zip(ends, made, strict=True):
            end[k] = value


def _example_of(elements, name):
    """An element that shows structure, shapes and dtypes of a list: one with tensors if there is any."""
    counts = [sum(isinstance(leaf, _core.Tensor) for leaf in flatten(e)[1]) for e in elements]
    if not elements or not any(flatten(e)[1] for e in elements):
        mismatch("an if or a loop", name)
    return elements[counts.index(max(counts))]


def _even_places(capture, places, changed, states):
    """The same for what slots and containers hold."""

    def listed(k, state):
        held = state[k]
        if k >= len(places.slots):
            return held if places.list_at(k) is not None else None
        return places.contents_of(held, state) if isinstance(held, list) else held

    def wanted(k):
        held = [state[k] for state in states]
        is_slot = k < len(places.slots)
        return not is_slot or any(isinstance(v, GrownList) for v in held) or not all(map(places.is_known, held))

    pairs = [tuple(listed(k, s) for s in states) if wanted(k) else (None, None) for k in changed]
    ends = [[state[k] for k in changed] for state in states]
    _even(capture, pairs, ends, [places.names[k] for k in changed])
    for state, end in zip(states, ends, strict=True):
        for k, value in zip(changed, end, strict=True):
            state[k] = value


def choose(test, yes, no):
    test = truth(test)
    if not is_symbolic(test):
        return yes() if test else no()
    return if_(test, lambda _: (yes(),), lambda _: (no(),), (None,), ("conditional expression",))[0]


# -- loops -------------------------------------------------------------------------------------------
def while_(test, body, values, names, slots=()):
    condition = truth(test(*values))
    while not is_symbolic(condition):
        if not condition:
            return values
        values = body(*values)
        condition = truth(test(*values))
    with _Open():
        return _symbolic_while(test, body, values, names, slots, condition)


def _of_a_round(name):
    return Undefined(name, "; it is made in a round of a loop on a tensor: set it before the loop")


class _Loop:
    """The variables of a loop on tensors, its places behind them."""

    def __init__(self, values, names, slots):
        self.values, self.slots, self.count = values, slots, len(values)
        self.places = Places(slots)
        self.names = [*names, *self.places.names]
        self.start = self.places.read()
        self.constants = set()  # positions of variables that the first round gave their value
        self.locals = set()  # of those that have no value outside of a round

    def taken(self, values, contents):
        """(structures, leaves) of variables and contents of places."""
        structures, leaves = [], []
        values = [_of_a_round(self.names[i]) if i in self.locals else v for i, v in enumerate(values)]
        variables = [flatten(v) for v in values]
        names = self.names[self.count :]
        variables += [flatten_contents(c, self.places, n) for c, n in zip(contents, names, strict=True)]
        for (structure, own), name in zip(variables, self.names, strict=True):
            structures.append((structure, len(own)))
            leaves.extend((leaf, name) for leaf in own)
        return structures, leaves

    def set(self, structures, leaves):
        """Gives the places their contents; returns the variables."""
        made = rebuild(structures, leaves)
        contents = [Missing if isinstance(v, Undefined) else v for v in made[self.count :]]
        kept = [s if _equal(s, c) else c for s, c in zip(self.start, contents, strict=True)]
        self.places.write(kept)
        return made[: self.count]

    def restart(self, values, position, elements):
        """The loop with a list that grows at a position of its variables; `elements`: some of it, or Columns."""
        like = elements if isinstance(elements, Columns) else _example_of(elements, self.names[position])
        if position < self.count:
            values = list(values)
            values[position] = GrownList.of(values[position], like, active.extents)
        else:
            held = self.places.grown_at(position - self.count)
            if held is not None:
                held.columns = held.beside(like).columns
                return _Loop(values, self.names[: self.count], self.slots)
            old = _list_before(self.places, self.start, position - self.count)
            _replace(self.places, old, GrownList.of(old, like, active.extents))
        return _Loop(values, self.names[: self.count], self.slots)


def _equal(a, b):
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
    loop = _Loop(values, names, slots)
    for _ in builtins.range(12):
        structures, leaves = loop.taken(loop.values, loop.start)
        order = sorted(varying)
        start = [_start(leaves[k][0], varying[k]) for k in order]
        capture.begin_while(_scalar(condition), start)
        active.loops = getattr(active, "loops", 0) + 1
        try:
            while True:
                arguments = capture.begin_round()
                current = [leaf for leaf, _ in leaves]
                for k, argument in zip(order, arguments, strict=True):
                    current[k] = argument
                after = body(*loop.set(structures, current))
                contents = loop.places.read()
                new_structures, new_leaves = loop.taken(after, contents)
                changed = _changed(loop, structures, current, new_structures, new_leaves, varying, after, contents)
                if changed is not None:
                    break
                next_values = [as_tensor(new_leaves[k][0], a) for k, a in zip(order, arguments, strict=True)]
                again = _scalar(as_tensor(truth(test(*after)), condition))
                loop.places.write(loop.start)
                if capture.end_round(again, next_values):
                    results = capture.end_while()
                    final = [leaf for leaf, _ in leaves]
                    for k, tensor in zip(order, results, strict=True):
                        final[k] = tensor
                    return loop.set(structures, final)
        except BaseException:
            loop.places.write(loop.start)
            raise
        finally:
            active.loops -= 1
        loop.places.write(loop.start)
        capture.drop_while()
        again, varying = changed
        if again is _FIRST_ROUND:
            return _after_first_round(test, body, values, names, slots, condition, varying)
        if isinstance(again, tuple):  # a list that grows
            loop, varying = loop.restart(loop.values, *again), {}
        else:
            known = loop.constants, loop.locals
            loop = _Loop(again, names, slots)
            loop.constants, loop.locals = known
    raise RuntimeError("to_static: the variables of a loop on tensors do not settle; keep their types.")


# What _changed gives with the name of a variable that is None before the loop and that a round gives tensors.
_FIRST_ROUND = object()


def _after_first_round(test, body, values, names, slots, condition, name):
    """The loop with its first round in front of it: from then on the variables have their types. A run whose loop
    has no round is an error, as the variable would be None there."""

    def check(holds):
        if not holds:
            raise RuntimeError(
                f"to_static: a loop on a tensor runs no round, so {name!r} is None after it; a captured program cannot "
                "hold that. Set it to a tensor before the loop."
            )

    active.capture.host_call(check, [_scalar(condition)])
    return while_(test, body, body(*values), names, slots)


def _changed(loop, structures, current, new_structures, new_leaves, varying, after, contents):
    """None when the varying leaves are all that changed, else what to begin again with: variables, a list that
    grows and what it holds, or _FIRST_ROUND; and what is known of the leaves."""
    if [tree.key_of(s) for s, _ in structures] != [tree.key_of(s) for s, _ in new_structures]:
        started = list(loop.values)
        for i, (name, a, b) in enumerate(zip(loop.names, structures, new_structures, strict=True)):
            if tree.key_of(a[0]) == tree.key_of(b[0]):
                continue
            before = loop.values[i] if i < loop.count else loop.start[i - loop.count]
            now = after[i] if i < loop.count else contents[i - loop.count]
            if isinstance(before, list) and isinstance(now, list) and len(before) != len(now):
                return (i, [*before, *now]), varying
            now = now if isinstance(now, Columns) else getattr(now, "columns", now)
            if isinstance(before, (list, GrownList, Columns)) and isinstance(now, Columns):
                return (i, now), varying
            if i < loop.count and (b[1] == 0 or i in loop.constants) and not isinstance(now, (list, tuple, dict)):
                _keep_as_constant(loop, started, i, now)
                continue
            if before is None and b[1] > 0:
                return _FIRST_ROUND, name
            if i >= loop.count or not isinstance(before, Undefined):
                mismatch("a loop", name)
            loop.locals.add(i)
            started[i] = _of_a_round(name)
        return started, varying
    constants = _first_numbers(loop, structures, current, new_leaves)
    if constants is not None:
        return constants, varying
    grown = dict(varying)
    for k, (old, (new, _)) in enumerate(zip(current, new_leaves, strict=True)):
        if k not in varying and not same(old, new):
            grown[k] = _example(new, old)
    return None if grown.keys() == varying.keys() else (list(loop.values), grown)


def _keep_as_constant(loop, started, i, value):
    """What every round assigns alike is there before the loop; other values than tensors that differ from round
    to round are of one round only."""
    if i in loop.constants:
        loop.locals.add(i)
        started[i] = _of_a_round(loop.names[i])
    else:
        started[i] = value
        loop.constants.add(i)


def _first_numbers(loop, structures, current, new_leaves):
    """The variables to begin again with when a variable is first a number inside of the loop; else None."""
    started, at = None, 0
    for i, (_, count) in enumerate(structures):
        if i < loop.count and count == 1 and isinstance(current[at], Undefined):
            new = new_leaves[at][0]
            if not isinstance(new, (_core.Tensor, Undefined)):
                started = started or list(loop.values)
                started[i] = new
        at += count
    return started


class _Kind:
    """What a value of the loop starts as when it is no tensor before the loop."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def _example(new, old):
    import paddle

    if isinstance(new, _core.Tensor):
        return _Kind(list(new.shape), new.dtype)
    if isinstance(new, float) and type(old) in (int, float):
        return _Kind([], paddle.get_default_dtype())
    return None


def _start(leaf, kind):
    import paddle

    if isinstance(leaf, Undefined):
        if kind is None:
            leaf._raise()
        return paddle.zeros(kind.shape, kind.dtype)
    if isinstance(leaf, _core.Tensor):
        return leaf
    return as_tensor(leaf, leaf) if kind is None else paddle.full(kind.shape, leaf, kind.dtype)


# -- truth -------------------------------------------------------------------------------------------
def _scalar(tensor):
    """A condition: one bool."""
    if not isinstance(tensor, _core.Tensor):
        import paddle

        tensor = paddle.full([], bool(tensor), "bool")
    if tensor.ndim > 0:
        sizes = [e for e in tensor.shape if not isinstance(e, SymInt)]
        if len(sizes) == tensor.ndim and any(e != 1 for e in sizes) and active.capture is not None:
            tensor = _ambiguous_when_run(tensor)
        tensor = tensor.reshape([])
    return tensor if str(tensor.dtype).endswith("bool") else tensor.astype("bool")


def _ambiguous_when_run(tensor):
    """A condition for a tensor of several values: in Python it is an error, but only where it is reached."""

    def refuse(values):
        raise ValueError(f"bool: x has shape {list(values.shape)}; a condition has one value: use any() or all().")

    active.capture.host_call(refuse, [tensor])
    return _core.ops.any(tensor.astype("bool"))


def and_(*terms):
    value = terms[0]()
    for term in terms[1:]:
        if is_symbolic(value):
            value = _chosen(_core.ops.logical_and, value, term())
        elif not value:
            return value
        else:
            value = term()
    return value


def or_(*terms):
    value = terms[0]()
    for term in terms[1:]:
        if is_symbolic(value):
            value = _chosen(_core.ops.logical_or, value, term())
        elif value:
            return value
        else:
            value = term()
    return value


def _chosen(operator, a, b):
    """`a and b` or `a or b`: what Python gives, in the dtype of `b`; of bools, and of what is no number, the truth."""
    is_number = isinstance(b, (_core.Tensor, int, float)) and not isinstance(b, SymInt)
    if not is_number or not _is_one(a) or not _is_one(b) or (_is_bool(a) and _is_bool(b)):
        return _combine(operator, a, b)
    b = as_tensor(b, Undefined("b"))
    pair = (b, a.astype(b.dtype)) if operator is _core.ops.logical_and else (a.astype(b.dtype), b)
    return _core.ops.where(_scalar(a), *pair)


def _is_bool(value):
    return value.dtype == _core.bool if isinstance(value, _core.Tensor) else isinstance(value, bool)


def _is_one(value):
    """Whether it has just one value, as a condition does."""
    return not isinstance(value, _core.Tensor) or all(isinstance(e, int) and e == 1 for e in value.shape)


def _combine(operator, a, b):
    return operator(_scalar(a), _scalar(b))


def not_(value):
    return _core.ops.logical_not(value) if is_symbolic(value) else not value


def none_of(*flags):
    """True while no flag is up; flags are bools or tensors."""
    value = True
    for flag in flags:
        if not is_symbolic(flag):
            if flag:
                return False
            continue
        down = _core.ops.logical_not(_scalar(flag))
        value = down if value is True else _core.ops.logical_and(value, down)
    return value


_COMPARE = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def known_or_number(value):
    """The value; an extent without an example as the tensor that holds it when the program runs."""
    return number(value) if isinstance(value, SymInt) and not is_known(value) else value


def _compared(sign, left, right):
    if isinstance(left, SymInt) and isinstance(right, SymInt) and left._dim == right._dim:
        return _COMPARE[sign](0, 0)
    return _COMPARE[sign](known_or_number(left), known_or_number(right))


def compare(signs, *operands):
    if len(signs) == 1:
        return _compared(signs[0], operands[0](), operands[1]())
    left, value = operands[0](), True
    for sign, operand in builtins.zip(signs, operands[1:], strict=True):
        right = operand()
        outcome = _compared(sign, left, right)
        value = _combine(_core.ops.logical_and, value, outcome) if is_symbolic(value) else outcome
        if not is_symbolic(value) and not value:
            return value
        left = right
    return value


def assert_(test, message):
    value = truth(test())
    if is_symbolic(value):
        return _assert_when_run(value, message)
    if not value:
        if message is None:
            raise AssertionError
        raise AssertionError(message())


def _assert_when_run(value, message):
    said = None if message is None else message()

    def check(holds, *parts):
        if not holds.all():
            raise AssertionError(*(parts or (() if said is None else (said,))))

    active.capture.host_call(check, [value, *([said] if is_symbolic(said) else [])])


def print_(*values, **options):
    """print(); tensors of the capture are printed when the program runs."""
    tensors = [v for v in values if is_symbolic(v)]
    if not tensors:
        return print(*values, **options)
    is_tensor = [is_symbolic(v) for v in values]
    constants = [None if t else v for v, t in zip(values, is_tensor, strict=True)]

    def show(*given):
        given = iter(given)
        print(*(next(given) if t else v for v, t in zip(constants, is_tensor, strict=True)), **options)

    active.capture.host_call(show, tensors)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What converted code calls.  Each function is plain Python unless the value that decides is a tensor
of the capture in progress; then the branches or the body are recorded as regions."""

import builtins
import threading

from ... import _core
from .. import tree
from .convert import convert_callee

call = convert_callee
_active = threading.local()


def set_capture(capture):
    """Makes `capture` the one that regions are recorded into; returns the previous one."""
    previous = getattr(_active, "capture", None)
    _active.capture = capture
    return previous


def is_symbolic(value):
    """A tensor of the capture, whose values are unknown."""
    return isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value)


class Undefined:
    """A variable that has no value yet; every use raises."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def _raise(self, *args, **kwargs):
        raise UnboundLocalError(f"cannot access variable {self._name!r} where it is not associated with a value")

    __getattr__ = __setattr__ = __call__ = __getitem__ = __iter__ = __len__ = __bool__ = __float__ = __int__ = _raise
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __gt__ = _raise
    __matmul__ = __le__ = __ge__ = __neg__ = __index__ = _raise


def result(value):
    """What a function returns that came to its end."""
    return None if isinstance(value, Undefined) else value


# -- values of two branches --------------------------------------------------------------------------
def _is_leaf(value):
    return isinstance(value, (_core.Tensor, bool, int, float)) or isinstance(value, Undefined)


def _flatten(value):
    leaves = []
    return tree.flatten(value, _is_leaf, leaves), leaves


def _as_tensor(value, like):
    """A Python number as a tensor that fits beside `like`."""
    if isinstance(value, _core.Tensor):
        return value
    dtype = like.dtype if isinstance(like, _core.Tensor) else None
    if dtype is None:
        kinds = {type(value), type(like)}
        dtype = "float32" if float in kinds else "bool" if kinds == {bool} else "int64"
    import paddle

    return paddle.full([], value, dtype)


def _filler(like):
    import paddle

    return paddle.full(like.shape, 0, like.dtype) if isinstance(like, _core.Tensor) else like


def _same(a, b):
    if isinstance(a, _core.Tensor) or isinstance(b, _core.Tensor):
        return a is b
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return isinstance(a, Undefined) and isinstance(b, Undefined)
    return type(a) is type(b) and a == b


def _mismatch(what, name):
    raise TypeError(
        f"to_static: {what} on a tensor gives variable {name!r} values of different structure; "
        "assign tensors, numbers or equal containers of them in all branches."
    )


def _both(first, second, names):
    """Structures and pairs of leaves of the variables after both branches."""
    structures, pairs = [], []
    for a, b, name in zip(first, second, names, strict=True):
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            kept = b if isinstance(a, Undefined) else a
            structure, leaves = _flatten(kept)
            missing = [Undefined(name)] * len(leaves)
            pair = (missing, leaves) if isinstance(a, Undefined) else (leaves, missing)
        else:
            structure, left = _flatten(a)
            other, right = _flatten(b)
            if tree.key_of(structure) != tree.key_of(other):
                if a is not b:
                    _mismatch("an if", name)
            pair = (left, right)
        structures.append((structure, len(pair[0])))
        pairs.extend(zip(*pair, strict=True))
    return structures, pairs


def _rebuild(structures, leaves):
    out, at = [], 0
    for structure, count in structures:
        out.append(tree.unflatten(structure, leaves[at : at + count]))
        at += count
    return tuple(out)


def if_(test, yes, no, values, names):
    if not is_symbolic(test):
        return yes(*values) if test else no(*values)
    capture = _active.capture
    capture.begin_if(_scalar(test))
    ends = []
    for i, branch in enumerate((yes, no)):
        capture.enter_branch(i)
        ends.append(branch(*values))
        capture.leave_branch(i)
    structures, pairs = _both(*ends, names)
    wanted = [k for k, (a, b) in enumerate(pairs) if not _same(a, b)]
    sides = []
    for i in range(2):
        capture.enter_branch(i)
        side = []
        for k in wanted:
            own, other = pairs[k][i], pairs[k][1 - i]
            if isinstance(own, Undefined):
                own = _filler(other)
            side.append(_as_tensor(own, other))
        capture.leave_branch(i)
        sides.append(side)
    results = capture.end_if(*sides)
    leaves = [a for a, _ in pairs]
    for k, tensor in zip(wanted, results, strict=True):
        leaves[k] = tensor
    return _rebuild(structures, leaves)


def choose(test, yes, no):
    if not is_symbolic(test):
        return yes() if test else no()
    return if_(test, lambda _: (yes(),), lambda _: (no(),), (None,), ("conditional expression",))[0]


# -- loops -------------------------------------------------------------------------------------------
def while_(test, body, values, names):
    condition = test(*values)
    while not is_symbolic(condition):
        if not condition:
            return values
        values = body(*values)
        condition = test(*values)
    return _symbolic_while(test, body, values, names, condition)


def _loop_leaves(values, names):
    structures, leaves = [], []
    for value, name in zip(values, names, strict=True):
        structure, own = _flatten(value)
        structures.append((structure, len(own)))
        leaves.extend((leaf, name) for leaf in own)
    return structures, leaves


def _symbolic_while(test, body, values, names, condition):
    """Leaves that a round changes are values of the loop; a first round shows which they are."""
    capture = _active.capture
    varying = {}  # position of a leaf -> example of its type, or None for its own
    for _ in range(8):
        structures, leaves = _loop_leaves(values, names)
        order = sorted(varying)
        start = [_start(leaves[k][0], varying[k]) for k in order]
        capture.begin_while(_scalar(condition), start)
        while True:
            arguments = capture.begin_round()
            current = [leaf for leaf, _ in leaves]
            for k, argument in zip(order, arguments, strict=True):
                current[k] = argument
            after = body(*_rebuild(structures, current))
            new_structures, new_leaves = _loop_leaves(after, names)
            changed = _changed(structures, current, new_structures, new_leaves, varying, values, names, after)
            if changed is not None:
                break
            next_values = [_as_tensor(new_leaves[k][0], a) for k, a in zip(order, arguments, strict=True)]
            again = _scalar(_as_tensor(test(*after), condition))
            if capture.end_round(again, next_values):
                results = capture.end_while()
                final = [leaf for leaf, _ in leaves]
                for k, tensor in zip(order, results, strict=True):
                    final[k] = tensor
                return _rebuild(structures, final)
        capture.drop_while()
        values, varying = changed
    raise RuntimeError("to_static: the variables of a loop on tensors do not settle; keep their types.")


def _changed(structures, current, new_structures, new_leaves, varying, values, names, after):
    """None when the varying leaves are all that changed, else what to begin again with."""
    if [tree.key_of(s) for s, _ in structures] != [tree.key_of(s) for s, _ in new_structures]:
        started = list(values)
        for i, (name, a, b) in enumerate(zip(names, structures, new_structures, strict=True)):
            if tree.key_of(a[0]) == tree.key_of(b[0]):
                continue
            if not isinstance(values[i], Undefined):
                _mismatch("a loop", name)
            raise TypeError(
                f"to_static: variable {name!r} is first a container inside of a loop on tensors; "
                "give it a value before the loop."
            )
        return started, varying
    grown = dict(varying)
    for k, (old, (new, _)) in enumerate(zip(current, new_leaves, strict=True)):
        if k not in varying and not _same(old, new):
            grown[k] = _example(new, old)
    return None if grown.keys() == varying.keys() else (values, grown)


class _Kind:
    """What a value of the loop starts as when it is no tensor before the loop."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def _example(new, old):
    import paddle

    if isinstance(new, _core.Tensor):
        return _Kind(list(new.shape) if isinstance(old, Undefined) else [], new.dtype)
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
    return _as_tensor(leaf, leaf) if kind is None else paddle.full([], leaf, kind.dtype)


class _Range:
    """range() with a tensor among its arguments."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step


def range_(*arguments):
    if not any(is_symbolic(a) for a in arguments):
        return range(*(int(a) if isinstance(a, _core.Tensor) else a for a in arguments))
    start, stop, step = {1: (0, *arguments, 1), 2: (*arguments, 1), 3: arguments}[len(arguments)]
    return _Range(start, stop, step)


def enumerate_(iterable, start=0):
    if _is_dynamic(iterable):
        return _Rows(iterable, start)
    return enumerate(iterable, start)


def zip_(*iterables):
    return zip(*iterables, strict=False)


class _Rows:
    """A tensor whose number of rows is unknown, iterated with or without a counter."""

    def __init__(self, tensor, start=None):
        self.tensor, self.start = tensor, start


def _is_dynamic(value):
    return is_symbolic(value) and value.ndim > 0 and not isinstance(value.shape[0], int)


def _flags_down(values, names, flags):
    return none_of(*(values[names.index(f)] for f in flags))


def for_(iterable, body, values, names, flags):
    if isinstance(iterable, _Range):
        return _for_range(iterable, body, values, names, flags)
    if _is_dynamic(iterable):
        iterable = _Rows(iterable)
    if isinstance(iterable, _Rows):
        return _for_rows(iterable, body, values, names, flags)
    for item in iterable:
        going = _flags_down(values, names, flags) if flags else True
        if is_symbolic(going):
            values = if_(going, lambda *v, item=item: body(item, *v), lambda *v: v, values, names)
            continue
        if not going:
            break
        values = body(item, *values)
    return values


def _count(value):
    import paddle

    return value if isinstance(value, _core.Tensor) else paddle.full([], value, "int64")


def _for_range(r, body, values, names, flags):
    def test(i, *v):
        inside = i < r.stop if _is_positive(r.step) else i > r.stop
        return and_(lambda: inside, lambda: _flags_down(v, names, flags)) if flags else inside

    def step(i, *v):
        return (i + r.step, *body(i, *v))

    dtype = next(a.dtype for a in (r.stop, r.start, r.step) if isinstance(a, _core.Tensor))
    start = r.start if isinstance(r.start, _core.Tensor) else _count(r.start).astype(dtype)
    return while_(test, step, (start, *values), ("loop counter", *names))[1:]


def _is_positive(step):
    if isinstance(step, _core.Tensor):
        raise NotImplementedError("to_static: range() with a tensor as step; give the step as a number.")
    return step > 0


def _for_rows(rows, body, values, names, flags):
    import paddle

    count = paddle.shape(rows.tensor)[0]

    def test(i, *v):
        return and_(lambda: i < count, lambda: _flags_down(v, names, flags)) if flags else i < count

    def step(i, *v):
        row = paddle.index_select(rows.tensor, i.reshape([1]), axis=0).squeeze(0)
        item = row if rows.start is None else (i + rows.start, row)
        return (i + 1, *body(item, *v))

    return while_(test, step, (_count(0), *values), ("loop counter", *names))[1:]


# -- truth -------------------------------------------------------------------------------------------
def _scalar(tensor):
    """A condition: one bool."""
    if not isinstance(tensor, _core.Tensor):
        import paddle

        tensor = paddle.full([], bool(tensor), "bool")
    if tensor.ndim > 0:
        tensor = tensor.reshape([])
    return tensor if str(tensor.dtype).endswith("bool") else tensor.astype("bool")


def and_(*terms):
    value = terms[0]()
    for term in terms[1:]:
        if is_symbolic(value):
            value = _combine(_core.ops.logical_and, value, term())
        elif not value:
            return value
        else:
            value = term()
    return value


def or_(*terms):
    value = terms[0]()
    for term in terms[1:]:
        if is_symbolic(value):
            value = _combine(_core.ops.logical_or, value, term())
        elif value:
            return value
        else:
            value = term()
    return value


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


def compare(signs, *operands):
    left, value = operands[0](), True
    for sign, operand in builtins.zip(signs, operands[1:], strict=True):
        right = operand()
        outcome = _COMPARE[sign](left, right)
        value = _combine(_core.ops.logical_and, value, outcome) if is_symbolic(value) else outcome
        if not is_symbolic(value) and not value:
            return value
        left = right
    return value


def assert_(test, message):
    value = test()
    if is_symbolic(value):
        return
    if not value:
        if message is None:
            raise AssertionError
        raise AssertionError(message())

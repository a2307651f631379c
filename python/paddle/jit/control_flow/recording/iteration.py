# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`for` and comprehensions over items whose number only the running program knows: ranges with tensors, tensors with an
open extent, DynamicLists; and range(), enumerate() and zip() of these."""

import inspect
import types

from .... import _core
from ....framework.symint import SymInt, is_known
from ..context import is_symbolic
from ..values.dynamic_list import DynamicList
from ..values.logic import and_, none_of, number_if_open, or_
from ..values.optional_items import OptionalItems, optional_items_of
from ..values.undefined import Undefined
from .branches import if_
from .dict_operations import dict_display, update_dict
from .exceptions import assert_
from .indexing import get_item
from .loops import while_
from .optional_item_functions import as_list, enumerate_optional


class _Range:
    """range() with a tensor among its arguments."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step

    def counted(self):
        import paddle

        span = self.stop - self.start
        count = (span + self.step - (1 if _is_up(self.step) else -1)) // self.step
        if isinstance(self.step, _core.Tensor):
            count = paddle.ceil(span.astype("float64") / self.step.astype("float64")).astype(self.step.dtype)
        return _CountedItems(paddle.clip(count, min=0), lambda i: self.start + i.astype(count.dtype) * self.step)


class _CountedItems:
    """Items whose number only the running program knows.

    Args:
        count: A tensor.
        item: A function of an index that gives the item.
    """

    def __init__(self, count, item):
        self.count, self.item = count, item


def iterable_of(iterable):
    """What a loop iterates over: of an object with an `__iter__` of the user's what that gives, which is a DynamicList
    when it is a generator that branches on tensors; of a dict with optional keys OptionalItems."""
    iterable = optional_items_of(iterable)
    method = inspect.getattr_static(type(iterable), "__iter__", None)
    return (
        iterable.__iter__()
        if isinstance(method, types.FunctionType) and not isinstance(iterable, (DynamicList, OptionalItems))
        else iterable
    )


def range_(*arguments):
    arguments = [int(a) if isinstance(a, SymInt) and is_known(a) else number_if_open(a) for a in arguments]
    if not any(is_symbolic(a) for a in arguments):
        return range(*(int(a) if isinstance(a, _core.Tensor) else a for a in arguments))
    start, stop, step = {1: (0, *arguments, 1), 2: (*arguments, 1), 3: arguments}[len(arguments)]
    return _Range(start, stop, step)


def _counted(iterable):
    """The _CountedItems of an iterable; None when Python knows their number."""
    import paddle

    if isinstance(iterable, _CountedItems):
        return iterable
    if isinstance(iterable, _Range):
        return iterable.counted()
    if isinstance(iterable, DynamicList):
        return _CountedItems(iterable.length(), iterable.copy().__getitem__)
    if is_symbolic(iterable) and iterable.ndim > 0 and not isinstance(iterable.shape[0], int):
        return _CountedItems(paddle.shape(iterable)[0], iterable.__getitem__)
    return None


def enumerate_(iterable, start=0):
    iterable = iterable_of(iterable)
    if isinstance(iterable, OptionalItems):
        return enumerate_optional(iterable, start)
    counted = _counted(iterable)
    if counted is None:
        return enumerate(iterable, start)
    return _CountedItems(counted.count, lambda i: (i + start, counted.item(i)))


def zip_(*iterables, strict=False):
    import paddle

    iterables = [as_list(iterable_of(i)) for i in iterables]
    counted = [_counted(i) for i in iterables]
    if all(c is None for c in counted):
        return zip(*iterables, strict=strict)
    for k, iterable in enumerate(iterables):
        if counted[k] is None:
            counted[k] = _counted_list(iterable)
    count = counted[0].count.astype("int64")
    for other in counted[1:]:
        if strict:
            assert_(
                lambda other=other: counted[0].count == other.count, lambda: "zip(): the arguments differ in length"
            )
        count = paddle.minimum(count, other.count.astype("int64"))
    return _CountedItems(count, lambda i: tuple(c.item(i) for c in counted))


def _counted_list(iterable):
    if is_symbolic(iterable) and iterable.ndim:
        return _CountedItems(_number(iterable.shape[0]), iterable.__getitem__)
    items = list(iterable)
    return _CountedItems(_number(len(items)), lambda i: get_item(items, i))


def _number(value):
    import paddle

    return value if isinstance(value, _core.Tensor) else paddle.full([], value, "int64")


def _goes_on(values, names, flags):
    """Whether no flag of a `break` or `return` is set."""
    return none_of(*(values[names.index(f)] for f in flags))


_END = object()  # follows the last item


def for_(iterable, body, values, names, flags, effects=()):
    """A `for`, whose body is a function of the item and of the variables that rounds change.

    Args:
        iterable: What it iterates over.
        body: A round; it gives the variables after it.
        values: The variables.
        names: Their names.
        flags: The names of those that are the flags of `break` and `return`: no round begins after one is set.
        effects: What rounds may change besides; the descriptions of MutableLocations.
    """
    iterable = iterable_of(iterable)
    if isinstance(iterable, _Range):
        return _for_range(iterable, body, values, names, flags, effects)
    counted = _counted(iterable)
    if counted is not None:
        return _for_counted(counted, body, values, names, flags, effects)
    is_optional = isinstance(iterable, OptionalItems)
    items = iter(iterable.pairs if is_optional else iterable)
    while True:
        is_going_on = _goes_on(values, names, flags) if flags else True
        if not is_symbolic(is_going_on) and not is_going_on:
            return values
        item = next(items, _END)
        if item is _END:
            return values
        if is_optional:
            item, presence = item
            is_going_on = and_(lambda is_going_on=is_going_on: is_going_on, lambda presence=presence: presence)
        if is_symbolic(is_going_on):
            values = if_(is_going_on, lambda *v, item=item: body(item, *v), lambda *v: v, values, names, effects)
        else:
            values = body(item, *values)


def _is_up(step):
    return (step > 0) if not isinstance(step, _core.Tensor) else True


def _is_inside(i, r):
    if not isinstance(r.step, _core.Tensor):
        return i < r.stop if r.step > 0 else i > r.stop
    up, down = (r.step > 0, i < r.stop), (r.step < 0, i > r.stop)
    return or_(*(lambda pair=pair: and_(lambda: pair[0], lambda: pair[1]) for pair in (up, down)))


def _for_range(r, body, values, names, flags, effects):
    def test(i, *v):
        inside = _is_inside(i, r)
        return and_(lambda: inside, lambda: _goes_on(v, names, flags)) if flags else inside

    def step(i, *v):
        return (i + r.step, *body(i, *v))

    dtype = next(a.dtype for a in (r.stop, r.start, r.step) if isinstance(a, _core.Tensor))
    start = r.start if isinstance(r.start, _core.Tensor) else _number(r.start).astype(dtype)
    return while_(test, step, (start, *values), ("loop counter", *names), effects)[1:]


def _for_counted(items, body, values, names, flags, effects):
    def test(i, *v):
        return and_(lambda: i < items.count, lambda: _goes_on(v, names, flags)) if flags else i < items.count

    def step(i, *v):
        return (i + 1, *body(items.item(i), *v))

    start = _number(0).astype(items.count.dtype)
    return while_(test, step, (start, *values), ("loop counter", *names), effects)[1:]


def comprehension(iterable, element, condition=None):
    """`[element(item) for item in iterable if condition(item)]`."""
    iterable = iterable_of(iterable)
    if isinstance(iterable, OptionalItems):
        return _comprehension_of_optional(iterable, element, condition)
    counted = _counted(iterable)
    if counted is None:
        return _comprehension_of_list(list(iterable), element, condition)

    def add(item, made):
        if condition is None:
            return (made + [element(item)],)
        return if_(condition(item), lambda m: (m + [element(item)],), lambda m: (m,), (made,), ("comprehension",))

    return _for_counted(counted, add, ([],), ("comprehension",), (), ())[0]


def _comprehension_of_list(items, element, condition):
    made = []
    for item in items:
        wanted = True if condition is None else condition(item)
        if not is_symbolic(wanted):
            if wanted:
                made = made + [element(item)]
            continue
        made = if_(
            wanted,
            lambda m, item=item: (m + [element(item)],),
            lambda m: (m,),
            (made,),
            ("comprehension",),
        )[0]
    return made


def _comprehension_of_optional(optional_items, element, condition):
    """A comprehension over OptionalItems: a list, or OptionalItems again."""
    made = []
    for item, presence in optional_items.pairs:
        wanted = presence if condition is None else and_(lambda t=presence: t, lambda item=item: condition(item))
        if is_symbolic(wanted):
            nothing = Undefined("comprehension")
            one = if_(wanted, lambda _, v=item: (element(v),), lambda v: (v,), (nothing,), ("comprehension",))[0]
            made.append((one, wanted))
        elif wanted:
            made.append((element(item), True))
    return as_list(OptionalItems(made))


def generator_expression(iterable, element, condition=None):
    """`(element(item) for item in iterable if condition(item))`."""
    iterable = iterable_of(iterable)
    if isinstance(iterable, OptionalItems) or _counted(iterable) is not None:
        return comprehension(iterable, element, condition)
    if condition is not None and isinstance(iterable, (list, tuple, range, _core.Tensor)):
        items = list(iterable)
        wanted = [condition(item) for item in items]
        if any(map(is_symbolic, wanted)):
            pairs = list(zip(items, wanted, strict=True))
            return comprehension(pairs, lambda pair: element(pair[0]), lambda pair: pair[1])
        return (element(item) for item, is_wanted in zip(items, wanted, strict=True) if is_wanted)
    return (element(item) for item in iterable if condition is None or condition(item))


def dict_comprehension(iterable, pair, condition=None):
    """`{key: value for item in iterable if condition(item)}`; pair(item) is (key, value)."""
    iterable = iterable_of(iterable)
    items = iterable.pairs if isinstance(iterable, OptionalItems) else ((item, True) for item in iterable)
    made = {}
    for item, presence in items:
        wanted = presence if condition is None else and_(lambda t=presence: t, lambda item=item: condition(item))
        if is_symbolic(wanted):

            def add(before, item=item):
                return (dict_display(before, dict([pair(item)])),)

            made = if_(wanted, add, lambda before: (before,), (made,), ("dict comprehension",))[0]
        elif wanted:
            update_dict(made, dict([pair(item)]))
    return made

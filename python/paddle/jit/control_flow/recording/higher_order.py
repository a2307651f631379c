# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""any(), all(), filter(), map(), reduce() and sorted() of values of the capture."""

import builtins
import functools

from .... import _core
from ..context import is_symbolic
from ..values.conditions import scalar
from ..values.data_movement import data_movement
from ..values.dynamic_list import DynamicList
from ..values.flattening import as_tensor
from ..values.logic import not_, truth
from ..values.tagged_union import TaggedUnion
from ..values.undefined import Undefined
from .iteration import comprehension, for_, iterable_of, zip_


def _any_is(values, wanted):
    """Whether one of the values is true, or false where `wanted` is False."""
    found = None
    for value in values:
        value = truth(value)
        if not is_symbolic(value):
            if bool(value) is wanted:
                return True
            continue
        value = scalar(value) if wanted else not_(scalar(value))
        found = value if found is None else _core.ops.logical_or(found, value)
    return False if found is None else found


def any_(values):
    values = iterable_of(values)
    if isinstance(values, DynamicList):
        return values.tensor.astype("bool").any()
    return _any_is(values, True)


def all_(values):
    values = iterable_of(values)
    if isinstance(values, DynamicList):
        return values.tensor.astype("bool").all()
    found = _any_is(values, False)
    return not_(found) if is_symbolic(found) else not found


def filter_(condition, values):
    """The values for which the condition holds; a list where tensors decide."""
    from ..convert import convert_callee

    values = list(values) if isinstance(values, (filter, map, zip)) else iterable_of(values)
    if isinstance(values, (list, tuple, _core.Tensor, DynamicList)):
        holds = convert_callee(condition) if condition is not None else lambda value: value
        if isinstance(values, (_core.Tensor, DynamicList)):
            return comprehension(values, lambda value: value, holds)
        pairs = [(value, truth(holds(value))) for value in values]
        if not any(is_symbolic(is_kept) for _, is_kept in pairs):
            return iter([value for value, is_kept in pairs if is_kept])
        return comprehension(pairs, lambda pair: pair[0], lambda pair: pair[1])
    return builtins.filter(condition, values)


def map_(function, *values):
    """map(), also of DynamicLists."""
    from ..convert import convert_callee

    values = [iterable_of(v) for v in values]
    made = convert_callee(function)
    if not any(isinstance(v, DynamicList) for v in values):
        return builtins.map(made, *values)
    return comprehension(zip_(*values), lambda row: made(*row))


def reduce_(function, values, *initial):
    """functools.reduce(), also of a DynamicList."""
    from ..convert import convert_callee

    values = iterable_of(values)
    made = convert_callee(function)
    if not isinstance(values, DynamicList):
        return functools.reduce(made, values, *initial)
    start, rest = (initial[0], values) if initial else (values[0], values[1:])
    return for_(rest, lambda item, before: (made(before, item),), (start,), ("reduce",), ())[0]


def _sorted_dynamic(values, key, reverse):
    import paddle

    keys = values if key is None else comprehension(values, key)
    order = paddle.argsort(keys.tensor.flatten(), descending=reverse, stable=True)
    return DynamicList(data_movement(lambda: values.tensor.index_select(order))())


def sorted_(values, /, *, key=None, reverse=False):
    """The values in the order of their keys; tensors of one shape where tensors decide."""
    from ..convert import convert_callee

    values = iterable_of(values)
    if isinstance(values, DynamicList):
        return _sorted_dynamic(values, key and convert_callee(key), reverse)
    values = list(values)
    if key is not None:
        key = convert_callee(key)
    keys = values if key is None else [key(value) for value in values]
    if not any(is_symbolic(k) or isinstance(k, TaggedUnion) for k in keys):
        order = builtins.sorted(range(len(values)), key=keys.__getitem__, reverse=reverse)
        return [values[i] for i in order]
    import paddle

    shapes = {tuple(map(str, v.shape)) for v in values if isinstance(v, _core.Tensor)}
    if len(shapes) != 1 or not all(isinstance(v, _core.Tensor) for v in values):
        raise TypeError(
            "to_static: sorted() is given keys that are tensors, and values that are not tensors of one shape; their "
            "order is known when the program runs. Sort tensors of one shape, or one tensor with paddle.argsort."
        )
    keys = paddle.stack([as_tensor(k, Undefined("key")).reshape([]) for k in keys])
    order = paddle.argsort(keys, descending=reverse, stable=True)

    @data_movement
    def ordered():
        rows = paddle.stack(values)
        return [rows.index_select(order[i].reshape([1])).squeeze(0) for i in range(len(values))]

    return ordered()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What iterates over a dict of which a branch on a tensor sets some keys finds in each run what plain Python finds."""

import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0], [-1.0, -2.0], [-1.0, 2.0])


def _some(x):
    d = {"a": x * 2}
    if x.sum() > 0:
        d["kk"] = x + 1
    return d


def sums(x):
    d = _some(x)
    return sum(d.values()), sum(v * 2 for v in d.values()), sum([v.mean() for v in d.values()])


def only_keys_of_some_runs(x):
    losses = {}
    if x.sum() > 0:
        losses["positive"] = x.mean()
    if x[0] < 0:
        losses["negative"] = -x.mean()
    if losses:
        x = x * 2
    return sum(losses.values()) + x


def a_loop_over_keys(x):
    d = _some(x)
    for k in d:
        x = x + d[k] * len(k)
    return x


def a_loop_over_items_with_break(x):
    for i, (k, v) in enumerate(_some(x).items()):
        if v.sum() > 4:
            break
        x = x + v * i + len(k)
    else:
        x = x * 10
    return x


def values_set_while_keys_are_listed(x):
    d = _some(x)
    for k in list(d):
        d[k] = d[k] * 3
    for k in list(d.keys()):
        if k == "kk":
            del d[k]
    return sum(d.values())


def lists_of_values(x):
    d = _some(x)
    values = list(d.values())
    return paddle.stack(values).mean(0), paddle.concat(values).sum(), paddle.add_n(values), values[-1]


def numbers_of_keys(x):
    d = _some(x)
    return x * len(d), x / len(list(d.values())), x * len([k for k in d if len(k) > 1])


def extremes(x):
    d = {k: v.sum() for k, v in _some(x).items()}
    y = x * 2 if any(v > 3.5 for v in d.values()) else x
    y = y * 3 if all(v > -3 for v in d.values()) else y
    return y, max(d.values()), min(v for v in d.values())


def merged(x):
    d, e = {"kk": x * 7, "z": x}, _some(x)
    f = {**d, **e, "z": x * 2}
    d.update(e)
    return d["kk"], d["a"], f["kk"], f["z"], dict(e, kk=x)["kk"]


def copies(x):
    d = _some(x)
    e, f = d.copy(), dict(d)
    e["kk"] = x * 5
    f.pop("kk", None)
    return e["kk"], sum(f.values()), sum(d.values())


def comprehensions(x):
    d = _some(x)
    e = {k: v * 2 for k, v in d.items() if v.sum() > -7}
    pairs = [(k, v * 3) for k, v in e.items()]
    for k, v in pairs:
        x = x + v * len(k)
    return x, sum(e.values())


def in_order_of_keys(x):
    for k, v in sorted(_some(x).items(), reverse=True):
        x = x * len(k) + v
    return x


def keys_of_rounds(x):
    d = {"a": x}
    i = paddle.zeros([])
    while i < x.sum():
        d["k"] = x * i
        i = i + 1
    return sum(d.values()), sum(map(lambda v: v * 2, d.values()))


def beside_a_list(x):
    for v, w in zip(_some(x).values(), [1.0, 2.0], strict=False):
        x = x + v * w
    return x


PROGRAMS = [
    sums,
    only_keys_of_some_runs,
    a_loop_over_keys,
    a_loop_over_items_with_break,
    values_set_while_keys_are_listed,
    lists_of_values,
    numbers_of_keys,
    extremes,
    merged,
    copies,
    comprehensions,
    in_order_of_keys,
    keys_of_rounds,
    beside_a_list,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("full_graph", [True, False])
def test_items_are_those_of_plain_python(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


def test_keys_and_numbers_are_returned_as_lists():
    def f(x):
        d = _some(x)
        return list(d), sorted(d, reverse=True), [len(k) for k in d]

    captured = to_static(f, full_graph=True)
    for given in INPUTS:
        assert captured(paddle.to_tensor(given)) == f(paddle.to_tensor(given))


# -- lists that grow -----------------------------------------------------------------------------------
def _grown(x):
    made = [x]
    while made[-1].sum() < 6 and len(made) < 4:
        made.append(made[-1] + 1.5)
    return made


def given_to_functions(x):
    import functools

    many = _grown(x)
    total = functools.reduce(lambda a, b: a * 0.5 + b, many)
    best = sorted(many, key=lambda v: -v.sum())[0]
    y = x * 2 if any(v.sum() > 5 for v in many) else x
    return sum(map(lambda v: v * 2, many)), total, best, y


def shown_and_taken_apart(x):
    many = _grown(x)
    first, *rest = many
    a, b = ([*many, x * 3] + many)[:2]
    return first, sum(rest, x), sum([x, *many, *many]), a + b


class _Pair:
    def __init__(self, value):
        self.value = value

    def __iter__(self):
        yield self.value
        if self.value.sum() > 0:
            yield self.value * 2


def an_object_that_yields(x):
    y = sum(_Pair(x)) + sum(v for v in _Pair(x)) + sum(list(_Pair(x)))
    for v, w in zip(_Pair(x), [1.0, 2.0], strict=False):
        y = y + v * w
    for i, v in enumerate(_Pair(x)):
        y = y + v * i
    first, *_ = _Pair(x)
    return y, first


@pytest.mark.parametrize("f", [given_to_functions, shown_and_taken_apart, an_object_that_yields])
def test_lists_that_grow_are_those_of_plain_python(f):
    check_beside_plain(f, True, INPUTS)


def test_the_wrong_number_of_targets_is_an_error_of_the_run():
    def f(x):
        a, b = _grown(x)
        return a + b

    captured = to_static(f, full_graph=True)
    assert captured(paddle.to_tensor([2.0, 2.0])).tolist() == f(paddle.to_tensor([2.0, 2.0])).tolist()
    for given, said in (([3.0, 4.0], r"not enough values to unpack \(expected 2, got 1\)"), ([0.0, 0.0], "too many")):
        with pytest.raises(ValueError, match=said):
            f(paddle.to_tensor(given))
        with pytest.raises(ValueError, match=said):
            captured(paddle.to_tensor(given))


# -- objects that rounds make ---------------------------------------------------------------------------
class Sum:
    def __init__(self, value, count=0):
        self.value, self.count = value, count

    def __add__(self, other):
        return Sum(self.value + other, self.count + 1)


def added_in_rounds(x):
    total, i = Sum(x), paddle.zeros([])
    first = total
    while i < x.sum():
        total = total + x * i
        i = i + 1
    total.value = total.value * 2
    return total.value, first.value, x * total.count


def added_to_in_rounds(x):
    total = Sum(x)
    for _ in range((x > 0).astype("int64").sum()):
        total += x
        if total.value.sum() > 5:
            total = Sum(x * 3)
    return total.value


def none_before_the_rounds(x):
    total = None
    for i in range((x > -2).astype("int64").sum()):
        total = Sum(x) if total is None else total + i
    return x if total is None else total.value


@pytest.mark.parametrize("f", [added_in_rounds, added_to_in_rounds, none_before_the_rounds])
def test_objects_of_rounds_are_those_of_plain_python(f):
    check_beside_plain(f, True, INPUTS)

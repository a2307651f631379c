# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of dicts and attributes that one branch on a tensor alone sets or deletes: the program knows whether they are
there."""

import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0], [-1.0, -2.0], [-1.0, 2.0])


def a_default(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    return d.get("k", x * 3)


def no_default(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    found = d.get("k")
    if found is None:
        found = x * 5
    return found


def in_or_not_in(x):
    d = {"a": x}
    if x.sum() > 0:
        d["k"] = x + 1
    y = x * 2 if "k" in d else x
    if "k" not in d:
        y = y + 7
    if "a" in d and "z" not in d:
        y = y * 2
    return y


def set_by_nested_branches(x):
    d = {"a": x}
    if x[1] > 0:
        if x[0] > 0:
            d["k"] = x + 1
    else:
        d["k"] = x * 4
    return d.get("k", x * 3)


def set_again(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    if "k" not in d:
        d["k"] = x * 9
    d["k"] = d["k"] * 2
    return d["k"], len(d) * x


def deleted(x):
    d = {"a": x, "k": x * 7}
    if x.sum() > 0:
        del d["k"]
    return d.get("k", x * 3)


def popped(x):
    d = {"a": x, "k": x * 7}
    if x.sum() > 0:
        y = d.pop("k")
    else:
        y = x
    return d.pop("k", x * 3), y, len(d) * x


def a_set_default(x):
    d = {}
    if x.sum() > 0:
        d.setdefault("k", x * 3)
    return d.setdefault("k", x * 9)


class Holder:
    pass


def an_attribute(x):
    h = Holder()
    if x.sum() > 0:
        h.k = x * 2
    y = getattr(h, "k", x * 3)
    if hasattr(h, "k"):
        y = y + 1
    return y


PROGRAMS = [
    a_default,
    no_default,
    in_or_not_in,
    set_by_nested_branches,
    set_again,
    deleted,
    popped,
    a_set_default,
    an_attribute,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("full_graph", [True, False])
def test_what_asks_for_the_key_finds_what_plain_python_finds(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


def itself(d):
    return d


def sum_of_values(d):
    return sum(d.values())


def number_of_keys(d):
    return d["a"] * len(d)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (itself, "is returned"),
        (sum_of_values, r"is asked for values\(\)"),
        (number_of_keys, r"is given to len\(\)"),
    ],
)
def test_what_depends_on_all_keys_is_refused(use, said):
    def f(x):
        d = {"a": x}
        if x.sum() > 0:
            d["k"] = x + 1
        return use(d)

    with pytest.raises(KeyError, match="key 'k' is in a dict in some runs only.*" + said):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))


def test_a_loop_that_changes_such_a_key_is_refused():
    def f(x):
        d = {}
        if x.sum() > 0:
            d["k"] = x + 1
        for _ in range((x > 0).sum()):
            d["k"] = d.get("k", x) * 2
        return d.get("k", x)

    with pytest.raises(TypeError, match="a loop on a tensor gives variable 'k'"):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))

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


def given_to_a_function(d):
    return (lambda **named: named["a"])(**d)


def beside_others(d):
    return [x for x, _ in zip(d.keys(), range(5), strict=False)]


def as_text(d):
    return ", ".join(d)


def the_last_item(d):
    return d.popitem()


def in_order(d):
    d["z"] = d["a"]
    d["k"] = d["a"] * 2  # behind z where the branch did not set it
    return list(d.values())


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (given_to_a_function, r"key 'k' is in a dict in some runs only.*is given on by \*\*"),
        (beside_others, r"'k' of a dict is there in some runs only.*use a for statement"),
        (as_text, r"is given to join\(\)"),
        (the_last_item, r"is asked for popitem\(\)"),
        (in_order, r"the order of the keys is not the same in all runs"),
    ],
)
def test_what_depends_on_all_keys_is_refused(use, said):
    def f(x):
        d = {"a": x}
        if x.sum() > 0:
            d["k"] = x + 1
        return use(d)

    with pytest.raises(KeyError, match=said):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))


def returned(x):
    d = {"a": x}
    if x.sum() > 0:
        d["k"] = x + 1
    return d


def returned_by_branches(x):
    if x[0] > 0:
        return {"a": x, "k": x * 2, "n": 3}
    d = {"a": x * 3, "n": x}
    if x[1] > 0:
        d["z"] = x - 1
    return d


def returned_by_rounds(x):
    n, d = 1, {}
    for i in range((x > -2).astype("int64").sum()):
        n += 1
        if n > 2:
            return {"a": x}, i
        d["k"] = x * 2
    return d, n


def popped_in_a_round(x):
    d, k = {"a": x, "k": x * 2}, paddle.zeros([], "int64")
    while k < (x > 0).astype("int64").sum():
        k += 2
        x = d.pop("k") + x
    return x, d


def beside_a_list_that_grows(x):
    d, many = {}, [x]
    if x.sum() > 0:
        d["k"] = 0.5
        many.append(x * 2)
    return sum(many), d


def inside_of_others(x):
    d = {"inner": {"a": x}, "n": [x]}
    if x.sum() > 0:
        d["inner"]["k"] = x * 2
    return [d, x]


RETURNING = [
    returned,
    returned_by_branches,
    returned_by_rounds,
    popped_in_a_round,
    beside_a_list_that_grows,
    inside_of_others,
]


def values_of(result):
    if isinstance(result, dict):
        return {key: values_of(v) for key, v in result.items()}
    if isinstance(result, (list, tuple)):
        return [values_of(v) for v in result]
    return result.tolist() if isinstance(result, paddle.Tensor) else result


@pytest.mark.parametrize("f", RETURNING)
def test_a_returned_dict_has_the_keys_of_its_run(f):
    captured = to_static(f, full_graph=True)
    for given in (*INPUTS, INPUTS[0], [-3.0, -4.0]):
        assert values_of(captured(paddle.to_tensor(given))) == values_of(f(paddle.to_tensor(given)))


def test_a_saved_program_returns_all_keys_of_a_dict(tmp_path):
    captured = to_static(returned, input_spec=[paddle.static.InputSpec([2], "float32")], full_graph=True)
    with pytest.raises(KeyError, match="key 'k' is in a dict in some runs only.*goes to a file"):
        paddle.jit.save(captured, str(tmp_path / "f"))


def read(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    return d["k"]


def added_to(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    d["k"] += x
    return d["k"]


def by_a_number(x):
    d = {}
    if x.sum() > 0:
        d[0] = x + 1
    for _ in range(2):
        x = x + d[0]
    return x


def taken_out(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    return d.pop("k")


def deleted_key(x):
    d = {"a": x}
    if x.sum() > 0:
        d["k"] = x + 1
    del d["k"]
    return d["a"] * len(d)


def copied_first(x):
    d, e = {}, {"a": x}
    if x.sum() > 0:
        d["k"] = x + 1
    e.update(d)
    return e["k"]


def read_in_a_branch(x):
    d, y = {}, x
    if x.sum() > 0:
        d["k"] = x + 1
    if x[1] > 0:
        y = d["k"]
    return y


def read_by_a_term(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    if "k" in d and d["k"].sum() > 5:
        x = x + d["k"]
    if "k" not in d or d["k"].sum() > 4:
        x = x * 2
    if x[1] > 1 and d["k"].sum() > 3:
        x = x * 3
    return x


def attribute(x):
    h = Holder()
    if x.sum() > 0:
        h.k = x * 2
    return h.k + 1


def attribute_added_to(x):
    h = Holder()
    if x.sum() > 0:
        h.k = x * 2
    h.k += x
    return h.k


def set_by_every_round(x):
    d = {}
    for i in range((x > 1).astype("int64").sum()):
        d["k"] = x * (i + 1)
    return d["k"]


def set_by_some_rounds(x):
    d = {"a": x}
    for i in range(3 + 0 * (x > 1).astype("int64").sum()):
        if x[1] > i:
            d["k"] = x * (i + 1)
            d["n"] = d.get("n", 0) + 1
    return d["k"] * d["n"]


def attribute_of_rounds(x):
    h = Holder()
    for i in range((x > 1).astype("int64").sum()):
        h.k = x * (i + 1)
    return h.k


def deleted_by_a_round(x):
    d = {"k": x * 3}
    for _ in range((x > 1).astype("int64").sum()):
        if "k" in d:
            del d["k"]
    return d["k"]


def changed_by_rounds(x):
    d = {}
    if x.sum() > 0:
        d["k"] = x + 1
    for _ in range((x > 0).astype("int64").sum()):
        d["k"] = d.get("k", x) * 2
    return d.get("k", x)


READS = [
    read,
    added_to,
    by_a_number,
    taken_out,
    deleted_key,
    copied_first,
    read_in_a_branch,
    read_by_a_term,
    attribute,
    attribute_added_to,
    set_by_every_round,
    set_by_some_rounds,
    attribute_of_rounds,
    deleted_by_a_round,
    changed_by_rounds,
]


def outcome(f, given):
    try:
        return f(paddle.to_tensor(given)).tolist()
    except (KeyError, AttributeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("f", READS)
@pytest.mark.parametrize("full_graph", [True, False])
def test_a_run_in_which_it_is_not_there_raises_where_it_is_read(f, full_graph):
    captured = to_static(f, full_graph=full_graph)
    for given in (*INPUTS, [3.0, 2.0], INPUTS[0]):
        assert outcome(captured, given) == outcome(f, given)

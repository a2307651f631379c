# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Public names, their signatures and keyword aliases are those of the table; what is not covered is listed in
`uncovered.txt`, and nothing is added to that list."""

import importlib.util
import inspect
import re
import warnings
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("api_signatures", Path(__file__).with_name("signatures.py"))
api = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(api)


def test_no_name_was_lost_or_changed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = dict(api.check())
    known = api.uncovered()
    fresh = {name: why for name, why in wrong.items() if name not in known}
    assert not fresh, f"names that were covered and are no longer: {fresh}"
    done = known - wrong.keys()
    if done:
        print(f"{len(done)} names of uncovered.txt are covered now; run python tests/api/signatures.py --update")


def test_the_list_names_rows_of_the_table():
    assert api.uncovered() <= {row["name"] for row in api.rows()}


def parameters(fn):
    return list(inspect.signature(fn).parameters.values())


@pytest.mark.parametrize(
    ("wanted", "given", "why"),
    [
        ("(x, axis=None)", lambda x, axis=None, more=1: None, ""),
        ("(x, axis=None)", lambda x, axis=0: None, "default of 'axis'"),
        ("(x, axis=None)", lambda x, dim=None: None, "parameter 1 is 'dim'"),
        ("(x, axis=None)", lambda x: None, "no positional parameter 'axis'"),
        ("(x)", lambda x, more: None, "'more' has no default"),
        ("(x, *, out=None)", lambda x, out=None: None, ""),
        ("(x, *, out=None)", lambda x: None, "no keyword parameter 'out'"),
        ("(x, f=<Mode>)", lambda x, f=len: None, ""),
        ("(*args)", lambda *a, **k: None, ""),
        ("(x, *args)", lambda x: None, r"no \*args"),
    ],
)
def test_difference(wanted, given, why):
    found = api.difference(api.parse(wanted), parameters(given))
    assert bool(found) == bool(why)
    if why:
        assert re.search(why, found)

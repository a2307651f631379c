# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Every name of tier 1 and 2, and every internal name that programs use often, is checked by a test; those that are
not yet in `untested.txt`, and nothing is added to that list."""

import ast
import importlib.util
import warnings
from pathlib import Path

_spec = importlib.util.spec_from_file_location("api_tested", Path(__file__).with_name("tested.py"))
tested = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tested)


def test_names_without_a_test_are_the_listed_ones(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = tested.tests_by_name()
    missing = {name for name in tested.wanted() if not found.get(name)}
    assert not missing - tested.untested(), f"names that no test checks: {sorted(missing - tested.untested())}"
    done = tested.untested() - missing
    if done:
        print(f"{len(done)} names of untested.txt have a test now; run python tests/api/tested.py --update")


SOURCE = """
import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader

TABLE = {"a": lambda: nn.Mish()}
NAMES = ["SGD", "Adam"]


def helper():
    return F.relu(paddle.ones([2]))


def test_direct():
    assert helper() is not None


def test_table():
    np.testing.assert_equal(TABLE["a"](), 1)


def test_computed():
    assert [getattr(paddle.optimizer, name) for name in NAMES]


def test_without_check():
    paddle.zeros([1])


def test_members():
    loader = DataLoader([])
    assert 3 - loader.batch_size
"""


def test_what_a_test_names_is_read_through_imports_helpers_and_tables(tmp_path):
    path = tmp_path / "test_sample.py"
    path.write_text(SOURCE)
    scopes = tested.scopes_of(path, set())
    assert {"paddle.nn.functional.relu", "paddle.ones"} <= scopes["test_direct"].names
    assert "paddle.nn.Mish" in scopes["test_table"].names and scopes["test_table"].checks
    assert scopes["test_computed"].computed == {"paddle.optimizer"} and "Adam" in scopes["test_computed"].strings
    assert not scopes["test_without_check"].checks
    members = scopes["test_members"]
    assert "paddle.io.DataLoader" in members.names and {"batch_size", "__rsub__"} <= members.attributes


def test_the_files_of_this_folder_parse():
    assert ast.parse(Path(tested.__file__).read_text())

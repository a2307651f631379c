# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Module paths whose names live elsewhere: they import, they are attributes, and they give the same objects."""

import importlib

import paddle
import pytest
from paddle import _paths


@pytest.mark.parametrize("path", sorted(_paths._SHOWS))
def test_the_path_imports_and_is_an_attribute(path):
    module = importlib.import_module(path)
    found = paddle
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    # A class keeps the name that it shares with its module.
    shared = vars(module).get("__wrapped__")
    assert found is (shared if isinstance(shared, type) else module) and module.__name__ == path
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name


def test_names_are_those_of_the_home():
    from paddle.nn.functional.input import one_hot
    from paddle.nn.layer.distance import PairwiseDistance
    from paddle.static.nn.common import embedding

    assert one_hot is paddle.nn.functional.one_hot
    assert PairwiseDistance is paddle.nn.PairwiseDistance
    assert embedding is paddle.static.nn.embedding


def test_a_view_has_no_names_of_its_own():
    with pytest.raises(ImportError):
        importlib.import_module("paddle.nn.layer.no_such_module")


@pytest.mark.parametrize(
    ("path", "name", "home"),
    [
        ("paddle.tensor.math", "add", "paddle"),
        ("paddle.tensor.manipulation", "reshape", "paddle"),
        ("paddle.nn.functional.activation", "relu", "paddle.nn.functional"),
        ("paddle.nn.functional.norm", "normalize", "paddle.nn.functional"),
        ("paddle.nn.layer", "Linear", "paddle.nn"),
        ("paddle.nn.layer.common", "Upsample", "paddle.nn"),
    ],
)
def test_a_file_finds_names_of_its_home(path, name, home):
    module = importlib.import_module(path)
    assert getattr(module, name) is getattr(importlib.import_module(home), name)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name

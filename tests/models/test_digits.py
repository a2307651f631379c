# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The example that learns scikit-learn's digits, with worker processes, keeps what it promises."""

import importlib.util
import pathlib

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "digits_cnn.py"


@pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed")
def test_the_held_out_digits_are_read():
    spec = importlib.util.spec_from_file_location("digits_cnn", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert example.main(epochs=6) >= 0.95

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The generated operator reference: every operator has a section with text, signatures, dtypes, example."""

import inspect
import re
import sys
from pathlib import Path

import paddle
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import generate_reference


@pytest.fixture(scope="module")
def pages():
    return generate_reference.pages(paddle._core, ROOT)


def sections(pages):
    for name, text in pages.items():
        for part in re.split(r"^## ", text, flags=re.M)[1:]:
            title, _, body = part.partition("\n")
            yield name, title, body


def test_every_operator_has_one_section(pages):
    titles = sorted(title for _, title, _ in sections(pages))
    # py_func is made when a program first needs it; paddle.static.py_func documents it.
    operators = {n for n in dir(paddle._core.ops) if not n.startswith("_")} - {"py_func"}
    assert titles == sorted(operators)


def test_a_section_says_what_a_user_needs(pages):
    for page, title, body in sections(pages):
        assert "- dtypes: " in body and "- derivatives: " in body, f"{page}: {title}"
        assert re.search(r"```python\n\S", body), f"{page}: {title} has no example"


def test_signatures_are_the_spellings(pages):
    bodies = {title: body for _, title, body in sections(pages)}
    for path, _, op, _ in paddle._core.spellings():
        call = path.replace("paddle.Tensor.", "Tensor.") + str(inspect.signature(paddle._core.function(path)))
        assert call in bodies[op].splitlines()


def test_the_index_links_every_family(pages):
    for name in pages:
        assert name == "README.md" or f"]({name})" in pages["README.md"]


def test_dtypes_are_grouped():
    assert (
        generate_reference.dtypes_text(["float32", "bool", "float64", "float16", "bfloat16"]) == "floating-point, bool"
    )

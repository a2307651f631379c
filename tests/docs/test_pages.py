# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the pages say, executed: examples of README and of the user's pages, and the error classes."""

import builtins
import os
import re
import subprocess
import sys

import pytest

from tests.docs.blocks import ROOT, blocks

PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs" / "user").rglob("*.md"))]
EXAMPLES = [b for page in PAGES for b in blocks(page)]
ERRORS = blocks("docs/errors.md")


def name_of(block):
    return f"{block.page}:{block.line}"


def write_files(page, folder):
    """The files that the page tells to write: New file `name`, and a block of C++."""
    text = (ROOT / page).read_text()
    for name, source in re.findall(r"^New file `([^`]+)`:\n\n```cpp\n(.*?)^```$", text, re.M | re.S):
        (folder / name).write_text(source)


@pytest.mark.parametrize("block", EXAMPLES, ids=name_of)
def test_an_example_runs_in_a_fresh_interpreter(block, tmp_path):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), PADDLE_EXTENSION_DIR=str(tmp_path))
    write_files(block.page, tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", block.text], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", ERRORS, ids=name_of)
def test_an_error_is_raised_as_its_page_says(block):
    types, text = re.search(r"# raises ([\w, ]+): (.*)", block.text).groups()
    expected = tuple(getattr(builtins, name) for name in types.split(", "))
    with pytest.raises(expected, match=re.escape(text)):
        block.run()


def test_every_error_class_has_an_anchor():
    header = (ROOT / "paddle_core" / "base" / "error.h").read_text()
    kinds = re.findall(r"^\s+(k\w+),", re.search(r"enum class ErrorKind.*?\{(.*?)\};", header, re.S).group(1), re.M)
    page = (ROOT / "docs" / "errors.md").read_text()
    assert re.findall(r"^## (\w+)", page, re.M) == kinds
    assert re.findall(r"^\| \[(\w+)\]\(#(\w+)\)", page, re.M) == [(k, k.lower()) for k in kinds]


def test_links_between_pages_lead_somewhere():
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{path}: {target}"

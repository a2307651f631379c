# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the pages say, executed: their examples, the error classes, figures of README."""

import builtins
import importlib.util
import os
import re
import subprocess
import sys

import pytest

from tests.docs.blocks import ROOT, Block, blocks

PAGES = [
    "README.md",
    "docs/adding/model.md",
    "docs/adding/pass.md",
    "docs/adding/sharding_rule.md",
    "docs/compiler.md",
    "docs/support.md",
    *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs" / "user").rglob("*.md")),
]


def programs(page):
    """What of a page runs by itself: each block, or all of them where the page says that they build on one another."""
    found = blocks(page)
    if "The blocks of this page build on one another" not in (ROOT / page).read_text():
        return found
    text = ""
    for block in found:
        text += "\n" * (block.line - text.count("\n")) + block.text  # lines of the page in tracebacks
    return [Block(page, found[0].line, found[0].language, text)]


EXAMPLES = [b for page in PAGES for b in programs(page)]
ERRORS = blocks("docs/errors.md")


def name_of(block):
    return f"{block.page}:{block.line}"


def write_files(page, folder):
    """The files that the page tells to write: New file `name`, and a block of C++."""
    text = (ROOT / page).read_text()
    for name, source in re.findall(r"^New file `([^`]+)`:\n\n```cpp\n(.*?)^```$", text, re.M | re.S):
        (folder / name).write_text(source)


def missing(block):
    """Packages that the tree does not install, imported by a block and not there."""
    wanted = re.findall(r"^import (deepxde|ppsci)\b", block.text, re.M)
    return [name for name in wanted if importlib.util.find_spec(name) is None]


@pytest.mark.parametrize("block", EXAMPLES, ids=name_of)
def test_an_example_runs_in_a_fresh_interpreter(block, tmp_path):
    if missing(block):
        pytest.skip(f"{missing(block)[0]} is not installed")
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


def test_figures_of_the_readme_stand_on_the_page_of_performance():
    table = (ROOT / "README.md").read_text().split("## How fast")[1].split("##")[0]
    rows = [line.split("|")[2:] for line in table.splitlines() if re.match(r"\| [^|]*[a-z]", line)]
    figures = {n for row in rows for cell in row[:2] for n in re.findall(r"[\d.]+", cell)} - {"2.15"}
    assert len(figures) > 10
    assert figures <= set(re.findall(r"[\d.]+", (ROOT / "docs" / "performance.md").read_text()))


def test_files_that_pages_name_exist():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for page in [name for name in files if name.endswith(".md")]:
        for name in re.findall(
            r"`((?:paddle_core|phi_kernels|pir|cinn|inference|python|tests|tools|examples|docs|cmake)/[\w./]+)`",
            (ROOT / page).read_text(),
        ):
            known = any(f == name or f.startswith(name.rstrip("/") + "/") for f in files)
            assert known or "squareplus" in name or "NAME" in name, f"{page}: {name}"

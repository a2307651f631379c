# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/adding/operator.md, followed literally in a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.docs.blocks import ROOT, blocks

PAGE = "docs/adding/operator.md"
COPY = ROOT / "build" / "adding-operator"  # kept, so that the next run builds little


def steps():
    """(path, text, appended) of every block that the page tells to write."""
    text = (ROOT / PAGE).read_text()
    paths = re.findall(r"^(New file|At the end of) `([^`]+)`", text, re.M)
    written = sorted(blocks(PAGE, "cpp") + blocks(PAGE), key=lambda block: block.line)
    assert len(paths) == len(written)
    return [(path, block.text, verb != "New file") for (verb, path), block in zip(paths, written, strict=True)]


def lines_of_code(text):
    return [line for line in text.splitlines() if line.strip() and not line.startswith("//")]


def test_the_page_needs_at_most_3_files_30_lines_and_1_row():
    sources = [(path, text) for path, text, _ in steps() if not path.startswith("tests/")]
    rows = [text for path, text, _ in steps() if path.startswith("tests/op_cases/")]
    assert len(steps()) <= 3
    assert sum(len(lines_of_code(text)) for _, text in sources) <= 30
    assert sum(text.count("Case(") for text in rows) == 1


def copy_tree():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = {name for name in listed.splitlines() if (ROOT / name).is_file()}
    for name in wanted:
        source, target = ROOT / name, COPY / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            os.utime(target)
    for folder in ("paddle_core", "phi_kernels", "pir", "python", "tests"):
        for path in (COPY / folder).rglob("*.*"):
            name = path.relative_to(COPY).as_posix()
            if path.suffix in (".h", ".cc", ".py") and name not in wanted:
                path.unlink()


def run(*command, **environment):
    done = subprocess.run(
        [str(c) for c in command],
        cwd=COPY,
        env={**os.environ, "CCACHE_BASEDIR": str(COPY), "CCACHE_NOHASHDIR": "1", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_page_followed_literally_gives_an_operator():
    copy_tree()
    run(
        "cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}", "--log-level=WARNING"
    )
    for path, text, appended in steps():
        before = (COPY / path).read_text() if appended else ""
        (COPY / path).write_text(before + ("\n\n" if appended else "") + text)
    sources = [path for path, _, _ in steps() if path.endswith(".cc")]
    if shutil.which("clang-format"):
        run("clang-format", "--dry-run", "-Werror", *sources)
    run("cmake", "--build", "build")
    out = run(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_op_cases.py"),
        OP="squareplus",
        PYTHONPATH=str(COPY / "python"),
    )
    assert int(re.search(r"(\d+) passed", out).group(1)) >= 10

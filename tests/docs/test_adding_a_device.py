# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/adding/device.md, followed literally."""

import json
import os
import re
import subprocess
import sys

import paddle
import pytest

from tests.docs.blocks import ROOT, blocks

PAGE = "docs/adding/device.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("first")
    text = (ROOT / PAGE).read_text()
    paths = re.findall(r"^(New file|At the end of) `([^`]+)`", text, re.M)
    written = blocks(PAGE, "c")
    assert len(paths) == len(written)
    for (verb, path), block in zip(paths, written, strict=True):
        assert (made / path).exists() == (verb != "New file")
        with open(made / path, "a") as file:
            file.write(block.text)
    compiling, _ = blocks(PAGE, "sh")
    shell(compiling, made)
    return made


def shell(block, folder):
    """Runs a block with the commands `python` and `paddle` of this interpreter."""
    package = os.path.dirname(os.path.dirname(paddle.__file__))
    commands = f'python() {{ {sys.executable} "$@"; }}; paddle() {{ python -m paddle "$@"; }}\n'
    return subprocess.run(
        ["bash", "-ec", commands + block.text],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
    )


def test_the_device_runs(folder):
    (block,) = blocks(PAGE)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", block.text],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(paddle.__file__))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(300)
def test_it_is_examined_and_is_bronze(folder):
    done = shell(blocks(PAGE, "sh")[1], folder)
    report = json.loads((folder / "report.json").read_text())
    failed = [case for case in report["cases"] if case["outcome"] == "failed"]
    assert report["runtime"] == "bronze" and not failed, done.stdout + done.stderr

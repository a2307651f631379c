# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Damaged files and folders of language models (tests/fuzz/model_files.py): read or refused, never a crash or much memory."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.unsanitized
def test_damaged_models_are_read_or_refused():
    command = [sys.executable, "-m", "tests.fuzz.model_files", "--count", "400", "--seconds", "600"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-500:] + result.stderr[-3000:]
    total, refused = map(int, re.match(r"(\d+) files, (\d+) refused", result.stdout).groups())
    assert total == 400 and refused > 200

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What stands in the root of the tree: the rooms of the architecture, and what tools need there."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

ROOMS = {
    "backends", "cinn", "cmake", "distributed", "docs", "examples", "inference", "paddle_core", "phi_kernels", "pir", "python", "tests",
    "third_party", "tools",
}  # fmt: skip
FILES = {
    ".ci", ".clang-format", ".clang-tidy", ".gitignore", "CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "LICENSE", "Makefile",
    "README.md", "VERSION", "pyproject.toml",
}  # fmt: skip


def test_the_root_holds_nothing_else():
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    found = {Path(name).parts[0] for name in listed if (ROOT / name).exists()}
    assert found - ROOMS - FILES == set()

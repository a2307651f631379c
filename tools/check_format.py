# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The format check: clang-format over C++ files, ruff over Python files. Prints what differs."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def files(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "-co", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in listed if (ROOT / name).exists()]


def main() -> int:
    failed = 0
    if sources := files("*.h", "*.cc"):
        failed |= subprocess.run(["clang-format", "--dry-run", "-Werror", *sources], cwd=ROOT).returncode
    for command in (["check", "-q"], ["format", "-q", "--check"]):
        failed |= subprocess.run([sys.executable, "-m", "ruff", *command, "."], cwd=ROOT).returncode
    if failed:
        print("check_format: the files above differ from the style; run 'make format'.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

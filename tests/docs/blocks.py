# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads the code blocks of the Markdown pages."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Block:
    """A fenced block: its language, its text, and where it stands."""

    page: str
    line: int
    language: str
    text: str

    def run(self, namespace=None):
        """Executes the block; an error names the page and its line."""
        code = compile("\n" * self.line + self.text, self.page, "exec")
        exec(code, {"__name__": "__main__"} if namespace is None else namespace)


def blocks(page: str, language: str = "python") -> list[Block]:
    """The blocks of one language on a page, named from the root of the tree."""
    found, text = [], (ROOT / page).read_text()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        line = text[: match.start()].count("\n") + 1
        if match.group(1) == language:
            found.append(Block(page, line, language, match.group(2)))
    return found

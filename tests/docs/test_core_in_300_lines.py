# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The page that builds the idea of the core runs as one program of about 300 lines."""

from tests.docs.blocks import blocks

PROGRAM = blocks("docs/core_in_300_lines.md")


def test_the_blocks_are_one_program(capsys):
    namespace = {"__name__": "__main__"}
    for block in PROGRAM:
        block.run(namespace)
    assert "= matmul(" in capsys.readouterr().out


def test_its_length_is_what_the_title_says():
    lines = sum(block.text.count("\n") for block in PROGRAM)
    assert 250 <= lines <= 330

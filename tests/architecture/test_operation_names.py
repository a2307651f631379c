# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What analyses, transforms, compiles and runs programs compares interned names of operations, not their text."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("ir", "dialect", "pass", "drr", "transform", "capture", "interpreter", "segment")
TEXT = re.compile(
    r"\b(?:op|operation|producer|inner|made|other)(?:->|\.)name\(\)\s*(?:[!=]=|\.\s*(?:starts|ends)_with)"
)


def compared_texts(text):
    return [line.strip() for line in text.splitlines() if TEXT.search(line)]


def test_no_comparison_of_text():
    found = {
        str(path.relative_to(ROOT)): lines
        for folder in FOLDERS
        for path in sorted((ROOT / "pir" / folder).rglob("*.[ch]*"))
        if (lines := compared_texts(path.read_text()))
    }
    assert not found, f"compare OpName or OpId instead (pir/ir/op_name.h): {found}"


def test_the_search_finds_comparisons():
    assert compared_texts('if (op->name() == "pd_op.add") x();')
    assert compared_texts('if (op.name().starts_with("pd_op.")) x();')
    assert not compared_texts('if (op->is("pd_op.add")) throw_error(op->name());')

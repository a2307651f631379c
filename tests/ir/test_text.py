# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of the .pir files of this folder through the passes that they name."""

import pathlib
import re

import pytest
from paddle import _core

Program = _core.pir.Program
BUILT_IN = set(_core.pir.passes())  # before other tests add theirs


class Case:
    def __init__(self, path, number, text):
        self.directives = re.findall(r"^// (RUN|EXPECT|SAME|ERROR|NOT)\b *(.*)$", text, re.M)
        title = next((m for m in re.findall(r"^// (.*)$", text, re.M)), "")
        self.name = f"{path.stem}-{number}-{re.sub(r'[^a-z0-9]+', '_', title.lower())}"
        parts = re.split(r"^// EXPECT\b.*$", text, flags=re.M)
        self.input = parts[0]
        self.expected = parts[1] if len(parts) > 1 else None

    def of(self, kind):
        return [argument for k, argument in self.directives if k == kind]

    def check(self):
        errors = self.of("ERROR")
        passes = self.of("RUN")[0].split()
        if errors:
            with pytest.raises(ValueError, match=re.escape(errors[0])):
                Program.parse(self.input).verify()
            return
        program = Program.parse(self.input)
        before = str(program)
        program.verify()
        program.apply([p for p in passes if p != "verify"])
        program.verify()
        after = str(program)
        assert str(Program.parse(after)) == after
        if self.expected is not None:
            assert after == str(Program.parse(self.expected))
        if self.of("SAME"):
            assert after == before
        for text in self.of("NOT"):
            assert text not in after


def cases():
    for path in sorted(pathlib.Path(__file__).parent.glob("*.pir")):
        for number, text in enumerate(re.split(r"^// -+$", path.read_text(), flags=re.M)):
            if "// RUN" in text:
                yield Case(path, number, text)


@pytest.mark.parametrize("case", list(cases()), ids=lambda c: c.name)
def test_program(case):
    case.check()


def test_every_pass_has_cases():
    run = {p for c in cases() for directive in c.of("RUN") for p in directive.split()}
    assert BUILT_IN <= run

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random fusion graphs compute what their programs say. `make fuzz` runs any number of others."""

import pytest

from tests.python.cinn.graph_check import Mismatch, check
from tests.python.cinn.graph_generator import generate

NUMBER = 200
PART = 10


@pytest.mark.parametrize("part", range(NUMBER // PART))
def test_graphs_compute_what_their_programs_say(at_once, part):
    ran = 0
    for seed in range(part * PART, (part + 1) * PART):
        program = generate(seed)
        try:
            ran += check(program) > 0
        except Mismatch as error:
            raise AssertionError(f"{program}\n{error}") from None
    assert ran >= PART // 2, "few graphs ran in kernels"

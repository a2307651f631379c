# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads that wait sleep soon, unless the user says otherwise; the environment stays the user's."""

import os
import re
import subprocess
import sys

import pytest

PROGRAM = "import os, paddle; print(sorted(k for k in os.environ if k in ('GOMP_SPINCOUNT', 'OMP_WAIT_POLICY')))"


@pytest.mark.parametrize(
    "given, spins",
    [({}, "5000"), ({"GOMP_SPINCOUNT": "77"}, "77"), ({"OMP_WAIT_POLICY": "passive"}, "0")],
)
def test_what_libgomp_reads_when_it_is_loaded(given, spins):
    clean = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env=clean | {"OMP_DISPLAY_ENV": "verbose"} | given,
    )
    assert re.search(r"GOMP_SPINCOUNT = '(\d+)'", result.stderr)[1] == spins
    assert result.stdout.strip() == str(sorted(given))

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A short run of tests/bench/soak.py: what a step allocates, the step gives back. Predictors that run for long are in
tests/python/inference/test_memory.py."""

import json
import os
import subprocess
import sys

import pytest

SCRIPT = os.path.join(os.path.dirname(__file__), "bench", "soak.py")


@pytest.mark.parametrize("mode", ["train", "captured"])
def test_memory_stays_flat(mode):
    # 400 steps after the first 200: a leak of one batch of activations a step would be 100 MiB.
    done = subprocess.run(
        [sys.executable, SCRIPT, mode, "--steps", "600", "--within", "0.1"],
        capture_output=True,
        text=True,
        env=dict(os.environ, OMP_NUM_THREADS="1"),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["late_mib"] > 0

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the compiler share: kernels at the first call, and counting them."""

import os
import subprocess
import sys

import paddle
import pytest


@pytest.fixture
def at_once():
    """Kernels are compiled at the first call of their group."""
    before = paddle.get_flags(["FLAGS_cinn_async"])
    paddle.set_flags({"FLAGS_cinn_async": False})
    yield
    paddle.set_flags(before)


class Counts:
    """What the compiler did since this was made."""

    def __init__(self):
        self._before = paddle._core.pir.compiler_statistics()

    def __getattr__(self, name):
        return paddle._core.pir.compiler_statistics()[name] - self._before[name]


@pytest.fixture
def counts():
    """A function that begins to count."""
    return Counts


@pytest.fixture
def run_python():
    """Runs a program in a process of its own and gives what it prints."""

    def run(program, **environment):
        known = {**os.environ, **{name: str(value) for name, value in environment.items()}}
        done = subprocess.run(
            [sys.executable, "-c", program], env=known, capture_output=True, text=True, timeout=240, check=False
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout

    return run

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that cannot be made, or are not made in time.

FLAGS_cinn_debug_dir is what holds them up: a folder that cannot be written to makes compiling fail, and a named
pipe in the place of a file makes it wait until somebody reads.
"""

import os
import subprocess
import sys

import pytest

FAILING = """
import numpy, paddle
paddle.set_flags({"FLAGS_cinn_debug_dir": "/proc/none", "FLAGS_cinn_async": False})
def layer(x):
    return paddle.nn.functional.gelu(x * 2) + x
def f(x):
    for _ in range(3):
        x = paddle.sort(layer(x))
    return x
compiled = paddle.jit.to_static(f, backend="CINN", full_graph=True)
with paddle.no_grad():
    for rows in (3, 3, 3, 4, 5):
        x = paddle.rand([rows, 5])
        numpy.testing.assert_array_equal(compiled(x).numpy(), f(x).numpy())
    (group, *_) = paddle.jit.explain(compiled)(x).groups
s = paddle._core.pir.compiler_statistics()
print(s["failed"], s["compiled"], s["launches"], group.kernels[0].state)
"""


def test_a_group_that_cannot_be_compiled_warns_once_and_runs_uncompiled():
    done = subprocess.run([sys.executable, "-c", FAILING], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    failed, compiled, launches, state = done.stdout.split("\n")[-2].split()
    assert (compiled, launches, state) == ("0", "0", "failed")
    warnings = [line for line in done.stderr.splitlines() if "could not be compiled" in line]
    assert int(failed) == 2  # for rows of a number, and of any
    assert len(warnings) == 1
    assert "The group multiply+gelu+add could not be compiled" in warnings[0]
    assert "cannot be written" in warnings[0]


HELD = """
import os, subprocess, sys, paddle
folder = sys.argv[1]
pipes = [os.path.join(folder, name) for name in sys.argv[2:]]
def f(x):
    return paddle.tanh(x * 3.5) + x
compiled = paddle.jit.to_static(f, backend="CINN", full_graph=True)
x = paddle.rand([4, 6])
statistics = paddle._core.pir.compiler_statistics
if not pipes:
    paddle.set_flags({"FLAGS_cinn_debug_dir": folder, "FLAGS_cinn_async": False})
    compiled(x)
    sys.exit()
for path in pipes:
    os.mkfifo(path)
paddle.set_flags({"FLAGS_cinn_debug_dir": folder})
# A pipe that is open at both ends takes what is written, and text of kernels is short.
READER = '''
import os, sys
while open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()[0] != "S":
    pass  # the parent computes
ends = [os.open(path, os.O_RDWR) for path in sys.argv[1:]]
sys.stdin.read()  # until the parent has ended
'''
def read_when_this_waits():
    nothing = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-c", READER, *pipes], stdin=subprocess.PIPE, **nothing)
def call():
    assert paddle.allclose(compiled(x), f(x), rtol=1e-5)
    return statistics()["compiled"], statistics()["launches"]
"""

WITH_BUDGET = """
with paddle.jit.compile_budget(20):
    seen = [call() for _ in range(4)]
assert seen == [(0, 0)] * 4, seen  # all came back before the kernel was there
ends = [os.open(path, os.O_RDWR) for path in pipes]
paddle._core.pir.finish_compiling()
assert call() == (1, 1)
"""

WITHOUT_BUDGET = """
seen = [call(), call()]
reader = read_when_this_waits()
seen.append(call())
assert seen == [(0, 0), (0, 0), (1, 1)], seen
"""


@pytest.mark.parametrize("program", [WITH_BUDGET, WITHOUT_BUDGET], ids=["with", "without"])
def test_a_call_waits_for_its_kernel_no_longer_than_its_budget(tmp_path, program):
    environment = {**os.environ, "FLAGS_cinn_cache_dir": ""}
    plain, held = tmp_path / "plain", tmp_path / "held"
    plain.mkdir()
    held.mkdir()

    def run(text, *arguments):
        command = [sys.executable, "-c", text, *map(str, arguments)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr[-3000:]

    run(HELD, plain)
    names = [file.name for file in plain.iterdir() if file.name.endswith(".group.txt")]
    assert len(names) == 1
    run(HELD + program, held, *names)

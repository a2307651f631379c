# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads of Python that share a graph, a leaf, a converted function."""

import os
import subprocess
import sys

import pytest

SHARED_LEAF = """
import threading
import paddle
x = paddle.ones([64, 64])
x.stop_gradient = False
y = (x * x).sum()
def work():
    for _ in range(300):
        y.backward(retain_graph=True)
        assert x.grad is None or x.grad.shape == [64, 64]
        x.clear_gradient()
"""

ADDED_UP = """
import threading
import paddle
x = paddle.ones([64, 64])
x.stop_gradient = False
def work():
    for _ in range(100):
        (x * 2.0).sum().backward()
"""

FIRST_CAPTURE = """
import threading
import paddle
barrier = threading.Barrier(4)
f = [paddle.jit.to_static(lambda x, k=k: x * k + 1, full_graph=True) for k in range(4)]
def work():
    f[barrier.wait()](paddle.ones([2]))
"""

RUN = """
threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join(100)
assert not any(t.is_alive() for t in threads)
"""


@pytest.mark.parametrize(
    "program, afterwards",
    [(SHARED_LEAF, ""), (ADDED_UP, "assert (x.grad == 800).all()"), (FIRST_CAPTURE, "")],
    ids=["one graph", "one leaf", "first capture"],
)
def test_threads_end_without_harm(program, afterwards):
    command = [sys.executable, "-c", program + RUN + afterwards + "\nimport os\nos._exit(0)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr[-2000:]

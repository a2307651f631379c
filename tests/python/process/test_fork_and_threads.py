# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Forked and spawned workers, threads, interrupts and memory limits."""

import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import paddle
import pytest


def train_a_little():
    x = paddle.to_tensor(np.ones([256, 256], "float32"), stop_gradient=False)
    loss = (paddle.matmul(x, x) + paddle.nn.functional.softmax(x)).mean()
    loss.backward()
    return float(loss)


def worker(queue):
    queue.put(train_a_little())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_computes_after_the_parent_has_trained(method):
    expected = train_a_little()
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=worker, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == pytest.approx(expected, rel=1e-5)
    process.join(60)
    assert process.exitcode == 0


@pytest.mark.threads
def test_threads_compute_independently():
    results = [None] * 4

    def run(i):
        results[i] = train_a_little()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(results)) == 1


def test_random_numbers_do_not_depend_on_the_number_of_threads():
    draws = []
    for threads in (1, 2):
        paddle.seed(3)
        before = paddle._core.get_num_threads()
        paddle._core.set_num_threads(threads)
        draws.append(paddle.uniform([300_000]).numpy())
        paddle._core.set_num_threads(before)
    np.testing.assert_array_equal(*draws)


def test_absurd_sizes_are_exceptions():
    with pytest.raises((OverflowError, MemoryError, ValueError)):
        paddle.zeros([2**40, 2**40])
    with pytest.raises((MemoryError, ValueError)):
        paddle.zeros([2**45])
    with pytest.raises(ValueError):
        paddle.zeros([-3])


CHECK_IMPORT = """
import sys
import paddle
assert "numpy" not in sys.modules, "numpy was imported with paddle"
"""


def test_import_does_not_bring_numpy():
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    subprocess.run([sys.executable, "-c", CHECK_IMPORT], check=True, env=environment)

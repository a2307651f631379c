# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of a predictor that runs for long, over several shapes and from several threads."""

import os
import subprocess
import sys

import paddle
import pytest

RUNS = """
import random, sys, threading
import numpy as np
from paddle import inference

def resident():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmRSS"))
    return int(line.split()[1])

config = inference.Config(sys.argv[1] + ".json", sys.argv[1] + ".pdiparams")
config.set_cpu_math_library_num_threads(1)
first = inference.create_predictor(config)
data = np.ones([4, 3, 48, 48], "float32")

def work(predictor, count, seed):
    rng = random.Random(seed)
    for i in range(count):
        n, h, w = rng.randint(1, 4), rng.randint(8, 48), rng.randint(8, 48)
        predictor.run([np.ascontiguousarray(data[:n, :, :h, :w])])

def both(count, seed):
    threads = [threading.Thread(target=work, args=(first.clone(), count, seed + k)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

# Threads come and go; each meets shapes that the library's cache of compiled kernels does not hold.
for k in range(2):
    both(250, k)
before = resident()
for k in range(8):
    both(250, 100 * k)
print(before, resident())
"""


@pytest.mark.unsanitized
def test_memory_stays_flat_over_thousands_of_runs(tmp_path):
    path = str(tmp_path / "net")
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(3, 8, 3, padding=1),
        paddle.nn.BatchNorm2D(8),
        paddle.nn.Hardswish(),
        paddle.nn.Conv2D(8, 16, 3, stride=2, padding=1),
        paddle.nn.AdaptiveAvgPool2D(1),
        paddle.nn.Flatten(),
        paddle.nn.Linear(16, 4),
    )
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 3, None, None], "float32", "x")])
    result = subprocess.run(
        [sys.executable, "-c", RUNS, path],
        capture_output=True,
        text=True,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"},
    )
    before, after = map(int, result.stdout.split())
    assert after <= before * 1.05 + 1024, (before, after)

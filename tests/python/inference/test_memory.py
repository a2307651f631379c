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

# As many shapes as the library's cache of compiled kernels holds.
rng = random.Random(0)
shapes = [(rng.randint(1, 4), rng.randint(8, 48), rng.randint(8, 48)) for _ in range(40)]

def work(predictor, count, seed):
    rng = random.Random(seed)
    for i in range(count):
        n, h, w = rng.choice(shapes)
        predictor.run([np.ascontiguousarray(data[:n, :, :h, :w])])
        if i % 50 == 0:
            predictor.try_shrink_memory()

def both(count, seed):
    threads = [threading.Thread(target=work, args=(first.clone(), count, seed + k)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

both(250, 1)
before = resident()
both(750, 100)
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
    # One arena: a thread that meets a second one later would add to the memory once, by chance.
    result = subprocess.run(
        [sys.executable, "-c", RUNS, path],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ, MALLOC_ARENA_MAX="1"),
    )
    before, after = map(int, result.stdout.split())
    assert after <= before * 1.05 + 1024, (before, after)

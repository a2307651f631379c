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


ONE_RUN = """
import sys
import numpy as np
from paddle import inference

def peak():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

config = inference.Config(sys.argv[1] + ".json", sys.argv[1] + ".pdiparams")
config.set_cpu_math_library_num_threads(1)
predictor = inference.create_predictor(config)
small, large = (np.ones([1, 1, n], "float32") for n in (1024, 262144))
predictor.run([small])
open("/proc/self/clear_refs", "w").write("5")  # the peak so far is forgotten
before = peak()
predictor.run([large])
print(peak() - before)
"""


class Maps(paddle.nn.Layer):
    """A chain of maps of these numbers of rows; the second is needed again at the end."""

    ROWS = (22, 2, 16, 3, 20, 10, 16, 3, 24)

    def forward(self, x):
        y, maps = x, []
        for rows in self.ROWS:
            y = paddle.exp(paddle.tile(y[:, :1], [1, rows, 1]))
            maps.append(y)
        return paddle.mean(y) + paddle.mean(maps[1])


@pytest.mark.unsanitized
def test_a_run_takes_what_its_tensors_need_at_a_time(tmp_path):
    path = str(tmp_path / "net")
    paddle.jit.save(Maps(), path, input_spec=[paddle.static.InputSpec([1, 1, None], "float32", "x")])
    run = [sys.executable, "-c", ONE_RUN, path]
    result = subprocess.run(run, capture_output=True, text=True, check=True)
    # A row is 1 MiB: maps of 20 and 10 and the one of 2.
    assert float(result.stdout) <= 32 * 1.15 + 2, result.stdout

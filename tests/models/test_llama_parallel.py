# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""examples/llama_parallel.py: the quickstart's Llama with data, tensor and pipeline parallelism has the losses of one process."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import paddle
import paddle.distributed as dist
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = 3


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(EXAMPLES))
    yield importlib.import_module("llama_parallel")
    sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module")
def alone(example):
    paddle.seed(2024)
    rng, (text, _) = np.random.default_rng(2024), example.load_text()
    model, losses = example.Llama(longest=example.LENGTH), []
    optimizer, schedule = example.make_optimizer(model, 400)
    for _ in range(STEPS):
        loss = example.loss_of(model, *example.sample_batch(text, rng))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        losses.append(float(loss))
    return losses


@pytest.mark.parametrize(("ranks", "mp", "pp"), [(2, 1, 1), (2, 2, 1), (2, 1, 2), (4, 2, 1), (8, 2, 2)])
def test_simulated_ranks_have_the_losses_of_one(ranks, mp, pp, example, alone):
    for rank, losses in enumerate(dist.simulate(ranks, example.train, STEPS, ranks, mp, pp)):
        if rank >= ranks - ranks // pp:
            np.testing.assert_allclose(losses, alone, rtol=1e-6)
        else:
            assert losses == [None] * STEPS


def test_processes_have_the_losses_of_one(alone, tmp_path):
    command = [sys.executable, "-m", "paddle.distributed.launch", "--nproc_per_node", "4", "--log_dir", str(tmp_path)]
    script = [str(EXAMPLES / "llama_parallel.py"), "--steps", str(STEPS), "--mp", "2"]
    done = subprocess.run([*command, *script], capture_output=True, text=True, timeout=300, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"loss ([\d.]+)", (tmp_path / "workerlog.3").read_text())
    np.testing.assert_allclose([float(f) for f in found], alone, atol=2e-5)  # five digits are printed


def test_what_makes_it_parallel_is_short():
    text = (EXAMPLES / "llama_parallel.py").read_text()
    marked = text.split("# -- what makes it parallel")[1].split("# -----")[0].splitlines()[1:]
    lines = [line for line in marked if line.strip() and not line.strip().startswith(("#", '"""'))]
    assert len(lines) <= 30

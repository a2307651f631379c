# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The examples that train language models keep what they promise, at small sizes."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle.llm.models import Decoder, DecoderConfig, Rotary, save_gguf

from tests.python.llm.serving import double

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def run(environment, *command):
    done = subprocess.run([sys.executable, *map(str, command)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_reward_rises_and_the_engine_draws_faster_than_a_loop(environment):
    out = run(environment, EXAMPLES / "grpo.py", "--steps", 200, "--digits", 2, "--compare")
    rewards = [float(text) for text in re.findall(r"reward (\d\.\d+)", out)]
    drifts = [float(text) for text in re.findall(r"off by (\S+)", out)]
    assert rewards[0] < 0.2 and rewards[-1] > 0.4, out
    assert max(drifts) < 1e-5
    assert float(re.search(r": ([\d.]+) times as fast", out)[1]) > 2


def test_a_model_is_tuned_saved_merged_and_used(environment, tmp_path):
    pytest.importorskip("tokenizers")
    tokenizer = double.byte_tokenizer()
    sizes = dict(hidden_size=64, intermediate_size=128, num_layers=2, num_heads=4, num_kv_heads=2, head_dim=16)
    paddle.seed(0)
    model = Decoder(DecoderConfig("llama", tokenizer.vocab_size, **sizes, rotary=Rotary(16), max_positions=512))
    kinds = [double.CONTROL] * len(double.SPECIALS) + [double.BYTE] * 256 + [double.NORMAL]
    fields = dict(
        model="llama", tokens=tokenizer.pieces, scores=np.zeros(len(kinds), "f4"), token_type=np.array(kinds, "i4")
    )
    fields |= dict(bos_token_id=1, eos_token_id=2, add_space_prefix=False)
    save_gguf(model, tmp_path / "x.gguf", "Q8_0", {f"tokenizer.ggml.{key}": value for key, value in fields.items()})
    options = ("--steps", 20, "--held-out", 2, "--length", 64, "--rate", "2e-2", "--out", tmp_path / "tuned")
    out = run(environment, EXAMPLES / "finetune_lora.py", tmp_path / "x.gguf", *options)
    before, after = (float(re.search(rf"perplexity {when} +([\d.]+)", out)[1]) for when in ("before", "after"))
    merged = float(re.search(r"merged.gguf +([\d.]+)", out)[1])
    assert after < 0.8 * before and abs(merged - after) < 0.05 * after, out
    assert sorted(p.name for p in (tmp_path / "tuned").rglob("*.*")) == [
        "adapter_config.json",
        "adapter_model.safetensors",
        "merged.gguf",
    ]

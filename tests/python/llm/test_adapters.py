# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Several adapters of low rank in one engine, against models into which they are merged."""

import paddle
import pytest
from paddle.llm import LLM, SamplingParams, lora

from tests.python.llm.test_engine import TOKENIZER, greedy, log_probs, make_decoder, prompts
from tests.python.llm.test_lora import trained

PARAMS = SamplingParams(max_tokens=10, temperature=0, ignore_eos=True, logprobs=0)


@pytest.fixture(scope="module")
def adapters():
    """Name -> Adapter, of two ranks and other matrices."""
    one = lora.adapter(trained(make_decoder()))
    other = lora.adapter(trained(make_decoder(), steps=8, rank=2, targets=("v", "up")))
    return {"one": one, "other": other}


@pytest.fixture(scope="module")
def merged(adapters):
    """Name -> model; None -> that without an adapter."""
    found = {name: lora.merge(lora.apply(make_decoder(), adapter=adapter)) for name, adapter in adapters.items()}
    for model in found.values():
        model.eval()
    return {None: make_decoder(), **found}


@pytest.fixture
def llm(adapters):
    with LLM(make_decoder(), TOKENIZER, max_batch=8, max_adapters=2, max_adapter_rank=4) as made:
        for name, adapter in adapters.items():
            made.engine.load_adapter(name, adapter)
        yield made


def test_requests_of_several_adapters_run_together(llm, merged):
    rows, names = prompts(6, seed=71), ["one", "other", None] * 2
    found = llm.generate(rows, PARAMS, adapter=names)
    assert len({tuple(llm.generate(rows[0], PARAMS, adapter=name).tokens) for name in merged}) == 3
    for row, name, answer in zip(rows, names, found, strict=True):
        assert answer.tokens == greedy(merged[name], row, 10)
        expected = log_probs(merged[name], row + answer.tokens)
        for i, token in enumerate(answer.log_probs):
            assert abs(token.log_prob - expected[len(row) - 1 + i, token.token]) < 1e-4


def test_an_answer_does_not_depend_on_the_adapters_of_others(llm):
    rows = prompts(8, seed=72)
    params = SamplingParams(max_tokens=10, seed=4, ignore_eos=True, logprobs=0)
    paddle.set_flags({"FLAGS_batch_invariant": True})
    try:
        alone = [llm.generate(rows[0], params, adapter=name) for name in ("one", "other", None)]
        llm.engine.forget_prefixes()
        for name, expected in zip(("one", "other", None), alone, strict=True):
            found = llm.generate(rows, params, adapter=[name, "one", "other", None, "one", "other", None, "one"])[0]
            assert found.tokens == expected.tokens and found.log_probs == expected.log_probs
            llm.engine.forget_prefixes()
    finally:
        paddle.set_flags({"FLAGS_batch_invariant": False})


def test_known_beginnings_are_those_of_the_same_adapter(llm, merged):
    row = prompts(1, seed=73)[0]
    first = llm.generate(row, PARAMS, adapter="one")
    assert first.cached_tokens == 0 and llm.generate(row, PARAMS, adapter="one").cached_tokens >= len(row) - 1
    for name in ("other", None):
        answer = llm.generate(row, PARAMS, adapter=name)
        assert answer.cached_tokens == 0 and answer.tokens == greedy(merged[name], row, 10)
    # Another adapter in the same place under the same name.
    other = lora.adapter(trained(make_decoder(), steps=5))
    llm.engine.unload_adapter("one")
    llm.engine.load_adapter("one", other)
    again = llm.generate(row, PARAMS, adapter="one")
    assert again.cached_tokens == 0
    model = lora.merge(lora.apply(make_decoder(), adapter=other))
    model.eval()
    assert again.tokens == greedy(model, row, 10)


def test_constraints_guesses_and_small_caches_beside_adapters(adapters, merged):
    rows, names = prompts(6, seed=74), ["one", None, "other"] * 2
    options = dict(max_adapters=2, cache_bytes=14 * 2 * 2 * 2 * 8 * 4 * 16, draft_tokens=3, max_model_len=100)
    with LLM(make_decoder(), TOKENIZER, max_batch=8, **options) as llm:
        for name, adapter in adapters.items():
            llm.engine.load_adapter(name, adapter)
        found = llm.generate(rows, SamplingParams(max_tokens=30, temperature=0, ignore_eos=True), adapter=names)
        assert llm.engine.stats()["preemptions"] > 0
    for row, name, answer in zip(rows, names, found, strict=True):
        assert answer.tokens == greedy(merged[name], row, 30)


def test_answers_without_adapters_are_those_of_an_engine_without_places_for_them(llm):
    rows = prompts(3, seed=75)
    paddle.set_flags({"FLAGS_batch_invariant": True})
    try:
        with LLM(make_decoder(), TOKENIZER, max_batch=8) as plain:
            expected = plain.generate(rows, PARAMS)
        found = llm.generate(rows, PARAMS)
    finally:
        paddle.set_flags({"FLAGS_batch_invariant": False})
    assert [a.tokens for a in found] == [a.tokens for a in expected]
    assert [a.log_probs for a in found] == [a.log_probs for a in expected]


def test_what_cannot_be_loaded_is_refused(llm, adapters, tmp_path):
    engine, row = llm.engine, prompts(1, seed=76)[0]
    for arguments, message in (
        (("one", adapters["one"]), "there is an adapter 'one' already"),
        (("third", adapters["one"]), "2 adapters are loaded"),
        (("third", lora.adapter(trained(make_decoder(), rank=8))), "has the rank 8; this engine takes 4"),
        (("third", lora.adapter(trained(make_decoder(num_layers=3)))), "which the model does not have"),
        (("third", lora.adapter(trained(make_decoder(intermediate_size=40)))), "does not fit the model"),
    ):
        with pytest.raises(ValueError, match=message):
            engine.load_adapter(*arguments)
    with pytest.raises(ValueError, match="there is no adapter 'x'; loaded are: 'one', 'other'"):
        llm.generate(row, PARAMS, adapter="x")
    with pytest.raises(ValueError, match="1 prompts and 2 adapters"):
        llm.generate(row, PARAMS, adapter=["one", None])
    stream = llm.stream(row, SamplingParams(max_tokens=150, ignore_eos=True), adapter="one")
    next(stream)
    with pytest.raises(ValueError, match="1 requests still use 'one'"):
        engine.unload_adapter("one")
    stream.close()
    assert engine.drain(60)
    engine.unload_adapter("one")
    assert engine.adapters == ("other",)
    with LLM(make_decoder(), TOKENIZER, max_batch=1) as plain:
        with pytest.raises(ValueError, match="give it max_adapters"):
            plain.engine.load_adapter("one", adapters["one"])
        with pytest.raises(ValueError, match="give it max_adapters"):
            plain.generate(row, PARAMS, adapter="one")


def test_adapters_from_files(llm, adapters, tmp_path):
    adapters["one"].save(tmp_path, make_decoder())
    row = prompts(1, seed=77)[0]
    expected = llm.generate(row, PARAMS, adapter="one").tokens
    llm.engine.unload_adapter("other")
    llm.engine.load_adapter("file", tmp_path)
    assert llm.generate(row, PARAMS, adapter="file").tokens == expected

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine against plain runs of its model: which tokens, which text, what is shared, who waits."""

import ctypes
import gc
import os
import subprocess
import sys
import threading
import time

import numpy as np
import paddle
import pytest
from paddle.llm import LLM, SamplingParams
from paddle.llm.engine import Embedder, Engine, QueueFull
from paddle.llm.models import Decoder, DecoderConfig, Latent, Rotary

from tests.python.llm.serving.double import byte_tokenizer

TOKENIZER = byte_tokenizer()
GREEDY = SamplingParams(max_tokens=24, temperature=0, ignore_eos=True)


def make_decoder(seed=3, sharp=8, **more):
    paddle.seed(seed)
    sizes = dict(hidden_size=32, intermediate_size=48, num_layers=2, num_heads=4, num_kv_heads=2, head_dim=8)
    config = DecoderConfig(
        "llama", TOKENIZER.vocab_size, rotary=more.pop("rotary", Rotary(8)), **{**sizes, "max_positions": 256, **more}
    )
    decoder = Decoder(config)
    for parameter in decoder.parameters():  # far from uniform, so that the likeliest token is clear
        if len(parameter.shape) > 1:
            parameter.set_value(parameter * sharp)
    decoder.eval()
    return decoder


@pytest.fixture(scope="module")
def decoder():
    return make_decoder()


@pytest.fixture(scope="module")
def llm(decoder):
    with LLM(decoder, TOKENIZER, max_batch=8) as made:
        yield made


def log_probs(decoder, ids):
    """Those of the next token after each position, float64 [len(ids), vocab]."""
    with paddle.no_grad():
        logits = decoder(paddle.to_tensor([ids]))[0].numpy().astype("float64")
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def greedy(decoder, ids, count):
    """The likeliest tokens after ids, by runs over the whole sequence."""
    ids = list(ids)
    for _ in range(count):
        ids.append(int(log_probs(decoder, ids)[-1].argmax()))
    return ids[-count:]


def prompts(count, seed=0):
    random = np.random.default_rng(seed)
    return [random.integers(5, 261, int(length)).tolist() for length in random.integers(3, 60, count)]


class TestTokens:
    def test_greedy_answers_are_those_of_plain_runs(self, decoder, llm):
        given = prompts(6)
        for ids, answer in zip(given, llm.generate(given, GREEDY), strict=True):
            assert answer.tokens == greedy(decoder, ids, 24)
            assert answer.finish == "length" and answer.prompt_tokens == len(ids)

    @pytest.mark.parametrize(
        "more",
        [
            dict(windows=(8, 0), local_rotary=Rotary(8, 100.0)),
            dict(attention_cap=2.0, logit_cap=5.0, head_norms=True, post_norms=True, tied=True, embedding_scale=3.0),
            dict(num_heads=4, num_kv_heads=4, head_dim=12, rotary=Rotary(4), latent=Latent(16, 0, 8)),
        ],
        ids=["windows", "caps", "latent"],
    )
    def test_every_form_of_attention(self, more):
        decoder = make_decoder(**more)
        given = prompts(4, seed=1)
        with LLM(decoder, TOKENIZER, max_batch=4, max_step_tokens=16) as llm:
            for ids, answer in zip(given, llm.generate(given, GREEDY), strict=True):
                assert answer.tokens == greedy(decoder, ids, 24)

    def test_log_probabilities_are_those_of_the_training_forward(self, decoder, llm):
        ids = prompts(1, seed=2)[0]
        answer = llm.generate(ids, SamplingParams(max_tokens=40, temperature=1.5, seed=7, logprobs=3, ignore_eos=True))
        expected = log_probs(decoder, ids + answer.tokens)[len(ids) - 1 : -1]
        for row, token in zip(expected, answer.log_probs, strict=True):
            assert token.log_prob == pytest.approx(row[token.token], abs=1e-5)
            best = np.argsort(-row, kind="stable")[:3]
            assert [t for t, _ in token.best] == best.tolist()
            np.testing.assert_allclose([p for _, p in token.best], row[best], atol=1e-5)

    def test_a_seed_fixes_an_answer_whatever_else_runs(self, llm):
        ids = prompts(1, seed=3)[0]
        params = SamplingParams(max_tokens=40, seed=11, ignore_eos=True, logprobs=0)
        paddle.set_flags({"FLAGS_batch_invariant": True})
        try:
            alone = llm.generate(ids, params)
            among = llm.generate([*prompts(7, seed=4), ids], [SamplingParams(max_tokens=30)] * 7 + [params])[-1]
        finally:
            paddle.set_flags({"FLAGS_batch_invariant": False})
        assert among.tokens == alone.tokens
        assert among.log_probs == alone.log_probs  # bit by bit
        assert llm.generate(ids, SamplingParams(max_tokens=40, seed=12, ignore_eos=True)).tokens != alone.tokens

    def test_answers_of_one_prompt_differ_and_share_it(self, decoder, llm):
        ids = prompts(1, seed=5)[0] * 3
        before = llm.engine.stats()
        answers = llm.generate(ids, SamplingParams(max_tokens=12, seed=1, n=5, ignore_eos=True))
        after = llm.engine.stats()
        assert len({tuple(a.tokens) for a in answers}) == 5
        assert after["cached_prompt_tokens"] - before["cached_prompt_tokens"] >= 4 * (len(ids) // 16 * 16)
        # Answer i is the one that seed + i gives.
        again = llm.generate(ids, SamplingParams(max_tokens=12, seed=3, ignore_eos=True))
        assert again.tokens == answers[2].tokens

    def test_penalties_and_biases(self, llm):
        ids = prompts(1, seed=6)[0]
        banned = llm.generate(ids, GREEDY).tokens[0]
        one = llm.generate(ids, SamplingParams(max_tokens=8, temperature=0, ignore_eos=True, logit_bias={banned: -1e4}))
        assert banned not in one.tokens
        never_twice = SamplingParams(max_tokens=60, temperature=0, ignore_eos=True, presence_penalty=1e4)
        tokens = llm.generate(ids, never_twice).tokens
        assert len(set(tokens)) == len(tokens) == 60

    @pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8", "int4"])
    def test_narrow_caches(self, decoder, dtype):
        ids = prompts(1, seed=8)[0]
        params = SamplingParams(max_tokens=1, temperature=0, logprobs=20)
        exact = log_probs(decoder, ids)[-1]
        with LLM(decoder, TOKENIZER, max_batch=1, cache_dtype=dtype) as llm:
            found = llm.generate(ids, params).log_probs[0].best
        error = max(abs(p - exact[t]) for t, p in found)
        assert 0 < error < {"int8": 0.5, "int4": 4.0}.get(dtype, 0.5)


def test_balanced_keys_in_a_cache_of_four_bits():
    """A channel of the keys that is large and meets small queries costs little once keys are balanced."""
    decoder = make_decoder(num_heads=2, num_kv_heads=2, head_dim=32, rotary=Rotary(32, 1e12), sharp=4)
    for layer in decoder.layers:
        k, q = layer.attention.k.weight.numpy(), layer.attention.q.weight.numpy()
        for channel in (5, 16 + 5, 37, 48 + 5):  # both of a pair that is rotated together
            k[:, channel] *= 1000
            q[:, channel] /= 1000
        layer.attention.k.weight.set_value(k)
        layer.attention.q.weight.set_value(q)
    ids = [row * 2 for row in prompts(4, seed=92)]
    params = SamplingParams(max_tokens=4, temperature=0, ignore_eos=True, logprobs=0)

    def error(**options):
        with LLM(decoder, TOKENIZER, max_batch=4, max_model_len=256, cache_dtype="int4", **options) as llm:
            found = llm.generate(ids, params)
        wrong = []
        for row, answer in zip(ids, found, strict=True):
            exact = log_probs(decoder, row + answer.tokens)
            wrong += [abs(t.log_prob - exact[len(row) - 1 + i, t.token]) for i, t in enumerate(answer.log_probs)]
        return np.mean(wrong)

    measured, none = error(), error(key_balance=False)
    assert measured < 0.5 * none, (measured, none)
    with pytest.raises(ValueError, match="key_balance is for 1 layers; the model has 2 layers"):
        LLM(decoder, TOKENIZER, key_balance=[None])


class TestGuesses:
    @pytest.mark.parametrize(
        "more", [{}, {"temperature": 1.0, "seed": 5}, {"temperature": 0, "frequency_penalty": 0.05}]
    )
    def test_answers_are_the_same_with_guesses(self, decoder, more):
        ids = prompts(1, seed=9)[0]
        params = SamplingParams(**{"max_tokens": 100, "temperature": 0, "ignore_eos": True, **more})
        answers, steps = [], []
        paddle.set_flags({"FLAGS_batch_invariant": True})
        try:
            for count in (0, 5):
                with LLM(decoder, TOKENIZER, max_batch=2, draft_tokens=count) as llm:
                    answers.append(llm.generate(ids * 2, params).tokens)
                    steps.append(llm.engine.stats()["steps"])
                    accepted = llm.engine.stats()["accepted_drafts"]
        finally:
            paddle.set_flags({"FLAGS_batch_invariant": False})
        assert answers[0] == answers[1]
        assert steps[1] == steps[0] - accepted
        if not more:
            assert accepted > 20  # a small model repeats itself


class TestDraftModel:
    def test_a_model_that_guesses_for_itself_is_always_right(self, decoder):
        ids = prompts(3, seed=81)
        params = SamplingParams(max_tokens=21, temperature=0, ignore_eos=True)
        with LLM(decoder, TOKENIZER, max_batch=8, draft_model=decoder, draft_tokens=4) as llm:
            found, stats = llm.generate(ids, params), llm.engine.stats()
        assert [answer.tokens for answer in found] == [greedy(decoder, row, 21) for row in ids]
        assert stats["drafts"] == stats["accepted_drafts"] >= 3 * 16
        # The first token comes with the prompt, then five a step.
        assert stats["steps"] <= 3 + 3 + 5

    @pytest.mark.parametrize("temperature", [0, 0.8])
    def test_answers_are_the_same_with_another_model(self, decoder, temperature):
        other = make_decoder(seed=5, num_layers=1)
        ids = [row[: 9 + 7 * i] for i, row in enumerate(prompts(6, seed=82))]
        params = [SamplingParams(max_tokens=30, temperature=temperature, seed=i, n=1 + i % 2) for i in range(6)]
        paddle.set_flags({"FLAGS_batch_invariant": True})
        try:
            with LLM(decoder, TOKENIZER, max_batch=8) as plain:
                expected = plain.generate(ids, params)
            block = 2 * 2 * 2 * 8 * 4 * 16
            for more in ({}, dict(cache_bytes=14 * block, max_model_len=100)):
                with LLM(decoder, TOKENIZER, max_batch=8, draft_model=other, draft_tokens=3, **more) as llm:
                    found, stats = llm.generate(ids, params), llm.engine.stats()
                    assert stats["drafts"] > stats["accepted_drafts"]
                    assert bool(more) == (stats["preemptions"] > 0)
                assert [[a.tokens for a in (many if isinstance(many, list) else [many])] for many in found] == [
                    [a.tokens for a in (many if isinstance(many, list) else [many])] for many in expected
                ]
        finally:
            paddle.set_flags({"FLAGS_batch_invariant": False})

    def test_a_model_that_does_not_fit_is_refused(self, decoder):
        for options, error, message in (
            (dict(draft_model=3), TypeError, "draft_model is a int"),
            (
                dict(draft_model=decoder, draft_tokens=0),
                ValueError,
                "draft_tokens has the value 0; it must be at least 1",
            ),
            (dict(draft_model=make_decoder(max_positions=64)), ValueError, "is made for 64 positions"),
        ):
            with pytest.raises(error, match=message):
                Engine(decoder, TOKENIZER, **options)


class TestText:
    def test_text_is_that_of_the_tokens(self, llm):
        for ids in prompts(5, seed=10):
            answer = llm.generate(ids, SamplingParams(max_tokens=50, temperature=1.3, seed=2, ignore_eos=True))
            assert answer.text == TOKENIZER.decode(answer.tokens)

    def test_a_stop_text_ends_an_answer_and_is_no_part_of_it(self, llm):
        ids = prompts(1, seed=11)[0]
        letters = {token: 5.0 for token in range(5 + ord("a"), 5 + ord("e"))} | {5 + ord("b"): 6.0}
        params = dict(max_tokens=60, temperature=0.9, seed=4, ignore_eos=True, logit_bias={t: 100.0 for t in letters})
        whole = llm.generate(ids, SamplingParams(**params)).text
        stop = whole[20:23]
        pieces = list(llm.stream(ids, SamplingParams(**params, stop=[stop, "zz"])))
        assert "".join(p.text for p in pieces) == whole[: whole.index(stop)]
        assert pieces[-1].finish == "stop" and all(p.finish is None for p in pieces[:-1])

    def test_characters_come_whole(self, llm):
        text = "aé€😀"
        by_step = iter(text.encode())
        ids, out = prompts(1, seed=12)[0], []
        # One byte at a time is forced by its bias.
        for value in by_step:
            piece = llm.generate(ids, SamplingParams(max_tokens=1, temperature=0, logit_bias={5 + value: 1e4}))
            out.extend(piece.tokens)
            ids = ids + piece.tokens
        assert TOKENIZER.decode(out) == text

    def test_end_tokens(self, llm):
        ids = prompts(1, seed=13)[0]
        end = TOKENIZER.eos_ids[0]
        ended = llm.generate(ids, SamplingParams(max_tokens=9, temperature=0, logit_bias={end: 1e4}))
        assert (ended.tokens, ended.text, ended.finish) == ([end], "", "stop")
        assert (
            len(
                llm.generate(
                    ids, SamplingParams(max_tokens=9, temperature=0, logit_bias={end: 1e4}, ignore_eos=True)
                ).tokens
            )
            == 9
        )
        other = llm.generate(
            ids, SamplingParams(max_tokens=9, temperature=0, logit_bias={77: 1e4}, stop_token_ids=[77])
        )
        assert (other.tokens, other.finish) == ([77], "stop")


@pytest.mark.threads
class TestCache:
    def test_a_known_beginning_is_not_computed_again(self, decoder):
        ids = prompts(1, seed=14)[0]
        shared = (ids * 20)[:100]
        with LLM(decoder, TOKENIZER, max_batch=2) as llm:
            first = llm.generate([*shared, 9, 10], GREEDY)
            steps = llm.engine.stats()["step_tokens"]
            second = llm.generate([*shared, 11, 12, 13], GREEDY)
            assert (first.cached_tokens, second.cached_tokens) == (0, 100)  # 96 in blocks, 4 of a copied one
            assert llm.engine.stats()["step_tokens"] - steps == 3 + 23
            assert second.tokens == greedy(decoder, [*shared, 11, 12, 13], 24)
            assert first.tokens == llm.generate([*shared, 9, 10], GREEDY).tokens

    def test_a_small_cache_makes_answers_wait_and_not_wrong(self, decoder):
        given = prompts(12, seed=15)
        params = SamplingParams(max_tokens=60, temperature=0, ignore_eos=True)
        block_bytes = 2 * 2 * 2 * 16 * 8 * 4
        with LLM(decoder, TOKENIZER, max_batch=8, max_model_len=128, cache_bytes=12 * block_bytes) as llm:
            answers = llm.generate(given, params)
            stats = llm.engine.stats()
        assert stats["cache_blocks"] == 12 and stats["preemptions"] > 0 and stats["cache_blocks_used"] == 0
        for ids, answer in zip(given, answers, strict=True):
            assert answer.tokens == greedy(decoder, ids, 60)

    def test_weights_that_change_are_used_at_once(self):
        decoder = make_decoder(seed=5)
        ids = prompts(1, seed=16)[0]
        with LLM(decoder, TOKENIZER, max_batch=1) as llm:
            before = llm.generate(ids, GREEDY).tokens
            for parameter, other in zip(decoder.parameters(), make_decoder(seed=6).parameters(), strict=True):
                parameter.set_value(other)
            llm.engine.forget_prefixes()
            after = llm.generate(ids, GREEDY)
            assert after.cached_tokens == 0 and after.tokens == greedy(decoder, ids, 24) != before

    def test_what_was_cancelled_before_is_forgotten(self, llm):
        ids = prompts(1, seed=61)[0] * 8
        for _ in range(10):
            first = threading.Event()
            endless = SamplingParams(max_tokens=64, ignore_eos=True)
            request = llm.engine.submit(ids, endless, lambda piece, first=first: first.set())
            assert first.wait(60)
            request.cancel()
            llm.engine.forget_prefixes()
            assert llm.generate(ids, GREEDY).cached_tokens == 0


class TestFaces:
    def test_chats_are_filled_into_the_template(self, llm):
        pytest.importorskip("jinja2")
        from paddle.llm.chat import find_template

        talks = [[{"role": "user", "content": text}] for text in ("Hello <|im_end|>", "Bye")]
        params = SamplingParams(max_tokens=6, temperature=0)
        template = find_template(None, TOKENIZER).plain
        found = llm.chat(talks, params)
        assert len(found) == 2
        for talk, answer in zip(talks, found, strict=True):
            ids = template.encode(talk)
            assert answer.prompt_tokens == len(ids) and ids.count(TOKENIZER.specials["<|im_end|>"]) == 1
            assert answer.tokens == greedy(llm.model, ids, len(answer.tokens))
        assert llm.chat(talks[1], params).tokens == found[1].tokens
        with pytest.raises(ValueError, match=r"messages\[0\]"):
            llm.chat([{"role": "nobody", "content": "x"}])
        with pytest.raises(ValueError, match="2 conversations and 1 SamplingParams"):
            llm.chat(talks, [params])

    def test_a_chat_template_of_ones_own(self, decoder, tmp_path):
        pytest.importorskip("jinja2")
        (tmp_path / "x.jinja").write_text("{% for m in messages %}[{{ m.content }}]{% endfor %}{{ mood }}")
        with LLM(decoder, TOKENIZER, chat_template=tmp_path / "x.jinja", max_batch=1) as llm:
            params = SamplingParams(max_tokens=4, temperature=0, ignore_eos=True)
            answer = llm.chat([{"role": "user", "content": "ab"}], params, mood="!")
            assert answer.tokens == greedy(decoder, TOKENIZER.encode("[ab]!", bos=False), 4)

    def test_calls_of_tools_in_a_chat(self, decoder):
        pytest.importorskip("jinja2")
        pytest.importorskip("llguidance")
        from paddle.llm.chat import grammar_of_calls

        parameters = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]}
        parameters["additionalProperties"] = False
        tools = [{"type": "function", "function": {"name": "add", "parameters": parameters}}]
        params = SamplingParams(max_tokens=120, seed=1, grammar=grammar_of_calls("hermes", tools, False))
        with LLM(make_decoder(max_positions=2048), TOKENIZER, max_batch=1) as llm:
            (call,) = llm.chat([{"role": "user", "content": "ab"}], params, tools=tools).tool_calls
        assert call.name == "add" and call.arguments in ('{"n": 1}', '{"n": 2}')

    def test_embeddings_by_a_decoder(self, decoder, llm):
        texts = ["a longer text of some tokens", "short", [5, 6, 7]]
        found = llm.embed(texts)
        assert found.shape == (3, 32) and found.dtype == np.float32
        for text, vector in zip(texts, found, strict=True):
            ids = TOKENIZER.encode(text) if isinstance(text, str) else text
            with paddle.no_grad():
                states = decoder.states(paddle.to_tensor([ids]))[0].numpy()
            mean = states.mean(0)
            np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), rtol=0, atol=1e-5)
        np.testing.assert_allclose(llm.embed("short"), found[1], rtol=0, atol=1e-6)
        last = Embedder(decoder, TOKENIZER, "last").embed("short")
        with paddle.no_grad():
            state = decoder.states(paddle.to_tensor([TOKENIZER.encode("short")]))[0, -1].numpy()
        np.testing.assert_allclose(last, state / np.linalg.norm(state), rtol=0, atol=1e-5)
        for wrong, message in (([[]], "no tokens"), ([[99999]], "there is no token 99999"), ("x" * 300, "takes 256")):
            with pytest.raises(ValueError, match=message):
                llm.embed(wrong)

    def test_bars_show_how_far_it_is(self, decoder, capsys):
        with LLM(decoder, TOKENIZER, max_batch=2, progress=True) as llm:
            llm.generate(prompts(3, seed=41), SamplingParams(max_tokens=2))
        assert "answers [" in (text := capsys.readouterr().err) and "] 3/3" in text


@pytest.mark.threads
class TestRequests:
    def test_cancelling(self, llm):
        ids, seen, done = prompts(1, seed=17)[0], [], threading.Event()

        def receive(piece):
            seen.append(piece)
            if len(seen) == 3:
                request.cancel()
            if piece.finish:
                done.set()

        request = llm.engine.submit(ids, SamplingParams(max_tokens=190, ignore_eos=True), receive)
        assert done.wait(60)
        assert seen[-1].finish == "cancelled" and len(seen) < 190
        request.cancel()  # nothing is left to cancel
        assert llm.generate(ids, GREEDY).finish == "length"
        assert llm.engine.stats()["cache_blocks_used"] == 0

    def test_a_stream_that_is_left_is_cancelled(self, llm):
        stream = llm.stream(prompts(1, seed=18)[0], SamplingParams(max_tokens=190, ignore_eos=True))
        next(stream)
        stream.close()
        end = time.monotonic() + 60
        while llm.engine.stats()["running"] and time.monotonic() < end:
            time.sleep(0.01)
        assert llm.engine.stats()["running"] == 0

    def test_what_can_never_be_answered_is_refused(self, llm):
        nobody = lambda piece: None
        with pytest.raises(ValueError, match="no tokens"):
            llm.engine.submit([], GREEDY, nobody)
        with pytest.raises(ValueError, match="256 tokens.*max_model_len"):
            llm.engine.submit([5] * 256, GREEDY, nobody)
        with pytest.raises(ValueError, match=f"token {TOKENIZER.vocab_size}"):
            llm.engine.submit([TOKENIZER.vocab_size], GREEDY, nobody)
        with pytest.raises(ValueError, match="logit_bias names token -1"):
            llm.engine.submit([5], SamplingParams(logit_bias={-1: 1.0}), nobody)
        with pytest.raises(ValueError, match="top_p has the value 0"):
            SamplingParams(top_p=0)

    def test_an_answer_ends_where_the_model_does(self, llm):
        answer = llm.generate([5] * 250, SamplingParams(ignore_eos=True))
        assert (len(answer.tokens), answer.finish) == (6, "length")

    def test_a_full_queue_says_so(self, decoder):
        with Engine(decoder, TOKENIZER, max_batch=1, max_queue=2) as engine:
            params, full = SamplingParams(max_tokens=200, ignore_eos=True), 0
            for _ in range(50):
                try:
                    engine.submit([5, 6], params, lambda piece: None)
                except QueueFull:
                    full += 1
            assert full >= 40

    def test_batches_larger_than_the_queue(self, decoder):
        params = SamplingParams(max_tokens=3, temperature=0, n=3)
        with LLM(decoder, TOKENIZER, max_batch=2, max_queue=2) as llm:
            found = llm.generate(prompts(9, seed=43), params)
        assert [len(many) for many in found] == [3] * 9 and all(answer.finish for many in found for answer in many)

    def test_a_program_may_end_while_answers_are_written(self):
        code = """
import sys
from tests.python.llm.test_engine import *
llm = LLM(make_decoder(), TOKENIZER, max_batch=8)
for ids in prompts(8, seed=1):
    llm.engine.submit(ids, SamplingParams(max_tokens=150, ignore_eos=True), lambda piece: None)
sys.exit(3)
"""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        for end in ("", "del llm\n", "import gc\ndel llm\ngc.collect()\n"):
            whole = code.replace("sys.exit", end + "sys.exit")
            done = subprocess.run([sys.executable, "-c", whole], env=environment, capture_output=True, text=True)
            assert done.returncode == 3 and done.stderr == "", done.stderr

    def test_an_engine_that_nobody_holds_ends(self, decoder):
        llm = LLM(decoder, TOKENIZER, max_batch=1)
        llm.generate(prompts(1, seed=2)[0], GREEDY)
        thread = llm.engine._reader
        assert thread.is_alive()
        del llm
        gc.collect()
        thread.join(60)
        assert not thread.is_alive()

    def test_closing_cancels_and_draining_waits(self, decoder):
        seen = []
        engine = Engine(decoder, TOKENIZER, max_batch=2)
        engine.submit([5, 6], GREEDY, seen.append)
        assert engine.drain(60) and seen[-1].finish == "length"
        with pytest.raises(RuntimeError, match="no new requests"):
            engine.submit([5], GREEDY, seen.append)
        engine.close()
        engine.close()
        engine, seen = Engine(decoder, TOKENIZER, max_batch=2), []
        engine.submit([5, 6], SamplingParams(max_tokens=250, ignore_eos=True), seen.append)
        engine.close()
        assert seen[-1].finish in ("cancelled", "length")

    def test_logits_that_are_no_numbers_end_the_answer_alone(self):
        decoder = make_decoder(seed=7)
        broken = decoder.embedding.weight.numpy()
        broken[200] = np.nan
        decoder.embedding.weight.set_value(broken)
        with LLM(decoder, TOKENIZER, max_batch=2) as llm:
            with pytest.raises(RuntimeError, match="not numbers"):
                llm.generate([9, 200], GREEDY)
            never = SamplingParams(max_tokens=10, temperature=0, ignore_eos=True, logit_bias={200: -1e9})
            assert len(llm.generate([9, 10], never).tokens) == 10

    def test_arguments_are_checked(self, decoder):
        with pytest.raises(ValueError, match="cache_dtype has the value 'int3'"):
            Engine(decoder, TOKENIZER, cache_dtype="int3")
        with pytest.raises(ValueError, match="cache_bytes is 10000.*smaller max_model_len"):
            Engine(decoder, TOKENIZER, cache_bytes=10_000, max_model_len=256)
        with pytest.raises(ValueError, match="made for 256 positions"):
            Engine(decoder, TOKENIZER, max_model_len=300)
        with pytest.raises(TypeError, match="must be a Decoder"):
            Engine(paddle.nn.Linear(2, 2), TOKENIZER)


def test_a_thread_that_holds_pythons_lock_does_not_slow_the_engine():
    decoder = make_decoder(
        hidden_size=128, intermediate_size=256, num_layers=4, head_dim=32, rotary=Rotary(32), max_positions=60_000
    )
    # Never lets go of the lock, unlike a loop in Python.
    sleep = ctypes.PyDLL(None).usleep
    with LLM(decoder, TOKENIZER, max_batch=8, cache_bytes=1 << 30) as llm:
        params = SamplingParams(max_tokens=50_000, temperature=0, ignore_eos=True)
        requests = [llm.engine.submit([5 + i], params, lambda piece: None) for i in range(8)]

        def steps_in(seconds, wait):
            before, begin = llm.engine.stats()["steps"], time.monotonic()
            wait(seconds)
            return (llm.engine.stats()["steps"] - before) / (time.monotonic() - begin)

        time.sleep(0.5)
        free, held = steps_in(1.5, time.sleep), steps_in(1.5, lambda s: sleep(int(s * 1e6)))
        again = steps_in(1.5, time.sleep)
        for request in requests:
            request.cancel()
    assert held >= 0.8 * min(free, again)

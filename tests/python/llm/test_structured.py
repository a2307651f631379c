# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers of a form: a model of random weights writes valid JSON, words of a regular expression and of a grammar."""

import json
import re
import threading

import numpy as np
import paddle
import pytest
from paddle.llm import LLM, SamplingParams

from tests.python.llm.serving.double import byte_tokenizer
from tests.python.llm.test_engine import GREEDY, make_decoder, prompts

pytest.importorskip("llguidance", reason="answers of a form need the package llguidance")

TOKENIZER = byte_tokenizer()


@pytest.fixture(scope="module")
def llm():
    with LLM(make_decoder(max_positions=1024, sharp=2), TOKENIZER, max_batch=8) as made:
        yield made


@pytest.fixture
def batch_invariant():
    paddle.set_flags({"FLAGS_batch_invariant": True})
    yield
    paddle.set_flags({"FLAGS_batch_invariant": False})


def entry(properties, **more):
    required = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **required, **more}


NAME = {"type": "string", "maxLength": 6}
# Schema, and what must hold of a value that it describes.
SCHEMAS = {
    "any object": ({"type": "object", "maxProperties": 2}, lambda v: isinstance(v, dict)),
    "string": (NAME, lambda v: isinstance(v, str) and len(v) <= 6),
    "integer": ({"type": "integer", "minimum": 3, "maximum": 40}, lambda v: type(v) is int and 3 <= v <= 40),
    "boolean": ({"type": "boolean"}, lambda v: isinstance(v, bool)),
    "null": ({"type": "null"}, lambda v: v is None),
    "constant": ({"const": {"a": [1, None]}}, lambda v: v == {"a": [1, None]}),
    "choice": ({"enum": ["red", 7, False]}, lambda v: v in ("red", 7, False)),
    "list": (
        {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}, "minItems": 2, "maxItems": 3},
        lambda v: 2 <= len(v) <= 3 and all(type(i) is int and 0 <= i <= 9 for i in v),
    ),
    "entry": (
        entry({"name": NAME, "ok": {"type": "boolean"}}),
        lambda v: list(v) == ["name", "ok"] and isinstance(v["name"], str) and isinstance(v["ok"], bool),
    ),
    "nested": (
        entry({"at": entry({"x": {"type": "integer", "maximum": 9, "minimum": -9}})}),
        lambda v: list(v) == ["at"] and -9 <= v["at"]["x"] <= 9,
    ),
    "one of two": (
        {"anyOf": [entry({"a": {"const": 1}}), entry({"b": {"const": 2}})]},
        lambda v: v in ({"a": 1}, {"b": 2}),
    ),
    "reference": (
        {
            "$defs": {"leaf": entry({"n": {"enum": [0, 1]}})},
            "type": "array",
            "items": {"$ref": "#/$defs/leaf"},
            "minItems": 1,
            "maxItems": 2,
        },
        lambda v: all(leaf in ({"n": 0}, {"n": 1}) for leaf in v),
    ),
    "pattern": (
        {"type": "string", "pattern": "^[A-C]{2}[0-9]$"},
        lambda v: re.fullmatch("[A-C]{2}[0-9]", v) is not None,
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_answers_are_json_of_the_schema(llm, name):
    schema, holds = SCHEMAS[name]
    ids = prompts(1, seed=31)[0]
    for seed in range(3):
        answer = llm.generate(ids, SamplingParams(max_tokens=600, seed=seed, json_schema=schema))
        assert answer.finish == "stop" and holds(json.loads(answer.text)), answer.text
    greedy = llm.generate(ids, SamplingParams(max_tokens=600, temperature=0, json_schema=json.dumps(schema)))
    # The likeliest tokens may never end; what is there is the beginning of such a value.
    assert greedy.finish == "length" or holds(json.loads(greedy.text))


def test_regular_expressions_and_grammars(llm):
    ids = prompts(1, seed=32)[0]
    date = llm.generate(ids, SamplingParams(max_tokens=40, seed=1, regex=r"[12][0-9]{3}-[01][0-9]"))
    assert re.fullmatch(r"[12][0-9]{3}-[01][0-9]", date.text) and date.finish == "stop"
    grammar = 'start: "(" start ")" | WORD\nWORD: /[a-c]{1,3}/\n'
    found = llm.generate(ids, SamplingParams(max_tokens=60, seed=1, n=4, grammar=grammar))
    for answer in found:
        if answer.finish == "stop":
            assert re.fullmatch(r"(\(*)[a-c]{1,3}(\)*)", answer.text)
            assert answer.text.count("(") == answer.text.count(")")
    assert {answer.finish for answer in found} <= {"stop", "length"}


def test_answers_of_any_form_beside_them_do_not_change(llm, batch_invariant):
    ids = prompts(8, seed=33)
    free = SamplingParams(max_tokens=24, seed=5, logprobs=1)
    alone = [llm.generate(prompt, free) for prompt in ids[:4]]
    schema, holds = SCHEMAS["entry"]
    formed = SamplingParams(max_tokens=600, seed=5, json_schema=schema)
    mixed = llm.generate(ids, [free] * 4 + [formed] * 4)
    for one, other in zip(alone, mixed[:4], strict=True):
        assert one.tokens == other.tokens and one.log_probs == other.log_probs
    assert all(holds(json.loads(answer.text)) for answer in mixed[4:])


def test_guesses_cache_and_preemption_leave_the_form():
    decoder = make_decoder(max_positions=128, sharp=2)
    regex, ids = r"([a-d]{4} ){12}", prompts(6, seed=34)
    params = SamplingParams(max_tokens=100, seed=2, regex=regex)
    with LLM(decoder, TOKENIZER, max_batch=8) as plain:
        expected = [answer.tokens for answer in plain.generate(ids, params)]
    # Room for three of the six answers.
    block_bytes = 2 * 2 * 2 * 8 * 4 * 16
    with LLM(decoder, TOKENIZER, max_batch=8, cache_bytes=24 * block_bytes, draft_tokens=4) as small:
        found = small.generate(ids, params)
        assert small.engine.stats()["preemptions"] > 0
    assert [answer.tokens for answer in found] == expected
    assert all(re.fullmatch(regex, answer.text) for answer in found)


def test_python_is_asked_once_a_step_and_only_for_such_answers(llm, monkeypatch):
    decoder, calls = make_decoder(max_positions=256), []
    from paddle.llm.engine import constraints

    make_masks = constraints.Constraints.make_masks

    def counted(self, rows, words):
        calls.append(len(rows))
        return make_masks(self, rows, words)

    monkeypatch.setattr(constraints.Constraints, "make_masks", counted)
    with LLM(decoder, TOKENIZER, max_batch=8) as made:
        made.generate(prompts(4, seed=35), GREEDY)
        assert calls == []
        steps = made.engine.stats()["steps"]
        made.generate(prompts(4, seed=35), SamplingParams(max_tokens=30, seed=1, regex="[a-z]{20}"))
        assert 20 <= len(calls) <= made.engine.stats()["steps"] - steps and max(calls) == 4


def test_what_cannot_be_used_is_refused(llm):
    for params, message in (
        (dict(regex="["), "regex cannot be used"),
        (dict(json_schema={"type": "colour"}), "json_schema cannot be used"),
        (dict(grammar="start: missing"), "grammar cannot be used"),
    ):
        with pytest.raises(ValueError, match=message):
            llm.generate("x", SamplingParams(**params))
    for arguments, message in (
        (dict(json_schema="{"), "json_schema is no JSON"),
        (dict(json_schema={"a": np}), "json_schema is no JSON"),
        (dict(regex=3), "regex has type int; it must be a str"),
        (dict(regex="a", grammar="b"), "regex and grammar are given; an answer has one form at most"),
        (dict(regex="a", ignore_eos=True), "ignore_eos has the value True; it must be False where answers have a form"),
    ):
        with pytest.raises(ValueError, match=message):
            SamplingParams(**arguments)
    assert llm.engine._constraints._matchers == {}


def test_cancelled_answers_are_forgotten(llm):
    ended, first = threading.Event(), threading.Event()

    def receive(piece):
        first.set()
        if piece.finish:
            ended.set()

    params = SamplingParams(max_tokens=900, regex="(ab)*c")
    request = llm.engine.submit(prompts(1, seed=36)[0], params, receive)
    assert first.wait(60)
    request.cancel()
    assert ended.wait(60)
    while llm.engine._requests:
        ended.wait(0.01)
    assert llm.engine._constraints._matchers == {}

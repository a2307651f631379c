# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The server and the terminal over the engine itself, with a small model of random weights."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import numpy as np
import paddle.llm
import pytest
from paddle.llm.models import ContiguousCache, Decoder, DecoderConfig, Rotary, load_model, save_gguf

from tests.python.llm.serving import double

openai = pytest.importorskip("openai", reason="the tests of the server need the package openai")

TOKENIZER = double.byte_tokenizer()
HI = [{"role": "user", "content": "Hello é <|im_end|>"}]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The path of a GGUF file."""
    paddle.seed(3)
    config = DecoderConfig(
        architecture="llama",
        vocab_size=TOKENIZER.vocab_size,
        hidden_size=32,
        intermediate_size=48,
        num_layers=2,
        num_heads=4,
        num_kv_heads=2,
        head_dim=8,
        rotary=Rotary(8),
    )
    decoder = Decoder(config)
    for parameter in decoder.parameters():  # far from uniform, so that the likeliest token is clear
        if len(parameter.shape) > 1:
            parameter.set_value(parameter * 8)
    kinds = [double.CONTROL] * len(double.SPECIALS) + [double.BYTE] * 256 + [double.NORMAL]
    fields = dict(
        model="llama",
        tokens=TOKENIZER.pieces,
        scores=np.zeros(len(kinds), "float32"),
        token_type=np.array(kinds, "int32"),
        bos_token_id=1,
        eos_token_id=2,
        unknown_token_id=0,
        add_space_prefix=False,
    )
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    save_gguf(decoder, path, "F32", {f"tokenizer.ggml.{key}": value for key, value in fields.items()})
    return str(path)


@pytest.fixture(scope="module")
def server(model):
    """The address of `paddle serve`, as a program."""
    command = [sys.executable, "-m", "paddle", "serve", model, "--port", "0", "--max-model-len", "1024"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    line = process.stderr.readline()
    found = re.search(r"serving tiny on (\S+)/v1", line)
    assert found, line + process.stderr.read()
    yield found[1]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0, process.stderr.read()


def greedy(model, ids, count):
    """The likeliest tokens, computed without an engine."""
    decoder, found = load_model(model), []
    cache = ContiguousCache(decoder.config, 1, len(ids) + count)
    with paddle.no_grad():
        for _ in range(count):
            cache.extend(len(ids))
            ids = [int(decoder(paddle.to_tensor([ids]), cache)[0, -1].argmax())]
            found += ids
    return found


SCHEMA = {
    "type": "object",
    "properties": {"city": {"enum": ["Lima", "Oslo"]}, "days": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["city", "days"],
    "additionalProperties": False,
}
TOOLS = [
    {"type": "function", "function": {"name": "travel", "parameters": SCHEMA, "strict": True}},
    {"type": "function", "function": {"name": "stay", "parameters": {"type": "object", "maxProperties": 0}}},
]


def is_journey(value):
    return list(value) == ["city", "days"] and value["city"] in ("Lima", "Oslo") and value["days"] in range(1, 10)


def test_answers_of_a_form(server):
    pytest.importorskip("llguidance")
    api = openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0)
    form = {"type": "json_schema", "json_schema": {"name": "journey", "schema": SCHEMA, "strict": True}}
    options = dict(model="tiny", messages=HI, max_tokens=120)
    for seed in range(4):
        whole = api.chat.completions.create(**options, response_format=form, seed=seed).choices[0]
        assert whole.finish_reason == "stop" and is_journey(json.loads(whole.message.content))
        stream = api.chat.completions.create(**options, response_format=form, seed=seed, stream=True)
        assert "".join(c.choices[0].delta.content or "" for c in stream) == whole.message.content
    found = api.chat.completions.create(**options, extra_body={"guided_regex": "(ja|nein)"}, n=4, seed=1)
    assert {choice.message.content for choice in found.choices} <= {"ja", "nein"}
    text = api.completions.create(model="tiny", prompt="x", max_tokens=20, extra_body={"guided_regex": "[ab]{3}"})
    assert re.fullmatch("[ab]{3}", text.choices[0].text)
    found = api.chat.completions.create(**options, response_format={"type": "json_object"}, seed=2).choices[0]
    assert found.finish_reason == "length" or isinstance(json.loads(found.message.content), dict)
    broken = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "colour"}}}
    with pytest.raises(openai.BadRequestError, match="json_schema cannot be used"):
        api.chat.completions.create(**options, response_format=broken)


def test_calls_of_tools_that_are_forced(server):
    pytest.importorskip("llguidance")
    api = openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0)
    options = dict(model="tiny", messages=HI, max_tokens=200, tools=TOOLS)
    named = {"type": "function", "function": {"name": "travel"}}
    for seed in range(3):
        (call,) = api.chat.completions.create(**options, tool_choice=named, seed=seed).choices[0].message.tool_calls
        assert call.function.name == "travel" and is_journey(json.loads(call.function.arguments))
        choice = api.chat.completions.create(
            **options, tool_choice="required", parallel_tool_calls=False, seed=seed
        ).choices[0]
        (call,) = choice.message.tool_calls
        assert choice.finish_reason == "tool_calls" and call.function.name in ("travel", "stay")
        arguments = json.loads(call.function.arguments)
        assert is_journey(arguments) if call.function.name == "travel" else arguments == {}


def test_a_model_answers_as_it_does_without_a_server(model, server):
    from paddle.llm.chat import find_template

    api = openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0)
    ids = find_template(model, TOKENIZER).plain.encode(HI)
    stops = {TOKENIZER.specials[text] for text in ("</s>", "<|im_end|>")}
    wanted = greedy(model, ids, 40)
    end = next((i for i, token in enumerate(wanted) if token in stops), 40)
    text = TOKENIZER.decode(wanted[:end])
    options = dict(model="tiny", messages=HI, max_tokens=40, temperature=0)
    whole = api.chat.completions.create(**options)
    assert whole.choices[0].message.content == text and whole.usage.prompt_tokens == len(ids)
    stream = api.chat.completions.create(stream=True, **options)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == text


def test_a_seed_gives_the_same_answers_streamed_and_whole(server):
    api = openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0)
    for seed in range(3):
        options = dict(model="tiny", messages=HI, max_tokens=30, seed=seed, n=2, logprobs=True, top_logprobs=3)
        whole = api.chat.completions.create(**options)
        texts, tokens = ["", ""], [[], []]
        for chunk in api.chat.completions.create(stream=True, **options):
            for choice in chunk.choices:
                texts[choice.index] += choice.delta.content or ""
                tokens[choice.index] += choice.logprobs.content if choice.logprobs else []
        assert texts == [choice.message.content for choice in whole.choices]
        assert [[t.bytes for t in of] for of in tokens] == [
            [t.bytes for t in choice.logprobs.content] for choice in whole.choices
        ]
        assert all(
            len(t.top_logprobs) == 3 and t.logprob <= t.top_logprobs[0].logprob + 1e-6 for of in tokens for t in of
        )


def test_many_streams_at_once_are_those_of_one_after_another(server):
    api = openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0)

    def ask(number):
        messages = [{"role": "user", "content": f"number {number}"}]
        stream = api.chat.completions.create(model="tiny", messages=messages, max_tokens=20, temperature=0, stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in stream)

    alone, together = [ask(number) for number in range(12)], [None] * 12
    threads = [threading.Thread(target=lambda i=i: together.__setitem__(i, ask(i))) for i in range(len(together))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_the_engine_gives_its_figures_and_reasons(server):
    with urllib.request.urlopen(f"{server}/metrics") as answer:
        text = answer.read().decode()
    for name in ("cache_usage_ratio", "steps_total", "weight_bytes", "memory_bandwidth_bytes", "prefix_hit_ratio"):
        assert re.search(rf"^paddle_llm_{name} [\d.e+-]+$", text, re.M), text
    body = json.dumps({"model": "tiny", "prompt": "x" * 1100}).encode()
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{server}/v1/completions", body)
    assert caught.value.code == 400 and b"maximum context length is 1024" in caught.value.read()


def test_adapters_are_models_of_the_server(model, tmp_path):
    from paddle.llm import lora

    decoder = lora.apply(load_model(model), rank=3, targets=("q", "o"))
    for parameter in lora.parameters(decoder):
        parameter.set_value(paddle.randn(parameter.shape) * 0.5)
    decoder.eval()
    lora.adapter(decoder).save(tmp_path / "wild", decoder)
    command = [sys.executable, "-m", "paddle", "serve", model, "--port", "0", "--lora", f"wild={tmp_path / 'wild'}"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        url = re.search(r"serving tiny on (\S+)/v1", process.stderr.readline())[1]
        api = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        assert [entry.id for entry in api.models.list()] == ["tiny", "wild"]
        options = dict(prompt="abc", max_tokens=12, temperature=0, extra_body={"ignore_eos": True})
        plain, wild = (api.completions.create(model=name, **options) for name in ("tiny", "wild"))
        assert (plain.model, wild.model) == ("tiny", "wild") and plain.choices[0].text != wild.choices[0].text
        ids = TOKENIZER.encode("abc")
        expected = decoder.generate(ids, max_new_tokens=12, ignore_eos=True, tokenizer=TOKENIZER).text
        assert wild.choices[0].text == expected
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_the_terminal_talks_to_a_model(model):
    command = [sys.executable, "-m", "paddle", "chat", model, "--max-tokens", "5", "--temperature", "0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, input=b"a\nb\n", capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"> ") >= 2

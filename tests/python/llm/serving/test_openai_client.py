# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface as the package `openai` sees it."""

import asyncio
import base64
import json
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest
from paddle.llm.chat import NoTemplate

from tests.python.llm.serving import double

openai = pytest.importorskip("openai", reason="the tests of the server need the package openai")
HI = [{"role": "user", "content": "hi"}]
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}]


def client(server, **options):
    return openai.OpenAI(base_url=f"{server.url}/v1", **{"api_key": "none", "max_retries": 0, **options})


def post(server, path, body):
    """(status, object) of a body that is sent as it is."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(server.url + path, data)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


# -- answers
def test_a_chat_is_answered(shared):
    answer = client(shared).chat.completions.create(model="double", messages=HI)
    (choice,) = answer.choices
    assert choice.message.content == "answer 0: é €" and choice.finish_reason == "stop" and answer.model == "double"
    assert choice.message.role == "assistant" and choice.logprobs is None and answer.object == "chat.completion"
    prompt = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    assert answer.usage.prompt_tokens == len(shared.engine.tokenizer.encode(prompt, special=True, bos=False))
    assert answer.usage.completion_tokens == len("answer 0: é €".encode())
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("stop", [None, ["é €!", "0: é"], "wer"])
@pytest.mark.parametrize("longest", [None, 13])
def test_a_stream_has_the_text_of_the_whole(shared, count, stop, longest):
    options = dict(model="double", messages=HI, n=count, stop=stop, max_tokens=longest)
    whole = client(shared).chat.completions.create(**options)
    texts, ends, roles = [""] * count, [None] * count, [0] * count
    for chunk in client(shared).chat.completions.create(stream=True, **options):
        assert chunk.object == "chat.completion.chunk" and chunk.usage is None
        for choice in chunk.choices:
            assert ends[choice.index] is None
            texts[choice.index] += choice.delta.content or ""
            ends[choice.index] = choice.finish_reason
            roles[choice.index] += choice.delta.role == "assistant"
    assert texts == [choice.message.content for choice in whole.choices]
    assert ends == [choice.finish_reason for choice in whole.choices] and roles == [1] * count
    assert len(set(texts)) == count or stop or longest


def test_a_stream_ends_with_the_usage_on_demand(shared):
    stream = client(shared).chat.completions.create(
        model="double", messages=HI, stream=True, stream_options={"include_usage": True}
    )
    *chunks, last = stream
    assert last.choices == [] and last.usage.completion_tokens == len("answer 0: é €".encode())
    assert all(chunk.usage is None for chunk in chunks)


def test_completions_take_texts_tokens_and_lists_of_them(shared):
    ids = shared.engine.tokenizer.encode("ab")
    for prompt, count in (("a", 1), (["a", "b"], 2), (ids, 1), ([ids, ids, ids], 3)):
        answer = client(shared).completions.create(model="double", prompt=prompt, n=2, max_tokens=8)
        assert [choice.index for choice in answer.choices] == list(range(2 * count))
        assert [choice.text for choice in answer.choices] == ["answer 0", "answer 1"] * count
        assert {choice.finish_reason for choice in answer.choices} == {"length"}
        assert answer.usage.completion_tokens == 16 * count
    answer = client(shared).completions.create(model="double", prompt=["x", ids], echo=True)
    assert [choice.text for choice in answer.choices] == ["xanswer 0: é €", "abanswer 0: é €"]
    stream = client(shared).completions.create(model="double", prompt=["x", "y"], stream=True)
    texts = ["", ""]
    for chunk in stream:
        texts[chunk.choices[0].index] += chunk.choices[0].text
    assert texts == ["answer 0: é €"] * 2


def test_log_probabilities_are_shown(shared):
    options = dict(model="double", messages=HI, logprobs=True, top_logprobs=2)
    (choice,) = client(shared).chat.completions.create(**options).choices
    content = choice.logprobs.content
    assert b"".join(bytes(entry.bytes) for entry in content).decode() == choice.message.content
    assert all(len(e.top_logprobs) == 2 and e.top_logprobs[0].logprob == e.logprob == -0.5 for e in content)
    streamed = []
    for chunk in client(shared).chat.completions.create(stream=True, **options):
        for part in chunk.choices:
            streamed += part.logprobs.content if part.logprobs else []
    assert streamed == content
    (choice,) = client(shared).completions.create(model="double", prompt="a", logprobs=3, max_tokens=4).choices
    found = choice.logprobs
    assert found.tokens == list("answ") and found.text_offset == [0, 1, 2, 3] and found.token_logprobs == [-0.5] * 4
    assert [len(best) for best in found.top_logprobs] == [3] * 4
    plain = client(shared).chat.completions.create(model="double", messages=HI, logprobs=True)
    assert plain.choices[0].logprobs.content[0].top_logprobs == []


def test_parameters_reach_the_engine(start):
    server = start()
    options = dict(
        temperature=0.5, top_p=0.9, presence_penalty=0.1, frequency_penalty=-0.2, seed=7, logit_bias={"5": -1}
    )
    own = dict(top_k=40, min_p=0.05, repetition_penalty=1.1, ignore_eos=True, stop_token_ids=[9])
    client(server).chat.completions.create(
        model="double",
        messages=HI,
        max_completion_tokens=5,
        stop=["z"],
        extra_body=own,
        user="u",
        store=False,
        **options,
    )
    taken = server.engine.taken[-1]
    for name, value in {**options, **own, "max_tokens": 5, "stop": ("z",), "logit_bias": {5: -1.0}}.items():
        if name != "stop_token_ids":
            assert getattr(taken, name) == value
    specials = server.engine.tokenizer.specials
    assert set(taken.stop_token_ids) == {9, specials["<|im_end|>"]}


# -- tools
@pytest.mark.parametrize("stream", [False, True])
def test_calls_of_tools_are_found(start, stream):
    engine = double.Engine()
    text = 'Wait.\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n<tool_call>{"name": "add"}</tool_call>'
    engine.script = lambda prompt, index: text if '"name": "add"' in prompt else "no tools"
    api = client(start(engine)).chat.completions
    options = dict(model="double", messages=HI, tools=TOOLS)
    if stream:
        content, calls, ends = "", [], []
        for chunk in api.create(stream=True, **options):
            content += chunk.choices[0].delta.content or ""
            calls += chunk.choices[0].delta.tool_calls or []
            ends.append(chunk.choices[0].finish_reason)
        assert [call.index for call in calls] == [0, 1] and ends[-1] == "tool_calls" and set(ends[:-1]) == {None}
    else:
        message, end = (choice := api.create(**options).choices[0]).message, choice.finish_reason
        content, calls = message.content, message.tool_calls
        assert end == "tool_calls"
    assert content == "Wait." and [call.function.name for call in calls] == ["add", "add"]
    assert [json.loads(call.function.arguments) for call in calls] == [{"a": 1}, {}] and len({c.id for c in calls}) == 2
    again = [*HI, {"role": "assistant", "tool_calls": [call.model_dump(exclude={"index"}) for call in calls]}]
    again += [{"role": "tool", "tool_call_id": call.id, "content": "2"} for call in calls]
    assert api.create(model="double", messages=again, tools=TOOLS).choices[0].message.tool_calls
    assert len(api.create(parallel_tool_calls=False, **options).choices[0].message.tool_calls) == 1
    none = api.create(tool_choice="none", **options).choices[0]
    assert none.message.content == "no tools" and none.finish_reason == "stop"


def test_the_form_of_llama_3(start):
    tokens = ["<unk>", "<s>", "</s>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    engine = double.Engine(tokenizer=double.byte_tokenizer(tokens))
    engine.script = lambda prompt, index: (
        '{"name": "add", "parameters": {"a": [1]}}' if "add" in prompt else '{"json": 1}'
    )
    api = client(start(engine)).chat.completions
    message = api.create(model="double", messages=HI, tools=TOOLS).choices[0].message
    assert message.content is None and message.tool_calls[0].function.arguments == '{"a": [1]}'
    assert api.create(model="double", messages=HI).choices[0].message.content == '{"json": 1}'
    parts = [c.choices[0].delta for c in api.create(model="double", messages=HI, tools=TOOLS, stream=True)]
    assert [part.tool_calls[0].function.name for part in parts if part.tool_calls] == ["add"]


# -- what is refused
CHAT, TEXT, EMBED = "/v1/chat/completions", "/v1/completions", "/v1/embeddings"


OTHER = {"type": "function", "function": {"name": "other"}}


@pytest.mark.parametrize(
    "path, body, message",
    [
        (CHAT, b"{", "could not parse the JSON body"),
        (CHAT, b"[1]", "must be a JSON object"),
        (CHAT, b'{"temperature": NaN}', "NaN is no number of JSON"),
        (CHAT, b"[" * 100_000, "could not parse the JSON body"),
        (CHAT, b"\xff\xfe", "could not parse the JSON body"),
        (CHAT, b'{"seed": 1' + b"0" * 5000 + b"}", "could not parse the JSON body"),
        (CHAT, {"messages": HI, "colour": 1, "size": 2}, "Unrecognized request arguments supplied: colour, size"),
        (CHAT, {"messages": HI, "stop": [""]}, "'stop' must be a string or a list"),
        (CHAT, {}, "messages must be a list"),
        (CHAT, {"messages": HI, "temperature": "hot"}, "'temperature' has the value \"hot\"; it must be a number"),
        (CHAT, {"messages": HI, "temperature": 2.5}, "'temperature' has the value 2.5; it must be at most 2.0"),
        (CHAT, {"messages": HI, "temperature": True}, "it must be a number"),
        (CHAT, {"messages": HI, "top_p": 0}, "top_p has the value 0.0"),
        (CHAT, {"messages": HI, "n": 0}, "'n' has the value 0; it must be at least 1"),
        (CHAT, {"messages": HI, "top_logprobs": 2}, "'top_logprobs' needs 'logprobs'"),
        (CHAT, {"messages": HI, "max_tokens": 1, "max_completion_tokens": 2}, "differ"),
        (CHAT, {"messages": HI, "logit_bias": {"99999": 1}}, "'logit_bias' has the key '99999'"),
        (CHAT, {"messages": HI, "logit_bias": {"1": 101}}, "must be a number from -100 to 100"),
        (
            CHAT,
            {"messages": HI, "response_format": {"type": "xml"}},
            "it must be 'text', 'json_object' or 'json_schema'",
        ),
        (CHAT, {"messages": HI, "response_format": {"type": "json_schema"}}, "must be an object that has a 'schema'"),
        (CHAT, {"messages": HI, "guided_regex": "a", "guided_json": {}}, "json_schema and regex are given"),
        (
            CHAT,
            {"messages": HI, "tool_choice": "any", "tools": TOOLS},
            "'tool_choice' must be 'auto', 'none', 'required'",
        ),
        (CHAT, {"messages": HI, "tool_choice": OTHER, "tools": TOOLS}, "names no function of 'tools'; these are there"),
        (CHAT, {"messages": HI, "tool_choice": "auto"}, "'tool_choice' is given without 'tools'"),
        (CHAT, {"messages": HI, "store": True}, "this server keeps nothing"),
        (CHAT, {"messages": HI, "stream_options": {}}, "'stream_options' needs 'stream'"),
        (CHAT, {"messages": HI, "stream": True, "stream_options": {"x": 1}}, "stream_options.x"),
        (CHAT, {"messages": HI, "reasoning_effort": "high"}, "'chat_template_kwargs'"),
        (CHAT, {"messages": HI, "chat_template_kwargs": {"messages": 1}}, "must not have the key 'messages'"),
        (CHAT, {"messages": [{"role": "user", "content": "x" * 5000}]}, "maximum context length is 4096 tokens"),
        (CHAT, {"messages": [{"role": "user", "content": "x" * 2_000_000}]}, "characters do not fit into it"),
        (TEXT, {"prompt": "x" * 2_000_000}, "2000000 characters do not fit into it"),
        (TEXT, {"prompt": ["a"] * 100, "n": 100}, "a call may ask for 512 answers"),
        (TEXT, {}, "'prompt' is missing"),
        (TEXT, {"prompt": [[]]}, "'prompt' must be a string"),
        (TEXT, {"prompt": [99999]}, "tokens that do not exist"),
        (TEXT, {"prompt": [1, "a"]}, "'prompt' must be a string"),
        (TEXT, {"prompt": "a", "suffix": "b"}, "the model writes on at the end only"),
        (TEXT, {"prompt": "a", "best_of": 3}, "'best_of' has the value 3"),
        (TEXT, {"prompt": "a", "echo": True, "logprobs": 1}, "'echo' with 'logprobs'"),
        (EMBED, {"input": "a"}, "makes text and no embeddings"),
    ],
)
def test_what_is_wrong_is_said(shared, path, body, message):
    status, answer = post(shared, path, body)
    assert status == 400 and message in answer["error"]["message"], answer
    assert set(answer["error"]) == {"message", "type", "param", "code"}
    assert answer["error"]["type"] == "invalid_request_error"


def test_errors_are_those_that_the_client_knows(start):
    engine = double.Engine(max_model_len=50)
    server = start(
        engine, api_keys=["secret", "other", "schlüssel"], names=["double", "alias", "of/a"], max_prompt_tokens=40
    )
    for key, headers in (("wrong", {}), ("", {}), ("secret", {"Authorization": "Basic secret"})):
        with pytest.raises(openai.AuthenticationError):
            client(server, api_key=key or "x", default_headers=headers).models.list()
    api = client(server, api_key="other")
    assert [model.id for model in api.models.list()] == ["double", "alias", "of/a"]
    assert api.models.retrieve("alias").id == "alias" and api.models.retrieve("alias").max_model_len == 50
    with pytest.raises(openai.NotFoundError, match="'gpt' does not exist; served here: 'double', 'alias', 'of/a'"):
        api.chat.completions.create(model="gpt", messages=HI)
    with pytest.raises(openai.NotFoundError):
        api.models.retrieve("gpt")
    assert api.models.retrieve("of/a").id == "of/a"
    request = urllib.request.Request(f"{server.url}/v1/models")
    request.add_header("Authorization", "Bearer schlüssel".encode().decode("latin-1"))
    assert urllib.request.urlopen(request).status == 200
    with pytest.raises(openai.BadRequestError) as caught:
        api.completions.create(model="alias", prompt="x" * 60)
    assert caught.value.code == "context_length_exceeded" and caught.value.param == "prompt"
    with pytest.raises(openai.BadRequestError, match="this server takes at most 40"):
        api.completions.create(model="alias", prompt="x" * 45)
    assert api.completions.create(model="alias", prompt="x" * 39).model == "double"
    assert post(server, "/nowhere", {})[0] == 404 and post(server, "/health", {})[0] == 405
    with urllib.request.urlopen(server.url + "/health") as answer:
        assert json.load(answer) == {"status": "ok"}


def test_without_a_template_chats_are_refused_with_the_remedy(start):
    tokenizer = double.byte_tokenizer(["<unk>", "<s>", "</s>"])
    server = start(double.Engine(tokenizer=tokenizer))
    status, answer = post(server, CHAT, {"messages": HI})
    assert status == 400 and "--chat-template" in answer["error"]["message"]
    assert answer["error"]["code"] == "no_chat_template"
    assert client(server).completions.create(model="double", prompt="a").choices
    assert issubclass(NoTemplate, ValueError)


def test_a_failure_of_the_model_is_told(start):
    server = start()
    messages = [{"role": "user", "content": "please fail"}]
    with pytest.raises(openai.InternalServerError, match="the double was asked to"):
        client(server).chat.completions.create(model="double", messages=messages)
    with pytest.raises(openai.APIError, match="the double was asked to"):
        list(client(server).chat.completions.create(model="double", messages=messages, stream=True))
    assert client(server).chat.completions.create(model="double", messages=HI).choices


def test_a_full_queue_is_429(start):
    engine = double.Engine(max_batch=1, max_queue=1)
    engine.step_seconds = 0.02
    server = start(engine)
    results = []

    def ask():
        try:
            results.append(client(server).chat.completions.create(model="double", messages=HI))
        except openai.RateLimitError as error:
            results.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = [result for result in results if isinstance(result, Exception)]
    assert 0 < len(refused) < 8 and all(error.response.headers["retry-after"] == "1" for error in refused)
    assert refused[0].code == "queue_full"
    # Prompts of one call stay or go together.
    status, _ = post(server, TEXT, {"prompt": ["a"] * 10, "max_tokens": 3})
    assert status == 429
    while engine.stats()["running"] or engine.stats()["waiting"]:
        time.sleep(0.01)


# -- embeddings
class Embedder:
    def embed(self, texts):
        if "bad" in texts:
            raise ValueError("embed: no")
        return np.array([[len(text), 0.5] for text in texts], "float64")


def test_embeddings(start):
    engine = double.Engine()
    engine.embed = Embedder().embed
    server = start(engine)
    api = client(server).embeddings
    for form in ("float", "base64", None):
        more = {"encoding_format": form} if form else {}
        answer = api.create(model="double", input=["abc", "é"], **more)
        found = [entry.embedding for entry in answer.data]
        if form == "base64":
            found = [np.frombuffer(base64.b64decode(text), "<f4").tolist() for text in found]
        assert found == [[3.0, 0.5], [1.0, 0.5]] and answer.usage.prompt_tokens == 4 + 3
    assert api.create(model="double", input="a").data[0].embedding == [1.0, 0.5]
    tokens = api.create(model="double", input=[[5, 6, 7], [8]])
    assert tokens.data[0].embedding == [3.0, 0.5] and tokens.usage.prompt_tokens == 4
    assert api.create(model="double", input=[5, 6]).data[0].embedding == [2.0, 0.5]
    assert api.create(model="double", input="abc", dimensions=1).data[0].embedding == [1.0]
    status, answer = post(server, EMBED, {"input": "a", "dimensions": 3})
    assert status == 400 and "vectors have 2 numbers" in answer["error"]["message"]
    for given, message in (
        ("bad", "embed: no"),
        ([[1, "a"]], "a list of tokens"),
        (3, "a list of tokens"),
        ("", "empty string"),
        ([], "list"),
    ):
        status, answer = post(server, EMBED, {"input": given})
        assert status == 400 and message in answer["error"]["message"]


def test_a_server_of_an_encoder(start):
    from paddle.llm.engine import EmbeddingEngine
    from paddle.llm.models import Encoder, EncoderConfig

    tokenizer = double.byte_tokenizer()
    model = Encoder(EncoderConfig("bert", tokenizer.vocab_size, 16, 32, 2, 2, max_positions=64))
    model.eval()
    engine = EmbeddingEngine(model, tokenizer)
    server = start(engine)
    found = client(server).embeddings.create(model="double", input=["abc", "longer text"])
    np.testing.assert_allclose(
        [entry.embedding for entry in found.data], engine.embed(["abc", "longer text"]), rtol=0, atol=1e-6
    )
    assert abs(np.linalg.norm(found.data[0].embedding) - 1) < 1e-5
    half = client(server).embeddings.create(model="double", input="abc", dimensions=8).data[0].embedding
    whole = np.array(found.data[0].embedding[:8])
    np.testing.assert_allclose(half, whole / np.linalg.norm(whole), rtol=0, atol=1e-6)
    status, answer = post(server, TEXT, {"prompt": "a"})
    assert status == 400 and "ask /v1/embeddings" in answer["error"]["message"]
    status, answer = post(server, EMBED, {"input": "x" * 100})
    assert status == 400 and "the model takes 64" in answer["error"]["message"]


# -- figures
def figures(server):
    with urllib.request.urlopen(server.url + "/metrics") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = answer.read().decode().splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}


def test_figures_count_what_happened(start):
    server = start()
    before = figures(server)
    for _ in range(3):
        client(server).chat.completions.create(model="double", messages=HI, n=2, max_tokens=5)
    post(server, CHAT, {})
    found = figures(server)
    name = "paddle_llm_"
    assert found[name + "generated_tokens_total"] == 30 and found[name + "requests_running"] == 0
    assert found[name + "time_to_first_token_seconds_count"] == 6
    assert found[name + "time_between_tokens_seconds_count"] == 24
    assert found[name + 'time_between_tokens_seconds_bucket{le="+Inf"}'] == 24
    buckets = [value for key, value in found.items() if key.startswith(name + "time_to_first_token_seconds_bucket")]
    assert buckets == sorted(buckets) and buckets[-1] == 6
    assert found[name + 'http_requests_total{path="/v1/chat/completions",status="200"}'] == 3
    assert found[name + 'http_requests_total{path="/v1/chat/completions",status="400"}'] == 1
    assert found[name + "memory_bound_ratio"] == pytest.approx(10_000_000 / 0.001 / 1e10)
    assert before[name + "generated_tokens_total"] == 0 and name + "memory_bound_ratio" not in before


def test_the_memory_is_measured_when_nobody_said_how_fast_it_is(start, monkeypatch):
    from paddle.llm.server import bandwidth

    monkeypatch.setattr(bandwidth, "BYTES", 1 << 20)
    found = figures(start(bandwidth_bytes=None))
    assert found["paddle_llm_memory_bandwidth_bytes"] > 1e8


# -- the end
def test_a_drain_lets_running_answers_finish_and_refuses_new_ones(start):
    engine = double.Engine()
    engine.step_seconds = 0.03
    server = start(engine)
    stream = client(server).chat.completions.create(model="double", messages=HI, stream=True)
    text = next(stream).choices[0].delta.content
    open_before = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    server.ask_to_stop()
    while not server.application.is_draining:
        time.sleep(0.01)
    with pytest.raises(openai.InternalServerError) as caught:
        open_before.chat.completions.create(model="double", messages=HI)
    assert caught.value.status_code == 503 and "shutting down" in str(caught.value)
    text += "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text == "answer 0: é €"
    server.thread.join()
    with pytest.raises(openai.APIConnectionError):
        open_before.models.list()


def test_an_async_client_has_many_streams_at_once(start):
    server = start(double.Engine(max_queue=1000))

    async def one(api, number):
        stream = await api.chat.completions.create(model="double", messages=HI, stream=True, n=2)
        texts = ["", ""]
        async for chunk in stream:
            texts[chunk.choices[0].index] += chunk.choices[0].delta.content or ""
        return texts

    async def everything():
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as api:
            return await asyncio.gather(*(one(api, number) for number in range(50)))

    assert asyncio.run(everything()) == [["answer 0: é €", "answer 1: é €"]] * 50

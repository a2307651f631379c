# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The bodies of OpenAI's calls: every field checked, and either understood or refused."""

from dataclasses import dataclass, field

from ..chat import NoTemplate, ToolCallReader, grammar_of_calls, normal_messages, normal_tools
from ..chat.template import RESERVED
from .errors import APIError, bad

MAX_STOPS = 16
MAX_ANSWERS = 128
MAX_PROMPTS = 128
MAX_TEXTS = 2048
MAX_TOGETHER = 512  # answers to all prompts of a call
TOKEN_CHARACTERS = 256  # no token of a vocabulary in use stands for more
_NOT_KEPT = "this server keeps nothing."
_ONLY_TEXT = "this server reads and writes text."


@dataclass
class Call:
    """What a call asks for.

    Attributes:
        prompts: Lists of ids.
        params: SamplingParams.
        stream: Whether pieces are sent as they come.
        with_usage: Whether a stream ends with the usage.
        logprobs: None, or how many of the best tokens are shown beside each.
        adapter: Name of the adapter that was asked for, or None.
        reader: Makes a ToolCallReader for an answer; None: calls of tools are not looked for.
        echo: Texts that go in front of the answers to each prompt; empty: none.
    """

    prompts: list
    params: object
    stream: bool
    with_usage: bool
    logprobs: int | None
    reader: object = None
    adapter: str | None = None
    echo: list = field(default_factory=list)


class Reader:
    """Reads calls for one model.

    Args:
        engine: The engine.
        names: The names that the model is served under.
        templates: A function without arguments that gives the TemplateChoice or raises NoTemplate.
        max_prompt_tokens: So many tokens may a prompt have; None: as many as the engine takes.
    """

    def __init__(self, engine, names, templates, max_prompt_tokens=None):
        self.engine, self.tokenizer, self.names, self.templates = engine, engine.tokenizer, names, templates
        self.max_prompt_tokens = max_prompt_tokens

    def chat(self, fields):
        """The Call of a body for /v1/chat/completions."""
        adapter = self._model(fields)
        messages = _checked(normal_messages, fields.raw("messages"), "messages")
        tools, reader, forced = self._tools(fields)
        options = fields.take("chat_template_kwargs", dict, {})
        taken = sorted(set(options) & set(RESERVED))
        if taken:
            raise bad(f"'chat_template_kwargs' must not have the key {taken[0]!r}.", "chat_template_kwargs")
        wants, best = fields.take("logprobs", bool, False), fields.take("top_logprobs", int, None, 0, 20)
        if best is not None and not wants:
            raise bad("'top_logprobs' needs 'logprobs' to be true.", "top_logprobs")
        longest = fields.take("max_completion_tokens", int, None, 1)
        older = fields.take("max_tokens", int, None, 1)
        if longest is not None and older is not None and longest != older:
            raise bad("'max_tokens' and 'max_completion_tokens' differ; give one of them.", "max_tokens")
        fields.only("modalities", (["text"],), _ONLY_TEXT)
        for name in ("audio", "web_search_options", "prediction", "functions", "function_call"):
            fields.only(name, (), "use messages, tools and tool_choice.")
        fields.only("reasoning_effort", (), "use what the model's template takes, in 'chat_template_kwargs'.")
        fields.only("verbosity", ("medium",), "ask for it in the messages.")
        self._common(fields)
        template = self._template(tools)
        call = self._call(
            fields,
            longest if longest is not None else older,
            (best or 0) if wants else None,
            stop_token_ids=template.stop_ids,
            forced=forced,
        )
        call.reader, call.adapter = reader, adapter
        try:
            parts = template.parts(messages, tools, **options)
        except ValueError as error:
            raise bad(f"{error}", "messages") from None
        self._check_size(sum(len(text) for text, _ in parts), "messages")
        call.prompts = [self.tokenizer.encode_parts(parts, bos=False)]
        self._check_lengths(call.prompts, "messages")
        return call

    def completion(self, fields):
        """The Call of a body for /v1/completions."""
        adapter = self._model(fields)
        prompts, texts = self._prompts(fields.raw("prompt"))
        best = fields.take("logprobs", int, None, 0, 20)
        longest = fields.take("max_tokens", int, 16, 1)
        fields.only("suffix", ("",), "the model writes on at the end only.")
        echo = fields.take("echo", bool, False)
        if echo and best is not None:
            raise bad("'echo' with 'logprobs' is not supported: a prompt's probabilities are not computed.", "echo")
        count = fields.take("n", int, 1, 1, MAX_ANSWERS)
        fields.only("best_of", (count,), "every answer that is made is sent; leave it out.")
        self._common(fields)
        call = self._call(fields, longest, best)
        if len(prompts) * count > MAX_TOGETHER:
            text = f"{len(prompts)} prompts with {count} answers each are too many; a call may ask for {MAX_TOGETHER} answers."
            raise bad(text, "n")
        call.prompts, call.adapter = prompts, adapter
        if echo:
            call.echo = [
                text if text is not None else self.tokenizer.decode(ids)
                for text, ids in zip(texts, prompts, strict=True)
            ]
        self._check_lengths(prompts, "prompt")
        return call

    def embedding(self, fields):
        """(texts or lists of tokens, whether base64 is wanted, length of the vectors or None) of a body for /v1/embeddings."""
        self._model(fields)
        given = fields.raw("input")
        texts = [given] if isinstance(given, str) or _is_tokens(given) else given
        if not isinstance(texts, list) or not texts or not all(isinstance(t, str) or _is_tokens(t) for t in texts):
            raise bad("'input' must be a string or a list of tokens, or a list of these.", "input")
        if len(texts) > MAX_TEXTS:
            raise bad(f"'input' has {len(texts)} entries; at most {MAX_TEXTS} are taken.", "input")
        if not all(texts):
            raise bad("'input' must not be an empty string.", "input")
        form = fields.take("encoding_format", str, "float")
        if form not in ("float", "base64"):
            raise bad(f"'encoding_format' has the value {form!r}; it must be 'float' or 'base64'.", "encoding_format")
        dimensions = fields.take("dimensions", int, None, 1)
        fields.take("user", str)
        fields.finish()
        return texts, form == "base64", dimensions

    # -- parts of these
    def _model(self, fields):
        """The adapter that "model" names; None for the model by itself."""
        name = fields.take("model", str)
        adapters = getattr(self.engine, "adapters", ())
        if name in adapters:
            return name
        if name is not None and name not in self.names:
            served = ", ".join(repr(known) for known in (*self.names, *adapters))
            raise APIError(
                404, f"The model {name!r} does not exist; served here: {served}.", "model", "model_not_found"
            )
        return None

    def _template(self, tools):
        try:
            template = self.templates().of(tools)
        except NoTemplate as error:
            raise bad(f"{error}", "messages", "no_chat_template") from None
        if tools and not template.takes_tools:
            raise bad(
                f"{template.name} shows the model no tools; leave them out, or give another --chat-template.", "tools"
            )
        if tools and template.tool_form is None:
            raise bad(
                f"{template.name} has calls of tools in a form that is not read; those of Hermes and Llama 3 are.",
                "tools",
            )
        return template

    def _tools(self, fields):
        choice = fields.raw("tool_choice")
        is_forced = choice == "required" or isinstance(choice, dict)
        given = [] if fields.raw("tools") is None else fields.raw("tools")
        tools = _checked(lambda value: normal_tools(value, is_forced), given, "tools")
        many = fields.take("parallel_tool_calls", bool, True)
        if choice is None:
            choice = "auto" if tools else "none"
        names = [tool["function"]["name"] for tool in tools]
        if choice != "none" and fields.raw("tool_choice") is not None and not tools:
            raise bad("'tool_choice' is given without 'tools'.", "tool_choice")
        called = tools if choice == "required" else []
        if isinstance(choice, dict):
            function = choice.get("function")
            name = function.get("name") if isinstance(function, dict) else None
            if choice.get("type") != "function" or name not in names:
                raise bad(
                    f"'tool_choice' names no function of 'tools'; these are there: {', '.join(names)}.", "tool_choice"
                )
            called = [tool for tool in tools if tool["function"]["name"] == name]
        elif choice not in ("auto", "none", "required"):
            raise bad("'tool_choice' must be 'auto', 'none', 'required' or name a function.", "tool_choice")
        if not tools or choice == "none":
            return [], None, None
        form = self._template(tools).tool_form
        # A named function is called once.
        forced = {"grammar": grammar_of_calls(form, called, many and choice == "required")} if called else None
        return tools, lambda: ToolCallReader(form, names, many), forced

    def _common(self, fields):
        """Fields of OpenAI's that change no answer, and what this server cannot do."""
        fields.take("user", str)
        fields.take("safety_identifier", str)
        fields.take("prompt_cache_key", str)
        fields.only("store", (False,), _NOT_KEPT)
        fields.only("metadata", ({},), _NOT_KEPT)
        fields.only("service_tier", ("auto", "default"), "there is one kind of service.")

    def _call(self, fields, longest, logprobs, stop_token_ids=(), forced=None):
        from .. import SamplingParams

        stream = fields.take("stream", bool, False)
        options = fields.take("stream_options", dict)
        if options is not None and not stream:
            raise bad("'stream_options' needs 'stream' to be true.", "stream_options")
        unknown = sorted(set(options or {}) - {"include_usage", "include_obfuscation"})
        if unknown:
            raise bad(f"Unrecognized request argument supplied: stream_options.{unknown[0]}", "stream_options")
        with_usage = (options or {}).get("include_usage", False)
        if not isinstance(with_usage, bool) or (options or {}).get("include_obfuscation"):
            raise bad("'stream_options' may have the boolean 'include_usage'; nothing is obfuscated.", "stream_options")
        values = dict(
            max_tokens=longest,
            temperature=fields.take("temperature", float, 1.0, 0.0, 2.0),
            top_k=fields.take("top_k", int, 0, 0),
            top_p=fields.take("top_p", float, 1.0, 0.0, 1.0),
            min_p=fields.take("min_p", float, 0.0, 0.0, 1.0),
            presence_penalty=fields.take("presence_penalty", float, 0.0, -2.0, 2.0),
            frequency_penalty=fields.take("frequency_penalty", float, 0.0, -2.0, 2.0),
            repetition_penalty=fields.take("repetition_penalty", float, 1.0, 0.0),
            logit_bias=self._bias(fields.take("logit_bias", dict)),
            seed=fields.take("seed", int, None, -(1 << 63), (1 << 63) - 1),
            stop=_stops(fields.raw("stop")),
            stop_token_ids=tuple(stop_token_ids) + self._stop_ids(fields.take("stop_token_ids", list, [])),
            ignore_eos=fields.take("ignore_eos", bool, False),
            logprobs=logprobs,
            n=fields.take("n", int, 1, 1, MAX_ANSWERS),
            **self._form(fields, forced),
        )
        fields.finish()
        try:
            params = SamplingParams(**values)
        except ValueError as error:
            raise bad(f"{error}") from None
        return Call([], params, stream, with_usage, logprobs)

    def _form(self, fields, forced):
        """What SamplingParams is told of the form of the answers: that of response_format, of the extensions
        guided_json, guided_regex and guided_grammar, or of a call of a tool that is forced."""
        form = form_of(fields.take("response_format", dict))
        schema = fields.raw("guided_json")
        guided = dict(
            json_schema=schema,
            regex=fields.take("guided_regex", str),
            grammar=fields.take("guided_grammar", str),
        )
        form.update((key, value) for key, value in guided.items() if value is not None)
        if form and forced:
            raise bad("'tool_choice' forces a call of a tool, so the answer can have no other form.", "tool_choice")
        return form or forced or {}

    def _bias(self, given):
        if not given:
            return None
        made = {}
        for key, value in given.items():
            if not key.isascii() or not key.isdigit() or len(key) > 9 or int(key) >= self.tokenizer.vocab_size:
                raise bad(
                    f"'logit_bias' has the key {key[:40]!r}; it must be a token, less than {self.tokenizer.vocab_size}.",
                    "logit_bias",
                )
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not -100 <= value <= 100:
                raise bad(f"'logit_bias' of the token {key} must be a number from -100 to 100.", "logit_bias")
            made[int(key)] = float(value)
        return made

    def _stop_ids(self, given):
        if not all(type(token) is int and 0 <= token < self.tokenizer.vocab_size for token in given):
            raise bad(f"'stop_token_ids' must be tokens, less than {self.tokenizer.vocab_size}.", "stop_token_ids")
        return tuple(given)

    def _prompts(self, given):
        """(lists of ids, their texts or None) of "prompt"."""
        if given is None:
            raise bad("'prompt' is missing.", "prompt")
        is_ids = isinstance(given, list) and given and all(type(token) is int for token in given)
        prompts = [given] if isinstance(given, str) or is_ids else given
        if not isinstance(prompts, list) or not prompts:
            raise bad(
                "'prompt' must be a string, a list of strings, a list of tokens or a list of such lists.", "prompt"
            )
        if len(prompts) > MAX_PROMPTS:
            raise bad(f"'prompt' has {len(prompts)} entries; at most {MAX_PROMPTS} are taken.", "prompt")
        ids, texts = [], []
        for prompt in prompts:
            if isinstance(prompt, str):
                self._check_size(len(prompt), "prompt")
                ids.append(self.tokenizer.encode(prompt))
                texts.append(prompt)
            elif isinstance(prompt, list) and prompt and all(type(token) is int for token in prompt):
                if not all(0 <= token < self.tokenizer.vocab_size for token in prompt):
                    raise bad(
                        f"'prompt' has tokens that do not exist; they must be less than {self.tokenizer.vocab_size}.",
                        "prompt",
                    )
                ids.append(prompt)
                texts.append(None)
            else:
                raise bad(
                    "'prompt' must be a string, a list of strings, a list of tokens or a list of such lists.", "prompt"
                )
        return ids, texts

    def _check_size(self, characters, param):
        """Refuses what is too long whatever its tokens are, before time is spent on them."""
        most = self.engine.max_model_len * TOKEN_CHARACTERS
        if characters > most:
            raise bad(
                f"This model's maximum context length is {self.engine.max_model_len} tokens; {characters} characters do not "
                "fit into it.",
                param,
                "context_length_exceeded",
            )

    def _check_lengths(self, prompts, param):
        for ids in prompts:
            if not ids:
                raise bad(f"{param!r} has no tokens.", param)
            if len(ids) >= self.engine.max_model_len:
                raise bad(
                    f"This model's maximum context length is {self.engine.max_model_len} tokens, and the prompt has "
                    f"{len(ids)}; at least one token must be left for the answer.",
                    param,
                    "context_length_exceeded",
                )
            if self.max_prompt_tokens is not None and len(ids) > self.max_prompt_tokens:
                raise bad(
                    f"The prompt has {len(ids)} tokens; this server takes at most {self.max_prompt_tokens}.",
                    param,
                    "context_length_exceeded",
                )


def _is_tokens(value):
    return isinstance(value, list) and bool(value) and all(type(token) is int for token in value)


def form_of(response_format):
    """What SamplingParams is told of "response_format".

    Raises:
        APIError: It has no such type, or no schema.
    """
    kind = "text" if response_format is None else response_format.get("type")
    if kind == "text":
        return {}
    if kind == "json_object":
        return {"json_schema": {"type": "object"}}
    if kind == "json_schema":
        described = response_format.get("json_schema")
        schema = described.get("schema") if isinstance(described, dict) else None
        if not isinstance(schema, dict):
            raise bad("'response_format.json_schema' must be an object that has a 'schema'.", "response_format")
        return {"json_schema": schema}
    raise bad(
        f"'response_format' has the type {kind!r}; it must be 'text', 'json_object' or 'json_schema'.",
        "response_format",
    )


def _stops(given):
    stops = [given] if isinstance(given, str) else given if given is not None else []
    if not isinstance(stops, list) or not all(isinstance(stop, str) and stop for stop in stops):
        raise bad("'stop' must be a string or a list of strings that are not empty.", "stop")
    if len(stops) > MAX_STOPS:
        raise bad(f"'stop' has {len(stops)} entries; at most {MAX_STOPS} are taken.", "stop")
    return tuple(stops)


def _checked(function, value, param):
    try:
        return function(value)
    except ValueError as error:
        raise bad(f"{error}", param) from None

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A chat template: Jinja as Hugging Face's files use it, run in a sandbox, and filled in so that nothing that a user writes
becomes a special token."""

import datetime
import json
import re

# Tokens that end a turn in the templates that are in use, whichever the files name as the end of an answer.
TURN_ENDS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<end_of_turn>",
    "<|end|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "</s>",
)
# Planes of private use, for what stands where a user wrote the text of a special token.
_PRIVATE = (*range(0x100000, 0x10FFFE), *range(0xF0000, 0xFFFFE))
RESERVED = ("messages", "tools", "documents", "add_generation_prompt", "raise_exception", "strftime_now")


class NoTemplate(ValueError):
    """The model has no chat template; the message says how to give one."""


def need_jinja():
    """The package jinja2 with the modules that a template needs."""
    try:
        import jinja2
        import jinja2.ext
        import jinja2.meta
        import jinja2.sandbox
    except ImportError:
        raise ImportError(
            "chat templates need the package jinja2; install it by: pip install paddle-core[llm]"
        ) from None
    return jinja2


def _raise(message):
    raise need_jinja().TemplateError(message)


def _to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _environment():
    jinja2 = need_jinja()

    class Generation(jinja2.ext.Extension):
        """{% generation %}: marks the assistant's words for training; here its content and nothing else."""

        tags = {"generation"}

        def parse(self, parser):
            next(parser.stream)
            return parser.parse_statements(["name:endgeneration"], drop_needle=True)

    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, Generation]
    )
    made.filters["tojson"] = _to_json
    made.globals["raise_exception"] = _raise
    made.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return made


class ChatTemplate:
    """A template and the tokenizer for which it was written.

    Args:
        source: The text of the template.
        tokenizer: A Tokenizer.
        variables: What else the template may name, such as bos_token; by default from the tokenizer.
        name: What errors call it.

    Attributes:
        stop_ids: Tokens that end a turn, a tuple.
        takes_tools: Whether it shows tools to the model.
        tool_form: How the model writes calls of tools, "hermes" or "llama3"; None: neither.

    Raises:
        ValueError: The text is no template.
        ImportError: The package jinja2 is missing.

    Source:
        The variables and functions of Hugging Face's chat templates, as its documentation lists them.
    """

    def __init__(self, source, tokenizer, variables=None, name="the chat template"):
        jinja2 = need_jinja()
        self.source, self.tokenizer, self.name = source, tokenizer, name
        environment = _environment()
        try:
            names = jinja2.meta.find_undeclared_variables(environment.parse(source))
            self._template = environment.from_string(source)
        except (jinja2.TemplateError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            raise ValueError(f"{name} is no Jinja template ({error}{f', line {line}' if line else ''}).") from None
        self.takes_tools = "tools" in names
        self.tool_form = (
            "hermes"
            if "<tool_call>" in source
            else "llama3"
            if "<|python_tag|>" in source or ("<|start_header_id|>" in source and '"parameters"' in source)
            else None
        )
        texts = {number: text for text, number in tokenizer.specials.items()}
        ends = [texts[token] for token in tokenizer.eos_ids if token in texts]
        self._variables = {
            "bos_token": texts.get(tokenizer.bos_id, ""),
            "eos_token": ends[0] if ends else "",
            **(variables or {}),
        }
        self.stop_ids = tuple(
            tokenizer.specials[text] for text in TURN_ENDS if text in tokenizer.specials and text in source
        )

    def parts(self, messages, tools=None, add_generation_prompt=True, **variables):
        """The filled-in template.

        Args:
            messages: Dicts with "role" and "content".
            tools: Dicts that describe functions.
            add_generation_prompt: Whether it ends where the assistant begins to speak.
            variables: What this template takes beside these.

        Returns:
            (text, special) of each part: what the template says may hold special tokens; the text of a special token
            that stands in a message is in a part of its own that may not.

        Raises:
            ValueError: The template refuses these messages, or cannot be run with them.
        """
        taken = sorted(set(variables) & set(RESERVED))
        if taken:
            raise ValueError(f"{self.name}: {taken[0]!r} cannot be set; it is what the template is called with.")
        given = {"messages": messages, "tools": tools or None, "documents": None, **variables}
        found = set()
        _walk(given, lambda text: found.update(self._special_texts(text)) or text)
        if not found:
            return [(self._render(given, add_generation_prompt), True)]
        # Characters of private use that nobody wrote stand for these texts while the template runs.
        written = set()
        _walk(given, lambda text: written.update(text) or text)
        written.update(self.source)
        free = (chr(code) for code in _PRIVATE if chr(code) not in written)
        marks = {}
        for text in sorted(found, key=len, reverse=True):
            mark = next(free, None)
            if mark is None:
                raise ValueError(f"{self.name}: the messages use every character of the planes of private use.")
            marks[mark] = text
        spelled = {text: mark for mark, text in marks.items()}
        places = re.compile("|".join(re.escape(text) for text in spelled))
        given = _walk(given, lambda text: places.sub(lambda m: spelled[m[0]], text))
        text = self._render(given, add_generation_prompt)
        pieces = re.split(f"([{''.join(marks)}])", text)
        return [(marks.get(piece, piece), piece not in marks) for piece in pieces if piece]

    def encode(self, messages, tools=None, add_generation_prompt=True, **variables):
        """Ids of the filled-in template, a list of int; arguments as for `parts`. No token is put in front that the
        template does not write."""
        parts = self.parts(messages, tools, add_generation_prompt, **variables)
        return self.tokenizer.encode_parts(parts, bos=False)

    def _special_texts(self, text):
        return [spelled for _, spelled in self.tokenizer.special_places(text)]

    def _render(self, given, add_generation_prompt):
        jinja2 = need_jinja()
        try:
            return self._template.render(
                **{**self._variables, **given}, add_generation_prompt=bool(add_generation_prompt)
            )
        except jinja2.TemplateError as error:
            raise ValueError(f"{self.name}: {error}") from None
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"{self.name} cannot be filled in with these messages ({error}).") from None


def _walk(value, change):
    """The value with every string in it changed, those of keys too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_walk(key, change): _walk(inner, change) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_walk(inner, change) for inner in value]
    return value

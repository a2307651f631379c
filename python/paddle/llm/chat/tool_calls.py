# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of tools in what a model writes, found while it is written."""

import json
from dataclasses import dataclass

FORMS = ("hermes", "llama3")
_OPEN, _CLOSE = "<tool_call>", "</tool_call>"


@dataclass(frozen=True)
class Call:
    """A call of a tool.

    Attributes:
        name: The name of the function.
        arguments: Its arguments, the text of a JSON object.
    """

    name: str
    arguments: str


class ToolCallReader:
    """Reads an answer piece by piece.

    What cannot yet be told from a call is held back; what turns out to be none comes out as text, so no character of an
    answer without calls is lost.

    Args:
        form: "hermes": each call is {"name": ..., "arguments": {...}} between <tool_call> and </tool_call>; "llama3": the
            whole answer is {"name": ..., "parameters": {...}}, or several with semicolons between them.
        names: The names of the functions that may be called. In the form llama3 another name means that the answer is
            JSON and no call.
        many: Whether there may be several calls; otherwise nothing comes after the first one.

    Example:
        >>> from paddle.llm.chat import ToolCallReader
        >>> reader = ToolCallReader("hermes", ["add"])
        >>> reader.add('Wait. <tool'), reader.add('_call>{"name": "add", "arguments": {"a": 1}}</tool_call>')
        (['Wait.'], [Call(name='add', arguments='{"a": 1}')])
    """

    def __init__(self, form, names, many=True):
        if form not in FORMS:
            raise ValueError(f"ToolCallReader: form has the value {form!r}; it must be one of {', '.join(FORMS)}.")
        self.form, self.names, self.many = form, frozenset(names), many
        self.calls = 0
        self._held = ""
        self._is_text = False  # llama3: the answer has begun with something else than a brace

    def add(self, text):
        """What the further text completes, a list of str and Call."""
        self._held += text
        return self._limited(self._hermes() if self.form == "hermes" else self._llama3())

    def finish(self):
        """What is left at the end of the answer, a list of str and Call."""
        held, self._held = self._held, ""
        if self.form == "llama3" and not self._is_text and held:
            calls = self._calls_of(held)
            return self._limited(calls if calls else [held])
        if self.form == "hermes" and _OPEN in held:  # models leave the last tag out, as their turn ends
            call = _call_of(held.partition(_OPEN)[2], "arguments")
            return self._limited([call] if call else [held])
        return self._limited([held] if held else [])

    def _limited(self, found):
        kept = []
        for item in found:
            if self.calls and not self.many:
                break
            # White space beside calls belongs to their form.
            if isinstance(item, str) and self.calls and not item.strip():
                continue
            self.calls += isinstance(item, Call)
            kept.append(item)
        return kept

    def _hermes(self):
        found = []
        while self._held:
            begin = self._held.find(_OPEN)
            if begin < 0:
                kept = _overlap(self._held, _OPEN)
                # White space in front of a tag goes with it.
                text = self._held[: len(self._held) - kept]
                bare = text.rstrip()
                if bare:
                    found.append(bare)
                self._held = self._held[len(bare) :]
                break
            end = self._held.find(_CLOSE, begin)
            before = self._held[:begin].rstrip()
            if end < 0:
                if before:
                    found.append(before)
                self._held = self._held[len(before) :]
                break
            call = _call_of(self._held[begin + len(_OPEN) : end], "arguments")
            end += len(_CLOSE)
            found += [before] if before and call else []
            found.append(call or self._held[:end])
            self._held = self._held[end:]
        return found

    def _llama3(self):
        if not self._is_text:
            start = self._held.lstrip()
            if not start or start[0] == "{":
                return []
            self._is_text = True
        text, self._held = self._held, ""
        return [text] if text else []

    def _calls_of(self, text):
        """The calls that a whole answer consists of, or None."""
        decoder, found, at = json.JSONDecoder(), [], 0
        while at < len(text):
            rest = len(text[at:]) - len(text[at:].lstrip(" \t\r\n;"))
            at += rest
            if at >= len(text):
                break
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                return None
            call = _call(value, "parameters")
            if call is None or call.name not in self.names:
                return None
            found.append(call)
        return found


def grammar_of_calls(form, tools, many):
    """The grammar, in Lark's syntax, of answers that are calls of tools and nothing else.

    Args:
        form: One of FORMS.
        tools: The tools that may be called, in OpenAI's form.
        many: Whether there may be several calls.
    """
    key = "arguments" if form == "hermes" else "parameters"
    calls = []
    for tool in tools:
        function = tool["function"]
        calls.append(
            {
                "type": "object",
                "properties": {
                    "name": {"const": function["name"]},
                    key: function.get("parameters") or {"type": "object"},
                },
                "required": ["name", key],
                "additionalProperties": False,
            }
        )
    schema = json.dumps({"anyOf": calls, "x-guidance": {"whitespace_pattern": " ?"}})
    if form == "hermes":
        call, between = f'"{_OPEN}\\n" json "\\n{_CLOSE}"', '"\\n"'
    else:
        call, between = "json", '"; "'
    start = f"call ({between} call)*" if many else "call"
    return f"start: {start}\ncall: {call}\njson: %json {schema}\n"


def _call_of(text, key):
    try:
        return _call(json.loads(text), key)
    except (ValueError, RecursionError):
        return None


def _call(value, key):
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    arguments = value.get(key, value.get("arguments" if key == "parameters" else "parameters", {}))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    if not isinstance(arguments, dict):
        return None
    return Call(value["name"], json.dumps(arguments, ensure_ascii=False))


def _overlap(text, tag):
    """Length of the longest end of the text with which the tag begins."""
    return next((n for n in range(min(len(text), len(tag) - 1), 0, -1) if tag.startswith(text[-n:])), 0)

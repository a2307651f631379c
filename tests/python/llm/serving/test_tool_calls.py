# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of tools in answers that come in pieces of every size."""

import json
import random

import pytest
from paddle.llm.chat import Call, ToolCallReader

ADD, SUB = '{"name": "add", "arguments": {"a": 1, "é": "<x>"}}', '{"name": "sub", "parameters": {}}'
CASES = {
    ("hermes", "no call at all < <tool <tool_cal "): ["no call at all < <tool <tool_cal "],
    ("hermes", f"<tool_call>\n{ADD}\n</tool_call>"): ["add"],
    ("hermes", f"Let me see.\n<tool_call>{ADD}</tool_call>\n<tool_call>{SUB}</tool_call>\n"): [
        "Let me see.",
        "add",
        "sub",
    ],
    ("hermes", f"<tool_call>{ADD}"): ["add"],
    ("hermes", "a <tool_call>{no json}</tool_call> b"): ["a <tool_call>{no json}</tool_call> b"],
    ("hermes", '<tool_call>{"name": 3}</tool_call>'): ['<tool_call>{"name": 3}</tool_call>'],
    ("llama3", SUB): ["sub"],
    ("llama3", f"\n {SUB}; {ADD}"): ["sub", "add"],
    ("llama3", "The answer is {1}."): ["The answer is {1}."],
    ("llama3", '{"x": 1}'): ['{"x": 1}'],
    ("llama3", '{"name": "other", "parameters": {}}'): ['{"name": "other", "parameters": {}}'],
    ("llama3", f"{SUB} and more"): [f"{SUB} and more"],
    ("llama3", "  "): ["  "],
}


def joined(items):
    """Neighbouring texts as one; calls by their names."""
    made = []
    for item in items:
        if isinstance(item, str) and made and made[-1][0] is str:
            made[-1] = (str, made[-1][1] + item)
        else:
            made.append((type(item), item if isinstance(item, str) else item.name))
    return [text for _, text in made]


@pytest.mark.parametrize("form, text", CASES)
@pytest.mark.parametrize("size", ["one", "random", "whole"])
def test_calls_are_found_whatever_the_pieces(form, text, size):
    rng = random.Random(0)
    for _ in range(20 if size == "random" else 1):
        reader, items, at = ToolCallReader(form, ["add", "sub"]), [], 0
        while at < len(text):
            step = {"one": 1, "random": rng.randint(1, 9), "whole": len(text)}[size]
            items += reader.add(text[at : at + step])
            at += step
        items += reader.finish()
        assert joined(items) == CASES[form, text]


def test_arguments_are_the_json_that_was_written():
    reader = ToolCallReader("hermes", ["add"])
    (call,) = reader.add(f"<tool_call>{ADD}</tool_call>")
    assert json.loads(call.arguments) == {"a": 1, "é": "<x>"}
    assert ToolCallReader("llama3", ["sub"]).add("{") == []


def test_text_is_not_held_longer_than_it_must():
    reader = ToolCallReader("hermes", ["add"])
    assert reader.add("Hello") == ["Hello"] and reader.add(" world<") == [" world"] and reader.add("b>") == ["<b>"]
    assert ToolCallReader("llama3", ["add"]).add("Hello") == ["Hello"]


def test_at_most_one_call_where_one_is_allowed():
    reader = ToolCallReader("hermes", ["add"], many=False)
    found = reader.add(f"<tool_call>{ADD}</tool_call>" * 2 + "text") + reader.finish()
    assert [type(item) for item in found] == [Call]


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="form has the value 'xml'"):
        ToolCallReader("xml", [])

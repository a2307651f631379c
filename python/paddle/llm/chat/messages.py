# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages and tools as OpenAI's interface has them, checked and brought into the form that chat templates expect."""

import json

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_KEYS = {
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "refusal",
    "reasoning_content",
    "annotations",
    "audio",
    "function_call",
}
MAX_MESSAGES = 4096
MAX_TOOLS = 512


def normal_messages(messages):
    """Messages for a template.

    Args:
        messages: A list of dicts with "role" and "content" (a str, or a list of text parts); those of the assistant may
            have "tool_calls", those of tools a "tool_call_id".

    Returns:
        New dicts: "content" is a str, the role "developer" is "system", arguments of calls are dicts.

    Raises:
        ValueError: What is wrong, and in which message.
    """
    if not isinstance(messages, (list, tuple)) or not messages:
        raise ValueError("messages must be a list of at least one message.")
    if len(messages) > MAX_MESSAGES:
        raise ValueError(f"messages has {len(messages)} entries; at most {MAX_MESSAGES} are taken.")
    return [_message(message, f"messages[{i}]") for i, message in enumerate(messages)]


def _message(message, where):
    if not isinstance(message, dict):
        raise ValueError(f"{where} has type {type(message).__name__}; it must be an object.")
    unknown = sorted(str(key) for key in set(message) - _KEYS)
    if unknown:
        raise ValueError(f"{where} has an unknown field {unknown[0]!r}.")
    role = message.get("role")
    if role not in ROLES or role == "function":
        raise ValueError(f"{where}.role has the value {role!r}; it must be one of {', '.join(ROLES[:-1])}.")
    for key in ("function_call", "audio"):
        if message.get(key) is not None:
            raise ValueError(f"{where}.{key} is not supported; use tool_calls and text.")
    made = {"role": "system" if role == "developer" else role}
    calls = message.get("tool_calls")
    if calls and role != "assistant":
        raise ValueError(f"{where}.tool_calls: only a message of the assistant has calls.")
    made["content"] = _content(message.get("content"), f"{where}.content", bool(calls) or role == "assistant")
    for key in ("name", "tool_call_id", "reasoning_content"):
        value = message.get(key)
        if value is not None:
            if not isinstance(value, str):
                raise ValueError(f"{where}.{key} has type {type(value).__name__}; it must be a string.")
            made[key] = value
    if calls:
        if not isinstance(calls, list):
            raise ValueError(f"{where}.tool_calls has type {type(calls).__name__}; it must be a list.")
        made["tool_calls"] = [_call(call, f"{where}.tool_calls[{i}]") for i, call in enumerate(calls)]
    return made


def _content(content, where, may_be_missing):
    if isinstance(content, str):
        return content
    if content is None and may_be_missing:
        return ""
    if not isinstance(content, list):
        raise ValueError(f"{where} has type {type(content).__name__}; it must be a string or a list of parts.")
    texts = []
    for i, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in ("text", "refusal"):
            raise ValueError(f"{where}[{i}].type has the value {kind!r}; only parts of the type 'text' are supported.")
        if not isinstance(part.get(kind), str):
            raise ValueError(f"{where}[{i}].{kind} must be a string.")
        texts.append(part[kind])
    return "".join(texts)


def _call(call, where):
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise ValueError(f"{where}.function must be an object with a name.")
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise ValueError(f"{where}.function.arguments is no JSON.") from None
    if not isinstance(arguments, dict):
        raise ValueError(f"{where}.function.arguments must be a JSON object.")
    made = {"type": "function", "function": {"name": function["name"], "arguments": arguments}}
    if isinstance(call.get("id"), str):
        made["id"] = call["id"]
    return made


def normal_tools(tools, forced=False):
    """Tools for a template.

    Args:
        forced: Whether the answer must be a call, which then follows the schema of its tool.
        tools: A list of {"type": "function", "function": {"name": ..., "description": ..., "parameters": JSON schema}}.

    Returns:
        New dicts of the same form, without other keys.

    Raises:
        ValueError: What is wrong, and in which tool.
    """
    if not isinstance(tools, (list, tuple)):
        raise ValueError(f"tools has type {type(tools).__name__}; it must be a list.")
    if len(tools) > MAX_TOOLS:
        raise ValueError(f"tools has {len(tools)} entries; at most {MAX_TOOLS} are taken.")
    made = []
    for i, tool in enumerate(tools):
        where = f"tools[{i}]"
        if not isinstance(tool, dict) or tool.get("type") != "function" or not isinstance(tool.get("function"), dict):
            raise ValueError(f"{where} must be an object of the type 'function' with an object 'function'.")
        function = tool["function"]
        unknown = sorted(set(function) - {"name", "description", "parameters", "strict"})
        if unknown:
            raise ValueError(f"{where}.function has an unknown field {unknown[0]!r}.")
        if not isinstance(function.get("name"), str) or not function["name"]:
            raise ValueError(f"{where}.function.name must be a string that is not empty.")
        if not isinstance(function.get("description", ""), (str, type(None))):
            raise ValueError(f"{where}.function.description must be a string.")
        if not isinstance(function.get("parameters", {}), (dict, type(None))):
            raise ValueError(f"{where}.function.parameters must be an object, a JSON schema.")
        if function.get("strict") and not forced:
            raise ValueError(
                f"{where}.function.strict: a call follows its schema where it is forced; set 'tool_choice' to 'required' or to "
                "a function, or leave strict out."
            )
        kept = {key: function[key] for key in ("name", "description", "parameters") if function.get(key) is not None}
        made.append({"type": "function", "function": kept})
    return made

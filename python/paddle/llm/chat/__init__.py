# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversations as tokens: chat templates, messages, calls of tools, and the terminal."""

from ... import _lazy

__all__ = [
    "Call",
    "ChatTemplate",
    "NoTemplate",
    "ToolCallReader",
    "find_template",
    "grammar_of_calls",
    "normal_messages",
    "normal_tools",
]

_FROM = {
    "Call": ("paddle.llm.chat.tool_calls", "Call"),
    "ChatTemplate": ("paddle.llm.chat.template", "ChatTemplate"),
    "NoTemplate": ("paddle.llm.chat.template", "NoTemplate"),
    "ToolCallReader": ("paddle.llm.chat.tool_calls", "ToolCallReader"),
    "grammar_of_calls": ("paddle.llm.chat.tool_calls", "grammar_of_calls"),
    "find_template": ("paddle.llm.chat.finding", "find_template"),
    "normal_messages": ("paddle.llm.chat.messages", "normal_messages"),
    "normal_tools": ("paddle.llm.chat.messages", "normal_tools"),
}
__getattr__ = _lazy.attribute_hook(__name__, set(), _FROM)

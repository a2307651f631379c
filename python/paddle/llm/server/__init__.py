# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An HTTP server with OpenAI's interface. Its modules need the packages of the extra `llm` and are imported when used."""

from ... import _lazy

__all__ = ["Application", "Limits", "Server", "bind", "serve"]

_FROM = {
    "Application": ("paddle.llm.server.application", "Application"),
    "Limits": ("paddle.llm.server.http", "Limits"),
    "Server": ("paddle.llm.server.http", "Server"),
    "bind": ("paddle.llm.server.address", "bind"),
    "serve": ("paddle.llm.server.serving", "serve"),
}
__getattr__ = _lazy.attribute_hook(__name__, set(), _FROM)

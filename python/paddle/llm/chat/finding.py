# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a model's chat template is: what the caller names, the model's files, the form whose tokens the vocabulary has."""

import os

from ..formats.gguf import GGUFFile
from ..formats.hugging_face import Folder
from .built_in import TEMPLATES
from .template import ChatTemplate, NoTemplate

MAX_BYTES = 1 << 20
_NAMED = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token")


class TemplateChoice:
    """The templates of a model: one, and perhaps another one for when tools are given.

    Args:
        plain: The ChatTemplate.
        with_tools: That for calls with tools; None: the same.
    """

    def __init__(self, plain, with_tools=None):
        self.plain, self.with_tools = plain, with_tools or plain

    def of(self, tools):
        """The ChatTemplate for a call with these tools."""
        return self.with_tools if tools else self.plain


def find_template(source, tokenizer, chosen=None):
    """The chat template of a model.

    Args:
        source: A GGUFFile or a Folder, the path of one, or None: no files.
        tokenizer: Its Tokenizer.
        chosen: A path of a template, or the name of a built-in one; it goes before what the files hold.

    Returns:
        A TemplateChoice.

    Raises:
        NoTemplate: There is none, and the vocabulary has the tokens of no form that is built in.
        ValueError: What was chosen is neither, or the template is damaged.
    """
    if isinstance(source, (str, os.PathLike)):
        source = Folder(source) if os.path.isdir(source) else GGUFFile(source)
    if chosen is not None:
        return TemplateChoice(_chosen(os.fspath(chosen), tokenizer))
    if isinstance(source, Folder):
        found = _of_folder(source, tokenizer)
    elif isinstance(source, GGUFFile):
        found = _of_gguf(source, tokenizer)
    else:
        found = None
    return found or TemplateChoice(_by_tokens(tokenizer))


def _chosen(chosen, tokenizer):
    if chosen in TEMPLATES and not os.path.isfile(chosen):
        tokens, text = TEMPLATES[chosen]
        missing = [token for token in tokens if token not in tokenizer.specials]
        # Mistral's first form has its marks as ordinary text.
        if missing and chosen != "mistral":
            raise ValueError(
                f"chat template {chosen!r}: the model's vocabulary has no special token {missing[0]!r}; choose another one."
            )
        return ChatTemplate(text, tokenizer, name=f"the chat template {chosen!r}")
    if not os.path.isfile(chosen):
        raise ValueError(f"chat template {chosen!r} is neither a file nor one of {', '.join(TEMPLATES)}.")
    return ChatTemplate(_read(chosen), tokenizer, name=chosen)


def _read(path):
    if os.path.getsize(path) > MAX_BYTES:
        raise ValueError(f"{path}: the chat template has {os.path.getsize(path)} bytes; at most {MAX_BYTES} are read.")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: the chat template is no UTF-8 text ({error}).") from None


def _of_folder(folder, tokenizer):
    config = folder.json("tokenizer_config.json") if folder.has("tokenizer_config.json") else {}
    variables = {}
    for key in _NAMED:
        value = config.get(key)
        value = value.get("content") if isinstance(value, dict) else value
        if isinstance(value, str):
            variables[key] = value
    name = f"the chat template of {folder.path}"
    if folder.has("chat_template.jinja"):
        return TemplateChoice(
            ChatTemplate(_read(folder.file("chat_template.jinja")), tokenizer, variables, name),
        )
    found = config.get("chat_template")
    if found is None and folder.has("chat_template.json"):
        found = folder.json("chat_template.json").get("chat_template")
    if isinstance(found, list):
        return _named(found, tokenizer, variables, name)
    if found is not None and not isinstance(found, str):
        raise ValueError(f"{name} has type {type(found).__name__}; it must be a text or a list of named ones.")
    return TemplateChoice(ChatTemplate(found, tokenizer, variables, name)) if found else None


def _named(found, tokenizer, variables, name):
    """The templates of a list of {"name": ..., "template": ...}."""
    texts = {
        entry["name"]: entry["template"]
        for entry in found
        if isinstance(entry, dict) and isinstance(entry.get("template"), str) and isinstance(entry.get("name"), str)
    }
    if not texts:
        raise ValueError(f"{name} is a list that holds no template with a name.")
    plain = texts.get("default", next(iter(texts.values())))
    with_tools = texts.get("tool_use")
    return TemplateChoice(
        ChatTemplate(plain, tokenizer, variables, name),
        with_tools and ChatTemplate(with_tools, tokenizer, variables, name),
    )


def _of_gguf(file, tokenizer):
    name = f"the chat template of {file.path}"
    plain, with_tools = (
        file.metadata.get(key) for key in ("tokenizer.chat_template", "tokenizer.chat_template.tool_use")
    )
    for text in (plain, with_tools):
        if text is not None and not isinstance(text, str):
            raise ValueError(f"{name} has type {type(text).__name__}; it must be a text.")
    if not plain:
        return None
    return TemplateChoice(
        ChatTemplate(plain, tokenizer, name=name), with_tools and ChatTemplate(with_tools, tokenizer, name=name)
    )


def _by_tokens(tokenizer):
    for name, (tokens, text) in TEMPLATES.items():
        if all(token in tokenizer.specials for token in tokens):
            return ChatTemplate(text, tokenizer, name=f"the chat template {name!r}")
    raise NoTemplate(
        "this model has no chat template, and its vocabulary has the tokens of none that is built in; give one by "
        f"--chat-template FILE, or one of {', '.join(TEMPLATES)} by its name."
    )

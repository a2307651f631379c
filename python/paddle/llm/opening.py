# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An engine and a chat template from the path of a model, as the commands `serve` and `chat` need them."""

import functools
import os
import threading

_UNITS = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}


def bytes_of(text):
    """The number that "512M", "1.5GiB" or "1000" stands for."""
    bare = text.strip().lower().removesuffix("b")
    unit = next((unit for unit in sorted(_UNITS, key=len, reverse=True) if bare.endswith(unit)), "")
    try:
        number = float(bare.removesuffix(unit)) * _UNITS.get(unit, 1)
        if number <= 0 or number != number or number == float("inf"):
            raise ValueError
    except ValueError:
        raise ValueError(f"{text!r} is no number of bytes; write it as 1000000, 500M, 2G or 2GiB.") from None
    return int(number)


def add_model_arguments(parser):
    """The arguments that both commands have."""
    parser.add_argument("model", metavar="MODEL", help="a GGUF file, or a folder in Hugging Face's layout")
    parser.add_argument("--max-model-len", type=int, metavar="N", help="tokens of a prompt and its answer")
    parser.add_argument("--cache-bytes", metavar="SIZE", help="memory for keys and values, such as 2G")
    parser.add_argument(
        "--cache-dtype",
        choices=("float32", "float16", "bfloat16", "int8", "int4"),
        default="float32",
        help="of keys and values (default: float32)",
    )
    parser.add_argument(
        "--chat-template",
        metavar="FILE|NAME",
        help="a template, or chatml, llama3, gemma, phi3, mistral (default: the model's)",
    )


def open_model(options, needs_template=False, progress=None, **more):
    """(engine, a function that gives the TemplateChoice or raises NoTemplate) of parsed arguments.

    Args:
        options: What `add_model_arguments` declared.
        needs_template: Whether a model without a chat template is refused, before its weights are read.
        progress: Of load_model.
        more: Of Engine.

    Raises:
        FileNotFoundError: There is no such model.
        ValueError: It is damaged, or an option does not fit.
        NoTemplate: It has no chat template and needs one.
    """
    from .chat import find_template
    from .engine import EmbeddingEngine, Engine
    from .formats import Folder, GGUFFile
    from .models import Encoder, load_model
    from .tokenizers import load_tokenizer

    if not os.path.exists(options.model):
        raise FileNotFoundError(f"there is no file or folder {options.model!r}.")
    if options.max_model_len is not None and options.max_model_len < 1:
        raise ValueError(f"--max-model-len has value {options.max_model_len}; it must be at least 1.")
    source = Folder(options.model) if os.path.isdir(options.model) else GGUFFile(options.model)
    tokenizer = load_tokenizer(source)
    templates = functools.cache(lambda: find_template(source, tokenizer, options.chat_template))
    if needs_template or options.chat_template is not None:
        templates()
    cache_bytes = None if options.cache_bytes is None else bytes_of(options.cache_bytes)
    model = load_model(source, progress=progress)
    if getattr(options, "draft_model", None) is not None:
        more["draft_model"] = _draft_model(options.draft_model, tokenizer, model)
    if getattr(options, "draft_tokens", None) is not None:
        more["draft_tokens"] = options.draft_tokens
    if isinstance(model, Encoder):
        if needs_template:
            raise ValueError("the model makes embeddings of texts and no text; serve it, and ask /v1/embeddings.")
        if options.max_model_len is not None or cache_bytes is not None or options.cache_dtype != "float32":
            text = "--max-model-len, --cache-bytes and --cache-dtype are for models that write text; this one is an encoder."
            raise ValueError(text)
        return EmbeddingEngine(model, tokenizer), templates
    more |= dict(cache_bytes=cache_bytes, cache_dtype=options.cache_dtype)
    engine = Engine(model, tokenizer, max_model_len=options.max_model_len, **more)
    return engine, templates


def _draft_model(path, tokenizer, model):
    from .formats import Folder, GGUFFile
    from .models import load_model
    from .tokenizers import load_tokenizer

    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file or folder {path!r}.")
    source = Folder(path) if os.path.isdir(path) else GGUFFile(path)
    count = model.config.vocab_size
    if load_tokenizer(source).all_bytes(count) != tokenizer.all_bytes(count):
        raise ValueError("--draft-model: its vocabulary is not that of the model.")
    return load_model(source)


def import_beside(*modules):
    """Imports modules on a thread of its own, while this one reads weights; the Thread. What cannot be imported is reported
    where it is used."""
    import importlib

    def run():
        for module in modules:
            try:
                importlib.import_module(module)
            except ImportError:
                return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread

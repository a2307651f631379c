# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle serve MODEL`."""

import importlib.util
import os
import resource
import sys

from ..opening import add_model_arguments, bytes_of, import_beside, open_model
from .address import bind

_MODULES = ("asyncio", "h11", "jinja2.sandbox", "jinja2.ext", "paddle.llm.server.serving")
OTHER_FILES = 128  # what a process has open beside connections


def add_arguments(parser):
    """Declares the arguments."""
    add_model_arguments(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen at, 0: a free one (default: 8000)")
    parser.add_argument(
        "--max-batch", type=int, default=32, metavar="N", help="requests that run at once (default: 32)"
    )
    parser.add_argument("--max-queue", type=int, default=256, metavar="N", help="requests that wait (default: 256)")
    parser.add_argument("--max-prompt-tokens", type=int, metavar="N", help="tokens of a prompt (default: as the model)")
    parser.add_argument(
        "--max-connections", type=int, default=1024, metavar="N", help="open connections (default: 1024)"
    )
    parser.add_argument("--max-body-bytes", default="8Mi", metavar="SIZE", help="of a request (default: 8Mi)")
    parser.add_argument(
        "--api-key",
        action="append",
        metavar="KEY",
        help="key that requests must have; may be repeated (also: PADDLE_API_KEY)",
    )
    parser.add_argument(
        "--served-model-name",
        action="append",
        metavar="NAME",
        help="name of the model; may be repeated (default: of the file)",
    )
    parser.add_argument(
        "--draft-model", metavar="PATH", help="a smaller model of the same vocabulary, which guesses ahead"
    )
    parser.add_argument(
        "--draft-tokens",
        type=int,
        metavar="K",
        help="guesses in a step, of it or from what was said before (default: 4 or 0)",
    )
    parser.add_argument(
        "--lora",
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="an adapter in the layout of peft, which requests name as their model; may be repeated",
    )
    parser.add_argument(
        "--memory-bandwidth",
        metavar="BYTES",
        help="bytes a second of the memory, for /metrics (default: measured when idle)",
    )
    parser.add_argument(
        "--drain-seconds", type=float, metavar="S", help="for running answers after SIGTERM (default: until they end)"
    )


def run(options):
    """Serves until SIGTERM or SIGINT; the exit code."""
    for name in ("max_batch", "max_queue", "max_connections", "max_prompt_tokens"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name.replace('_', '-')} has value {value}; it must be at least 1.")
    if not 0 <= options.port <= 65535:
        raise ValueError(f"--port has value {options.port}; it must be from 0 to 65535.")
    keys = list(options.api_key or [])
    keys += [os.environ["PADDLE_API_KEY"]] if os.environ.get("PADDLE_API_KEY") else []
    if not all(keys):
        raise ValueError("--api-key is empty.")
    body_bytes = bytes_of(options.max_body_bytes)
    bandwidth = None if options.memory_bandwidth is None else bytes_of(options.memory_bandwidth)
    names = options.served_model_name or [name_of(options.model)]
    if importlib.util.find_spec("h11") is None:
        raise ImportError("serve needs the package h11; install it by: pip install paddle-core[llm]")
    _allow_files(options.max_connections)
    socket = bind(options.host, options.port)
    beside = import_beside(*_MODULES)
    try:
        adapters = _adapters(options.lora, names)
        engine, templates = open_model(
            options, max_batch=options.max_batch, max_queue=options.max_queue, **_room_for(adapters)
        )
        for name, folder in adapters.items():
            engine.load_adapter(name, folder)
    except BaseException:
        socket.close()
        raise
    beside.join()
    import asyncio

    from . import serving
    from .http import Limits

    host, port = socket.getsockname()[:2]
    address = f"[{host}]" if ":" in host else host

    def ready(application):
        text = f"serving {names[0]} on http://{address}:{port}/v1 (context {engine.max_model_len} tokens)"
        print(text, file=sys.stderr, flush=True)

    asyncio.run(
        serving.serve(
            engine,
            socket,
            limits=Limits(connections=options.max_connections, body_bytes=body_bytes),
            drain_seconds=options.drain_seconds,
            ready=ready,
            names=names,
            templates=templates,
            api_keys=keys,
            max_prompt_tokens=options.max_prompt_tokens,
            bandwidth_bytes=bandwidth,
        )
    )
    return 0


def _adapters(given, names):
    """Name -> folder of what --lora says."""
    found = {}
    for text in given:
        name, _, folder = text.partition("=")
        if not name or not folder:
            raise ValueError(f"--lora has value {text!r}; write NAME=FOLDER.")
        if name in names or name in found:
            raise ValueError(f"--lora: the name {name!r} is given twice.")
        found[name] = folder
    return found


def _room_for(adapters):
    """Options of Engine that make room for adapters."""
    if not adapters:
        return {}
    from ..lora import rank_of

    return {"max_adapters": len(adapters), "max_adapter_rank": max(map(rank_of, adapters.values()))}


def _allow_files(connections):
    """Lets the process have so many connections open beside its files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise ValueError(
                f"--max-connections has value {connections}; this process may open {hard} files, so that it can be at most "
                f"{max(hard - OTHER_FILES, 0)}."
            )
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def name_of(path):
    """The name of a model by its path."""
    name = os.path.basename(os.path.normpath(os.path.abspath(path)))
    return name[: -len(".gguf")] if name.endswith(".gguf") else name

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the extra `llm` needs: the declared packages, and no other framework among all that these need."""

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[4]
FRAMEWORKS = {"torch", "tensorflow", "jax", "transformers", "paddlepaddle", "mxnet", "onnxruntime", "pandas", "scipy"}


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [name_of(requirement) for requirement in project["optional-dependencies"]["llm"]]


def test_no_other_framework_is_among_what_the_extra_needs():
    seen, waiting = set(), extra()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system or version
        waiting += [name_of(need) for need in needs if "extra ==" not in need]
    assert {"h11", "jinja2", "tokenizers", "markupsafe"} <= seen
    assert not seen & FRAMEWORKS


def test_serving_imports_what_the_extra_declares_and_nothing_else():
    code = """
import sys, numpy, paddle, asyncio, concurrent.futures.thread
before = set(sys.modules)
import jinja2.sandbox, jinja2.ext
import paddle.llm.server.serving, paddle.llm.server.command, paddle.llm.chat.terminal
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert set(done.stdout.split()) <= {"paddle", "h11", "jinja2", "markupsafe"}


def test_paddle_and_its_help_need_none_of_it():
    code = """
import sys
sys.modules["h11"] = sys.modules["jinja2"] = sys.modules["tokenizers"] = None
import paddle.llm.chat.terminal, paddle.llm.server, paddle.command_line
paddle.command_line._parser()
try:
    paddle.llm.chat.ChatTemplate("", None)
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert "pip install paddle-core[llm]" in done.stdout


def _environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

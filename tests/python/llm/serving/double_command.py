# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Run as a program: `paddle` with the double instead of an engine. The variable DOUBLE_STEP_SECONDS slows it down."""

import functools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[4]))

from paddle import command_line
from paddle.llm import opening
from paddle.llm.chat import find_template

from tests.python.llm.serving import double


def open_model(options, needs_template=False, progress=None, **more):
    engine = double.Engine(max_model_len=options.max_model_len or 4096, **more)
    engine.step_seconds = float(os.environ.get("DOUBLE_STEP_SECONDS", 0))
    engine.script = lambda prompt, index: f"{prompt.count('<|im_start|>user')} turns; é €" + "!" * 10
    return engine, functools.cache(lambda: find_template(None, engine.tokenizer, options.chat_template))


opening.open_model = open_model
sys.exit(command_line.main(sys.argv[1:]))

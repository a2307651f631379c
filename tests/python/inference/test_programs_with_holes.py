# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of PaddlePaddle 3 without an operand, a result or the type of one: refused or run, never a crash."""

import copy
import json
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "compat" / "programs"
NAMES = ["arrays", "composed", "control_if", "fused", "inplace", "onednn_layers", "translated_lstm"]
LOAD = """
import sys
from paddle import inference
for file in sys.argv[2:]:
    try:
        inference.create_predictor(inference.Config(file, sys.argv[1]))
    except (ValueError, TypeError, RuntimeError, NotImplementedError) as refused:
        assert str(refused), file
print("done")
"""


def operations(block):
    for op in block["ops"]:
        yield op
        for region in op.get("regions", []):
            for inner in region["blocks"]:
                yield from operations(inner)


def damaged(program, k, what):
    program = copy.deepcopy(program)
    op = list(operations(program["program"]["regions"][0]["blocks"][0]))[k]
    if what == "operand" and op.get("I"):
        op["I"][0]["%"] = 0
    elif what == "result" and isinstance(op.get("O"), list) and op["O"]:
        op["O"].pop()
    elif what == "type" and isinstance(op.get("O"), list) and op["O"]:
        op["O"][0]["TT"] = {"#": "NULL"}
    else:
        return None
    return program


@pytest.mark.parametrize("name", NAMES)
def test_no_hole_crashes_the_loader(name, tmp_path):
    program = json.loads((FOLDER / name / "model.json").read_text())
    count = len(list(operations(program["program"]["regions"][0]["blocks"][0])))
    files = []
    for k in range(0, count, max(1, count // 60)):
        for what in ("operand", "result", "type"):
            other = damaged(program, k, what)
            if other:
                files.append(tmp_path / f"{k}_{what}.json")
                files[-1].write_text(json.dumps(other))
    params = FOLDER / name / "model.pdiparams"
    given = [str(params) if params.exists() else "", *map(str, files)]
    done = subprocess.run([sys.executable, "-c", LOAD, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "done" in done.stdout, done.stderr

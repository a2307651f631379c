# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators in program files: operands and attributes are those that PaddlePaddle's files have."""

import json
import pathlib
import re

import numpy as np
import paddle
import pytest
from paddle import _core, nn
from paddle.nn import functional as F

COMPAT = pathlib.Path(__file__).parents[2] / "compat"
# operator: operands, attributes with their types; read off PaddlePaddle 3.3.1's interface.
TABLE = [line.split("\t") for line in (COMPAT / "saved_forms.tsv").read_text().splitlines()]
# What saving writes although the record says it otherwise, or numbers that any reader converts.
WRITTEN = {
    "full": {"shape", "value"},
    "mish": {"lambda"},
    "pow": {"y"},
    "scale": {"bias"},
    "unique": {"is_sorted"},
    **{f"{kind}_interp": {"scale"} for kind in ("nearest", "linear", "bilinear", "trilinear", "bicubic")},
    "interp_antialias": {"scale"},
}
NAMES = {"trunc": {"x": "input"}}


def form_of(schema):
    operands, attributes = [], {}
    for part in re.split(r", (?![^{]*})", re.match(r"\w+\((.*)\) ->", schema)[1]):
        kind, name = part.split("=")[0].rsplit(" ", 1)
        if kind.startswith("Tensor") or "@" in kind or kind.endswith("?"):
            operands.append(name)
        else:
            attributes[name] = kind
    return operands, attributes


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line[0])
def test_the_record_says_what_files_hold(line):
    name, operands, attributes = line
    ours, types = form_of(_core.describe_op(name)["schema"])
    names = NAMES.get(name, {})
    assert [names.get(operand, operand) for operand in ours] == operands.split()
    loose = WRITTEN.get(name, set())
    theirs = dict(a.split(":") for a in attributes.split())
    assert {k: v for k, v in types.items() if k not in loose} == {k: v for k, v in theirs.items() if k not in loose}


def operations_of(block):
    for op in block["ops"]:
        yield op
        for region in op.get("regions", ()):
            for inner in region["blocks"]:
                yield from operations_of(inner)


def saved(layer, spec, tmp_path):
    layer.eval()
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=spec)
    program = json.loads((tmp_path / "m.json").read_text())
    return {op["#"] for op in operations_of(program["program"]["regions"][0]["blocks"][0])}


class Changed(nn.Layer):
    def forward(self, x):
        y = x + 1.0
        y[:, 1:] = 0.5
        return F.pad(y, [1, 2], mode="reflect", data_format="NCL")


@pytest.mark.parametrize(
    "make, spec, wanted, never",
    [
        (lambda: nn.LSTM(4, 3, 2, direction="bidirect"), [None, None, 4], "1.rnn", "1.recurrence"),
        (Changed, [None, 4, 5], "1.set_value_with_tensor", "1.slice_scatter"),
    ],
    ids=["recurrent", "changed"],
)
def test_files_hold_operators_of_paddle(make, spec, wanted, never, tmp_path):
    layer = make()
    names = saved(layer, [paddle.static.InputSpec(spec, "float32", "x")], tmp_path)
    assert wanted in names and never not in names
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal([n or 3 for n in spec]).astype("float32"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    loaded.eval()
    for got, expected in zip(paddle.utils.flatten(loaded(x)), paddle.utils.flatten(layer(x)), strict=True):
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)

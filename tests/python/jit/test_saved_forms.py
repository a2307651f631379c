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


def rounds(prefix):
    """The operations of the loop of a saved program, and which of all values are parameters."""
    block = json.loads((prefix.parent / (prefix.name + ".json")).read_text())["program"]["regions"][0]["blocks"][0]
    loop = next(op for op in block["ops"] if op["#"] == "1.while")
    return list(operations_of(loop["regions"][0]["blocks"][0])), {op["O"]["%"] for op in block["ops"] if op["#"] == "p"}


class Steps(nn.Layer):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        state, i = None, paddle.zeros([1], "int64")
        y, state = self.cell(x)
        while i < 3:
            y, state = self.cell(y, state)
            i = i + 1
        return y


@pytest.mark.parametrize("make", [nn.GRU, nn.LSTM, nn.SimpleRNN], ids=["GRU", "LSTM", "RNN"])
def test_the_weights_of_recurrent_layers_in_loops_are_parameters(make, tmp_path):
    saved(Steps(make(4, 4)), [paddle.static.InputSpec([None, None, 4], "float32", "x")], tmp_path)
    operations, parameters = rounds(tmp_path / "m")
    made_by = {out["%"]: op for op in operations if isinstance(op["O"], list) for out in op["O"]}
    (rnn,) = [op for op in operations if op["#"] == "1.rnn"]
    weights = made_by[rnn["I"][2]["%"]]
    assert len(weights["I"]) == 4 and {operand["%"] for operand in weights["I"]} <= parameters


class Attending(nn.Layer):
    def forward(self, x):
        i = paddle.zeros([1], "int64")
        while i < 3:
            x = F.dropout(F.scaled_dot_product_attention(x, x, x), 0.5, training=self.training)
            i = i + 1
        return x


def test_rounds_of_saved_loops_draw_no_numbers_that_nobody_reads(tmp_path):
    saved(Attending(), [paddle.static.InputSpec([None, None, 2, 4], "float32", "x")], tmp_path)
    assert not {"1.attn_seed_offset", "1.uniform"} & {op["#"] for op in rounds(tmp_path / "m")[0]}


class FreshSteps(Steps):
    def forward(self, x):
        y, i = x, paddle.zeros([1], "int64")
        while i < 3:
            y = self.cell(y)[0]
            i = i + 1
        return y


def test_first_states_of_recurrent_layers_in_loops_depend_on_the_round(tmp_path):
    layer = FreshSteps(nn.GRU(4, 4))
    saved(layer, [paddle.static.InputSpec([None, None, 4], "float32", "x")], tmp_path)
    operations, _ = rounds(tmp_path / "m")
    made_by = {out["%"]: op for op in operations if isinstance(op["O"], list) for out in op["O"]}
    (rnn,) = [op for op in operations if op["#"] == "1.rnn"]
    seen, todo = set(), [rnn["I"][1]["%"]]
    while todo:
        value = todo.pop()
        if value not in seen:
            seen.add(value)
            todo += [operand["%"] for operand in made_by.get(value, {"I": []})["I"]]
    assert any(value < 0 for value in seen)  # what a round is given
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal([2, 3, 4]).astype("float32"))
    got = paddle.jit.load(str(tmp_path / "m"))(x)
    np.testing.assert_allclose(got.numpy(), layer(x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (300, 0), (0,)])
def test_parameters_without_elements(shape, tmp_path):
    class Wide(nn.Layer):
        def __init__(self):
            super().__init__()
            self.empty = self.create_parameter(list(shape))

        def forward(self, x):
            return paddle.concat([x.flatten(), self.empty.flatten()])

    path = str(tmp_path / "m")
    paddle.jit.save(Wide(), path, input_spec=[paddle.static.InputSpec([None, 2])])
    loaded = paddle.jit.load(path)
    assert loaded(paddle.ones([1, 2])).tolist() == [1, 1]
    assert [tuple(p.shape) for p in loaded.parameters()] == [shape]

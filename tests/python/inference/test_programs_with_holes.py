# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of PaddlePaddle 3 without an operand, a result or the type of one, or with lists and tensors exchanged: refused or run, never a crash."""

import copy
import json
import pathlib
import subprocess
import sys

import paddle
import pytest
from paddle import inference

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "compat" / "programs"
NAMES = ["arrays", "composed", "control_if", "einsum", "fused", "inplace", "onednn_layers", "rows", "translated_lstm"]
LOAD = """
import sys
import numpy as np
import paddle
from paddle import inference
given = np.load(sys.argv[2])
count = sum(k.startswith("in_0_") for k in given.files)
inputs = [paddle.to_tensor(given[f"in_0_{i}"]) for i in range(count)]
for file in sys.argv[3:]:
    try:
        predictor = inference.create_predictor(inference.Config(file, sys.argv[1]))
        if '"1.while"' not in open(file).read():  # which may never end
            predictor.run(inputs)
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
    elif what == "list" and isinstance(op.get("O"), list) and op["O"]:
        kind = op["O"][0]["TT"]
        if kind["#"] not in ("0.t_vec", "0.t_dtensor"):
            return None
        op["O"][0]["TT"] = kind["D"][0] if kind["#"] == "0.t_vec" else {"#": "0.t_vec", "D": [kind]}
    else:
        return None
    return program


@pytest.mark.parametrize("name", NAMES)
def test_no_hole_crashes_the_loader(name, tmp_path):
    program = json.loads((FOLDER / name / "model.json").read_text())
    count = len(list(operations(program["program"]["regions"][0]["blocks"][0])))
    files = []
    for k in range(0, count, max(1, count // 60)):
        for what in ("operand", "result", "type", "list"):
            other = damaged(program, k, what)
            if other:
                files.append(tmp_path / f"{k}_{what}.json")
                files[-1].write_text(json.dumps(other))
    params = FOLDER / name / "model.pdiparams"
    given = [str(params) if params.exists() else "", str(FOLDER / name / "io.npz"), *map(str, files)]
    done = subprocess.run([sys.executable, "-c", LOAD, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "done" in done.stdout, done.stderr


def refused(name, tmp_path, damage):
    """What loading says to the program after `damage` of its operations."""
    program = json.loads((FOLDER / name / "model.json").read_text())
    damage(list(operations(program["program"]["regions"][0]["blocks"][0])))
    file = tmp_path / "model.json"
    file.write_text(json.dumps(program))
    params = FOLDER / name / "model.pdiparams"
    with pytest.raises((ValueError, NotImplementedError)) as error:
        inference.create_predictor(inference.Config(str(file), str(params) if params.exists() else ""))
    return str(error.value)


def test_a_list_that_is_one_tensor(tmp_path):
    def damage(ops):
        result = next(op for op in ops if op["#"] == "0.combine")["O"][0]
        result["TT"] = result["TT"]["D"][0]

    assert "builtin.combine: tensor<" in refused("einsum", tmp_path, damage)


def test_an_axis_that_is_absent(tmp_path):
    def damage(ops):
        next(op for op in ops if op["#"] == "1.concat")["I"][1]["%"] = 0

    assert "pd_op.concat: operand axis is absent" in refused("rows", tmp_path, damage)


def test_a_value_of_a_branch_is_not_seen_behind_it(tmp_path):
    def damage(ops):
        branch = next(op for op in ops if op["#"] == "1.if")["regions"][0]["blocks"][0]["ops"]
        inner = next(op["O"][0]["%"] for op in branch if op["O"])
        next(op for op in ops if op["#"] == "1.fetch")["I"][0]["%"] = inner

    assert "not defined before it" in refused("control_if", tmp_path, damage)


def test_a_region_that_yields_the_result_of_its_operation(tmp_path):
    def damage(ops):
        layer = next(op for op in ops if op["#"] == "1.pylayer")
        layer["regions"][0]["blocks"][0]["ops"][-1]["I"][0]["%"] = layer["O"][0]["%"]

    assert "cf.yield uses value" in refused("pylayer", tmp_path, damage)


def test_a_result_that_is_not_computed_is_read(tmp_path):
    def damage(ops):
        results = next(op for op in ops if op["#"] == "1.renorm")["O"]
        results.append({"%": 1000, "TT": results[0]["TT"]})
        next(op for op in ops if op["#"] == "1.fetch")["I"][0]["%"] = 1000

    assert "pd_op.renorm: the program reads result 1" in refused("composed", tmp_path, damage)


def test_a_loop_without_a_body(tmp_path):
    def damage(ops):
        next(op for op in ops if op["#"] == "1.while")["regions"] = []

    assert "pd_op.while: 0 regions" in refused("control_while", tmp_path, damage)


def test_operations_that_only_programs_in_memory_hold(tmp_path):
    def damage(ops):
        branch = next(op for op in ops if op["#"] == "1.greater_than")
        branch["#"] = "2.host_call"

    assert "cf.host_call is no operation of files" in refused("control_if", tmp_path, damage)


def test_an_element_that_its_operator_leaves_out(tmp_path):
    """sgd_ gives no master parameter without one; the file puts it in a list."""

    def tensor(name, *shape, dtype="0.t_f32"):
        return {"%": name, "TT": {"#": "0.t_dtensor", "D": [{"#": dtype}, list(shape), "NCHW", [], 0]}}

    def operation(tag, operands, results, **attributes):
        named = [{"N": n, "AT": {"#": kind, "D": v}} for n, (kind, v) in attributes.items()]
        return {"#": tag, "A": named, "I": [{"%": i} for i in operands], "O": results}

    float32, place = ("1.a_dtype", "float32"), ("1.a_place", [0, 0, ""])
    pair = {"%": 6, "TT": {"#": "0.t_vec", "D": [tensor(0, 2, 3)["TT"]] * 2}}
    one = {"shape": ("1.a_intarray", [1]), "value": ("0.a_f64", 0.5), "dtype": float32, "place": place}
    x = {"name": ("0.a_str", "x"), "shape": ("1.a_intarray", [2, 3]), "dtype": float32, "place": place}
    ops = [
        operation("1.data", [], [tensor(1, 2, 3)], **x),
        operation("1.full", [], [tensor(2, 1)], **one),
        operation("1.sgd_", [1, 2, 1, 0], [tensor(3, 2, 3), tensor(4, 2, 3)], multi_precision=("0.a_bool", False)),
        operation("0.combine", [4, 1], [pair]),
        operation("1.add_n", [6], [tensor(7, 2, 3)]),
        operation("1.fetch", [7], [tensor(8, 2, 3)], name=("0.a_str", "out"), col=("0.a_i32", 0)),
    ]
    regions = [{"#": "region_0", "blocks": [{"#": "block_0", "args": [], "ops": ops}]}]
    program = {"base_code": {"magic": "pir", "trainable": True, "version": 4}, "program": {"regions": regions}}
    (tmp_path / "model.json").write_text(json.dumps(program))
    predictor = inference.create_predictor(inference.Config(str(tmp_path / "model.json"), ""))
    with pytest.raises(ValueError, match="builtin.combine: element 0 has no value"):
        predictor.run([paddle.ones([2, 3])])

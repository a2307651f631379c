# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of one operator, written by hand."""

import json
from dataclasses import dataclass

import paddle

CODES = {"float32": "f32", "float16": "f16", "int8": "i8", "int64": "i64", "int32": "i32"}


def tensor_type(dtype, shape):
    return {"#": "0.t_dtensor", "D": [{"#": f"0.t_{CODES[dtype]}"}, list(shape), "NCHW", [], 0]}


def attribute(value):
    if isinstance(value, list):
        return {"#": "0.a_array", "D": [attribute(v) for v in value]}
    kind = {bool: "bool", int: "i32", float: "f32", str: "str"}[type(value)]
    return {"#": f"0.a_{kind}", "D": value}


def operation(operator, operands, results, /, **attributes):
    named = [{"N": key, "AT": value} for key, value in attributes.items()]
    return {"#": operator, "I": [{"%": i} for i in operands], "O": results, "A": named, "OA": []}


@dataclass
class Constant:
    """Integers that an operation of the file makes."""

    value: list[int]


def run(folder, operator, operands, out, version=4, /, **attributes):
    """`operands`: arrays, lists of them, constants, None; `out`: dtype and rank of the first result."""
    ids, inputs, ops, combines = [], [], [], []
    for operand in operands:
        if operand is None:
            ids.append(0)
            continue
        if isinstance(operand, Constant):
            ids.append(500 + len(ids))
            result = {"%": ids[-1], "TT": tensor_type("int64", [len(operand.value)])}
            value = {"#": "1.a_intarray", "D": operand.value}
            ops.append(operation("1.full_int_array", [], [result], value=value))
            continue
        arrays, first = operand if isinstance(operand, list) else [operand], len(inputs) + 1
        for a in arrays:
            inputs.append(a)
            place = {"#": "1.a_place", "D": [0, 0, ""]}
            described = dict(name=attribute(f"x{len(inputs)}"), shape={"#": "1.a_intarray", "D": list(a.shape)})
            described |= dict(dtype={"#": "1.a_dtype", "D": str(a.dtype)}, place=place)
            ops.append(
                operation("1.data", [], [{"%": len(inputs), "TT": tensor_type(str(a.dtype), a.shape)}], **described)
            )
        ids.append(first)
        if isinstance(operand, list):
            parts = [tensor_type(str(a.dtype), a.shape) for a in arrays]
            ids[-1] = 100 + len(combines)
            result = {"%": ids[-1], "TT": {"#": "0.t_vec", "D": parts}}
            combines.append(operation("0.combine", range(first, first + len(arrays)), [result]))
    result = {"%": 900, "TT": tensor_type(out[0], [-1] * out[1])}
    ops += [*combines, operation(f"1.{operator}", ids, [result], **{k: attribute(v) for k, v in attributes.items()})]
    ops.append(operation("1.fetch", [900], [result | {"%": 901}], name=attribute("fetch_name_0"), col=attribute(0)))
    block = {"#": "block_0", "args": [], "ops": ops}
    program = {"regions": [{"#": "region_0", "blocks": [block]}]}
    text = json.dumps({"base_code": {"magic": "pir", "trainable": True, "version": version}, "program": program})
    (folder / "m.json").write_text(text)
    return paddle.jit.load(str(folder / "m"))(*map(paddle.to_tensor, inputs)).numpy()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of operators of PaddlePaddle 2: in the types that an operator declares, and out of messages of program
files."""

import functools

from .... import _core


@functools.cache
def _numbers():
    from ....base.proto.framework_pb2 import VarType
    from ....framework.variable_kinds import VarDesc

    kinds = VarDesc.VarType
    return {getattr(kinds, name): number for name, number in VarType.Type.items() if hasattr(kinds, name)}


def dtype_number(dtype):
    """The number of a dtype in program files: 5 for float32."""
    return _numbers()[dtype]


def dtype_of_number(number):
    """The dtype with a number in program files."""
    for dtype, known in _numbers().items():
        if known == number:
            return dtype
    raise ValueError(f"{number} is the number of no data type.")


def _listed(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _number(value):
    if isinstance(value, _core.DType):
        return dtype_number(value)
    if hasattr(value, "item"):
        value = value.item()
    return int(value)


def _scalar(value):
    value = value.item() if hasattr(value, "item") else value
    return dtype_number(value) if isinstance(value, _core.DType) else value


_CONVERT = {
    "int": _number,
    "long": _number,
    "float": float,
    "double": float,
    "bool": bool,
    "str": str,
    "scalar": _scalar,
    "ints": lambda v: [_number(i) for i in _listed(v)],
    "longs": lambda v: [_number(i) for i in _listed(v)],
    "floats": lambda v: [float(i) for i in _listed(v)],
    "doubles": lambda v: [float(i) for i in _listed(v)],
    "bools": lambda v: [bool(i) for i in _listed(v)],
    "strs": lambda v: [str(i) for i in _listed(v)],
    "scalars": lambda v: [_scalar(i) for i in _listed(v)],
}


def canonical_attributes(description, attrs):
    """Attributes in the types that the operator declares; those that are None or that it does not declare are left
    out."""
    found = {}
    for name, value in attrs.items():
        convert = _CONVERT.get(description.attributes.get(name))
        if convert is None or value is None:
            continue
        try:
            found[name] = convert(value)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"operator {description.name}: attribute {name} has value {value!r}; it must be of type "
                f"{description.attributes[name]}."
            ) from None
    return found


def attribute_of_message(attr):
    """The value of an attribute message."""
    from ....base.proto.framework_pb2 import AttrType as kinds

    field = {
        kinds.INT: "i",
        kinds.FLOAT: "f",
        kinds.STRING: "s",
        kinds.INTS: "ints",
        kinds.FLOATS: "floats",
        kinds.STRINGS: "strings",
        kinds.BOOLEAN: "b",
        kinds.BOOLEANS: "bools",
        kinds.LONG: "l",
        kinds.LONGS: "longs",
        kinds.FLOAT64S: "float64s",
        kinds.FLOAT64: "float64",
        kinds.SCALAR: "scalar",
        kinds.SCALARS: "scalars",
        kinds.BLOCK: "block_idx",
        kinds.BLOCKS: "blocks_idx",
        kinds.VAR: "var_name",
        kinds.VARS: "vars_name",
    }[attr.type]
    value = getattr(attr, field)
    if field == "scalar":
        return _scalar_value(value)
    if field == "scalars":
        return [_scalar_value(v) for v in value]
    return list(value) if isinstance(value, list) else value


def _scalar_value(value):
    kinds = type(value)
    if value.type == kinds.BOOLEAN:
        return value.b
    if value.type == kinds.LONG:
        return value.i
    return value.r if value.type == kinds.FLOAT64 else complex(value.c.r, value.c.i)

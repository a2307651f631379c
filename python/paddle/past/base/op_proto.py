# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`OpProtoHolder`: what operators there are, and their arguments.

Operators of PaddlePaddle 2 are described by the lines of `proto/operators.txt`; those that only have a name of today
by their schema.
"""

import functools
import os

from .. import _core

_TYPES = {
    "int": "INT",
    "float": "FLOAT",
    "str": "STRING",
    "ints": "INTS",
    "floats": "FLOATS",
    "strs": "STRINGS",
    "bool": "BOOLEAN",
    "bools": "BOOLEANS",
    "long": "LONG",
    "longs": "LONGS",
    "double": "FLOAT64",
    "doubles": "FLOAT64S",
    "scalar": "SCALAR",
    "scalars": "SCALARS",
    "block": "BLOCK",
    "blocks": "BLOCKS",
    "var": "VAR",
    "vars": "VARS",
}
_TODAY = {
    "bool": "bool",
    "int": "int",
    "int64": "long",
    "float": "float",
    "double": "double",
    "Scalar": "scalar",
    "str": "str",
    "DType": "int",
    "int[]": "ints",
    "int64[]": "longs",
    "IntArray": "longs",
    "float[]": "floats",
}


class Slot:
    """An input or an output: `X` one tensor, `X*` a list, `X?` may be absent, `X~` is no result that is looked at."""

    def __init__(self, text):
        self.name = text.rstrip("*?~")
        self.duplicable, self.dispensable, self.intermediate = (mark in text for mark in "*?~")


class Description:
    """An operator: its inputs, attributes and outputs, and in which order its function takes them.

    A line reads `name: inputs; attributes; outputs`, and `| inputs; attributes; outputs` where the order is another. An
    attribute is `name:type`; in the order, `StartsTensor/starts` is an attribute that an input may stand for.
    """

    def __init__(self, line):
        self.name, _, rest = line.partition(": ")
        slots, _, order = rest.partition("|")
        inputs, attributes, outputs = (part.split() for part in slots.split(";"))
        self.inputs, self.outputs = [Slot(s) for s in inputs], [Slot(s) for s in outputs]
        self.attributes = dict(a.split(":") for a in attributes)
        if order:
            self.order = [part.split() for part in order.split(";")]
        else:
            self.order = [[s.name for s in self.inputs], list(self.attributes), [s.name for s in self.outputs]]

    def proto(self):
        """The description as a message."""
        from .proto import framework_pb2 as messages

        made = messages.OpProto(type=self.name, comment="")
        for field, slots in ((made.inputs, self.inputs), (made.outputs, self.outputs)):
            for slot in slots:
                one = field.add(name=slot.name, comment="")
                for flag in ("duplicable", "dispensable", "intermediate"):
                    if getattr(slot, flag):
                        setattr(one, flag, True)
        for name, type in self.attributes.items():
            made.attrs.add(name=name, type=messages.AttrType.Value(_TYPES[type]), comment="")
        return made


@functools.cache
def _lines():
    path = os.path.join(os.path.dirname(__file__), "proto", "operators.txt")
    with open(path, encoding="utf-8") as file:
        return {line.partition(":")[0]: line.rstrip("\n") for line in file if line[0] != "#"}


@functools.cache
def description_of(type):
    """The Description of an operator of PaddlePaddle 2 that paddle runs; None when there is none of that name."""
    line = _lines().get(type)
    return None if line is None else Description(line)


def described_operators():
    """The names of the operators of PaddlePaddle 2 that paddle runs."""
    return list(_lines())


def _of_today(type):
    record = _core.describe_op(type)
    inputs, attributes, outputs = [], [], []
    for name, kind, optional in record["arguments"]:
        if kind.startswith("Tensor"):
            inputs.append(name + ("*" if kind != "Tensor" else "") + ("?" if optional else ""))
        elif kind in _TODAY:
            attributes.append(f"{name}:{_TODAY[kind]}")
    for name, kind, optional in record["results"]:
        outputs.append(name + ("*" if kind != "Tensor" else "") + ("?" if optional else ""))
    return Description(f"{type}: {' '.join(inputs)}; {' '.join(attributes)}; {' '.join(outputs)}")


class OpProtoHolder:
    """The operators of paddle by name; one object serves the process."""

    _instance = None

    def __init__(self):
        self._protos = {}

    @classmethod
    def instance(cls):
        """The object."""
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def has_op_proto(self, type):
        """Whether there is an operator of that name."""
        return isinstance(type, str) and (type in _lines() or hasattr(_core.ops, type))

    def get_op_proto(self, type):
        """The description of an operator as an `OpProto` message.

        Raises:
            ValueError: There is no operator of that name.
        """
        if type not in self._protos:
            if not self.has_op_proto(type):
                raise ValueError(f'OpProtoHolder.get_op_proto: operator "{type}" is not registered in paddle.')
            self._protos[type] = (description_of(type) or _of_today(type)).proto()
        return self._protos[type]

    def generated_op_attr_names(self):
        """Names of the attributes that every operator of a program file may have, as a set."""
        return {"op_callstack", "op_device", "op_namescope", "op_role", "op_role_var"}

    def update_op_proto(self, new_op_list):
        """The names among `new_op_list` that were not known before, whose descriptions are there from now on.

        Raises:
            ValueError: There is no operator of a name.
        """
        added = [name for name in new_op_list if name not in self._protos]
        for name in added:
            self.get_op_proto(name)
        return added

    op_proto_map = property(lambda self: {name: self.get_op_proto(name) for name in _lines()})


def get_all_op_protos():
    """The `OpProto` messages of all operators of PaddlePaddle 2 that paddle runs, as bytes."""
    holder = OpProtoHolder.instance()
    return [holder.get_op_proto(name).SerializeToString() for name in _lines()]


def kernel_signature(type, inputs, outputs, attrs):
    """The arguments of an operator's function in its order: names of inputs, of attributes, of outputs.

    Args:
        type: The old name.
        inputs: Tensors by slot: an attribute for which an input stands goes by the name of the input.
        outputs: Tensors by slot.
        attrs: Attributes by name.

    Raises:
        RuntimeError: There is no such operator.
    """
    known = description_of(type)
    if known is None:
        raise RuntimeError(f"operator {type} has no kernel signature in paddle.")
    first, second, third = known.order
    if type == "split" and attrs.get("num"):
        second = ["num", *second[1:]]
    chosen = []
    for name in second:
        *stand_ins, attribute = name.split("/")
        chosen.append(next((s for s in stand_ins if inputs.get(s)), attribute))
    return list(first), chosen, list(third)

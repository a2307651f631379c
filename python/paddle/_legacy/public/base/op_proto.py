# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`OpProtoHolder`: what operators there are, and their arguments.

Operators of PaddlePaddle 2 are described by the lines of `paddle/_legacy/operators/operators.txt`; those that only have a name of today
by their schema.
"""

from .. import _core
from .._legacy.operators.descriptions import Description, described_operators, description_of

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


def _message(description):
    """A description as an `OpProto` message."""
    from .proto import framework_pb2 as messages

    made = messages.OpProto(type=description.name, comment="")
    for field, slots in ((made.inputs, description.inputs), (made.outputs, description.outputs)):
        for slot in slots:
            one = field.add(name=slot.name, comment="")
            for flag in ("duplicable", "dispensable", "intermediate"):
                if getattr(slot, flag):
                    setattr(one, flag, True)
    for name, type in description.attributes.items():
        made.attrs.add(name=name, type=messages.AttrType.Value(_TYPES[type]), comment="")
    return made


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
        return isinstance(type, str) and (type in described_operators() or hasattr(_core.ops, type))

    def get_op_proto(self, type):
        """The description of an operator as an `OpProto` message.

        Raises:
            ValueError: There is no operator of that name.
        """
        if type not in self._protos:
            if not self.has_op_proto(type):
                raise ValueError(f'OpProtoHolder.get_op_proto: operator "{type}" is not registered in paddle.')
            self._protos[type] = _message(description_of(type) or _of_today(type))
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

    op_proto_map = property(lambda self: {name: self.get_op_proto(name) for name in described_operators()})


def get_all_op_protos():
    """The `OpProto` messages of all operators of PaddlePaddle 2 that paddle runs, as bytes."""
    holder = OpProtoHolder.instance()
    return [holder.get_op_proto(name).SerializeToString() for name in described_operators()]

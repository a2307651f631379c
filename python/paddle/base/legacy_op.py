# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 by their old names, slots and attributes.

They become operators of today as those of a `.pdmodel` file do: a call is a program of one operator, made once for
every kind of input.
"""

import functools

from .. import _core
from ..framework.layer_helper import put_result
from . import legacy_composites, legacy_fused, legacy_quantizers, legacy_updates  # noqa: F401 - they fill TABLE
from .legacy_call import TABLE, Call
from .op_proto import legacy

_programs = {}
_MOST = 4096


@functools.cache
def _numbers():
    from .core import VarDesc
    from .proto.framework_pb2 import VarType

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


def _tensors(value):
    """The tensors of one slot as a list."""
    if value is None:
        return []
    return [t for t in value if t is not None] if isinstance(value, (list, tuple)) else [value]


def is_call(type, inputs):
    """Whether these are the slots of an operator of PaddlePaddle 2."""
    known = legacy(type)
    if known is None:
        return False
    slots = {slot.name for slot in known.inputs}
    return all(name in slots for name in inputs)


def call(type, inputs, outputs, attrs):
    """What one operator gives, as {slot: list of tensors}; None stands for one that it does not give.

    Args:
        type: Its name.
        inputs: A tensor or a list of tensors by slot.
        outputs: The number of tensors that are wanted, by slot.
        attrs: Attributes by name.

    Raises:
        NotImplementedError: There is no operator of that name.
        ValueError: A slot or an attribute does not fit the operator.
    """
    description = legacy(type)
    if description is None:
        raise NotImplementedError(f"operator {type}: this build has none of that name.")
    given = [(slot.name, _tensors(inputs.get(slot.name))) for slot in description.inputs]
    given = [(slot, tensors) for slot, tensors in given if tensors]
    unknown = set(inputs) - {slot.name for slot in description.inputs}
    if unknown:
        raise ValueError(f"operator {type}: there is no input {sorted(unknown)}; it has {_names(description.inputs)}.")
    attributes = canonical_attributes(description, attrs)
    if type in TABLE:
        found = TABLE[type](Call(dict(given), attributes))
        listed = {slot: _tensors(found.get(slot)) for slot in outputs}
        return {slot: (listed[slot] + [None] * count)[:count] for slot, count in outputs.items()}
    every = [t for _, tensors in given for t in tensors]
    key = (
        type,
        tuple((slot, len(tensors)) for slot, tensors in given),
        tuple((t.dtype, tuple(t.shape)) for t in every),
        tuple(outputs.items()),
        tuple((name, _fixed(value)) for name, value in sorted(attributes.items())),
    )
    program = _programs.get(key)
    if program is None:
        if len(_programs) >= _MOST:
            _programs.clear()
        program = _programs[key] = _core.pir.legacy_operator(
            type,
            [(slot, [f"{slot}:{i}" for i in range(len(tensors))]) for slot, tensors in given],
            every,
            [(slot, [f">{slot}:{i}" for i in range(count)]) for slot, count in outputs.items()],
            attributes,
        )
    values = dict(zip(program.output_names, program.run(every), strict=True))
    return {slot: [values.get(f">{slot}:{i}") for i in range(count)] for slot, count in outputs.items()}


def fill(type, inputs, outputs, attrs, stop_gradient=False):
    """Put what one operator gives into tensors.

    Args:
        type: Its name.
        inputs: A tensor or a list of tensors by slot.
        outputs: A tensor or a list of tensors by slot: they get the values.
        attrs: Attributes by name.
        stop_gradient: Whether to leave the call out of the gradient graph.
    """
    targets = {slot: _tensors(value) for slot, value in outputs.items()}
    results = call(type, inputs, {slot: len(tensors) for slot, tensors in targets.items()}, attrs)
    for slot, tensors in targets.items():
        for target, value in zip(tensors, results[slot], strict=True):
            if value is not None:
                put_result(target, value, type)
                if stop_gradient:
                    target.stop_gradient = True


def _names(slots):
    return [slot.name for slot in slots]


def _fixed(value):
    return tuple(value) if isinstance(value, list) else (value, value.__class__)


class OpDesc:
    """The description of a call: names of variables by slot, and attributes."""

    def __init__(self, type, inputs, outputs, attrs):
        self._type, self._inputs, self._outputs, self._attrs = type, inputs, outputs, attrs

    def type(self):
        """The name of the operator."""
        return self._type

    def input(self, name):
        """The names of the variables of an input."""
        return list(self._inputs.get(name, []))

    def output(self, name):
        """The names of the variables of an output."""
        return list(self._outputs.get(name, []))

    def input_names(self):
        """The slots of the inputs."""
        return list(self._inputs)

    def output_names(self):
        """The slots of the outputs."""
        return list(self._outputs)

    def input_arg_names(self):
        """The names of all variables that are read."""
        return [name for names in self._inputs.values() for name in names]

    def output_arg_names(self):
        """The names of all variables that are written."""
        return [name for names in self._outputs.values() for name in names]

    def attr_names(self):
        """The names of the attributes."""
        return list(self._attrs)

    def has_attr(self, name):
        """Whether there is an attribute of that name."""
        return name in self._attrs

    def attr(self, name):
        """The value of an attribute."""
        return self._attrs[name]

    def get_attr_map(self):
        """The attributes by name."""
        return dict(self._attrs)

    def infer_var_type(self, block):
        """Nothing is left to do: variables have their types when the operator is appended."""

    def infer_shape(self, block):
        """Nothing is left to do: variables have their shapes when the operator is appended."""

    def check_attrs(self):
        """Nothing is left to do: the call was checked."""


class ScopeOperator:
    """An operator over the variables of a scope.

    Args:
        desc: An `OpDesc` message.
    """

    def __init__(self, desc):
        self._type = desc.type
        self._inputs = {v.parameter: list(v.arguments) for v in desc.inputs if v.arguments}
        self._outputs = {v.parameter: list(v.arguments) for v in desc.outputs if v.arguments}
        self._attrs = {a.name: _attribute(a) for a in desc.attrs}

    @staticmethod
    def create(data):
        """The operator that the bytes of an `OpDesc` message describe.

        Raises:
            NotImplementedError: There is no operator of that name.
        """
        from .proto.framework_pb2 import OpDesc as Message

        made = ScopeOperator(Message.FromString(data))
        if legacy(made._type) is None:
            raise NotImplementedError(f"Operator.create: this build has no operator {made._type}.")
        return made

    def type(self):
        """The name of the operator."""
        return self._type

    def inputs(self):
        """Names of variables by input."""
        return dict(self._inputs)

    def outputs(self):
        """Names of variables by output."""
        return dict(self._outputs)

    def input_vars(self):
        """The names of all variables that are read."""
        return [name for names in self._inputs.values() for name in names]

    def output_vars(self):
        """The names of all variables that are written."""
        return [name for names in self._outputs.values() for name in names]

    def run(self, scope, place=None):
        """Read the variables of a scope and write the results into it.

        Args:
            scope: The Scope.
            place: The device; the CPU.
        """
        from ..framework import modes

        with modes.eager_region(), modes.no_grad():
            inputs = {slot: [self._read(scope, name) for name in names] for slot, names in self._inputs.items()}
            counts = {slot: len(names) for slot, names in self._outputs.items()}
            results = call(self._type, inputs, counts, self._attrs)
        for slot, names in self._outputs.items():
            for name, value in zip(names, results[slot], strict=True):
                if value is not None:
                    scope._put(name, value)

    def _read(self, scope, name):
        found = scope._find(name)
        if found is None:
            raise RuntimeError(f"operator {self._type}: variable {name} has no value in the scope.")
        return found

    def __str__(self):
        return f"Op({self._type}), inputs: {self._inputs}, outputs: {self._outputs}"


def _attribute(attr):
    """The value of an attribute message."""
    from .proto.framework_pb2 import AttrType as kinds

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

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of a program in the words of PaddlePaddle 2: `fill_constant` for `pd_op.full`, slots and their attributes.

Programs are of one kind. Those that are made inside of `paddle.pir_utils.OldIrGuard`, or as
`paddle.base.framework.Program`, show their operators through this view.
"""

from ... import _core
from ...framework import modes
from ...static.operators import Operator, _flat
from ...static.program import Program
from ..operators.descriptions import description_of
from ..operators.names import OLD_ARGUMENTS, old_type


def _camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _slots(names, values, slots):
    """Tensors by slot: of the same spelling, or the one in the same place."""
    known = [slot.name for slot in slots]
    left = list(known)
    found = {}
    for i, (name, value) in enumerate(zip(names, values, strict=False)):
        spelled = [s for s in (_camel(name), *OLD_ARGUMENTS.get(name, ())) if s in left]
        slot = spelled[0] if spelled else known[i] if i < len(known) and known[i] in left else None
        slot = slot or _camel(name)
        if slot in left:
            left.remove(slot)
        found[slot] = [t.name for t in _flat([value])]
    return found


class _AnyProgram(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Program)


class OldProgram(Program, metaclass=_AnyProgram):
    """A Program that shows its operators in the words of PaddlePaddle 2. Every Program is an instance."""

    def __init__(self):
        super().__init__()
        self._in_old_words = True


class OldOperator(Operator):
    """One operation of a program, in the words of PaddlePaddle 2.

    Args:
        block: The block that it belongs to.
        desc: What the program recorded of it.
        constants: Id of a tensor -> the number or the numbers that it stands for.
    """

    def __init__(self, block, desc, constants):
        super().__init__(block, desc)
        self._type = old_type(self._name)
        description = description_of(self._type)
        tensors, settings = [], dict(self._attributes)
        for name, value in zip(self._input_names, self._operands, strict=False):
            if value is not None and not isinstance(value, list) and id(value) in constants:
                settings[name] = constants[id(value)]
            else:
                tensors.append((name, value))
        names, values = [n for n, _ in tensors], [v for _, v in tensors]
        self._inputs = _slots(names, values, description.inputs if description else [])
        given = [(n, v) for n, v in zip(self._output_names, self._results, strict=False) if v is not None]
        names, values = [n for n, _ in given], [v for _, v in given]
        self._outputs = _slots(names, values, description.outputs if description else [])
        self._settings = {}
        if self._type == "cast":
            self._settings["in_dtype"] = self._operands[0].dtype
        for name, value in settings.items():
            spelled = (name, *OLD_ARGUMENTS.get(name, ()))
            known = next((n for n in spelled if description is None or n in description.attributes), None)
            if known is not None:
                self._settings[known] = _as_old(known, value)

    @property
    def type(self):
        """Its name: 'fill_constant'."""
        return self._type

    struct_name = type

    @property
    def input_names(self):
        """The slots of its inputs."""
        return list(self._inputs)

    @property
    def output_names(self):
        """The slots of its results."""
        return list(self._outputs)

    @property
    def input_arg_names(self):
        """Names of the tensors it reads."""
        return [name for names in self._inputs.values() for name in names]

    @property
    def output_arg_names(self):
        """Names of the tensors it gives."""
        return [name for names in self._outputs.values() for name in names]

    def _slot(self, name, slots, what):
        if name not in slots:
            raise ValueError(f"Operator.{what}: {self.type} has {list(slots)}; there is no {name!r}.")
        return list(slots[name])

    def input(self, name):
        """Names of the tensors of a slot."""
        return self._slot(name, self._inputs, "input")

    def output(self, name):
        """Names of the tensors of a slot."""
        return self._slot(name, self._outputs, "output")

    def attrs(self):
        """Attributes by name."""
        return dict(self._settings)

    all_attrs = attrs

    @property
    def attr_names(self):
        """Names of the attributes."""
        return list(self._settings)

    def has_attr(self, name):
        """Whether there is an attribute of that name."""
        return name in self._settings

    def attr(self, name):
        """The value of an attribute.

        Raises:
            ValueError: There is none of that name.
        """
        if name not in self._settings:
            raise ValueError(f"Operator.attr: {self.type} has no attribute {name!r}; it has {self.attr_names}.")
        return self._settings[name]

    def to_string(self, throw_on_error=False):
        """Its slots, name and attributes as text."""
        outputs = ", ".join(f"{slot}={names}" for slot, names in self._outputs.items())
        inputs = ", ".join(f"{slot}={names}" for slot, names in self._inputs.items())
        attributes = "".join(f", {name} = {self._settings[name]}" for name in sorted(self._settings))
        return f"{{{outputs}}} = {self.type}(inputs={{{inputs}}}{attributes})"

    __str__ = __repr__ = to_string


class CalledOperator(OldOperator):
    """A call of `Block.append_op`, whatever operators of today it became.

    Args:
        block: The block that it belongs to.
        call: (name, inputs, outputs, attributes) of the call.
        descs: What the program recorded of it.
    """

    def __init__(self, block, call, descs):
        Operator.__init__(self, block, descs[-1])
        self._descs = descs
        self._type, inputs, outputs, self._settings = call
        self._inputs, self._outputs = (
            {
                slot: [t.name for t in _flat(values if isinstance(values, list) else [values])]
                for slot, values in s.items()
            }
            for s in (inputs, outputs)
        )

    def _parts(self):
        return [desc[8] for desc in reversed(self._descs)]


def _as_old(name, value):
    """Dtypes as the types of variables, numbers that are texts as numbers."""
    if name.endswith("dtype") and isinstance(value, str):
        return getattr(_core, value, value)
    return value


def _given_values(desc):
    """The call that an operator stands for that copies an array of the user's; None for other operators."""
    if desc[0] != "pd_op.assign" or not desc[1][0]._is_initialized() or desc[1][0].persistable:
        return None
    value = desc[1][0]
    with modes.eager_region():
        values = value.flatten().tolist()
    attributes = {"values": values, "shape": list(value.shape), "dtype": value.dtype}
    return "assign_value", {}, {"Out": desc[2][0]}, attributes


def _constants(listed):
    """What small constants hold, by the ids of their tensors."""
    found = {}
    for desc in listed:
        name, attributes = desc[0], desc[3]
        if name == "pd_op.full_int_array":
            found[id(desc[2][0])] = list(attributes["value"])
        elif name == "pd_op.full" and attributes.get("shape") == [1]:
            found[id(desc[2][0])] = attributes["value"]
    return found


def _read_as_tensors(listed, constants):
    """Ids of the constants that an operator reads as a tensor, or that nothing reads."""
    argument, tensor = set(), set()
    for desc in listed:
        name = desc[0].rpartition(".")[2]
        kinds = dict.fromkeys(desc[4], "Tensor")
        if desc[0].startswith("pd_op."):
            kinds = {n: kind for n, kind, _ in _described(name)} or kinds
        for i, value in enumerate(desc[1]):
            for one in _flat([value]):
                if id(one) in constants:
                    is_tensor = i >= len(desc[4]) or kinds.get(desc[4][i], "Tensor").startswith("Tensor")
                    (tensor if is_tensor else argument).add(id(one))
    return tensor | (set(constants) - argument)


def _described(name):
    try:
        return _core.describe_op(name)["arguments"]
    except (ValueError, RuntimeError, NotImplementedError):
        return []


def operators(block, listed, calls):
    """The operators of a block in the old words.

    Args:
        block: The Block.
        listed: What the program recorded, operation by operation.
        calls: Id of an operation -> number of the call of `append_op` that made it, and the call.
    """
    constants = _constants(listed)
    shown = _read_as_tensors(listed, constants)
    numbers = {key: value for key, value in constants.items() if key not in shown}
    made, grouped = [], {}
    for desc in listed:
        call = calls.get(desc[8])
        if call is not None:
            if call[0] not in grouped:
                grouped[call[0]] = (len(made), [])
                made.append(None)
            at, parts = grouped[call[0]]
            parts.append(desc)
            made[at] = CalledOperator(block, call[1], parts)
            continue
        values = _given_values(desc)
        if values is not None:
            made.append(CalledOperator(block, values, [desc]))
            continue
        results = list(_flat(desc[2]))
        if not desc[0].startswith("pd_op.") or desc[0] == "pd_op.data" or (results and id(results[0]) in numbers):
            continue
        made.append(OldOperator(block, desc, numbers))
    return made

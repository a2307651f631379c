# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`core.Operator`: an operator of PaddlePaddle 2 over the variables of a scope; `OpDesc` describes a call."""

from ..descriptions import description_of
from .attributes import attribute_of_message
from .call import call


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
        self._attrs = {a.name: attribute_of_message(a) for a in desc.attrs}

    @staticmethod
    def create(data):
        """The operator that the bytes of an `OpDesc` message describe.

        Raises:
            NotImplementedError: There is no operator of that name.
        """
        from ....base.proto.framework_pb2 import OpDesc as Message

        made = ScopeOperator(Message.FromString(data))
        if description_of(made._type) is None:
            raise NotImplementedError(f"Operator.create: paddle has no operator {made._type}.")
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
        from ....framework import modes

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

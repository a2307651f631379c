# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of a program, to look at and to change."""

from .. import _core


def _flat(values):
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        elif value is not None:
            yield value


def _attribute(name, value):
    """The value of an attribute as `Operator.attrs` gives it."""
    if name != "place":
        return value
    place = _core.Place()
    if value is not None:
        place.set_place(value)
    return place


class OpOperand:
    """A place where an operator reads a tensor.

    Args:
        owner: The Operator.
        index: Position among its inputs.
    """

    def __init__(self, owner, index):
        self._owner, self._index = owner, index

    def owner(self):
        """The operator that reads."""
        return self._owner

    def index(self):
        """The position among its inputs."""
        return self._index

    def source(self):
        """The tensor that is read; None where an optional one is absent."""
        return self._owner.operand_source(self._index)

    def set_source(self, value):
        """Let the operator read another tensor here."""
        self._owner._recording().set_operand(self._owner.id(), self._index, value)
        self._owner.block.program._forget_compiled()

    def is_same(self, other):
        """Whether it is the same place."""
        return self._index == other._index and self._owner == other._owner


class Operator:
    """One operation of a program: what it reads, what it gives, its attributes.

    Args:
        block: The block that it belongs to.
        desc: What the program recorded of it.
    """

    OP_WITHOUT_KERNEL_SET = frozenset(
        {"feed", "fetch", "while", "if", "builtin.parameter", "builtin.constant", "py_func"}
    )

    dist_attr = None

    def __init__(self, block, desc, type=None, inputs=None, outputs=None, attrs=None):
        self.block, self._amp_options = block, None
        if not isinstance(desc, tuple):
            desc = (type or "", [], [], dict(attrs or {}), list(inputs or {}), list(outputs or {}), "", [], 0)
        self._name, self._operands, self._results, self._attributes = desc[:4]
        self._input_names, self._output_names, self._location, self._regions, self._id = desc[4:]
        self._index = None

    # -- names -----------------------------------------------------------------------------------
    @property
    def type(self):
        """Its name without the dialect: 'relu' of 'pd_op.relu'."""
        return self._name.rpartition(".")[2]

    struct_name = type

    def name(self):
        """Its full name: 'pd_op.relu'."""
        return self._name

    @property
    def idx(self):
        """Its position in the block."""
        return self._index

    def id(self):
        """A number that no other operator has."""
        return self._id

    def _mark(name):
        def get(self):
            return self.block.program._marks.get((name, self._id), -1)

        def set_(self, value):
            self.block.program._marks[(name, self._id)] = int(value)

        return property(get, set_, doc=f"A number that programs keep with an operator as its {name}; -1: none.")

    op_role, chunk_id = _mark("role"), _mark("chunk")
    del _mark

    def get_parent_block(self):
        """The block that it belongs to."""
        return self.block

    @property
    def callstack(self):
        """The user's line that made it, as a list."""
        return [self._location]

    # -- tensors ---------------------------------------------------------------------------------
    def operands_source(self):
        """The tensors it reads; None where an optional one is absent."""
        return list(self._operands)

    def operands(self):
        """The places where it reads a tensor."""
        return [OpOperand(self, i) for i in range(len(self._operands))]

    def operand(self, index):
        """The place where it reads the tensor at a position."""
        return OpOperand(self, index)

    def operand_source(self, index):
        """The tensor that it reads at a position."""
        return self._operands[index]

    def results(self):
        """The tensors it gives."""
        return list(self._results)

    def result(self, index):
        """The tensor that it gives at a position."""
        return self._results[index]

    def num_operands(self):
        """Number of inputs, absent ones included."""
        return len(self._operands)

    def num_results(self):
        """Number of results."""
        return len(self._results)

    @property
    def input_names(self):
        """Names of its inputs in the operator's schema."""
        return list(self._input_names)

    @property
    def output_names(self):
        """Names of its results in the operator's schema."""
        return list(self._output_names)

    def get_input_names(self):
        """Names of its inputs in the operator's schema."""
        return list(self._input_names)

    def get_output_names(self):
        """Names of its results in the operator's schema."""
        return list(self._output_names)

    @property
    def input_arg_names(self):
        """Names of the tensors it reads."""
        return [t.name for t in _flat(self._operands)]

    @property
    def output_arg_names(self):
        """Names of the tensors it gives."""
        return [t.name for t in _flat(self._results)]

    def _of(self, name, names, values, what):
        wanted = name.lower()
        for known, value in zip(names, values, strict=False):
            if known.lower() == wanted:
                return [t.name for t in _flat([value])]
        raise ValueError(f"Operator.{what}: {self.type} has {list(names)}; there is no {name!r}.")

    def input(self, name):
        """Names of the tensors of one input."""
        return self._of(name, self._input_names, self._operands, "input")

    def output(self, name):
        """Names of the tensors of one result."""
        return self._of(name, self._output_names, self._results, "output")

    # -- attributes ------------------------------------------------------------------------------
    def attrs(self):
        """Attributes by name: places as such; and of each result whether it needs no gradient."""
        made = {name: _attribute(name, value) for name, value in self._attributes.items()}
        if self._results:
            made["stop_gradient"] = [t.stop_gradient for t in _flat(self._results)]
        return made

    all_attrs = attrs

    def get_output_intermediate_status(self):
        """Of each result whether it is there for the gradient only: none is."""
        return [False] * len(self._results)

    @property
    def attr_names(self):
        """Names of the attributes."""
        return list(self._attributes)

    def get_attr_names(self):
        """Names of the attributes."""
        return list(self._attributes)

    def has_attr(self, name):
        """Whether there is an attribute of that name."""
        return name in self._attributes

    def attr(self, name):
        """The value of an attribute.

        Raises:
            ValueError: There is none of that name.
        """
        if name not in self._attributes:
            raise ValueError(f"Operator.attr: {self.type} has no attribute {name!r}; it has {self.attr_names}.")
        return self._attributes[name]

    def _schema_attributes(self):
        """The attributes of its signature, in order."""
        return [value for name, value in self._attributes.items() if name != "place"]

    def erase_attr(self, name):
        """Take an attribute out that is none of the operator's signature; nothing where there is none."""
        self._attributes.pop(name, None)

    def attr_type(self, name):
        """The type of the value of an attribute."""
        return type(self.attr(name))

    @property
    def amp_options(self):
        """What `set_amp_options` set."""
        return self._amp_options

    def set_amp_options(self, amp_options):
        """Keep options of mixed precision with the operator."""
        self._amp_options = amp_options

    # -- changes ---------------------------------------------------------------------------------
    def _recording(self):
        return self.block.program._recording

    def _parts(self):
        return [self._id]

    def erase(self):
        """Take it out of the program.

        Raises:
            ValueError: A result of it is read.
        """
        self.block.remove_op(self)

    def replace_all_uses_with(self, values):
        """Let whatever reads its results read other values.

        Args:
            values: As many as there are results.
        """
        if len(values) != len(self._results):
            raise ValueError(
                f"Operator.replace_all_uses_with: values has {len(values)} entries; {self.type} has "
                f"{len(self._results)} results."
            )
        for old, new in zip(self._results, values, strict=True):
            self._recording().replace_uses(old, new)
        self.block.program._forget_compiled()

    def move_before(self, other):
        """Let it stand before another operator of the program."""
        self._recording().move(self._id, other._id)
        self.block.program._forget_compiled()

    def _set_attr(self, name, value):
        self._recording().set_attribute(self._id, name, value)
        self._attributes[name] = value
        self.block.program._forget_compiled()

    set_bool_attr = set_int_attr = set_str_attr = set_int_array_attr = set_str_array_attr = _set_attr

    def str_attr(self, name):
        """The value of an attribute that is a text."""
        return self.attr(name)

    def int_attr(self, name):
        """The value of an attribute that is a number."""
        return self.attr(name)

    # -- regions ---------------------------------------------------------------------------------
    def num_regions(self):
        """Number of regions: branches, bodies of loops."""
        return len(self._regions)

    def blocks(self):
        """The blocks of its regions."""
        from .block import Block

        return [Block(self.block.program, i + 1, operations) for i, operations in enumerate(self._regions)]

    def _as(self, kind):
        if self.type != kind:
            raise TypeError(f"Operator: {self._name} is no pd_op.{kind}.")
        return self

    def as_if_op(self):
        """Itself, a branch.

        Raises:
            TypeError: It is none.
        """
        return self._as("if")

    def as_while_op(self):
        """Itself, a loop.

        Raises:
            TypeError: It is none.
        """
        return self._as("while")

    def true_block(self):
        """The block of a branch that runs where the condition holds."""
        return self.as_if_op().blocks()[0]

    def false_block(self):
        """The block of a branch that runs where the condition does not hold."""
        return self.as_if_op().blocks()[1]

    def body(self):
        """The block of a loop."""
        return self.as_while_op().blocks()[0]

    def cond(self):
        """The condition of a branch or loop."""
        return self._operands[0]

    def __eq__(self, other):
        if not isinstance(other, Operator):
            return NotImplemented
        return self is other or (self._id != 0 and self._id == other._id)

    def __hash__(self):
        return hash(self._id or id(self))

    def to_string(self, throw_on_error=False):
        """Its name, tensors and attributes as text."""
        results = ", ".join(self.output_arg_names)
        inputs = ", ".join(self.input_arg_names)
        attributes = ", ".join(f"{name}={value!r}" for name, value in self._attributes.items())
        return f"({results}) = {self._name}({inputs}) {{{attributes}}}"

    __str__ = __repr__ = to_string

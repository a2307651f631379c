# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a program holds, to look at: blocks, operators, variables."""

import weakref

from .. import _core
from ..framework import modes
from ..framework.dtypes import convert
from .variable_members import MEMBERS, set_value


def _flat(values):
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        elif value is not None:
            yield value


def _attribute(name, value):
    """The value of an attribute as `Operator.attrs` gives it."""
    if name in ("dtype", "out_dtype") and isinstance(value, str):
        return convert(value)
    if name == "place":
        from ..base.core import Place

        place = Place()
        if value is not None:
            place.set_place(value)
        return place
    return value


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

    def is_same(self, other):
        """Whether it is the same place."""
        return self._index == other._index and self._owner == other._owner


class Operator:
    """One operation of a program: what it reads, what it gives, its attributes.

    Args:
        block: The block it stands in.
        desc: What the program recorded of it.
    """

    OP_WITHOUT_KERNEL_SET = frozenset(
        {"feed", "fetch", "while", "if", "builtin.parameter", "builtin.constant", "py_func"}
    )

    dist_attr = None

    def __init__(self, block, desc, type=None, inputs=None, outputs=None, attrs=None):
        self.block, self._amp_options = block, None
        if not isinstance(desc, tuple):
            desc = (type or "", [], [], dict(attrs or {}), list(inputs or {}), list(outputs or {}), "", [])
        self._name, self._operands, self._results, self._attributes = desc[:4]
        self._input_names, self._output_names, self._location, self._regions = desc[4:]
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
        """Its position in the block."""
        return self._index

    def get_parent_block(self):
        """The block it stands in."""
        return self.block

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
        """Attributes by name: dtypes and places as such; and of each result whether it needs no gradient."""
        made = {name: _attribute(name, value) for name, value in self._attributes.items()}
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

    # -- regions ---------------------------------------------------------------------------------
    def num_regions(self):
        """Number of regions: branches, bodies of loops."""
        return len(self._regions)

    def blocks(self):
        """The blocks of its regions."""
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
        same = self._results and len(self._results) == len(other._results)
        return self is other or bool(
            same and all(a is b for a, b in zip(_flat(self._results), _flat(other._results), strict=False))
        )

    def __hash__(self):
        return hash(tuple(id(t) for t in _flat(self._results)))

    def to_string(self, throw_on_error=False):
        """Its name, tensors and attributes as text."""
        results = ", ".join(self.output_arg_names)
        inputs = ", ".join(self.input_arg_names)
        attributes = ", ".join(f"{name}={value!r}" for name, value in self._attributes.items())
        return f"({results}) = {self._name}({inputs}) {{{attributes}}}"

    __str__ = __repr__ = to_string


class Block:
    """The operators and variables of a program, or of a branch or loop in it."""

    def __init__(self, program, idx, operations=None):
        self.program, self.idx, self._operations = program, idx, operations

    @property
    def parent_idx(self):
        """The number of the block around it; -1 for the outermost."""
        return self.idx - 1 if self.idx else -1

    @property
    def forward_block_idx(self):
        """-1: gradients stand in the block of what they are gradients of."""
        return -1

    @property
    def ops(self):
        """The operators, in order."""
        listed = self.program._operations() if self._operations is None else self._operations
        made = [Operator(self, desc) for desc in listed]
        for i, operator in enumerate(made):
            operator._index = i
        return made

    def num_ops(self):
        """Number of operators."""
        return len(self.ops)

    __len__ = num_ops

    def __bool__(self):
        return True

    def __eq__(self, other):
        if not isinstance(other, Block):
            return NotImplemented
        return self.program is other.program and self.ops == other.ops

    def __hash__(self):
        return hash((id(self.program), self.idx))

    def __str__(self):
        if self._operations is None:
            return str(self.program)
        return "{\n" + "".join(f"    {operator}\n" for operator in self.ops) + "}"

    @property
    def vars(self):
        """Variables by name."""
        return {v.name: v for v in self.program.list_vars()}

    def all_parameters(self):
        """The parameters that the program reads."""
        return self.program.all_parameters()

    def iter_parameters(self):
        """The parameters that the program reads, one after another."""
        return iter(self.program.all_parameters())

    def has_var(self, name):
        """Whether there is a variable of that name."""
        return self.program._variable(name) is not None

    def var(self, name):
        """The variable of that name.

        Raises:
            TypeError: `name` is no str.
            ValueError: There is none.
        """
        if not isinstance(name, str):
            raise TypeError(f"Block.var: name has type {type(name).__name__}; it must be a str.")
        found = self.program._variable(name)
        if found is None:
            raise ValueError(f"Block.var: the program has no variable {name!r}.")
        return found

    _var_recursive = _find_var_recursive = var

    def create_var(self, *args, **kwargs):
        """A variable without values, for an operator to fill; takes name, shape, dtype, persistable.

        A persistable one keeps its value from run to run.
        """
        return self.program._create_variable(*args, **kwargs)

    def create_parameter(self, shape, dtype, name=None, initializer=None, **kwargs):
        """A parameter.

        Args:
            shape: Its shape.
            dtype: Its dtype.
            name: Its name; None for a generated one.
            initializer: What makes its first values; None: Xavier's.
            kwargs: trainable, regularizer, need_clip, optimize_attr; others of earlier versions are kept for programs
                that pass them.
        """
        from ..pir.core import create_parameter

        return create_parameter(dtype, shape, name, initializer=initializer, **kwargs)

    def append_op(self, *args, **kwargs):
        """Call an operator by its name; see `LayerHelper.append_op`. Variables may be given by their names."""
        from ..framework.layer_helper import LayerHelper
        from .program import recorded_into

        if modes.in_dynamic_mode():
            return LayerHelper("block").append_op(*args, **kwargs)
        for slots in ("inputs", "outputs"):
            kwargs[slots] = {slot: self._variables(values) for slot, values in (kwargs.get(slots) or {}).items()}
        with recorded_into(self.program):
            made = LayerHelper("block").append_op(*args, **kwargs)
        for values in kwargs["outputs"].values():
            for value in _flat([values]):
                value._program = weakref.ref(self.program)
        made.block = self
        return made

    def _variables(self, values):
        if isinstance(values, (list, tuple)):
            return [self._variables(value) for value in values]
        return self.var(values) if isinstance(values, str) else values

    @property
    def desc(self):
        """The block: it is its own description."""
        return self


class Blocks:
    """The blocks of a program that tells its operations: `_operations()`."""

    @property
    def blocks(self):
        """The block of the program and those of its branches and loops, as a list."""
        return [self.block(i) for i in range(self.num_blocks)]

    @property
    def num_blocks(self):
        """Number of blocks: 1, and one for each branch and body of a loop."""
        return 1 + len(self._inner_blocks())

    def _inner_blocks(self):
        found, waiting = [], list(self._operations())
        while waiting:
            for region in waiting.pop(0)[7]:
                found.append(region)
                waiting.extend(region)
        return found

    def global_block(self):
        """The outermost block."""
        return Block(self, 0)

    current_block = global_block

    def block(self, index):
        """The block of that number."""
        return Block(self, 0) if index == 0 else Block(self, index, self._inner_blocks()[index - 1])

    def num_ops(self):
        """Number of operators in the outermost block."""
        return len(self._operations())


class _VariableType(type):
    def __instancecheck__(cls, instance):
        if not isinstance(instance, _core.Tensor):
            return False
        return modes.in_dynamic_mode() or not instance._is_initialized()

    def __getattr__(cls, name):
        # The values of a program are Tensors: their methods are its methods.
        return getattr(_core.Tensor, name)


class Variable(metaclass=_VariableType):
    """Type of values, for `isinstance`: tensors, in a program those that have no values yet."""

    lod_level = 0  # how deep sequences nest; `paddle.static.data` sets it
    set_value = set_value
    locals().update(MEMBERS)

    def __init__(
        self,
        block,
        type=None,
        name=None,
        shape=None,
        dtype=None,
        lod_level=None,
        capacity=None,
        persistable=None,
        error_clip=None,
        stop_gradient=False,
        is_data=False,
        need_check_feed=False,
        belong_to_optimizer=False,
        **kwargs,
    ):
        raise TypeError("Variable: values of a program come from paddle.static.data and from operators.")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a program holds, to look at: blocks, operators, variables."""

import types
import weakref

from .. import _core, _legacy
from ..framework import modes
from .operators import Operator, _flat
from .variable_members import MEMBERS, set_value


class Block:
    """The operators and variables of a program, or of a branch or loop in it."""

    def __init__(self, program, idx, operations=None):
        self.program, self.idx, self._operations = program, idx, operations

    @property
    def parent_idx(self):
        """The number of the block around it; -1 for the outermost."""
        return self.idx - 1 if self.idx else -1

    @property
    def backward_block_idx(self):
        """-1: gradients are in the block of what they are gradients of."""
        return -1

    @property
    def parent_block(self):
        """The outermost block, of a block inside of it; None for the outermost."""
        return self.program.global_block() if self.idx else None

    @property
    def parent_op(self):
        """The operator that has the block as a branch or loop; None for the outermost."""
        if self._operations is None:
            return None
        waiting = list(self.program.global_block().ops)
        while waiting:
            op = waiting.pop(0)
            for block in op.blocks():
                if block._operations == self._operations:
                    return op
                waiting.extend(block.ops)
        return None

    def args(self):
        """Values that the block is given: blocks read those around them instead, there are none."""
        return []

    def kwargs(self):
        """The same by name: none."""
        return {}

    def refresh_stopgradient(self):
        """Nothing: values know at once whether they need a gradient."""

    def to_string(self, throw_on_error=False, with_details=False):
        """The operators as text."""
        return str(self)

    @property
    def forward_block_idx(self):
        """-1: gradients are in the block of what they are gradients of."""
        return -1

    @property
    def ops(self):
        """The operators, in order."""
        listed = self.program._operations() if self._operations is None else self._operations
        if self.program._in_old_words:
            made = _legacy.shown_operators(self, listed, self.program._calls)
        else:
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
            initializer: What makes its first values, whenever this program runs; None: the startup program, Xavier's.
            kwargs: trainable, regularizer, need_clip, optimize_attr; others of earlier versions are kept for programs
                that pass them.
        """
        from ..framework.param_attr import ParamAttr
        from ..framework.parameter import make_parameter
        from ..nn.initializer import default_for
        from ..utils import unique_name
        from .program import recorded_into

        rate = (kwargs.get("optimize_attr") or {}).get("learning_rate", 1.0)
        settings = (rate, kwargs.get("regularizer"), kwargs.get("trainable", True))
        attr = ParamAttr(name, initializer, *settings, need_clip=kwargs.get("need_clip", True))
        prefix = name or unique_name.generate("create_parameter")
        if modes.in_dynamic_mode():
            return make_parameter(shape, dtype, attr, default_for(False), prefix, "w")
        with recorded_into(self.program):
            startup = None if initializer is None else self.program
            made = make_parameter(shape, dtype, attr, default_for(False), prefix, "w", startup)
        made._program = weakref.ref(self.program)
        return made

    def append_op(self, *args, **kwargs):
        """Call an operator by its name; see `LayerHelper.append_op`. Variables may be given by their names."""
        from ..framework.layer_helper import LayerHelper
        from .program import recorded_into

        if modes.in_dynamic_mode():
            return LayerHelper("block").append_op(*args, **kwargs)
        for slots in ("inputs", "outputs"):
            kwargs[slots] = {slot: self._variables(values) for slot, values in (kwargs.get(slots) or {}).items()}
        recording = self.program._recording
        before = set(recording.operation_ids()) if self.program._in_old_words else ()
        with recorded_into(self.program):
            made = LayerHelper("block").append_op(*args, **kwargs)
        if self.program._in_old_words:
            call = (
                len(self.program._calls),
                (made.type, kwargs["inputs"], kwargs["outputs"], kwargs.get("attrs") or {}),
            )
            self.program._calls.update((key, call) for key in recording.operation_ids() if key not in before)
        for values in kwargs["outputs"].values():
            for value in _flat([values]):
                value._program = weakref.ref(self.program)
        made.block = self
        return made

    # -- changes ---------------------------------------------------------------------------------
    def remove_op(self, op):
        """Take an operator out of the program.

        Args:
            op: An Operator of the program.

        Raises:
            ValueError: A result of it is read.
        """
        recording = self.program._recording
        for key in op._parts():
            recording.remove(key)
        self.program._forget_compiled()

    def _remove_op(self, index, sync=False):
        self.remove_op(self.ops[index])

    def _insert_op(self, index, *args, **kwargs):
        listed = self.ops
        if index >= len(listed):
            return self.append_op(*args, **kwargs)
        recording = self.program._recording
        recording.record_before(listed[index]._parts()[0])
        try:
            return self.append_op(*args, **kwargs)
        finally:
            recording.record_before(0)
            self.program._forget_compiled()

    _insert_op_without_sync = _insert_op

    def _prepend_op(self, *args, **kwargs):
        return self._insert_op(0, *args, **kwargs)

    def _remove_var(self, name, sync=True):
        self.program._named.pop(name, None)

    def _rename_var(self, name, new_name):
        found = self.var(name)
        found.name = new_name
        self.program._named.pop(name, None)
        self.program._named[new_name] = found
        return found

    def _sync_with_cpp(self):
        """Nothing: the block has no second form."""

    def move_op(self, op, index):
        """Let an operator stand at another position."""
        listed = self.ops
        if index < len(listed) and listed[index].id() != op.id():
            op.move_before(listed[index])

    def get_values_by_op_idx(self, op_idx):
        """What the operators at a list of positions give."""
        listed = self.ops
        return [t for i in op_idx for t in listed[i].results()]

    def move_op_to_block_end(self, op):
        """Let an operator stand at the end."""
        last = self.ops[-1]
        if last != op:
            op.move_before(last)
            last.move_before(op)

    def back(self):
        """The last operator."""
        return self.ops[-1]

    def front(self):
        """The first operator."""
        return self.ops[0]

    def empty(self):
        """Whether there is no operator."""
        return not self.ops

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

    _marks = types.MappingProxyType({})  # (what, id of an operation) -> number
    _in_old_words = False  # whether operators are shown as PaddlePaddle 2 names them

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

    current_block_idx = 0

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

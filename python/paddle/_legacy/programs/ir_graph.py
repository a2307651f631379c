# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A program as a graph to look at: its operators and variables as nodes that know their neighbours.

The graph is a view: programs are rewritten by passes over `paddle.pir` (docs/adding/pass.md).
"""

import os
import pathlib

from ...framework.parameter import EagerParamBase
from ...static.block import _flat
from ...static.program import Program


class Graph:
    """What `IrGraph` is made of.

    Args:
        desc: The `desc` of a Program, or a Program.
    """

    def __init__(self, desc):
        if not isinstance(desc, Program):
            raise TypeError(f"Graph: desc has type {type(desc).__name__}; pass the desc of a Program.")
        self.program = desc


class IrNode:
    """A node: `inputs` and `outputs` are the nodes before and behind it, in order."""

    def __init__(self, name, number):
        self._name, self._number = name, number
        self.inputs, self.outputs = [], []

    def name(self):
        """The type of an operator, the name of a variable."""
        return self._name

    def id(self):
        """Its number in the graph."""
        return self._number

    def is_op(self):
        """Whether it is an operator."""
        return isinstance(self, IrOpNode)

    def is_var(self):
        """Whether it is a variable."""
        return isinstance(self, IrVarNode)

    def is_ctrl_var(self):
        """False: order follows from values alone."""
        return False

    def __repr__(self):
        return f"{type(self).__name__}({self._name!r})"


class IrVarNode(IrNode):
    """A variable of the program."""

    def __init__(self, tensor, number):
        super().__init__(tensor.name, number)
        self._tensor = tensor

    def var(self):
        """The Variable."""
        return self._tensor

    def shape(self):
        """Its extents; -1 where they are dynamic."""
        return list(self._tensor.shape)

    def dtype(self):
        """Its dtype."""
        return self._tensor.dtype

    def persistable(self):
        """Whether it is a parameter or other state."""
        return bool(self._tensor.persistable) or isinstance(self._tensor, EagerParamBase)


class IrOpNode(IrNode):
    """An operator of the program."""

    def __init__(self, operator, number):
        super().__init__(operator.type, number)
        self._operator = operator

    def op(self):
        """The Operator."""
        return self._operator

    def input(self, name):
        """Names of the variables of one input."""
        return self._operator.input(name)

    def output(self, name):
        """Names of the variables of one result."""
        return self._operator.output(name)

    def input_arg_names(self):
        """Names of the variables it reads."""
        return self._operator.input_arg_names

    def output_arg_names(self):
        """Names of the variables it gives."""
        return self._operator.output_arg_names


class IrGraph:
    """The graph of a program's outermost block, or of a branch or loop in it, to look at.

    Args:
        graph: A `core.Graph` of a program.
        for_test: Whether `is_test` is to say so.

    Example:
        >>> import paddle
        >>> program = paddle.static.Program()
        >>> paddle.enable_static()
        >>> with paddle.static.program_guard(program):
        ...     y = paddle.tanh(paddle.static.data("x", [2, 3])) + 1.0
        >>> paddle.disable_static()
        >>> graph = paddle.framework.IrGraph(paddle.framework.core.Graph(program.desc))
        >>> "tanh" in [node.name() for node in graph.topology_sort()]
        True
    """

    def __init__(self, graph, for_test=False):
        if not isinstance(graph, Graph):
            raise TypeError(
                f"IrGraph: graph has type {type(graph).__name__}; pass paddle.framework.core.Graph(program.desc)."
            )
        self.graph, self._for_test = graph, bool(for_test)
        self._block_number = 0
        self._fill()

    def _fill(self):
        self._variables, self._operators = {}, []
        block = self.graph.program.block(self._block_number)
        if self._block_number == 0:
            for tensor in self.graph.program.list_vars():
                self._variable(tensor)
        for operator in block.ops:
            node = IrOpNode(operator, len(self._operators) + len(self._variables))
            self._operators.append(node)
            for tensor in _flat(operator.operands_source()):
                self._link(self._variable(tensor), node)
            for tensor in _flat(operator.results()):
                self._link(node, self._variable(tensor))

    def _variable(self, tensor):
        if id(tensor) not in self._variables:
            number = len(self._operators) + len(self._variables)
            self._variables[id(tensor)] = IrVarNode(tensor, number)
        return self._variables[id(tensor)]

    @staticmethod
    def _link(before, behind):
        if behind not in before.outputs:
            before.outputs.append(behind)
            behind.inputs.append(before)

    def is_test(self):
        """Whether the graph was made with `for_test`."""
        return self._for_test

    def all_nodes(self):
        """All nodes, as a set."""
        return self.all_op_nodes() | self.all_var_nodes()

    def all_op_nodes(self):
        """The operators, as a set."""
        return set(self._operators)

    def all_var_nodes(self):
        """The variables, as a set."""
        return set(self._variables.values())

    def all_persistable_nodes(self):
        """Parameters and other state, as a set."""
        return {node for node in self._variables.values() if node.persistable()}

    def topology_sort(self):
        """The operators in an order in which they can run, as a list."""
        return list(self._operators)

    def build_adjacency_list(self):
        """Each operator with the set of operators that come right before it, as a dict."""
        return {node: {before for v in node.inputs for before in v.inputs} for node in self._operators}

    def has_circle(self):
        """False: a value is given before it is read."""
        return False

    def graph_num(self):
        """Number of graphs: 1, and one for each branch and body of a loop."""
        return self.graph.program.num_blocks

    def get_sub_graph(self, i, for_test=False):
        """The graph of a branch or loop; that of number 0 is the outermost block's.

        Args:
            i: Its number.
            for_test: Whether `is_test` of it is to say so.

        Raises:
            ValueError: There is none of that number.
        """
        if not 0 <= i < self.graph_num():
            raise ValueError(f"IrGraph.get_sub_graph: i is {i}; the program has {self.graph_num()} graphs.")
        made = IrGraph.__new__(IrGraph)
        made.graph, made._for_test, made._block_number = self.graph, bool(for_test), i
        made._fill()
        return made

    def all_sub_graphs(self, for_test=False):
        """The graphs of all blocks, the outermost first, as a list."""
        return [self.get_sub_graph(i, for_test) for i in range(self.graph_num())]

    def clone(self):
        """A graph of a copy of the program."""
        return IrGraph(Graph(self.graph.program.clone()), self._for_test)

    def to_program(self):
        """The program; in its inference form when the graph was made with `for_test`."""
        return self.graph.program.clone(for_test=self._for_test)

    def draw(self, save_path, name, marked_nodes=None, remove_ctr_var=True):
        """Draw the program into `save_path`/`name`.svg.

        Args:
            save_path: The folder; it is made when it is not there.
            name: Name of the file without its suffix.
            marked_nodes: Kept for older programs.
            remove_ctr_var: Kept for older programs; there are no control variables.
        """
        folder = pathlib.Path(os.fspath(save_path))
        folder.mkdir(parents=True, exist_ok=True)
        self.graph.program.visualize(folder / f"{name}.svg")

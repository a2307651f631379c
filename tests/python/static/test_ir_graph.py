# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`IrGraph`: the operators and variables of a program as nodes."""

import numpy as np
import paddle
import pytest
from paddle.framework import IrGraph, core


@pytest.fixture
def program():
    made, startup = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(made, startup):
            x = paddle.static.data("x", [2, 3])
            w = paddle.create_parameter([3, 4], "float32", name="graph_w")
            y = paddle.tanh(paddle.matmul(x, w))
            made.result = paddle.static.nn.cond(y.sum() > 0, lambda: y + 1.0, lambda: y - 1.0)
        paddle.static.Executor().run(startup)
    finally:
        paddle.disable_static()
    return made


def test_operators_know_their_neighbours(program):
    graph = IrGraph(core.Graph(program.desc))
    order = [node.name() for node in graph.topology_sort()]
    assert order.index("matmul") < order.index("tanh") < order.index("if")
    matmul = next(node for node in graph.all_op_nodes() if node.name() == "matmul")
    assert [v.name() for v in matmul.inputs] == ["x", "graph_w"] == matmul.input_arg_names()
    (product,) = matmul.outputs
    assert product.is_var() and product.shape() == [2, 4] and product.dtype() == paddle.float32
    (tanh,) = product.outputs
    assert tanh.name() == "tanh" and tanh.op().type == "tanh" and tanh.is_op()
    assert graph.build_adjacency_list()[tanh] >= {matmul}
    assert [node.name() for node in graph.all_persistable_nodes()] == ["graph_w"]
    assert graph.all_nodes() == graph.all_op_nodes() | graph.all_var_nodes()
    assert len({node.id() for node in graph.all_nodes()}) == len(graph.all_nodes())


def test_branches_are_graphs_of_their_own(program):
    graph = IrGraph(core.Graph(program.desc), for_test=True)
    outer, first, second = graph.all_sub_graphs()
    assert graph.graph_num() == 3 and graph.is_test() and not outer.is_test()
    assert "add" in [n.name() for n in first.topology_sort()] or "scale" in [n.name() for n in first.topology_sort()]
    assert second.topology_sort() and len(outer.topology_sort()) == len(graph.topology_sort())
    with pytest.raises(ValueError, match="3 graphs"):
        graph.get_sub_graph(3)


def test_the_program_comes_back(program, tmp_path):
    graph = IrGraph(core.Graph(program.desc)).clone()
    again = graph.to_program()
    paddle.enable_static()
    try:
        x = np.ones([2, 3], "float32")
        expected, given = (
            paddle.static.Executor().run(p, feed={"x": x}, fetch_list=[program.result])[0] for p in (program, again)
        )
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(given, expected)
    graph.draw(tmp_path / "graphs", "model")
    assert (tmp_path / "graphs" / "model.svg").read_text(encoding="utf-8").startswith("<svg")


def test_what_is_no_program_is_refused():
    with pytest.raises(TypeError, match="Program"):
        core.Graph("desc")
    with pytest.raises(TypeError, match=r"core\.Graph"):
        IrGraph(paddle.static.Program())

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Passes over programs, insertion points, and copies that tell which value is which."""

import numpy as np
import paddle
import pytest
from paddle import pir, static


def names(program):
    return [op.name() for op in program.global_block().ops]


def values(program, feed, *fetched):
    return static.Executor().run(program, feed=feed, fetch_list=list(fetched))


def test_a_pass_takes_out_what_nothing_reads(fresh):
    x = static.data("x", [2])
    y, unused = paddle.tanh(x), paddle.sin(x) + 1
    assert pir.append_shadow_output(fresh[0], y, "out", fresh[0].num_ops()) == 1
    manager = pir.PassManager()
    assert manager.empty()
    manager.add_pass("dead_code_elimination_pass", {})
    manager.add_pass("common_subexpression_elimination_pass", {})
    assert manager.passes() == ["dead_code_elimination_pass", "common_subexpression_elimination_pass"]
    manager.run(fresh[0])
    assert names(fresh[0]) == ["pd_op.data", "pd_op.tanh", "builtin.shadow_output"]
    assert fresh[0].global_block().ops[-1].attrs() == {"output_name": "out"}
    (value,) = values(fresh[0], {"x": np.ones(2, "float32")}, y)
    np.testing.assert_allclose(value, np.tanh(np.ones(2)), rtol=1e-6)
    with pytest.raises(ValueError, match="removed"):
        values(fresh[0], {"x": np.ones(2, "float32")}, unused)
    manager.clear()
    assert manager.passes() == []
    with pytest.raises(ValueError, match="'nope' is unknown"):
        manager.add_pass("nope", {})


def test_passes_keep_what_is_written(fresh):
    counter = static.create_global_var([1], 0, "float32", persistable=True)
    paddle.increment(counter)
    manager = pir.PassManager()
    manager.add_pass("dead_code_elimination_pass")
    manager.run(fresh[0])
    executor = static.Executor()
    executor.run(fresh[1])
    assert [executor.run(fresh[0], fetch_list=[counter])[0].tolist() for _ in range(2)] == [[1.0], [2.0]]


def test_calls_are_recorded_where_the_insertion_point_is(fresh):
    x = static.data("x", [2])
    y = paddle.tanh(x)
    pir.set_insertion_point(y.get_defining_op())
    sine = paddle.sin(x)
    assert pir.get_current_insertion_point().next() == y.get_defining_op()
    pir.set_insertion_point_after(x.get_defining_op())
    paddle.cos(x)
    pir.reset_insertion_point_to_start()
    static.data("z", [2])
    pir.reset_insertion_point_to_end()
    paddle.exp(x)
    assert pir.get_current_insertion_point().next() is None
    assert pir.get_current_insertion_point().prev().name() == "pd_op.exp"
    expected = ["data", "data", "cos", "sin", "tanh", "exp"]
    assert names(fresh[0]) == [f"pd_op.{name}" for name in expected]
    got = values(fresh[0], {"x": np.ones(2, "float32")}, sine)
    np.testing.assert_allclose(got[0], np.sin(np.ones(2)), rtol=1e-6)


def test_copies_tell_their_values_and_keep_marks(fresh):
    x = static.data("x", [2])
    y = paddle.tanh(x)
    y.get_defining_op().op_role = 1
    mapping = pir.IrMapping()
    copied = fresh[0].clone(mapping)
    assert mapping.look_up(y) is y and mapping.size() == 2 and copied.num_ops() == 2
    assert [op.op_role for op in copied.global_block().ops] == [-1, 1]
    translated, values_of = pir.translate_to_pir_with_param_map(fresh[0].desc)
    assert names(translated) == names(fresh[0]) and values_of["x"][0] is x
    assert pir.translate_to_pir(fresh[0].desc).num_ops() == 2
    with pytest.raises(ValueError, match="not one of the cloned program"):
        mapping.look_up(paddle.static.Program() and static.nn.cond(x.sum() > 0, lambda: x, lambda: -x))


def test_values_and_blocks_tell_where_they_belong(fresh):
    x = static.data("x", [2])
    y = static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)
    branch = y.get_defining_op().true_block()
    assert branch.parent_op == y.get_defining_op() and fresh[0].global_block().parent_op is None
    assert [op.name() for op in x.all_used_ops_in_same_block()] == ["pd_op.sum"]
    assert len(x.all_used_ops()) == 3
    assert x.has_name() and not y.has_name() and not pir.value_is_persistable(y)
    assert not x.is_selected_row_type() and not x.is_sparse_coo_tensor_type() and not x.is_dist_dense_tensor_type()

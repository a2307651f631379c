# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Looking at programs: operators, variables, dynamic extents; feeding and fetching."""

import numpy as np
import paddle
import pytest
from paddle import static


def test_operators_tell_their_type_tensors_and_attributes(fresh):
    main, _ = fresh
    x = static.data("x", [-1, 4])
    y = paddle.nn.functional.relu(static.nn.fc(x, 3))
    ops = main.global_block().ops
    assert [o.type for o in ops if o.type not in ("parameter", "data")] == ["matmul", "add", "relu"]
    relu = ops[-1]
    assert relu.name() == "pd_op.relu" and relu.output_arg_names == [y.name] and relu.input_names == ["x"]
    assert relu.result(0) is y and relu.operand_source(0).shape[1] == 3 and relu.idx == len(ops) - 1
    product = next(o for o in ops if o.type == "matmul")
    assert product.attr("transpose_x") is False and product.has_attr("transpose_y")
    assert product.input("x") == ["x"] and product.input("Y") == ["fc_0.w_0"]
    with pytest.raises(ValueError, match="no attribute"):
        product.attr("nothing")
    assert main.num_ops() == len(ops) and main.parameters_num() == 2 and "relu" in main.to_string()
    names = {v.name for v in main.list_vars()}
    assert {"x", "fc_0.w_0", "fc_0.b_0", y.name} <= names


def test_blocks_of_branches_and_lists_of_tensors_are_seen(fresh):
    main, _ = fresh
    x = static.data("x", [2])
    parts = paddle.split(paddle.concat([x, x]), 2)
    static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1)
    ops = {o.type: o for o in main.global_block().ops}
    assert ops["concat"].input("x") == ["x", "x"]
    assert ops["split_with_num" if "split_with_num" in ops else "split"].output_arg_names == [p.name for p in parts]
    assert main.num_blocks == 3 and [o.type for o in main.block(1).ops][-1:] != []


def test_blocks_have_variables(fresh, rows):
    main, _ = fresh
    x = static.data("x", [2, 4])
    block = main.global_block()
    assert block.idx == 0 and block.parent_idx == -1 and block.has_var("x") and block.var("x") is x
    made = block.create_var(name="v", shape=[2, 4], dtype="float32")
    assert made.shape == [2, 4] and not made.persistable and isinstance(made, static.Variable)
    block.append_op(type="scale", inputs={"X": x}, outputs={"Out": made}, attrs={"scale": 3.0, "bias": 1.0})
    (got,) = static.Executor().run(main, feed={"x": rows}, fetch_list=["v"])
    np.testing.assert_allclose(got, rows * 3 + 1, rtol=1e-6)
    with pytest.raises(ValueError, match="no variable"):
        block.var("nothing")


def test_extents_that_vary_are_minus_one(fresh):
    x = static.data("x", [None, 4])
    assert x.shape[0] == -1 and -1 in x.shape and x.shape[0] < 0 and not x.shape[0] > 0
    assert str(x.shape[0]) == "-1" and tuple(x.shape) == (-1, 4) and x.shape[1] == 4
    assert str(x) == "Value(define_op_name=pd_op.data, index=0, dtype=tensor<-1x4xf32>, stop_gradient=True)"
    with paddle.pir_utils.OldIrGuard():
        assert "var x : shape(-1, 4)" in str(x)


def test_values_operators_and_blocks_as_text_and_attributes(fresh):
    main, _ = fresh
    x = static.data("x", [4], "bfloat16")
    first, second = paddle.split(x, 2)
    assert "split_with_num, index=1, dtype=tensor<2xbf16>" in str(second) and isinstance(second.id, str)
    filled = paddle.full([2], 3.0, "float64").get_defining_op()
    attributes = filled.attrs()
    assert attributes["dtype"] == paddle.float64 and isinstance(attributes["place"], paddle.base.core.Place)
    assert attributes["stop_gradient"] == [True] and filled.get_output_intermediate_status() == [False]
    assert str(main.global_block()) == str(main) and "pd_op.full" in str(main)
    assert "pd_op.tanh" in str(made_in_a_branch())


def made_in_a_branch():
    x = paddle.ones([2])
    out = static.nn.cond(x.sum() > 0, lambda: paddle.tanh(x), lambda: x * 2)
    return out.get_defining_op().true_block()


def test_gradients_of_what_is_not_used_are_none(fresh):
    x, y = static.data("x", [2], "float32"), static.data("y", [2], "float32")
    x.stop_gradient = y.stop_gradient = False
    found = paddle.autograd.ir_backward.grad(x * 2, [x, y])
    assert found[0] is not None and found[1] is None


def test_values_have_the_members_of_tensors():
    assert set(dir(paddle.Tensor)) <= set(dir(paddle.pir.Value))
    assert paddle.pir.Value.reshape is paddle.Tensor.reshape


def test_shapes_are_computed_from_paddle_shape(fresh):
    main, _ = fresh
    x = static.data("x", [None, 4])
    extent = paddle.shape(x)
    y = paddle.reshape(x, [extent[0] * 2, 2])
    z = paddle.zeros([extent[0], paddle.cast(extent[1], "int32") + 1])
    first, second = paddle.unbind(extent)
    w = x.reshape([first, second // 2, 2])
    assert y.shape[1] == 2 and z.shape[1] == 5 and w.shape[1] == 2
    assert int(extent[1]) == 4 and len(range(extent[1])) == 4 and x[: extent[0] - 1].shape[1] == 4
    got = static.Executor().run(main, feed={"x": np.ones((3, 4), "float32")}, fetch_list=[y, z, w])
    assert [v.shape for v in got] == [(6, 2), (3, 5), (3, 2, 2)]


def test_feeds_may_be_lists_and_fetches_nested(fresh, rows):
    main, _ = fresh
    x = static.data("x", [2, 4])
    assert static.data("x", [2, 4]) is x
    y = x + 1
    executor = static.Executor()
    (got,) = executor.run(main, feed=[{"x": rows.tolist()}], fetch_list=[[y]])
    np.testing.assert_allclose(got, rows + 1)
    (tensor,) = executor.run(main, feed={"x": rows}, fetch_list=y, return_numpy=False)
    assert tensor.shape() == [2, 4] and np.array(tensor).tolist() == (rows + 1).tolist()
    for feed, fetch, error in (
        (3, [y], TypeError),
        ({"x": rows}, [3], TypeError),
        ({"x": rows}, ["nothing"], RuntimeError),
    ):
        with pytest.raises(error):
            executor.run(main, feed=feed, fetch_list=fetch)
    with pytest.raises(AttributeError):
        executor.run(3)
    executor.close()
    with pytest.raises(RuntimeError, match="closed"):
        executor.run(main)


def test_wrong_arguments_of_data_raise(fresh):
    with pytest.raises(TypeError, match="shape"):
        static.data("x", 3)
    with pytest.raises(TypeError, match="name"):
        static.data(3, [2])


def test_gradients_of_wrong_things_raise(fresh):
    x = static.data("x", [2])
    x.stop_gradient = False
    loss = static.nn.fc(x.reshape([1, 2]), 2).sum()
    with pytest.raises(TypeError, match="parameter_list"):
        static.append_backward(loss, parameter_list=[3])
    with pytest.raises(TypeError, match="targets"):
        static.gradients([3], [x])
    with pytest.raises(ValueError, match="target_gradients"):
        static.gradients([x * x], [x], [None, None])


def test_a_loss_of_several_elements_is_summed(fresh, rows):
    main, startup = fresh
    pairs = static.append_backward(static.nn.fc(static.data("x", [2, 4]), 2))
    executor = static.Executor()
    executor.run(startup)
    weight, bias = executor.run(main, feed={"x": rows}, fetch_list=[g for _, g in pairs])
    np.testing.assert_allclose(weight, np.repeat(rows.sum(0)[:, None], 2, 1), rtol=1e-6)
    assert bias.tolist() == [2.0, 2.0]


def test_settings_of_builds_are_kept_and_checked():
    strategy = static.BuildStrategy()
    strategy.fuse_bn_act_ops = True
    assert strategy.fuse_bn_act_ops and strategy.enable_inplace and not strategy.build_cinn_pass
    assert str(strategy.reduce_strategy) == "ReduceStrategy.AllReduce" and strategy.num_trainers == 1
    with pytest.raises(AttributeError):
        strategy.nothing = 3
    with pytest.raises(TypeError):
        strategy.fuse_bn_act_ops = "x"


def test_values_of_variables_are_unknown(fresh):
    x = static.data("x", [1])
    for call in (float, int, bool):
        with pytest.raises(TypeError, match="values are unknown"):
            call(x)


def test_arrays_are_indexed_by_variables_of_known_value(fresh, rows):
    main, _ = fresh
    x = static.data("x", [2, 4])
    at = paddle.zeros([1], "int64")
    array = paddle.tensor.array_write(x, at)
    array = paddle.tensor.array_write(x * 2, at + 1, array)
    fetches = [paddle.tensor.array_length(array), paddle.tensor.array_read(array, at + 1)]
    count, second = static.Executor().run(main, feed={"x": rows}, fetch_list=fetches)
    assert count.tolist() == [2]
    np.testing.assert_array_equal(second, rows * 2)


def test_a_variable_is_not_made_again_as_another_one(fresh):
    with paddle.pir_utils.OldIrGuard():
        block = paddle.base.Program().global_block()
        block.create_var(name="w", shape=[-1, 3], dtype="float64", lod_level=0)
        assert block.create_var(name="w", shape=[-1, 3], dtype="float64").name == "w"
        for other in ({"shape": [2, 4]}, {"dtype": "float32"}, {"lod_level": 1}):
            with pytest.raises(ValueError, match="create_var"):
                block.create_var(name="w", **other)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What values of programs know of their operators, and which gradients a program has."""

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.autograd.ir_backward import grad


def values(main, feed, *fetched):
    return static.Executor().run(main, feed=feed, fetch_list=list(fetched))


def test_a_value_knows_what_gives_and_reads_it(fresh):
    x = static.data("x", [2, 3])
    y = paddle.tanh(x)
    z = y + y
    operator = y.get_defining_op()
    assert operator.name() == "pd_op.tanh" and operator == fresh[0].global_block().ops[1]
    assert operator.operands()[0].source().is_same(x) and not x.is_same(y)
    assert operator.operand(0).owner() == operator and operator.operand(0).index() == 0
    assert x.has_one_use() and x.first_use().owner() == operator and not y.has_one_use()
    assert [op.name() for op in y.all_used_ops()] == ["pd_op.add", "pd_op.add"] and z.use_empty()
    assert x.is_dense_tensor_type() and not x.is_combine() and not x.is_dense_tensor_array_type()
    with pytest.raises(ValueError, match="no operator reads"):
        z.first_use()


def test_operators_with_regions_give_their_blocks(fresh):
    x, i = static.data("x", [2]), paddle.zeros([1])
    static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)
    branch = fresh[0].global_block().ops[-1].as_if_op()
    assert len(branch.true_block()) > 0
    assert branch.false_block() != branch.true_block() and branch.cond().dtype == paddle.bool
    static.nn.while_loop(lambda i: i < 3, lambda i: [i + 1], [i])
    loop = fresh[0].global_block().ops[-1].as_while_op()
    assert len(loop.body()) > 0
    with pytest.raises(TypeError, match=r"no pd_op\.if"):
        loop.as_if_op()


def test_gradients_of_persistable_values_are_appended(fresh):
    a, b = paddle.full([1], 1.23), paddle.full([1], 1.23)
    for value in (a, b):
        value.stop_gradient, value.persistable = False, True
    out = static.nn.cond(a - b < -1.0, lambda: a * 2, lambda: b * 3)
    pairs = static.append_backward(out)
    assert [id(p) for p, _ in pairs] == [id(a), id(b)]
    assert [v.tolist() for v in values(fresh[0], {}, out, *(g for _, g in pairs))] == [
        [pytest.approx(3.69)],
        [0],
        [3],
    ]


def test_optimizers_update_parameters_alone(fresh):
    x = static.data("x", [3, 2])
    x.stop_gradient, x.persistable = False, True
    loss = static.nn.fc(x, 1, name="fc").mean()
    _, pairs = paddle.optimizer.SGD(0.1).minimize(loss)
    assert [p.name for p, _ in pairs] == ["fc.w_0", "fc.b_0"]


def test_gradients_are_fetched_by_name(fresh):
    main, startup = fresh
    x = static.data("x", [3, 2])
    y = static.nn.fc(x, 1, name="fc")
    y.name = "y"
    paddle.optimizer.SGD(0.1).minimize((y * y).mean())
    static.Executor().run(startup)
    data = np.random.default_rng(0).random((3, 2), "float32")
    found, dy, dw = values(main, {"x": data}, "y", "y@GRAD", "fc.w_0@GRAD")
    np.testing.assert_allclose(dy, 2 * found / 3, rtol=1e-5)
    np.testing.assert_allclose(dw, data.T @ dy, rtol=1e-5)
    with pytest.raises(RuntimeError, match="no variable 'z@GRAD'"):
        values(main, {"x": data}, "z@GRAD")


def test_gradients_are_taken_inside_of_branches(fresh):
    x = static.data("x", [2])
    x.stop_gradient = False
    y = x * x
    out = static.nn.cond(x.sum() > 0, lambda: grad(y * 3, x), lambda: grad(y * 4, x))
    for sign, factor in ((1, 6), (-1, 8)):
        at = np.float32([1, 2]) * sign
        np.testing.assert_allclose(values(fresh[0], {"x": at}, out)[0], factor * at)


def test_higher_gradients_go_through_control_flow(fresh):
    x, i = static.data("x", [2]), paddle.zeros([1], "int64")
    x.stop_gradient = False
    y = static.nn.cond(x.sum() > 0, lambda: x**3, lambda: x**2)
    _, z = static.nn.while_loop(lambda i, y: i < 2, lambda i, y: [i + 1, y * x], [i, y])
    (first,) = static.gradients(z, x)
    (second,) = static.gradients(first, x)
    at = np.float32([1, 2])
    found = values(fresh[0], {"x": at}, first, second)
    np.testing.assert_allclose(found, [5 * at**4, 20 * at**3], rtol=1e-5)


class Tenfold(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return g * 10


def test_own_gradients_beside_control_flow_are_refused_rather_than_lost(fresh):
    x = static.data("x", [2])
    x.stop_gradient = False
    y = Tenfold.apply(x)
    z = static.nn.cond(y.sum() > 0, lambda: y * 2, lambda: y)
    with pytest.raises(NotImplementedError, match="Tenfold"):
        static.gradients(z, x)


@pytest.mark.parametrize("full_graph", [True, False])
def test_own_gradients_in_captured_functions(full_graph):
    @paddle.jit.to_static(full_graph=full_graph)
    def f(x):
        y = Tenfold.apply(x)
        return Tenfold.apply(y * 2 if y.sum() > 0 else y)

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    f(x).sum().backward()
    assert x.grad.tolist() == [200, 200]


def test_wrong_arguments_of_gradients_are_named(fresh):
    x = static.data("x", [2])
    x.stop_gradient = False
    loss = (x * x).sum()
    for arguments in (
        {"parameter_list": "x"},
        {"no_grad_set": "x"},
        {"no_grad_set": [x, 3]},
        {"callbacks": print},
        {"parameter_list": [np.zeros(2)]},
    ):
        with pytest.raises(TypeError, match=next(iter(arguments))):
            static.append_backward(loss, **arguments)
    for arguments in ({"target_gradients": "x"}, {"no_grad_set": x}):
        with pytest.raises(TypeError, match=next(iter(arguments))):
            static.gradients([loss], [x], **arguments)


def test_a_static_layer_needs_a_gradient_of_its_own(fresh):
    x = static.data("x", [2])
    x.stop_gradient = False
    with pytest.raises(ValueError, match="backward_fn is None"):
        static.nn.static_pylayer(lambda a: a * 2, [x])
    out = static.nn.static_pylayer(lambda a, b: a * b, [x, x * 1], lambda g: g)
    with pytest.raises(TypeError, match="1 gradients for 2 inputs"):
        static.gradients(out, x)


def test_input_specs_check_their_shape():
    spec = static.InputSpec
    assert spec([None, -2, 3]).shape == (-1, -1, 3) and spec([10]).batch([16]).unbatch().shape == (10,)
    assert spec([1]) != spec([1], name="x") and hash(spec([1])) == hash(spec([1], name="x"))
    for error, make in (
        (ValueError, lambda: spec(["None"])),
        (TypeError, lambda: spec(4)),
        (TypeError, lambda: spec([1], "float3")),
        (ValueError, lambda: spec([1]).batch([1, 2])),
        (TypeError, lambda: spec([1]).batch("1")),
    ):
        with pytest.raises(error):
            make()


def test_weights_of_gradients_may_have_extents_that_vary_in_the_targets(fresh):
    x = static.data("x", [None, 3])
    x.stop_gradient = False
    (slope,) = static.gradients([x * x], [x], target_gradients=[paddle.full([2, 3], 3.0)])
    rows = np.arange(6, dtype="float32").reshape(2, 3)
    np.testing.assert_allclose(values(fresh[0], {"x": rows}, slope)[0], 6 * rows)


def test_signals_come_back_from_their_transforms(fresh):
    x = static.data("x", [1, 64])
    signal = np.sin(np.arange(64, dtype="float32"))[None]
    back = paddle.signal.istft(paddle.signal.stft(x, 16, 4), 16, 4)
    np.testing.assert_allclose(values(fresh[0], {"x": signal}, back)[0], signal, atol=1e-5)
    with pytest.raises(ValueError, match="do not cover"):
        paddle.signal.istft(paddle.signal.stft(x, 16, 20), 16, 20)

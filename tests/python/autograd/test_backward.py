# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recording, backward, grad, hooks: what a user sees."""

import gc
import threading
import weakref

import numpy as np
import paddle
import pytest


def leaf(values):
    return paddle.to_tensor(values, stop_gradient=False)


def test_gradients_accumulate_in_one_tensor():
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    first = x.grad
    (x * x).sum().backward()
    assert x.grad is first
    np.testing.assert_allclose(x.grad.numpy(), [4.0, 8.0])


def test_two_leaves_of_one_sum_have_gradients_of_their_own():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    (x + y).sum().backward()
    (x * 1.0).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 2.0])
    np.testing.assert_allclose(y.grad.numpy(), [1.0, 1.0])


def test_a_chain_of_100000_operators_goes_backward():
    x = leaf([1.0])
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_second_backward_without_retain_graph_raises():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


def test_retain_graph_lets_backward_run_twice():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), [4.0, 8.0])


def test_third_derivative_of_a_power():
    x = leaf([2.0])
    y = x * x * x * x
    for expected in (32.0, 48.0, 48.0):
        (y,) = paddle.grad([y], [x], create_graph=True)
        assert y.item() == pytest.approx(expected)


def test_derivative_through_a_saved_result_is_followed():
    x = leaf([0.5])
    (g,) = paddle.grad([paddle.tanh(x)], [x], create_graph=True)
    (gg,) = paddle.grad([g], [x])
    t = np.tanh(0.5)
    assert gg.item() == pytest.approx(-2 * t * (1 - t * t), rel=1e-5)


def test_grad_does_not_touch_leaf_gradients():
    x = leaf([1.0])
    paddle.grad([x * x], [x])
    assert x.grad is None


def test_grad_of_an_intermediate_tensor():
    x = leaf([3.0])
    y = x * x
    z = y * y
    (gy,) = paddle.grad([z], [y])
    assert gy.item() == pytest.approx(18.0)


def test_unreachable_input_raises_unless_allowed():
    x, y = leaf([1.0]), leaf([1.0])
    with pytest.raises(ValueError, match="allow_unused"):
        paddle.grad([x * x], [y])
    assert paddle.grad([x * x], [y], allow_unused=True) == [None]


def test_no_grad_vars_block_a_path():
    x = leaf([2.0])
    y = x * x
    z = y * x
    (g,) = paddle.grad([z], [x], no_grad_vars=[y])
    assert g.item() == pytest.approx(4.0)


def test_stop_gradient_and_no_grad_record_nothing():
    x = leaf([1.0])
    with paddle.no_grad():
        assert (x * x).stop_gradient
    assert (x.detach() * 2.0).stop_gradient


def test_hooks_see_and_replace_gradients():
    x = leaf([1.0, 2.0])
    y = x * 2.0
    seen = []
    y.register_hook(lambda g: seen.append(g.numpy().copy()))
    handle = x.register_hook(lambda g: g * 10.0)
    y.sum().backward()
    np.testing.assert_allclose(seen[0], [1.0, 1.0])
    np.testing.assert_allclose(x.grad.numpy(), [20.0, 20.0])
    handle.remove()
    x.clear_grad()
    (x * 2.0).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 2.0])


def test_retain_grads_keeps_an_intermediate_gradient():
    x = leaf([1.0, 2.0])
    y = x * 3.0
    y.retain_grads()
    (y * y).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), [6.0, 12.0])


@pytest.mark.parametrize("captured", [False, True])
def test_a_kept_gradient_is_that_of_the_latest_backward(captured):
    def kept(x):
        y = x * 3.0
        y.retain_grads()
        z = (y * y).sum()
        z.backward(retain_graph=True)
        z.backward(retain_graph=True)
        (y * 5.0).sum().backward()
        return y.grad

    x = leaf([1.0, 2.0])
    got = (paddle.jit.to_static(kept) if captured else kept)(x)
    np.testing.assert_allclose(got.numpy(), [5.0, 5.0])
    np.testing.assert_allclose(x.grad.numpy(), [2 * 18.0 + 15.0, 2 * 36.0 + 15.0])


def test_complex_gradient_is_the_conjugate_one():
    x = leaf(np.array([1 + 2j], dtype="complex64"))
    y = paddle.to_tensor(np.array([3 - 1j], dtype="complex64"))
    paddle.real(x * y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.conj([3 - 1j]))


def test_gradients_have_the_dtype_and_shape_of_their_inputs():
    x = leaf(np.ones([3, 1], "float32"))
    y = leaf(np.ones([4], "float64"))
    (x * y).sum().backward()
    assert x.grad.shape == [3, 1] and x.grad.dtype == paddle.float32
    assert y.grad.shape == [4] and y.grad.dtype == paddle.float64
    np.testing.assert_allclose(x.grad.numpy(), np.full([3, 1], 4.0))


@pytest.mark.threads
def test_two_threads_go_backward_through_one_graph():
    x = leaf(np.ones(1000, "float32"))
    y = (x * x).sum()
    out = []
    threads = [
        threading.Thread(target=lambda: out.append(paddle.grad([y], [x], retain_graph=True)[0])) for _ in range(4)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for g in out:
        np.testing.assert_allclose(g.numpy(), np.full(1000, 2.0))


def test_graphs_are_freed_without_the_cycle_collector():
    gc.disable()
    try:
        x = leaf(np.ones(4, "float32"))
        y = paddle.exp(x)
        y.marker = Marker()
        alive = weakref.ref(y.marker)
        z = (y * y).sum()
        del y, z
        assert alive() is None
    finally:
        gc.enable()


class Marker:
    pass


def test_pylayer_forward_backward():
    class Cube(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensor()
            return g * 3.0 * x * x

    x = leaf([2.0])
    Cube.apply(x).backward()
    assert x.grad.item() == pytest.approx(12.0)


def test_zeroed_gradients():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x * x).sum().backward()
    before = x.grad
    x.clear_grad()
    np.testing.assert_array_equal(before.numpy(), [0.0, 0.0])
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0])
    (3 * x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [3.0, 3.0])
    np.testing.assert_array_equal(before.numpy(), [0.0, 0.0])
    x.clear_grad()
    (3 * x).sum().backward()  # nobody read the zeros
    (4 * x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [7.0, 7.0])
    x.clear_grad(set_to_zero=False)
    assert x.grad is None
    x.clear_grad()
    assert x.grad is None


def test_zeroed_gradients_still_move_a_parameter_with_momentum():
    w = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    momentum = paddle.optimizer.Momentum(0.1, 0.5, parameters=[w])
    w.sum().backward()
    momentum.step()
    momentum.clear_grad()
    momentum.step()
    np.testing.assert_allclose(w.numpy(), [0.85, 0.85], rtol=1e-6)


def test_grad_keeps_the_graph():
    x, w = (paddle.to_tensor([1.0, 2.0], stop_gradient=False) for _ in range(2))
    loss = (x * w).exp().sum()
    first = paddle.grad(loss, x)[0]
    for _ in range(2):
        again = paddle.grad(loss, [x, w], retain_graph=False)
        assert first.tolist() == again[0].tolist() == again[1].tolist()
    loss.backward()
    assert x.grad.tolist() == first.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: paddle.grad(1, [x]),
        lambda x: paddle.grad([x * 2], [1]),
        lambda x: paddle.grad([x * 2], [x], create_graph=1),
        lambda x: paddle.grad([x * 2], [x], [None, None]),
        lambda x: paddle.grad([], [x]),
        lambda x: paddle.grad([x * 2], []),
        lambda x: paddle.autograd.backward([1]),
    ],
)
def test_wrong_arguments_of_grad(call):
    with pytest.raises(AssertionError):
        call(paddle.to_tensor([1.0], stop_gradient=False))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16"])
def test_a_pylayer_takes_gradients_through_results_of_any_dtype(dtype):
    class To(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x.astype(dtype)

        @staticmethod
        def backward(ctx, g):
            assert g.dtype == getattr(paddle, dtype)
            return g

    x = leaf([1.0, 2.0])
    To.apply(x).astype("float32").sum().backward()
    assert x.grad.dtype == paddle.float32 and x.grad.tolist() == [1, 1]


@pytest.mark.parametrize(
    "shape, scale", [([], 1), ([3], 1), ([2, 1], 1), ([6], 1), ([3, 2], 1), ([1, 2, 3], 1), ([4, 2, 3], 4)]
)
def test_gradients_of_a_pylayer_come_into_the_shape_of_its_input(shape, scale):
    class Given(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x.mean()

        @staticmethod
        def backward(ctx, g):
            return paddle.ones(shape) * g

    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    Given.apply(x * x).backward()
    assert x.grad.tolist() == (2.0 * scale * x).tolist()


def test_a_gradient_of_a_pylayer_that_fits_no_input_is_named():
    class Given(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x.mean()

        @staticmethod
        def backward(ctx, g):
            return paddle.ones([5])

    with pytest.raises(ValueError, match=r"Given.backward: gradient 0 has shape \[5\] and its input has shape \[2\]"):
        Given.apply(leaf([1.0, 2.0])).backward()


def test_the_recorded_calls_have_names_and_producers():
    x = leaf([[1.0, 2.0]])
    y = paddle.concat([x, paddle.ones([1, 2])]).matmul(paddle.ones([2, 1]))
    concat, none = y.grad_fn.next_functions
    assert y.grad_fn.name() == "MatmulGradNode" and none is None
    assert concat.name() == "ConcatGradNode" and repr(concat) == "<ConcatGradNode>"
    end, _ = concat.next_functions
    assert end.name() == "GradNodeAccumulation" and end.next_functions == []
    assert end == concat.next_functions[0] and end != concat and end == x.grad_fn


def test_a_pylayer_gives_a_tensor():
    class Nothing(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return None

    with pytest.raises(ValueError, match="Tensor"):
        Nothing.apply(paddle.ones([1]))


@pytest.mark.parametrize(
    "part",
    [
        lambda x, n: paddle.slice(x, [0], n([1]), [3]),
        lambda x, n: paddle.expand(x, n([2, 4, 3])),
        lambda x, n: paddle.tile(x, n([2, 1])),
        lambda x, n: paddle.reshape(x, n([6, 2])),
    ],
)
def test_gradients_where_extents_are_tensors(part):
    values = np.arange(12.0).reshape(4, 3)

    def slope(numbers):
        x = paddle.to_tensor(values, stop_gradient=False)
        y = part(x, numbers)
        (y * y).sum().backward()
        return x.grad.numpy()

    assert (slope(paddle.to_tensor) == slope(list)).all()
    paddle.enable_static()
    try:
        main, fed = paddle.static.Program(), {"x": values}

        def number(given):
            name = f"n{len(fed)}"
            fed[name] = np.array(given, "int32")
            return paddle.static.data(name, [len(given)], "int32")

        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [4, 3], "float64")
            x.stop_gradient = False
            y = part(x, number)
            (dx,) = paddle.static.gradients((y * y).sum(), x)
        (got,) = paddle.static.Executor().run(main, feed=fed, fetch_list=[dx])
    finally:
        paddle.disable_static()
    assert (got == slope(list)).all()


def test_what_a_pylayer_and_its_context_hold():
    class Double(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.set_grad_in_dtype_consistent(False)
            ctx.save_for_backward(x)
            seen.append((ctx.container[0] is x, ctx.materialize_grads, ctx.grad_in_dtype_consistent))
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    seen = []
    x = paddle.to_tensor([3.0], stop_gradient=False)
    Double.apply(x).backward()
    assert x.grad.item() == 2.0 and seen == [(True, True, False)]
    assert Double().name() == "Double"
    fresh = paddle.autograd.PyLayer()
    assert fresh.container == fresh.non_differentiable == fresh.not_inplace_tensors == ()
    assert paddle.autograd.PyLayer.materialize_grads and paddle.autograd.PyLayer.grad_in_dtype_consistent


def test_an_accumulated_gradient_is_a_leaf_that_takes_gradients():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    (x * x).backward()
    assert not x.grad.stop_gradient and x.grad.is_leaf
    (x.grad * 3).backward()
    assert x.grad.grad.tolist() == [3.0]
    with pytest.raises(ValueError, match="leaf"):
        x.grad.scale_(2.0)
    with paddle.no_grad():
        x.grad.scale_(2.0)
    assert x.grad.tolist() == [8.0]
    x.clear_gradient()
    assert not x.grad.stop_gradient and paddle.grad(x * x, x)[0].stop_gradient


def test_a_kept_part_that_only_its_siblings_need_has_a_gradient_of_zeros():
    x = paddle.ones([1, 4])
    x.stop_gradient = False
    first, second = paddle.split(x * 2, 2, axis=1)
    second.retain_grads()
    first.sum().backward()
    assert second.grad.tolist() == [[0.0, 0.0]] and x.grad.tolist() == [[2.0, 2.0, 0.0, 0.0]]


def test_backward_hook_of_a_leaf_runs_when_its_gradient_is_there():
    weight = paddle.nn.Linear(2, 2).weight
    seen = []
    weight._register_backward_hook(lambda: seen.append(weight.grad.tolist()))
    weight.sum().backward()
    weight.sum().backward()
    assert seen == [[[1.0] * 2] * 2, [[2.0] * 2] * 2]
    for tensor in (paddle.ones([1]), weight * 2):
        with pytest.raises(ValueError, match="must be a leaf"):
            tensor._register_backward_hook(list)


def test_backward_refuses_a_gradient_of_another_kind_or_shape():
    y = paddle.to_tensor([1.0, 2.0], stop_gradient=False) * 2
    for gradient in ([1.0, 1.0], paddle.ones([3])):
        with pytest.raises(AssertionError, match="grad_tensor"):
            y.backward(gradient)


@pytest.mark.parametrize("call", [paddle._core.grad, paddle.grad])
def test_none_is_no_tensor_to_differentiate(call):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    for arguments in (([x * 2], [None]), ([None], [x])):
        with pytest.raises((TypeError, AssertionError)):
            call(*arguments)
    assert call([x * 2], [x], [None])[0].tolist() == [2.0]


def test_integers_carry_gradients():
    x = paddle.to_tensor([1, 2], stop_gradient=False)
    y = (x * 3 + 1).sum()
    assert not y.stop_gradient
    y.backward()
    assert x.grad.dtype == paddle.int64 and x.grad.tolist() == [3, 3]
    assert (x > 1).stop_gradient and x.argmax().stop_gradient and x.detach().stop_gradient


def test_a_cast_to_integers_passes_the_gradient_on():
    for dtype, expected in (("int32", [2.0, 5.0]), ("bool", [1.0, 1.0])):  # in the dtype of the cast
        x = paddle.to_tensor([1.5, 2.5], stop_gradient=False)
        (x.astype(dtype).astype("float32") * paddle.to_tensor([2.0, 5.0])).sum().backward()
        assert x.grad.tolist() == expected
    x = paddle.to_tensor([3.5, 2.5], stop_gradient=False)
    with paddle.no_grad():
        assert x.astype("int64").stop_gradient
    assert paddle.argsort(x).stop_gradient and x.astype("int64").numpy().tolist() == [3, 2]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_root_of_a_magnitude_has_a_gradient_of_zero_at_zero(dtype):
    x = paddle.to_tensor([0.0, 4.0, -4.0], dtype=dtype, stop_gradient=False)
    paddle.sqrt(paddle.abs(x)).sum().backward()
    assert x.grad.tolist() == [0.0, 0.25, -0.25]


def test_a_kept_gradient_has_passed_the_hooks_that_were_there_before():
    def kept_and_leaf(order):
        x = leaf([1.0])
        y = x * 1
        for step in order:
            y.retain_grads() if step == "k" else y.register_hook(lambda g: g * 2)
        y.backward()
        return y.grad.item(), x.grad.item()

    assert [kept_and_leaf(order) for order in ("kh", "hk", "hkh", "hhk")] == [(1, 2), (2, 2), (2, 4), (4, 4)]


def test_backward_needs_tensors_and_none_of_them_twice():
    y = leaf([1.0]) * 2
    for tensors, told in (([], "empty"), ([y, y], "twice")):
        with pytest.raises(AssertionError, match=told):
            paddle.autograd.backward(tensors)


class Same(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x, marked=False):
        if marked:
            ctx.mark_not_inplace(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


def test_an_input_that_a_py_layer_returns_counts_as_written():
    x = leaf([2.0])
    y = x * x
    square = y * y
    assert Same.apply(y) is y and y.inplace_version == 1
    with pytest.raises(RuntimeError, match="tensor_version:1 != wrapper_version_snapshot:0"):
        square.backward()
    y.backward()
    assert x.grad.item() == 12
    with pytest.raises(ValueError, match="mark_not_inplace"):
        Same.apply(x)
    assert Same.apply(x, True) is not x


def test_a_gradient_may_be_differentiable_once_only():
    class Square(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @paddle.autograd.py_layer.once_differentiable
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensor()[0]

    x = leaf([3.0])
    (grad,) = paddle.grad(Square.apply(x), x, create_graph=True)
    assert grad.item() == 6
    with pytest.raises(ValueError):
        paddle.grad(grad, x)


def test_calls_behind_a_backward_come_once_behind_the_outermost_one():
    from paddle import _core

    said = []

    class Inner(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            with paddle.enable_grad():
                x = ctx.saved_tensor()[0].detach()
                x.stop_gradient = False
                (x * 2).backward(gradient)
            said.append("inner")
            return x.grad

    x = paddle.to_tensor([1.0], stop_gradient=False)
    w = paddle.to_tensor([3.0], stop_gradient=False)
    x._register_backward_hook(lambda: _core.after_backward(lambda: said.append(("end", x.grad.item(), w.grad.item()))))
    (Inner.apply(x) + w).sum().backward()
    assert said == ["inner", ("end", 2.0, 1.0)]
    with pytest.raises(RuntimeError, match="no backward runs"):
        _core.after_backward(print)
    failing = paddle.to_tensor([1.0], stop_gradient=False)
    failing._register_backward_hook(lambda: (_core.after_backward(said.clear), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        failing.sum().backward()
    x.sum().backward()
    assert len(said) == 3


def test_a_layer_without_backward_is_an_operating_system_error_too():
    class Twice(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    x = paddle.ones([2])
    x.stop_gradient = False
    for kind in (NotImplementedError, OSError):
        with pytest.raises(kind, match="backward is not defined"):
            Twice.apply(x).sum().backward()


def test_gradients_that_a_pylayer_returns_keep_their_mark():
    class Double(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    Double.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0] and x.grad.stop_gradient
    y = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    Double.apply(y * 1.0).sum().backward()
    assert y.grad.tolist() == [2.0, 2.0] and not y.grad.stop_gradient

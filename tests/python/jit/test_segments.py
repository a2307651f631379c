# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`to_static(full_graph=False)`: the function runs on every call, its operators in segments."""

import gc

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn


def numbers(*shape, seed=0):
    return paddle.to_tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def explained(function, *args):
    return paddle.jit.explain(function)(*args)


def test_side_effects_happen_on_every_call(capsys):
    calls = []

    @paddle.jit.to_static
    def f(x):
        calls.append(len(calls))
        print("sum", float(x.sum()))
        return x * len(calls)

    for i in range(4):
        np.testing.assert_array_equal(f(paddle.full([2], float(i))).numpy(), [i * (i + 1)] * 2)
    assert calls == [0, 1, 2, 3]
    assert capsys.readouterr().out == "".join(f"sum {2.0 * i}\n" for i in range(4))


def test_nothing_of_python_is_constant():
    state = {"scale": 1.0}

    class Layer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.bias = 0.0

        def forward(self, x):
            return x * state["scale"] + self.bias

    layer = paddle.jit.to_static(Layer())
    x = paddle.ones([2])
    for i in range(5):
        state["scale"], layer.bias = float(i), 10.0 * i
        np.testing.assert_array_equal(layer(x).numpy(), [11.0 * i] * 2)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(6, 16), nn.BatchNorm1D(16), nn.Linear(16, 3)

    def forward(self, x):
        return self.second(F.dropout(F.relu(self.norm(self.first(x))), 0.3, training=self.training))


def train(wrap, make_optimizer, steps=8):
    paddle.seed(5)
    net = Net()
    optimizer = make_optimizer(net.parameters())
    labels = paddle.to_tensor(np.arange(12) % 3)

    def step(x):
        loss = F.cross_entropy(net(x), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    step = wrap(step)
    losses = [float(step(numbers(12, 6, seed=i))) for i in range(steps)]
    net.eval()
    return losses, [p.numpy() for p in net.parameters()], [b.numpy() for b in net.buffers()], net(numbers(2, 6)).numpy()


OPTIMIZERS = {
    "sgd": lambda p: paddle.optimizer.SGD(0.1, parameters=p),
    "momentum": lambda p: paddle.optimizer.Momentum(paddle.optimizer.lr.StepDecay(0.1, 2), parameters=p),
    "adam": lambda p: paddle.optimizer.Adam(1e-2, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.5)),
    "adamw": lambda p: paddle.optimizer.AdamW(1e-2, parameters=p, weight_decay=0.1),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_whole_training_step_equals_eager_bit_for_bit(name):
    eager = train(lambda f: f, OPTIMIZERS[name])
    segments = train(paddle.jit.to_static, OPTIMIZERS[name])
    for a, b in zip(eager, segments, strict=True):
        for u, v in zip(np.atleast_1d(a), b, strict=True) if isinstance(a, np.ndarray) else zip(a, b, strict=True):
            np.testing.assert_array_equal(u, v)


@pytest.mark.parametrize("scheduled", [False, True])
def test_a_training_step_is_one_segment_that_is_reused(scheduled):
    net = nn.Linear(4, 2)
    schedule = paddle.optimizer.lr.ExponentialDecay(1e-2, 0.9)
    adam = paddle.optimizer.Adam(schedule if scheduled else 1e-2, parameters=net.parameters())

    @paddle.jit.to_static
    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    hows = []
    for _ in range(5):
        report = explained(step, numbers(8, 4))
        schedule.step()
        hows.append([s.how for s in report.segments])
    assert hows[-1] == ["reused"]
    assert ["compiled"] in hows
    assert report.segments[0].writes >= 2


def test_gradients_flow_through_cuts_and_after_the_call():
    def f(x, w):
        y = paddle.tanh(x @ w)
        if y.sum() > 0:
            y = y * 2
        z = (y * float(y.abs().max())).sum()
        return z, y

    results = []
    for function in (f, paddle.jit.to_static(f)):
        x, w = numbers(3, 4), numbers(4, 5, seed=1)
        x.stop_gradient = w.stop_gradient = False
        for _ in range(3):
            z, y = function(x, w)
            (z + y.mean()).backward()
        (g,) = paddle.grad(function(x, w)[0], x, create_graph=True)
        (gg,) = paddle.grad((g * g).sum(), w)
        results.append([t.numpy() for t in (x.grad, w.grad, g, gg)])
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


def test_gradients_of_inputs_accumulate_into_the_same_tensor():
    @paddle.jit.to_static
    def f(x):
        (x * x).sum().backward()
        first = x.grad
        (x * 3).sum().backward()
        return first, x.grad

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for i in range(1, 4):
        first, second = f(x)
        assert first is second
        np.testing.assert_array_equal(second.numpy(), i * np.array([5.0, 7.0]))


def test_two_leaves_have_gradients_of_their_own():
    @paddle.jit.to_static
    def f(x, y):
        (x + y).sum().backward()

    x, y = (paddle.ones([2]) for _ in range(2))
    x.stop_gradient = y.stop_gradient = False
    for _ in range(3):
        f(x, y)
    x.grad.zero_()
    np.testing.assert_array_equal(y.grad.numpy(), [3.0, 3.0])


def test_results_that_eager_keeps_apart_are_apart():
    @paddle.jit.to_static
    def f(x):
        return x + 0.0, x * 1.0, paddle.tanh(x), paddle.tanh(x), paddle.assign(x), paddle.ones([2]), paddle.ones([2])

    x = paddle.ones([2])
    for _ in range(4):
        results = f(x)
        assert len({t.data_ptr() for t in (x, *results)}) == 8
        for t in results:
            t.zero_()
        np.testing.assert_array_equal(x.numpy(), [1.0, 1.0])


def test_views_share_memory_after_the_call():
    @paddle.jit.to_static
    def f(x):
        base = x * 2
        return base, base[0], base.reshape([4]), base.detach()

    for _ in range(3):
        base, row, flat, detached = f(paddle.ones([2, 2]))
        base.zero_()
        for t in (row, flat, detached):
            assert float(t.abs().sum()) == 0.0
        flat[3] = 5.0
        assert base.numpy()[1, 1] == 5.0


def test_writes_to_tensors_of_outside():
    buffer, other = paddle.zeros([3]), paddle.zeros([2, 3])
    row = other[1]

    @paddle.jit.to_static
    def f(x):
        buffer.add_(x)
        before = buffer * 1
        buffer[0] = 9.0
        other.add_(paddle.ones([2, 3]))
        return before, buffer + 0, row * 2

    for i in range(1, 4):
        before, after, doubled = f(paddle.ones([3]))
        assert float(before[1]) == i and float(after[0]) == 9.0 and float(doubled[0]) == 2.0 * i
    np.testing.assert_array_equal(buffer.numpy(), [9.0, 3.0, 3.0])
    np.testing.assert_array_equal(row.numpy(), [3.0] * 3)


def test_swapped_state():
    a, b = paddle.zeros([2]), paddle.ones([2])

    @paddle.jit.to_static
    def swap():
        old = a.clone()
        a.set_value(b)
        b.set_value(old)

    for _ in range(3):
        swap()
    assert float(a.sum()) == 2.0 and float(b.sum()) == 0.0


def test_random_draws_and_seeds_equal_eager():
    def f(x):
        a = F.dropout(x, 0.5)
        state = paddle.get_rng_state()
        b = paddle.randn([3])
        paddle.set_rng_state(state)
        c = paddle.randn([3])
        paddle.seed(11)
        return a, b - c, paddle.rand([2]), paddle.randperm(5)

    results = []
    for function in (f, paddle.jit.to_static(f)):
        paddle.seed(7)
        results.append([t.numpy() for _ in range(4) for t in function(paddle.ones([64]))])
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_error_of_the_user_leaves_what_ran_before_it():
    state = paddle.zeros([1])

    @paddle.jit.to_static
    def f(x):
        state.add_(paddle.ones([1]))
        y = x * 2
        if len(calls) == 1:
            raise KeyError("stop")
        return y

    calls = [0]
    with pytest.raises(KeyError, match="stop"):
        f(paddle.ones([2]))
    assert float(state) == 1.0
    calls.append(1)
    assert float(f(paddle.ones([2])).sum()) == 4.0
    assert float(state) == 2.0


def test_errors_of_shapes_come_at_their_line():
    @paddle.jit.to_static
    def f(x):
        try:
            y = x @ paddle.ones([7, 2])
        except ValueError as error:
            return str(error)
        return y

    for _ in range(3):
        assert "matmul" in f(paddle.ones([2, 3]))


def test_errors_of_values_are_raised():
    table = paddle.ones([3, 2])

    @paddle.jit.to_static
    def f(i):
        return F.embedding(i, table).sum()

    for n in (1, 2, 1):
        assert float(f(paddle.to_tensor([n]))) == 2.0
    for _ in range(3):
        with pytest.raises((ValueError, IndexError)):
            float(f(paddle.to_tensor([7])))
    assert float(f(paddle.to_tensor([0]))) == 2.0


def test_a_write_between_use_and_gradient_is_refused_as_in_eager():
    def saves_result(x):
        y = paddle.exp(x)
        return y, (y * 2).sum()

    def saves_argument(x):
        y = x + 1
        return y, (y * y).sum()

    eager = (saves_result, saves_argument)
    for function in (*eager, *(paddle.jit.to_static(f) for f in eager)):
        for _ in range(3):
            x = paddle.ones([2])
            x.stop_gradient = False
            y, z = function(x)
            with paddle.no_grad():
                y.zero_()
            with pytest.raises(RuntimeError, match="changed in place"):
                z.backward()


def test_parameters_updated_before_a_later_use():
    w = paddle.create_parameter([2], "float32", default_initializer=nn.initializer.Constant(1.0))
    sgd = paddle.optimizer.SGD(0.5, parameters=[w])

    @paddle.jit.to_static
    def f(x):
        (w * x).sum().backward()
        sgd.step()
        sgd.clear_grad()
        return (w * x).sum()

    values = []
    for _ in range(4):
        out = f(paddle.ones([2]))
        out.backward()
        sgd.clear_grad()
        values.append(float(out))
    assert values == [1.0, 0.0, -1.0, -2.0]


def test_functions_inside_of_functions():
    inner = paddle.jit.to_static(lambda x: paddle.tanh(x) * 2)
    whole = paddle.jit.to_static(lambda x: paddle.exp(x) + 1, full_graph=True)

    @paddle.jit.to_static
    def outer(x):
        return whole(inner(x) + 1) + inner(x)

    x = numbers(3)
    want = paddle.exp(paddle.tanh(x) * 2 + 1) + 1 + paddle.tanh(x) * 2
    for _ in range(3):
        np.testing.assert_allclose(outer(x).numpy(), want.numpy(), rtol=1e-6)


def test_tensors_have_values_after_the_call():
    kept = []

    @paddle.jit.to_static
    def f(x):
        kept.append(x + 1)
        kept.append(kept[-1].reshape([4]))
        return None

    for _ in range(3):
        f(paddle.ones([2, 2]))
    gc.collect()
    for t in kept:
        np.testing.assert_array_equal(t.numpy().ravel(), [2.0] * 4)


def test_autocast_and_flags():
    net = nn.Linear(4, 4)

    def f(x):
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            y = net(x)
        return y.astype("float32").sum(), y

    static = paddle.jit.to_static(f)
    x = numbers(3, 4)
    for _ in range(3):
        a, b = f(x), static(x)
        assert a[1].dtype == b[1].dtype == paddle.bfloat16
        np.testing.assert_array_equal(a[0].numpy(), b[0].numpy())


def test_one_program_serves_all_sizes():
    @paddle.jit.to_static
    def f(x, w):
        return F.relu(x @ w).mean(axis=1)

    w = numbers(4, 5)
    hows = []
    for n in (3, 3, 7, 2, 9, 100):
        x = numbers(n, 4, seed=n)
        report = explained(f, x, w)
        hows.append(report.segments[0].how)
        np.testing.assert_allclose(
            report.result.numpy(), np.maximum(x.numpy() @ w.numpy(), 0).mean(1), rtol=1e-5, atol=1e-6
        )
    assert hows == ["run call by call", "compiled", "compiled", "reused", "reused", "reused"]


def test_explain_says_what_ended_each_segment_and_where(capsys):
    def f(x):
        y = paddle.tanh(x) + 1
        if y.sum() > 0:
            y = y * 2
        z = y.numpy()
        return y + float(z[0])

    report = paddle.jit.explain(f)(paddle.ones([2]))
    text = capsys.readouterr().out
    assert str(report) in text
    first, second, third = report.segments
    line = f.__code__.co_firstlineno
    assert "explain: f ran in 3 segments, 2 cuts" in text
    assert first.where.endswith(f"test_segments.py:{line + 2}") and "bool" in first.why
    assert second.where.endswith(f"test_segments.py:{line + 4}") and "numpy()" in second.why
    assert third.why == "the function returns"
    assert first.calls[0] == "tanh"
    assert "captured anew: first call" in text


def test_explain_says_why_a_segment_is_new():
    scale = [2.0]

    @paddle.jit.to_static
    def f(x):
        return paddle.scale(paddle.tanh(x), scale[0]).reshape([x.shape[0] * 2, -1]).sum()

    x = paddle.ones([2, 4])
    assert explained(f, x).segments[0].anew == "first call"
    assert explained(f, x).segments[0].anew == ""
    scale[0] = 3.0
    assert explained(f, x).segments[0].anew == "call 2, scale: scale is 3.0, it was 2.0"
    scale[0] = 2.0
    assert explained(f, paddle.ones([4, 4])).segments[0].anew == "call 3, reshape: shape is [8, -1], it was [4, -1]"


def test_explain_of_a_layer_and_of_a_full_graph(capsys):
    report = explained(nn.Linear(3, 2), paddle.ones([4, 3]))
    assert list(report.result.shape) == [4, 2]
    whole = paddle.jit.to_static(lambda x: paddle.tanh(x).sum(), full_graph=True)
    assert "captured anew: first call" in str(explained(whole, paddle.ones([3, 2])))
    assert "reused" in str(explained(whole, paddle.ones([3, 2])))
    assert "input 0 has shape [5, 2], it had [3, 2]" in str(explained(whole, paddle.ones([5, 2])))
    assert "reused" in str(explained(whole, paddle.ones([8, 2])))


def test_functions_with_ever_new_segments_warn_and_run_at_once():
    f = paddle.jit.to_static(lambda x, k: paddle.scale(paddle.tanh(x), k))
    x = paddle.ones([2])
    with pytest.warns(UserWarning, match="different segments"):
        for k in range(200):
            np.testing.assert_allclose(f(x, float(k)).numpy(), np.tanh([1.0, 1.0]) * k, rtol=1e-6)


def test_recording_that_brings_nothing_ends():
    f = paddle.jit.to_static(lambda x: paddle.tanh(paddle.exp(x)))
    for _ in range(20):
        f(paddle.ones([2]))
    assert "later calls run at once" in str(explained(f, paddle.ones([2])))


def test_nan_checks_see_every_operator():
    f = paddle.jit.to_static(lambda x: paddle.log(x) * 0)
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match="log"):
            f(paddle.to_tensor([-1.0]))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_verbosity_says_what_is_captured_anew(capsys):
    f = paddle.jit.to_static(lambda x: paddle.tanh(x) * 7)
    paddle.jit.set_verbosity(1)
    try:
        f(paddle.ones([2]))
        f(paddle.ones([3]))
    finally:
        paddle.jit.set_verbosity(0)
    assert "captured a segment of 2 calls anew" in capsys.readouterr().err


@pytest.mark.threads
def test_other_threads_see_a_write_when_its_segment_has_run():
    import threading

    counter, seen = paddle.zeros([2]), []

    def read():
        thread = threading.Thread(target=lambda: seen.append(counter.numpy().tolist()))
        thread.start()
        thread.join()

    @paddle.jit.to_static
    def step():
        counter.add_(paddle.ones([2]))
        read()
        assert float(counter[0]) == 1.0  # this thread sees its write; the segment ends here
        read()

    step()
    assert seen == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.threads
def test_threads_record_apart():
    import threading

    f = paddle.jit.to_static(lambda x: (paddle.tanh(x) * 2).sum())
    failures = []

    def work(n):
        x = paddle.full([n], 0.5)
        for _ in range(20):
            got = float(f(x))
            if abs(got - n * 2 * np.tanh(0.5)) > 1e-4:
                failures.append((n, got))

    threads = [threading.Thread(target=work, args=(n,)) for n in (3, 5, 8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


WHOLE_WRITES = {
    "item": lambda t, u: t.__setitem__(slice(None), u),
    "assign": lambda t, u: paddle.assign(u, t),
    "through a view": lambda t, u: t[:].__setitem__(..., u),
    "through a view of a view": lambda t, u: t.reshape([2, 1])[:, 0].__setitem__(..., u),
}


@pytest.mark.parametrize("kind", WHOLE_WRITES)
@pytest.mark.parametrize("differentiated", [False, True])
def test_what_is_written_whole_stays_apart_from_the_target(kind, differentiated):
    def f(x):
        u, t = x * 2.0, x * 3.0
        WHOLE_WRITES[kind](t, u)
        u[0] = 50.0
        t[1:] += 1.0
        return t, u

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=not differentiated)
    for _ in range(3):
        t, u = paddle.jit.to_static(f)(x)
        np.testing.assert_array_equal(t.numpy(), [2, 5])
        np.testing.assert_array_equal(u.numpy(), [50, 4])
    if differentiated:
        x.clear_grad()
        (t.sum() * 10 + u.sum()).backward()
        np.testing.assert_array_equal(x.grad.numpy(), [20, 22])


def test_views_of_deferred_tensors_become_contiguous():
    def ordered(x):
        moved = (x + 1).transpose([1, 0])
        copied, kept = moved.contiguous(), (x * 2).contiguous()
        copied[0, 0] = 9.0
        return moved, copied, kept, copied.is_contiguous(), moved.is_contiguous(), kept.is_contiguous()

    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    found = paddle.jit.to_static(ordered, full_graph=False)(x)
    for ours, plain in zip(found, ordered(x), strict=True):
        np.testing.assert_array_equal(ours, plain)
    assert found[3:] == (True, False, True)


def test_a_write_in_place_keeps_what_its_gradient_reads():
    def f(x):
        y = x + 0.5
        if y.sum() > 0:  # y has its memory from here on
            x = x * 2
        y.multiply_(y * 0.5)
        y.multiply_(y + x)
        return y

    grads = []
    for function in (f, paddle.jit.to_static(f, full_graph=False)):
        x = paddle.to_tensor([0.5, -1.0, 2.0], stop_gradient=False)
        y = function(x)
        y.sum().backward()
        grads.append((y.numpy(), x.grad.numpy()))
    for ours, plain in zip(*grads, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-6)


@pytest.mark.parametrize("stop_gradient", [True, False])
def test_a_tensor_in_the_shape_of_one_that_is_gone(stop_gradient):
    def f(x):
        total = x.sum()
        wide = paddle.expand_as(total, paddle.stack([x, x]))
        return wide * 1.0 if float(total) < 0 else wide

    x = paddle.ones([4, 3])
    x.stop_gradient = stop_gradient
    made = paddle.jit.to_static(f, full_graph=False)(x)
    np.testing.assert_array_equal(made.numpy(), np.full((2, 4, 3), 12.0, "float32"))
    if not stop_gradient:
        made.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), np.full((4, 3), 24.0))

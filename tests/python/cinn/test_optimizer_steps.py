# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training steps whose parameter updates are compiled: values, launches, and that state stays in its memory."""

import numpy as np
import paddle
import pytest

OPTIMIZERS = {
    "SGD": lambda **k: paddle.optimizer.SGD(0.1, **k),
    "Momentum": lambda **k: paddle.optimizer.Momentum(0.1, 0.9, use_nesterov=True, weight_decay=0.01, **k),
    "Adam": lambda **k: paddle.optimizer.Adam(0.01, **k),
    "Adam_amsgrad": lambda **k: paddle.optimizer.Adam(0.01, amsgrad=True, **k),
    "AdamW": lambda **k: paddle.optimizer.AdamW(0.01, weight_decay=0.1, **k),
    "Adamax": lambda **k: paddle.optimizer.Adamax(0.01, **k),
    "Adagrad": lambda **k: paddle.optimizer.Adagrad(0.1, **k),
    "Adadelta": lambda **k: paddle.optimizer.Adadelta(0.1, **k),
    "RMSProp": lambda **k: paddle.optimizer.RMSProp(0.01, momentum=0.9, centered=True, **k),
    "Lamb": lambda **k: paddle.optimizer.Lamb(0.01, **k),
    "NAdam": lambda **k: paddle.optimizer.NAdam(0.01, **k),
    "RAdam": lambda **k: paddle.optimizer.RAdam(0.01, **k),
}


def make(optimizer, **options):
    paddle.seed(7)
    model = paddle.nn.Sequential(
        paddle.nn.Linear(20, 37), paddle.nn.LayerNorm(37), paddle.nn.Tanh(), paddle.nn.Linear(37, 5)
    )
    return model, optimizer(parameters=model.parameters(), **options)


def training(optimizer, compiled, extra=None, **options):
    """A step of its own model, and the model."""
    model, rule = make(optimizer, **options)

    def step(x, y):
        loss = paddle.nn.functional.cross_entropy(model(x), y)
        if extra is not None:
            loss = loss + extra(model)
        loss.backward()
        rule.step()
        rule.clear_grad()
        return loss

    return (paddle.jit.to_static(step, backend="CINN", full_graph=True) if compiled else step), model, rule


def batches(count):
    rng = np.random.default_rng(3)
    for _ in range(count):
        yield (
            paddle.to_tensor(rng.standard_normal([8, 20], dtype=np.float32)),
            paddle.to_tensor(rng.integers(0, 5, [8])),
        )


def assert_same_training(optimizer, steps=6, tolerance=2e-5, **options):
    plain, reference, _ = training(optimizer, False, **options)
    step, model, rule = training(optimizer, True, **options)
    for x, y in batches(steps):
        np.testing.assert_allclose(float(step(x, y)), float(plain(x, y)), rtol=1e-4)
    for mine, theirs in zip(model.parameters(), reference.parameters(), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-4, atol=tolerance)
    return step, model, rule


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_compiled_step_trains_as_the_eager_one(at_once, name):
    assert_same_training(OPTIMIZERS[name])


@pytest.mark.parametrize("name", ["SGD", "Momentum", "Adam", "AdamW"])
def test_all_parameters_are_updated_in_one_launch(at_once, name):
    step, _, _ = training(OPTIMIZERS[name], True)
    x, y = next(batches(1))
    for _ in range(3):
        step(x, y)
    shown = paddle.jit.explain(step)(x, y)
    shown = str(shown)
    updates = [line for line in shown.splitlines() if "writes" in line and "in place" in line]
    assert len(updates) == 1, shown
    assert "6 parts side by side" in updates[0]


@pytest.mark.parametrize("name", ["SGD", "Momentum", "Adam", "AdamW"])
def test_equal_updates_compile_once_for_all_shapes(at_once, name):
    model = paddle.nn.Sequential(*[paddle.nn.Linear(n, m) for n, m in [(3, 40), (40, 50), (50, 7), (7, 1000)]])
    rule = OPTIMIZERS[name](parameters=model.parameters())
    x = paddle.ones([4, 3])

    @paddle.jit.to_static(backend="CINN", full_graph=True)
    def update():
        (model(x) ** 2).sum().backward()
        rule.step()
        rule.clear_grad()

    update()
    update()
    shown = str(paddle.jit.explain(update)())
    assert "(8 parts)" in shown, shown


@pytest.mark.parametrize("name", ["SGD", "Momentum", "Adam", "AdamW"])
def test_state_stays_where_it_is(at_once, name):
    step, model, rule = training(OPTIMIZERS[name], True)
    x, y = next(batches(1))
    step(x, y)
    step(x, y)
    state = [*model.parameters(), *[t for t in rule.state_dict().values() if isinstance(t, paddle.Tensor)]]
    before = [t.data_ptr() for t in state]
    values = [t.numpy().copy() for t in model.parameters()]
    step(x, y)
    assert [t.data_ptr() for t in state] == before
    assert all((t.numpy() != old).any() for t, old in zip(model.parameters(), values, strict=True))


@pytest.mark.parametrize("name", ["SGD", "AdamW"])
def test_clipping_by_the_global_norm_goes_with_the_updates(at_once, name):
    clip = {"grad_clip": paddle.nn.ClipGradByGlobalNorm(0.05)}
    step, _, _ = assert_same_training(OPTIMIZERS[name], **clip)
    x, y = next(batches(1))
    shown = str(paddle.jit.explain(step)(x, y))
    assert "squared_l2_norm" in shown


def test_a_penalty_reads_parameters_before_they_change(at_once):
    def penalty(model):
        return sum((p * p * p).abs().sum() for p in model.parameters()) * 0.01

    assert_same_training(OPTIMIZERS["SGD"], extra=penalty)
    assert_same_training(OPTIMIZERS["AdamW"], extra=penalty)


def test_a_result_keeps_what_a_parameter_was(at_once):
    w = paddle.create_parameter([300], "float32")
    v = paddle.create_parameter([40], "float32")
    rule = paddle.optimizer.SGD(0.5, parameters=[w, v])

    @paddle.jit.to_static(backend="CINN", full_graph=True)
    def step():
        before = w * 1.0 + 0.0
        twice = paddle.exp(w) * 2.0
        ((w * w).sum() + (v * v).sum()).backward()
        rule.step()
        rule.clear_grad()
        return before, twice, w * 3.0 + 1.0

    for _ in range(3):
        old = w.numpy().copy()
        before, twice, after = step()
        np.testing.assert_array_equal(before.numpy(), old)
        np.testing.assert_allclose(twice.numpy(), 2 * np.exp(old), rtol=1e-6)
        np.testing.assert_allclose(w.numpy(), 0, atol=1e-7)
        np.testing.assert_allclose(after.numpy(), 1 + 3 * w.numpy(), rtol=1e-6)
        with paddle.no_grad():
            w.set_value(paddle.arange(300, dtype="float32") / 100)


def test_two_updates_of_one_parameter_follow_each_other(at_once):
    w = paddle.create_parameter([64], "float32")
    v = paddle.create_parameter([32], "float32")
    rule = paddle.optimizer.Momentum(0.1, 0.9, parameters=[w, v])
    start = [w.numpy().copy(), v.numpy().copy()]

    @paddle.jit.to_static(backend="CINN", full_graph=True)
    def step():
        for _ in range(2):
            ((w * w).sum() + (v * v).sum()).backward()
            rule.step()
            rule.clear_grad()

    for _ in range(2):
        step()
    for value, p in zip(start, [w, v], strict=True):
        velocity = np.zeros_like(value)
        for _ in range(4):
            velocity = 0.9 * velocity + 2 * value
            value = value - 0.1 * velocity
        np.testing.assert_allclose(p.numpy(), value, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_master_copies_of_narrow_parameters_are_updated(at_once, dtype):
    def run(compiled):
        paddle.seed(3)
        model = paddle.nn.Sequential(paddle.nn.Linear(16, 24), paddle.nn.Linear(24, 4)).astype(dtype)
        rule = paddle.optimizer.AdamW(0.01, parameters=model.parameters(), multi_precision=True)

        def step(x):
            loss = (model(x) ** 2).mean()
            loss.backward()
            rule.step()
            rule.clear_grad()
            return loss

        if compiled:
            step = paddle.jit.to_static(step, backend="CINN", full_graph=True)
        x = paddle.ones([4, 16], dtype=dtype)
        for _ in range(4):
            step(x)
        return [p.astype("float32").numpy() for p in model.parameters()]

    for mine, theirs in zip(run(True), run(False), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-2, atol=2e-3)


def test_before_it_is_compiled_a_step_does_the_same(counts):
    """The default: kernels take over at one call, and the calls before run operator by operator."""
    since = counts()
    assert_same_training(OPTIMIZERS["AdamW"], steps=8)
    assert since.launches > 0


def test_a_quotient_beside_updates_that_has_no_reciprocal_updates_once(at_once):
    def step(first, second, gradient, x, total):
        for weight in (first, second):
            paddle._C_ops.sgd_(weight, paddle.to_tensor(0.5), gradient, None, False)
        return x / total + 1

    rows, total = paddle.rand([3, 40]), paddle.to_tensor([[1.0], [1e-40], [3e38]])
    compiled = paddle.jit.to_static(step, backend="CINN", full_graph=True)
    weights = [paddle.ones([40]), paddle.ones([40])]
    for _ in range(2):
        result = compiled(*weights, paddle.ones([40]), rows, total)
    for weight in weights:
        np.testing.assert_array_equal(weight.numpy(), np.zeros([40], "float32"))
    np.testing.assert_array_equal(result.numpy(), (rows / total + 1).numpy())

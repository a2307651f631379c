# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Chains of views that are written round after round: what a round costs does not grow with their length."""

import threading

import numpy as np
import paddle
import pytest

CHAINS = {
    "reshape": [lambda y: y.reshape([4]), lambda y: y.reshape([2, 2])],
    "slice": [lambda y: y[0:2]],
    "transpose": [lambda y: y.transpose([1, 0])],
    "mixed": [
        lambda y: y.reshape([2, 2]),
        lambda y: y.transpose([1, 0]),
        lambda y: y[:, 0:2],
        lambda y: y.unsqueeze(0),
        lambda y: y.transpose([2, 0, 1]),
        lambda y: y.squeeze(1),
    ],
}


def written(steps, rounds, kept=None):
    """A result with a history, the last view of it, and how many operators were called for them."""
    leaf, source = paddle.ones([2, 2]), paddle.ones([1])
    leaf.stop_gradient = source.stop_gradient = False
    base = y = leaf * 1.0
    paddle._core.count_operators(True)
    for i in range(rounds):
        y = steps[i % len(steps)](y)
        y[0] = source * 2.0
        if kept is not None:
            kept.append(y)
    return base, y, sum(paddle._core.count_operators(False).values())


def calls_of_backward(y):
    paddle._core.count_operators(True)
    y.sum().backward()
    return sum(paddle._core.count_operators(False).values())


@pytest.mark.parametrize("alive", [False, True], ids=["dead", "alive"])
@pytest.mark.parametrize("name", CHAINS)
def test_a_round_calls_no_more_operators_the_more_there_were(name, alive):
    forward, backward = [], []
    for rounds in (96, 192, 384):
        _, y, calls = written(CHAINS[name], rounds, [] if alive else None)
        forward.append(calls)
        backward.append(calls_of_backward(y))
    for few, more, many in (forward, backward):
        assert many - more <= 2.05 * (more - few)


@pytest.mark.parametrize("name", CHAINS)
def test_a_view_follows_when_it_is_used_and_by_a_few_steps(name):
    kept = []
    base, _, _ = written(CHAINS[name], 200, kept)
    expected = base.numpy()
    paddle._core.count_operators(True)
    for view in kept:
        assert sorted(view.numpy().flatten()) == sorted(expected.flatten())
        (view * 1.0).sum()
    assert sum(paddle._core.count_operators(False).values()) <= 20 * len(kept)


def random_step(rng, shape):
    """A step as functions of a tensor and of an array: both must be views."""
    rank = len(shape)
    kind = rng.choice(["transpose", "cut", "split", "merge", "unsqueeze", "squeeze", "stride"])
    axis = int(rng.integers(rank))
    if kind == "transpose":
        order = [int(k) for k in rng.permutation(rank)]
        return lambda t: t.transpose(order), lambda a: a.transpose(order)
    if kind == "cut" and shape[axis] > 4 and rng.random() < 0.3:
        first, last = int(rng.integers(2)), shape[axis] - int(rng.integers(2))
        key = (slice(None),) * axis + (slice(first, last),)
        return lambda t: t[key], lambda a: a[key]
    if kind == "stride" and shape[axis] >= 6 and rng.random() < 0.2:
        key = (slice(None),) * axis + (slice(None, None, 2),)
        return lambda t: t[key], lambda a: a[key]
    if kind == "split" and shape[axis] % 2 == 0 and shape[axis] > 2 and rank < 6:
        to = [*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :]]
        return lambda t: t.reshape(to), lambda a: a.reshape(to)
    if kind == "unsqueeze" and rank < 6:
        return lambda t: t.unsqueeze(axis), lambda a: np.expand_dims(a, axis)
    if kind == "squeeze" and shape[axis] == 1 and rank > 1:
        return lambda t: t.squeeze(axis), lambda a: a.squeeze(axis)
    if kind == "merge" and axis + 1 < rank:
        to = [*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]]
        return lambda t: t.reshape(to), lambda a: a.reshape(to)
    return random_step(rng, shape)


@pytest.mark.parametrize("seed", range(12))
def test_values_and_gradients_are_those_of_the_elements(seed):
    """An array of numbers of elements goes through the same views: whose element is where in the end."""
    rng = np.random.default_rng(seed)
    shape, rounds = [8, 6, 4], 60
    count = int(np.prod(shape))
    leaf, source = paddle.rand(shape), paddle.rand([rounds])
    leaf.stop_gradient = source.stop_gradient = False
    base = y = leaf * 1.0
    memory = at = np.arange(count).reshape(shape)  # from `count` on: elements of source
    views = [(base, memory)]
    for i in range(rounds):
        while True:
            step, same = random_step(rng, at.shape)
            if np.shares_memory(same(at), memory):  # else both copy
                break
        y, at = step(y), same(at)
        key = tuple(int(rng.integers(n)) for n in at.shape)
        y[key] = source[i]
        at[key] = count + i
        views.append((y, at))
    every = np.concatenate([leaf.numpy().flatten(), source.numpy()])
    for view, elements in [views[k] for k in (0, 1, 7, 8, 9, 30, 31, 32, 59, 60)]:
        np.testing.assert_array_equal(view.numpy(), every[elements])
        weights = rng.random(elements.shape).astype("float32")
        gradients = paddle.grad((view * paddle.to_tensor(weights)).sum(), [leaf, source], retain_graph=True)
        expected = np.zeros(every.size, "float32")
        np.add.at(expected, elements.flatten(), weights.flatten())
        got = np.concatenate([g.numpy().flatten() for g in gradients])
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_second_derivatives_go_through_long_chains():
    def cubed(x, turns):
        y = x * x
        for _ in range(turns):
            y = y.transpose([1, 0])
            y[0, 0].multiply_(paddle.ones([]))
        y[0, 1].multiply_(x[0, 1] * 1.0)
        (g,) = paddle.grad(y.sum(), x, create_graph=True)
        (h,) = paddle.grad(g.sum(), x)
        return g.numpy(), h.numpy()

    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    for got, expected in zip(cubed(x, 40), cubed(x, 0), strict=True):
        np.testing.assert_allclose(got, expected)


def test_a_chain_that_begins_with_other_views_is_shortened_behind_them():
    def calls(rounds):
        leaf = paddle.rand([10, 10])
        leaf.stop_gradient = False
        base = leaf * 1.0
        y = base[::3].diagonal()
        paddle._core.count_operators(True)
        for i in range(rounds):
            y = y.reshape([2, 2]).transpose([1, 0]) if i % 2 == 0 else y.transpose([1, 0]).reshape([4])
            y[0] = float(i)
        total = sum(paddle._core.count_operators(False).values())
        base.sum().backward()
        assert (leaf.grad.numpy() == 0.0).sum() == 2  # y[0] of [2, 2] is two elements
        return total

    few, more, many = calls(96), calls(192), calls(384)
    assert many - more <= 2.05 * (more - few)


@pytest.mark.parametrize("name", ["reshape", "transpose"])
def test_twenty_thousand_rounds_run_backwards_and_are_freed_on_a_small_stack(name):
    failed = []

    def go():
        try:
            base, y, _ = written(CHAINS[name], 20_000)
            y.sum().backward()
            del base, y
        except BaseException as error:
            failed.append(error)

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=go)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert not failed


@pytest.mark.parametrize("full_graph", [True, False], ids=["program", "segments"])
def test_a_reshape_that_copies_is_no_view(full_graph):
    """Neither called, nor captured, nor in place: what is written to it does not reach what it was made of."""

    def made(leaf):
        x = leaf * 1.0
        y = x.transpose([1, 0]).reshape([4])
        y[0] = 9.0
        z = x.transpose([1, 0])
        z.reshape_([4])
        z[1] = 8.0
        return x * 1.0, y, z

    leaf = paddle.arange(4, dtype="float32").reshape([2, 2])
    leaf.stop_gradient = False
    for function in (made, paddle.jit.to_static(made, full_graph=full_graph)):
        x, y, z = function(leaf)
        assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
        assert y.tolist() == [9.0, 2.0, 1.0, 3.0]
        assert z.tolist() == [0.0, 8.0, 1.0, 3.0]
        gradients = [paddle.grad(t.sum(), leaf, retain_graph=True)[0].tolist() for t in (x, y, z)]
        assert gradients == [[[1.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]]]


@pytest.mark.parametrize("name", CHAINS)
def test_a_captured_round_records_no_more_operations_the_more_there_were(name):
    def recorded(rounds):
        def function(x):
            y = x * 1.0
            for i in range(rounds):
                y = CHAINS[name][i % len(CHAINS[name])](y)
                y[0] = 2.0
            return y

        captured = paddle.jit.to_static(function, full_graph=True)
        x = paddle.rand([2, 2])
        np.testing.assert_array_equal(captured(x).numpy(), function(x).numpy())
        return len(captured.concrete_program.main_program.global_block().ops)

    few, more, many = recorded(48), recorded(96), recorded(192)
    assert many - more <= 2.05 * (more - few)

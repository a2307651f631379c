# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups that need nothing of each other run in one launch, and nothing else changes."""

import numpy as np
import paddle


def compiled(function):
    return paddle.jit.to_static(function, backend="CINN", full_graph=True)


def random(shape, seed):
    return paddle.to_tensor(np.random.default_rng(seed).standard_normal(shape, dtype=np.float32))


def launches_of(counts, function, *inputs):
    function(*inputs)
    since = counts()
    function(*inputs)
    return since.launches


def test_small_independent_groups_are_one_launch(at_once, counts):
    def several(a, b, c):
        return paddle.exp(a) * 2 + a, paddle.tanh(b).sum(axis=1), paddle.abs(c) - c * c

    inputs = [random([30, 7], 0), random([12, 50], 1), random([5, 6, 8], 2)]
    function = compiled(several)
    assert launches_of(counts, function, *inputs) == 1
    for mine, theirs in zip(function(*inputs), several(*inputs), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-6)


def test_large_groups_stay_apart(at_once, counts):
    def several(a, b):
        return paddle.exp(a) * 2 + a, paddle.tanh(b) * b

    assert launches_of(counts, compiled(several), random([400, 400], 0), random([300, 500], 1)) == 2


def test_a_group_that_needs_another_one_runs_after_it(at_once):
    weight = random([16, 16], 5)

    def chain(a, b):
        x = paddle.tanh(a) * a + 1
        y = paddle.matmul(x, weight)
        z = paddle.exp(y * 0.1) + y
        return z, paddle.abs(b) * b - 1, paddle.matmul(z, weight).sum(axis=1)

    inputs = [random([8, 16], 0), random([9, 3], 1)]
    for mine, theirs in zip(compiled(chain)(*inputs), chain(*inputs), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=2e-5, atol=1e-5)


def test_parts_of_equal_structure_are_compiled_once(at_once, counts):
    def several(a, b, c):
        return tuple(paddle.tanh(v) * 1.7 + paddle.exp(v * 0.3) for v in (a, b, c))

    since = counts()
    results = compiled(several)(random([4, 90], 0), random([77], 1), random([3, 5, 7], 2))
    assert since.compiled + since.from_disk == 1
    assert since.launches == 1
    assert [r.shape for r in results] == [[4, 90], [77], [3, 5, 7]]


def test_the_number_of_threads_changes_nothing(run_python):
    program = """
import hashlib, numpy as np, paddle
rng = np.random.default_rng(0)
parts = [paddle.to_tensor(rng.standard_normal(shape, dtype=np.float32)) for shape in ([999], [300, 200], [64, 1000])]
f = paddle.jit.to_static(
    lambda *p: [(paddle.exp(v) * v).sum() for v in p] + [paddle.tanh(v) * v + 1 for v in p], backend="CINN",
    full_graph=True)
results = f(*parts)
print(hashlib.sha256(b"".join(t.numpy().tobytes() for t in results)).hexdigest())
"""
    one, two = (
        run_python(program, FLAGS_cinn_async=0, FLAGS_cinn_cache_dir="", OMP_NUM_THREADS=threads) for threads in (1, 2)
    )
    assert one == two


def test_a_part_that_refuses_a_value_raises_what_eager_raises(at_once):
    def several(a, index, b):
        return paddle.gather(a * 2 + 1, index) * 3, paddle.tanh(b) * b

    function = compiled(several)
    inputs = [random([6, 4], 0), paddle.to_tensor([0, 5, 2]), random([10, 3], 1)]
    np.testing.assert_allclose(function(*inputs)[0].numpy(), several(*inputs)[0].numpy(), rtol=1e-6)
    messages = []
    for call in (function, several):
        try:
            call(inputs[0], paddle.to_tensor([0, 6, 2]), inputs[2])
        except IndexError as error:
            messages.append(str(error).split(".")[0])
    assert len(messages) == 2


def test_deeper_networks_of_equal_layers_compile_no_more_kernels(at_once, counts):
    def kernels_of(layers):
        paddle.seed(layers)
        model = paddle.nn.Sequential(
            *[part for _ in range(layers) for part in (paddle.nn.Linear(11, 11), paddle.nn.GELU())]
        )
        rule = paddle.optimizer.Adam(0.001, parameters=model.parameters())

        def step(x):
            loss = (model(x) ** 2).mean()
            loss.backward()
            rule.step()
            rule.clear_grad()
            return loss

        since = counts()
        compiled(step)(random([4, 11], 0))
        return since.compiled + since.from_disk

    assert kernels_of(4) > 0
    assert kernels_of(30) == 0

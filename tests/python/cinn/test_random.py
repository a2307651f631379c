# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random operators in kernels draw what they draw by themselves: the same numbers of the same states, in one order."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn
from paddle.distributed.fleet.layers.mpu.random import RNGStatesTracker
from paddle.distributed.fleet.utils import recompute
from paddle.jit import to_static
from paddle.static import InputSpec

from tests.python.cinn.fused import sources

ops = paddle._core.ops
CALLS = 4
SEED = 20


def values(tensor):
    return tensor.astype("float64").numpy()


def outcome(function, inputs, calls):
    """The results of calls in a row, and the state of the generator after each."""
    paddle.seed(SEED)
    found, states = [], []
    for _ in range(calls):
        results = function(*inputs)
        found += [results] if isinstance(results, paddle.Tensor) else list(results)
        states.append(str(paddle.get_rng_state()))
    return found, states


def draws_the_same(function, *inputs, calls=CALLS, rtol=0.0, atol=0.0, launches=None, **options):
    """Compiled against uncompiled; gives the compiled function. launches: of groups; None: some; "any": times decide."""
    compiled = to_static(function, backend="CINN", full_graph=True, **options)
    want, want_states = outcome(function, inputs, calls)
    before = paddle._core.pir.compiler_statistics()["launches"]
    got, got_states = outcome(compiled, inputs, calls)
    ran = paddle._core.pir.compiler_statistics()["launches"] - before
    if launches != "any":
        assert ran > 0 if launches is None else ran == launches
    assert got_states == want_states
    for mine, theirs in zip(got, want, strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(values(mine), values(theirs), rtol=rtol, atol=atol)
    return compiled


def random(shape, seed=0, dtype="float32"):
    return paddle.to_tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32")).astype(dtype)


def groups_of(compiled, *inputs):
    return str(paddle.jit.explain(compiled)(*inputs))


DRAWS = {
    "dropout": lambda x: F.dropout(x + 1, 0.3) * 2,
    "dropout of few": lambda x: F.dropout(x, 0.001) - x,
    "dropout of all": lambda x: F.dropout(x, 1.0) + x,
    "downscaled": lambda x: F.dropout(x * 2, 0.3, mode="downscale_in_infer") + 1,
    "dropout with its mask": lambda x: ops.dropout(x * 2, p=0.4),
    "the mask alone": lambda x: ops.dropout(x * 2, p=0.4)[1].astype("float32") * 3,
    "dropout in inference": lambda x: [
        r + 1 for r in ops.dropout(x * 2, None, 0.3, True, "downgrade_in_infer", 0, False)
    ],
    "dropout with a seed": lambda x: ops.dropout(x * 2, None, 0.5, False, "upscale_in_train", 9, True),
    "dropout along an axis": lambda x: F.dropout(x, 0.5, axis=0) + 1,
    "uniform": lambda x: x + ops.uniform(x.shape, min=-1.5, max=3.0),
    "uniform with a seed": lambda x: x + ops.uniform(x.shape, min=0.0, max=1.0, seed=11),
    "gaussian": lambda x: x * ops.gaussian(x.shape, mean=0.5, std=2.0),
    "gaussian with a seed": lambda x: x * ops.gaussian(x.shape, seed=5),
    "randint": lambda x: x + ops.randint(-3, 900, x.shape).astype("float32"),
    "randint of 32 bits": lambda x: ops.randint(0, 7, x.shape, "int32") * 2 + 1,
    "bernoulli": lambda x: paddle.bernoulli(F.sigmoid(x)) * 2 - 1,
    "two of them": lambda x: F.dropout(x * ops.uniform(x.shape, min=0.0, max=1.0), 0.5) + 1,
}
# Normal numbers, and what passes a sigmoid, are within the bounds of the functions they are made with.
NEARLY = {"gaussian", "gaussian with a seed"}


@pytest.mark.parametrize("shape", [[64, 256], [7, 1003], [3, 5, 33], [1], [2, 5000], [130]])
@pytest.mark.parametrize("name", DRAWS)
def test_the_same_numbers_call_after_call(at_once, name, shape):
    draws_the_same(DRAWS[name], random(shape), rtol=4e-6 if name in NEARLY else 0.0)


@pytest.mark.parametrize("how", ["cpu", "blocks"])
@pytest.mark.parametrize("name", DRAWS)
def test_the_same_numbers_in_the_interpreter(how, name):
    before = paddle.get_flags(["FLAGS_cinn_interpret"])
    paddle.set_flags({"FLAGS_cinn_interpret": how})
    try:
        for shape in ([9, 37], [3, 128]):
            draws_the_same(DRAWS[name], random(shape), calls=2, rtol=1e-5, atol=1e-6)
    finally:
        paddle.set_flags(before)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_floats(at_once, dtype):
    # What is rounded between operators is not in a kernel.
    near = {"float16": 2e-3, "bfloat16": 2e-2, "float64": 0.0}[dtype]
    draws_the_same(lambda x: ops.dropout(x * 2, p=0.25), random([40, 50], dtype=dtype), rtol=near)
    if dtype != "float64":
        draws_the_same(lambda x: ops.uniform(x.shape, dtype, -1.0, 1.0) + x, random([40, 50], dtype=dtype), rtol=near)


@pytest.mark.parametrize("shape", [[0], [0, 8], [4, 0]])
def test_no_elements(at_once, shape):
    draws_the_same(lambda x: F.dropout(x + 1, 0.5) * 2, random(shape))
    draws_the_same(lambda x: (F.dropout(x, 0.5).sum(), x * ops.gaussian(x.shape)), random(shape))


def test_explain_shows_random_operators_in_groups(at_once):
    x, bias = random([8, 64]), random([64])
    compiled = draws_the_same(lambda x, b: F.dropout(x + b, 0.1) + x, x, bias, launches=CALLS)
    text = groups_of(compiled, x, bias)
    assert "group add+dropout+add" in text
    assert "random" not in text


@pytest.mark.parametrize("target", ["opencl-c", "ptx-sm_80"])
def test_sources_take_the_states_as_sizes(at_once, target):
    function = lambda x: F.dropout(x, 0.1) * ops.gaussian(x.shape)
    (group,) = sources(function, target, random([8, 64]))
    assert group["sizes"][1:] == ["seed0", "offset0", "seed1", "offset1"]
    assert sorted({i for e in group["entries"] for kind, i in e["arguments"] if kind == "size"}) == [0, 1, 2, 3, 4]


def test_four_words_are_made_of_a_counter(at_once, tmp_path):
    """Before the loop that reads them: no element computes Philox by itself."""
    before = paddle.get_flags(["FLAGS_cinn_debug_dir", "FLAGS_cinn_cache_dir"])
    paddle.set_flags({"FLAGS_cinn_debug_dir": str(tmp_path), "FLAGS_cinn_cache_dir": ""})
    try:
        draws_the_same(lambda x, b: F.dropout((x + b) * 0.6875, 0.1) + x, random([8, 64]), random([64]), rtol=1e-5)
    finally:
        paddle.set_flags(before)
    (loops,) = tmp_path.glob("*.loops.txt")
    head, making, reading = loops.read_text().split("  vector ")
    assert "scratch words" in head
    assert "3528531795" in making  # a factor of Philox
    assert "3528531795" not in reading


def test_what_no_kernel_draws_says_why(at_once):
    compiled = to_static(lambda x: paddle.poisson(x * x) + 1, backend="CINN", full_graph=True)
    x = random([4, 5])
    paddle.seed(1)
    want = paddle.poisson(x * x) + 1
    paddle.seed(1)
    np.testing.assert_array_equal(compiled(x).numpy(), want.numpy())


@pytest.mark.parametrize("threads", [1, 2])
def test_any_number_of_threads(at_once, threads):
    def function(x):
        y = F.dropout(x, 0.5) + ops.uniform(x.shape, min=0.0, max=1.0)
        return y, F.softmax(F.dropout(y, 0.1), -1)

    before = paddle._core.get_num_threads()
    paddle._core.set_num_threads(threads)
    try:
        draws_the_same(function, random([300, 700]), rtol=1e-5, atol=1e-8)
    finally:
        paddle._core.set_num_threads(before)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.softmax(F.dropout(x, 0.2), -1),
        lambda x: F.layer_norm(F.dropout(x, 0.2) + x, x.shape[-1:]),
        lambda x: F.dropout(F.softmax(x, -1), 0.2) * 2,
        lambda x: F.dropout(x, 0.2).sum(0) + ops.gaussian([x.shape[1]]),
        lambda x: (F.dropout(x, 0.2) + 1).sum(),
        lambda x: F.softmax(F.dropout(x, 0.2), 0),
        lambda x: paddle.transpose(F.dropout(x, 0.2), [1, 0]) * 2,
        lambda x: paddle.flip(F.dropout(x, 0.2), [1]) + x,
        lambda x: paddle.concat([F.dropout(x, 0.2), x * ops.uniform(x.shape, min=0.0, max=1.0)], 1),
        lambda x: F.dropout(x.mean(-1, keepdim=True), 0.5) + x,
    ],
)
@pytest.mark.parametrize("shape", [[30, 64], [200, 7], [3, 1001], [2, 140_000], [9, 66_000]])
def test_beside_reductions_and_moved_elements(at_once, function, shape):
    draws_the_same(function, random(shape), calls=2, rtol=3e-5, atol=1e-4)


def test_extents_that_change(at_once):
    def function(x, scale):
        return F.dropout(x * scale, 0.4) + ops.uniform([64], min=0.0, max=1.0), F.dropout(x, 0.4).sum(-1)

    compiled = to_static(function, backend="CINN", full_graph=True, input_spec=[InputSpec([None, 64]), InputSpec([64])])
    scale = random([64], 1)
    for rows in (5, 0, 33, 1):
        x = random([rows, 64])
        want, want_states = outcome(function, (x, scale), 2)
        got, got_states = outcome(compiled, (x, scale), 2)
        assert got_states == want_states
        for mine, theirs in zip(got, want, strict=True):
            np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-5)


# -- order ---------------------------------------------------------------------------------------


def test_draws_keep_their_order(at_once):
    weight = random([64, 64], 3) * 0.1

    def function(x):
        first = F.dropout(x, 0.5) + 1
        noise = ops.gaussian([64])
        y = paddle.matmul(first, weight)
        second = F.dropout(y, 0.3) * 2 + first
        counts = paddle.poisson(paddle.abs(y))
        third = paddle.bernoulli(F.sigmoid(second * 0)) + second * noise
        return third + counts, F.dropout(paddle.tanh(x), 0.5) * 2

    draws_the_same(function, random([16, 64]), rtol=1e-5, atol=1e-5)


def test_small_groups_that_draw_run_in_one_launch(at_once):
    def function(a, b, c):
        return F.dropout(a, 0.5) * 2 + a, paddle.exp(b) - b, c * ops.uniform(c.shape, min=0.0, max=1.0) - 1

    draws_the_same(function, random([30, 7]), random([9, 9]), random([5, 6, 8]), launches=CALLS, atol=1e-6)


def test_before_and_after_the_kernels_take_over():
    """With kernels in the background the first calls run operator by operator."""

    def function(x):
        return F.dropout(x, 0.5) * 2 + ops.uniform(x.shape, min=0.0, max=1.0)

    before = paddle.get_flags(["FLAGS_cinn_async"])
    paddle.set_flags({"FLAGS_cinn_async": True})
    try:
        draws_the_same(function, random([57, 31]), calls=7)
    finally:
        paddle.set_flags(before)


# -- a kernel that gives up ------------------------------------------------------------------------


def test_a_kernel_that_gives_up_does_not_draw_twice(at_once):
    """Angles beyond what the kernel reduces: the region runs, and draws what the kernel drew."""

    def function(x):
        return F.dropout(paddle.sin(x), 0.5) * ops.uniform(x.shape, min=0.0, max=1.0)

    compiled = draws_the_same(function, random([30, 40]), rtol=1e-6, atol=1e-6)
    x = random([30, 40]) * 1e8
    for inputs in ([x], [random([30, 40])]):
        want, want_states = outcome(function, inputs, 3)
        got, got_states = outcome(compiled, inputs, 3)
        assert got_states == want_states
        for mine, theirs in zip(got, want, strict=True):
            np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-6, atol=1e-6)


def test_a_probability_out_of_range_raises_as_it_does_uncompiled(at_once):
    function = lambda x: paddle.bernoulli(x * 1.0) + F.dropout(x, 0.5)
    compiled = to_static(function, backend="CINN", full_graph=True)
    good, bad = paddle.full([4, 5], 0.5), paddle.full([4, 5], 1.5)
    compiled(good)
    states = []
    for each in (function, compiled):
        paddle.seed(3)
        with pytest.raises(ValueError, match=r"bernoulli: x has value 1\.5; a probability must lie in \[0, 1\]"):
            each(bad)
        states.append(str(paddle.get_rng_state()))
    assert states[0] == states[1]


# -- states ----------------------------------------------------------------------------------------


def test_states_that_are_set_and_trackers(at_once):
    function = lambda x: F.dropout(x, 0.5) * 2
    compiled = to_static(function, backend="CINN", full_graph=True)
    x = random([40, 50])
    compiled(x)
    state = paddle.get_rng_state()
    first = compiled(x).numpy()
    paddle.set_rng_state(state)
    np.testing.assert_array_equal(compiled(x).numpy(), first)
    paddle.set_rng_state(state)
    np.testing.assert_array_equal(function(x).numpy(), first)
    found = []
    for each in (function, compiled):
        tracker = RNGStatesTracker()
        tracker.add("local", 77)
        paddle.seed(5)
        got = [each(x).numpy()]
        for _ in range(2):
            with tracker.rng_state("local"):
                got.append(each(x).numpy())
            got.append(each(x).numpy())
        found.append(got)
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_part_of_a_larger_tensor_is_drawn_by_the_operators(at_once):
    function = lambda x: F.dropout(x, 0.5) * 2
    compiled = draws_the_same(function, random([6, 150]))
    part = random([2, 150])
    found = []
    for each in (function, compiled):
        paddle.seed(4)
        found.append(paddle._core.draw_part([(6, 2, 1, 2), (150, 0, 1, 150)], lambda f=each: f(part)).numpy())
    np.testing.assert_array_equal(*found)


# -- training --------------------------------------------------------------------------------------


def trained(model, inputs, steps):
    """Losses, gradients and parameters after some steps."""
    paddle.seed(SEED)
    optimizer = paddle.optimizer.SGD(0.05, parameters=model.parameters())
    found = []
    for x in inputs[:steps]:
        loss = (model(x) ** 2).mean()
        loss.backward()
        found += [loss.numpy(), *[p.grad.numpy() for p in model.parameters() if p.grad is not None]]
        optimizer.step()
        optimizer.clear_grad()
    return [*found, *[p.numpy() for p in model.parameters()]], str(paddle.get_rng_state())


def trains_the_same(make, inputs, steps=3, rtol=2e-4, atol=2e-5):
    paddle.seed(1)
    plain = make()
    other = make()
    other.set_state_dict(plain.state_dict())
    before = paddle._core.pir.compiler_statistics()["launches"]
    got, got_state = trained(to_static(other, backend="CINN", full_graph=True), inputs, steps)
    assert paddle._core.pir.compiler_statistics()["launches"] > before
    want, want_state = trained(plain, inputs, steps)
    assert got_state == want_state
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=atol)


class Residual(nn.Layer):
    def __init__(self, mode):
        super().__init__()
        self.linear = nn.Linear(32, 32)
        self.mode = mode

    def forward(self, x):
        return x + F.dropout(F.gelu(self.linear(x)), 0.3, mode=self.mode)


@pytest.mark.parametrize("mode", ["upscale_in_train", "downscale_in_infer"])
def test_gradients_through_dropout(at_once, mode):
    trains_the_same(lambda: Residual(mode), [random([16, 32], k) for k in range(3)])


def test_a_transformer_block_in_training_mode(at_once):
    make = lambda: nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, attn_dropout=0.2, act_dropout=0.3)
    trains_the_same(make, [random([3, 11, 32], k) for k in range(3)])


def test_recomputed_layers_drop_the_same(at_once):
    class Recomputed(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Residual("upscale_in_train")

        def forward(self, x):
            return recompute(self.inner, x, use_reentrant=False) * 2

    trains_the_same(Recomputed, [random([16, 32], k) for k in range(3)])


def test_derivatives_of_second_order(at_once):
    def second(function, x):
        paddle.seed(SEED)
        (first,) = paddle.grad(function(x).sum(), x, create_graph=True)
        (again,) = paddle.grad((first * first).sum(), x)
        return first.numpy(), again.numpy(), str(paddle.get_rng_state())

    function = lambda x: F.dropout(x * x * x, 0.5) * ops.uniform(x.shape, min=0.0, max=1.0)
    compiled = to_static(function, backend="CINN", full_graph=True)
    x = random([20, 30])
    x.stop_gradient = False
    want, got = second(function, x), second(compiled, x)
    assert want[2] == got[2]
    for mine, theirs in zip(got[:2], want[:2], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


# -- what else runs a group --------------------------------------------------------------------------


def test_a_report_that_times_kernels_draws_once(at_once):
    function = lambda x: F.softmax(F.dropout(x, 0.5), -1) * ops.gaussian(x.shape)
    compiled = to_static(function, backend="CINN", full_graph=True)
    x = random([40, 64])
    states = []
    for each in (function, compiled, paddle.jit.explain(compiled, bandwidth=True)):
        paddle.seed(8)
        result = each(x)
        states.append(str(paddle.get_rng_state()))
    assert states[0] == states[1] == states[2]
    (group,) = result.groups
    assert group.bytes_moved == group.bytes_least
    assert group.best_ms > 0


def test_groups_that_are_timed_against_their_operators(at_once):
    before = paddle.get_flags(["FLAGS_cinn_autotune"])
    paddle.set_flags({"FLAGS_cinn_autotune": True})
    try:
        draws_the_same(lambda x: F.dropout(x, 0.5) * 2 + x, random([64, 100]), calls=20, rtol=1e-6, launches="any")
    finally:
        paddle.set_flags(before)


def test_channels_last_activations_drop_the_same(at_once):
    convolution = nn.Conv2D(3, 16, 3, padding=1)
    function = lambda x: F.dropout(F.relu(convolution(x)) * 1.5, 0.5) + 1
    with paddle.no_grad():
        draws_the_same(function, random([2, 3, 24, 20]), launches=0, rtol=1e-5, atol=1e-6)

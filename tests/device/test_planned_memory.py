# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of programs on the second device: planned, replayed, written over, and safe beside other streams."""

import numpy as np
import paddle
import pytest

from tests.device.skeleton import place, statistics, there, use_stream

pytestmark = pytest.mark.threads


@pytest.fixture(autouse=True)
def on_device():
    place()  # loads the device
    paddle.set_device("skeleton:0")
    yield
    use_stream(False)
    paddle.set_device("cpu")


def allocations(program, *args):
    """How often a run asks the device's allocator for memory, once it has settled."""
    for _ in range(4):
        program(*args).numpy()
    before = statistics()["allocations"]
    out = program(*args)
    return statistics()["allocations"] - before, out


def chain(x):
    """Each result is read twice: what reads it first cannot be written over it."""
    for _ in range(6):
        y = paddle.tanh(x)
        x = y * paddle.exp(y)
    return x


def expected(x):
    for _ in range(6):
        y = np.tanh(x)
        x = y * np.exp(y)
    return x


LARGE = np.linspace(-1, 1, 1 << 18, dtype="float32").reshape(512, 512)  # 1 MiB


def test_large_results_lie_in_one_range():
    count, out = allocations(paddle.jit.to_static(chain, full_graph=True), there(LARGE))
    assert count == 2  # the range, and what leaves the program; of 18 results
    np.testing.assert_allclose(out.numpy(), expected(LARGE), rtol=1e-4, atol=1e-6)


def test_a_range_is_no_larger_than_what_lives_at_a_time():
    x = there(LARGE)
    program = paddle.jit.to_static(chain, full_graph=True)
    allocations(program, x)
    paddle._core.reset_peak_memory(place())
    before = paddle._core.memory_stats(place())[0]
    program(x).numpy()
    assert 0 < paddle._core.memory_stats(place())[1] - before <= 4 * LARGE.nbytes  # of 18


@pytest.mark.unsanitized  # a sanitized build keeps no memory for replays, so that each use of it is checked
def test_small_results_stay_from_run_to_run():
    x = LARGE[0]
    count, out = allocations(paddle.jit.to_static(chain, full_graph=True), there(x))
    assert count == 1  # what leaves the program; of 18 results
    np.testing.assert_allclose(out.numpy(), expected(x), rtol=1e-4, atol=1e-6)


def test_elementwise_results_take_the_memory_of_what_nobody_reads():
    def unary(x):
        for _ in range(8):
            x = paddle.exp(paddle.tanh(x))
        return x

    x = LARGE[:32]  # 64 KiB: too large for a frame, and too little for a range
    count, out = allocations(paddle.jit.to_static(unary, full_graph=True), there(x))
    assert count == 1  # of 16 results
    for _ in range(8):
        x = np.exp(np.tanh(x))
    np.testing.assert_allclose(out.numpy(), x, rtol=1e-4, atol=1e-6)


def test_each_place_has_a_range():
    """Half of the program is on the host."""

    def both(x, host):
        return chain(x) + chain(host).to("skeleton:0")

    host = paddle.to_tensor(LARGE, place="cpu")
    count, out = allocations(paddle.jit.to_static(both, full_graph=True), there(LARGE), host)
    assert count <= 3  # the range, the copy of the host's half, what leaves the program
    np.testing.assert_allclose(out.numpy(), 2 * expected(LARGE), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("shape", [[16, 256], [512, 512]], ids=["frames", "ranges"])
def test_runs_on_two_streams_do_not_share_memory(shape):
    """A run is issued before that on another stream has begun: what it writes must be memory of its own."""
    program = paddle.jit.to_static(chain, full_graph=True)
    numbers = np.linspace(-1, 1, 20, dtype="float32")
    xs = [there(np.full(shape, number)) for number in numbers]
    for x in xs[:4]:
        program(x).numpy()
    outs = []
    paddle.device.synchronize("skeleton:0")
    for k, x in enumerate(xs):
        use_stream(k % 2)
        outs.append(program(x))
    paddle.device.synchronize("skeleton:0")
    for number, out in zip(numbers, outs, strict=True):
        np.testing.assert_allclose(out.numpy(), np.full(shape, expected(number)), rtol=1e-4, atol=1e-6)

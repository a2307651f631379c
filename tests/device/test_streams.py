# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams, events, and memory that the work of several streams uses: from Python, and what checks.cc finds."""

import gc

import numpy as np
import paddle
import pytest

from tests.device.skeleton import checks, place, statistics, there

pytestmark = pytest.mark.threads


@pytest.mark.parametrize(
    "check",
    [
        "memory_waits_for_recorded_streams",
        "calls_run_on_the_current_stream",
        "current_streams_belong_to_threads",
        "memset_and_properties",
        "types_have_names_and_kernels_of_their_own",
        "arenas_wait_for_recorded_streams",
    ],
)
def test_contract(check):
    assert getattr(checks(), check)() == 1


def test_events_come_from_a_pool():
    stream = paddle.device.current_stream(place())
    for _ in range(3):
        stream.record_event().synchronize()
    gc.collect()
    before = statistics()["events"]
    for _ in range(10):
        stream.record_event().synchronize()
    assert statistics()["events"] == before > 0


def test_work_of_one_stream_waits_for_that_of_another():
    x = there(np.full([256, 256], 2.0, "float32"))
    side = paddle.device.Stream(place(), priority=1)
    for _ in range(5):
        side.wait_stream(paddle.device.current_stream(place()))
        with paddle.device.stream_guard(side):
            y = x * x
            event = side.record_event()
        paddle.device.current_stream(place()).wait_event(event)
        x = y / x
    np.testing.assert_array_equal(x.numpy(), 2)
    side.synchronize()
    assert side.query() and event.query() and event.device == place()


def test_streams_are_compared_and_shown():
    current = paddle.device.current_stream(place())
    assert current == paddle.device.current_stream("skeleton:0") != paddle.device.Stream(place())
    assert "device=skeleton:0" in repr(current) and current.device == place()
    with pytest.raises(ValueError, match="Stream: priority has value 3; it must be 1 or 2"):
        paddle.device.Stream(place(), priority=3)
    with pytest.raises(NotImplementedError, match="interprocess=True is not supported"):
        paddle.device.Event(interprocess=True, device=place())
    with pytest.raises(ValueError, match="streams belong to GPUs and other accelerators"):
        paddle.device.Stream("cpu")

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Worker processes of the data loader: order, seeds, shared memory, failures, and that none is left."""

import gc
import os
import signal
import subprocess
import sys
import time

import numpy as np
import paddle
import pytest
from paddle.io import DataLoader, Dataset, IterableDataset, get_worker_info

pytestmark = pytest.mark.unsanitized


class Numbers(Dataset):
    def __init__(self, count=10, side=4, hook=None):
        self.count, self.side, self.hook = count, side, hook

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if self.hook is not None:
            self.hook(i)
        return np.full([self.side], i, "float32"), i


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        yield from range(first, 7, step)


def children():
    text = subprocess.run(["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, text=True).stdout
    return [int(pid) for pid in text.split() if os.path.exists(f"/proc/{pid}/exe")]


def assert_no_worker_is_left(before):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        gc.collect()
        if set(children()) <= set(before):
            return
        time.sleep(0.05)
    raise AssertionError(f"workers are left: {children()}")


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("side", [4, 20_000])
def test_batches_of_workers_equal_those_of_this_process(side, shared):
    data = Numbers(side=side)
    expected = [(x.numpy(), y.tolist()) for x, y in DataLoader(data, batch_size=3)]
    before = children()
    got = list(DataLoader(data, batch_size=3, num_workers=2, use_shared_memory=shared))
    assert len(got) == len(expected)
    for (x, y), (x0, y0) in zip(got, expected, strict=True):
        assert (x.numpy() == x0).all() and y.tolist() == y0
    assert_no_worker_is_left(before)


def test_a_batch_stays_valid_while_later_ones_come():
    batches = list(DataLoader(Numbers(64, 20_000), batch_size=2, num_workers=2))
    for i, (x, _) in enumerate(batches):
        assert x[:, 0].tolist() == [2 * i, 2 * i + 1]
        x.add_(paddle.to_tensor(1.0))
    assert float(batches[-1][0][0, 5]) == 63.0


def test_memory_of_dead_batches_is_reused():
    def addresses(loader):
        return {x.data_ptr() for x, _ in loader}

    assert len(addresses(DataLoader(Numbers(64, 20_000), batch_size=2, num_workers=1))) <= 6


def test_workers_inherit_the_memory_of_ended_ones():
    from paddle.io.dataloader.memory import STORE

    def run(size, held=()):
        batches = iter(DataLoader(Numbers(16, size), batch_size=2, num_workers=2))
        for i, (x, _) in enumerate(batches):
            assert (x[:, 0] == paddle.to_tensor([2 * i, 2 * i + 1], dtype=x.dtype)).all()
            assert all(kept[0, -1] == value for kept, value in held)
            yield x

    held = [(x, x[0, -1].item()) for x in run(20_000)]  # the store gets their memory when they die
    before = {id(memory) for _, memory in STORE._slabs}
    assert len(list(run(30_000, held))) == len(list(run(10_000, held))) == 8
    held.clear()
    after = {id(memory) for _, memory in STORE._slabs}
    assert before <= after
    assert len(list(run(30_000))) == 8
    assert {id(memory) for _, memory in STORE._slabs} == after


def test_slabs_of_another_process_are_not_kept():
    from paddle.io.dataloader.memory import SlabStore

    store = SlabStore()
    store.put(os.getpid() + 1, [bytearray(10)])
    assert store.take(1) == [[]]
    mine = [bytearray(10), bytearray(20)]
    store.put(os.getpid(), mine[:1])
    store.put(os.getpid(), mine[1:], used=False)
    store.put(os.getpid(), [bytearray(256 << 20)], used=False)  # more than there is room for
    assert store.take(2) == [[mine[1]], [mine[0]]]
    assert store.take(1) == [[]]


def test_nothing_is_left_in_shared_memory():
    before = set(os.listdir("/dev/shm"))
    iterator = iter(DataLoader(Numbers(64, 20_000), batch_size=2, num_workers=2))
    next(iterator)
    assert set(os.listdir("/dev/shm")) == before


def test_tensors_and_bfloat16_pass_through():
    class Tensors(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return paddle.full([9000], i, "bfloat16"), paddle.full([2], i)

    x, y = list(DataLoader(Tensors(), batch_size=2, num_workers=2))[1]
    assert x.dtype == paddle.bfloat16 and x[:, 8999].astype("float32").tolist() == [2, 3]
    assert y.tolist() == [[2, 2], [3, 3]]


def test_a_stream_is_shared_among_workers():
    batches = list(DataLoader(Stream(), batch_size=2, num_workers=2))
    assert [b.tolist() for b in batches] == [[0, 2], [1, 3], [4, 6], [5]]
    kept = list(DataLoader(Stream(), batch_size=2, num_workers=2, drop_last=True))
    assert [b.tolist() for b in kept] == [[0, 2], [1, 3], [4, 6]]


@pytest.mark.parametrize("dataset", [Numbers(6), Stream()])
def test_persistent_workers_serve_every_epoch(dataset):
    before = children()
    loader = DataLoader(dataset, batch_size=2, num_workers=2, persistent_workers=True)
    first = [str(b) for b in loader]
    workers = children()
    next(iter(loader))  # an epoch that is given up
    assert [str(b) for b in loader] == first and set(children()) == set(workers)
    del loader
    assert_no_worker_is_left(before)


def test_workers_have_their_own_reproducible_seeds():
    class Draws(Numbers):
        def __getitem__(self, i):
            info = get_worker_info()
            return np.array([np.random.rand(), float(paddle.rand([1])), info.seed % 1000, info.id])

    def epoch():
        np.random.seed(5)
        return np.concatenate([b.numpy() for b in DataLoader(Draws(4), num_workers=2)])

    one, two = epoch(), epoch()
    assert (one == two).all()
    assert len(set(one[:, 0])) == 4 and len(set(one[:, 1])) == 4 and set(one[:, 3]) == {0, 1}
    assert len(set(one[:, 2])) == 2
    assert get_worker_info() is None


def test_the_initializer_runs_in_each_worker():
    def start(number):
        os.environ["WORKER_NUMBER"] = str(10 + number)

    class Reads(Numbers):
        def __getitem__(self, i):
            return int(os.environ["WORKER_NUMBER"])

    loader = DataLoader(Reads(4), num_workers=2, worker_init_fn=start)
    assert [int(b[0]) for b in loader] == [10, 11, 10, 11]

    def fail(number):
        raise OSError("no such disk")

    with pytest.raises(OSError, match="no such disk"):
        list(DataLoader(Reads(4), num_workers=1, worker_init_fn=fail))


def raise_key(i):
    if i == 3:
        raise KeyError("three")


def test_an_exception_of_a_worker_is_raised_with_its_traceback():
    before = children()
    with pytest.raises(KeyError) as caught:
        list(DataLoader(Numbers(hook=raise_key), batch_size=2, num_workers=2))
    assert "DataLoader worker 1" in str(caught.value) and "in raise_key" in str(caught.value)
    assert_no_worker_is_left(before)


def die(i):
    if i == 3:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_is_an_error():
    before = children()
    with pytest.raises(RuntimeError, match=r"worker 1 .*killed by SIGKILL"):
        list(DataLoader(Numbers(hook=die), batch_size=2, num_workers=2))
    assert_no_worker_is_left(before)


def test_a_worker_that_does_not_answer_is_an_error():
    before = children()
    with pytest.raises(RuntimeError, match="timeout=1"):
        list(DataLoader(Numbers(hook=lambda i: time.sleep(3)), num_workers=1, timeout=1))
    assert_no_worker_is_left(before)


def test_leaving_the_loop_ends_the_workers():
    before = children()
    for _ in DataLoader(Numbers(1000, 20_000), num_workers=2):
        break
    assert_no_worker_is_left(before)


PROGRAM = """
import os, signal, sys, time
import numpy as np
from paddle.io import DataLoader, Dataset

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for jobs in the background

class Slow(Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, i):
        time.sleep(0.01)
        return np.zeros([20_000])

for i, _ in enumerate(DataLoader(Slow(), num_workers=2)):
    if i == 2:
        print("running", flush=True)
        if len(sys.argv) > 1:
            os.kill(os.getpid(), 9)
"""


def group_is_gone(group):
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def start(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(paddle.__file__))}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def test_ctrl_c_ends_parent_and_workers_with_one_traceback():
    process = start()
    assert process.stdout.readline() == "running\n"
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert errors.count("KeyboardInterrupt") == 1 and errors.count("Traceback") == 1
    assert group_is_gone(process.pid)


def test_workers_end_when_the_parent_is_killed():
    process = start("kill")
    process.wait(timeout=60)
    assert group_is_gone(process.pid)

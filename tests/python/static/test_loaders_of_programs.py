# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""DataLoaders that feed static programs, and files that are read in static mode."""

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.base.io import DataLoader as OlderLoader
from paddle.io import DataLoader, Dataset, RandomSampler


class Rows(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, i):
        return np.full([4], i, "float32"), np.array([i], "int64")


@pytest.fixture
def inputs(fresh):
    return static.data("image", [None, 4]), static.data("label", [None, 1], "int64")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gives_feeds_by_name(fresh, inputs, workers):
    total = inputs[0].sum() + inputs[1].sum().astype("float32")
    loader = DataLoader(
        Rows(), feed_list=inputs, places=paddle.CPUPlace(), batch_size=4, return_list=False, num_workers=workers
    )
    sums = []
    for feed in loader:
        assert feed[0]["image"].shape() == [4, 4] and feed[0]["label"]._place()._equals(paddle.CPUPlace())
        sums.append(float(static.Executor().run(fresh[0], feed=feed, fetch_list=[total])[0]))
    assert sums == [5 * sum(range(k, k + 4)) for k in range(0, 20, 4)]


def test_a_loader_gives_lists_for_each_place(inputs):
    one = DataLoader(Rows(), feed_list=inputs, places=paddle.CPUPlace(), batch_size=4)
    assert [np.array(v).shape for v in next(iter(one))] == [(4, 4), (4, 1)]
    two = DataLoader(Rows(), feed_list=inputs, places=[paddle.CPUPlace()] * 2, batch_size=4)
    batches = list(two)
    assert len(batches) == 2 and [int(np.array(place[1])[0, 0]) for place in batches[1]] == [8, 12]


def test_loaders_take_generators(inputs):
    arrays = np.ones((2, 4), "float32"), np.ones((2, 1), "int64")
    loader = OlderLoader.from_generator(feed_list=inputs, capacity=2)
    loader.set_batch_generator(lambda: (arrays for _ in range(3)))
    feeds = list(loader())
    assert len(feeds) == 3 and sorted(feeds[0][0]) == ["image", "label"]
    listed = OlderLoader.from_generator(feed_list=inputs, return_list=True).set_batch_generator(lambda: iter([arrays]))
    assert [len(batch) for (batch,) in listed] == [2]
    with pytest.raises(NotImplementedError):
        OlderLoader.from_generator(iterable=False)


def test_loaders_take_generators_of_samples():
    samples = lambda: ((np.full(3, i, "float32"), np.array([i])) for i in range(5))
    loader = OlderLoader.from_generator(capacity=2).set_sample_generator(samples, batch_size=2)
    assert [(x.shape, y.tolist()) for x, y in loader] == [([2, 3], [[0], [1]]), ([2, 3], [[2], [3]])]
    with pytest.raises(AssertionError):
        iter(OlderLoader.from_generator())
    with pytest.raises(ValueError, match="at most their number"):
        RandomSampler(Rows(), False, 120)


def test_files_hold_dense_tensors_in_static_mode(fresh, tmp_path):
    path = str(tmp_path / "state")
    with paddle.base.dygraph.guard():
        paddle.save({"w": paddle.ones([2]), "n": [paddle.zeros([1]), 3]}, path)
    found = paddle.load(path)
    assert np.array(found["w"]).tolist() == [1, 1] and found["n"][0].shape() == [1] and found["n"][1] == 3
    assert fresh[0].num_ops() == 0
    assert isinstance(paddle.load(path, return_numpy=True)["w"], np.ndarray)


def test_state_goes_through_files_of_save(fresh, tmp_path):
    main, startup = fresh
    loss = static.nn.fc(static.data("x", [None, 3]), 2).mean()
    paddle.optimizer.Adam(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(startup)
    exe.run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[loss])
    held = {name: np.array(value) for name, value in main.state_dict().items()}
    static.save(main, str(tmp_path / "m"))
    exe.run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[loss])
    for end in (".pdparams", ".pdopt"):
        main.set_state_dict(paddle.load(str(tmp_path / "m") + end))
    for name, value in main.state_dict().items():
        np.testing.assert_array_equal(np.array(value), held[name])
    with pytest.raises(ValueError):
        static.save(main, str(tmp_path / "m"), pickle_protocol=5)
    for arguments in ((1,), ("all", 1)):
        with pytest.raises(TypeError):
            main.state_dict(*arguments)


def test_empty_programs_run():
    assert static.Executor().run(static.Program()) == []


def test_a_py_reader_gives_batches_of_samples():
    reader = paddle.base.io.PyReader(capacity=2, return_list=True)
    reader.decorate_sample_generator(lambda: ((np.full([2], i, "float32"),) for i in range(4)), batch_size=2)
    with paddle.base.dygraph.guard():
        assert [x.tolist() for (x,) in reader()] == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    with pytest.raises(NotImplementedError, match="iterable"):
        paddle.base.io.PyReader(iterable=False)


def test_samples_for_a_program_take_the_dtypes_of_its_inputs(fresh):
    x = paddle.static.data("x", [-1, 2], "float32")
    reader = paddle.base.io.PyReader(feed_list=[x])
    reader.decorate_sample_list_generator(lambda: iter([[(np.ones(2),), (np.zeros(2),)]]))
    (feed,) = list(reader())
    assert paddle.static.Executor().run(fresh[0], feed=feed, fetch_list=[x * 2])[0].tolist() == [[2, 2], [0, 0]]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets of text files: what batches hold, their order, and training on them."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle import static
from paddle.distributed import fleet

LINES = "2 0.5 0.25 1 1\n2 0.1 0.2 1 0\n2 3 4 1 5\n"


@pytest.fixture
def fresh():
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with paddle.utils.unique_name.guard(), static.program_guard(main, startup), static.scope_guard(static.Scope()):
        yield main, startup
    paddle.disable_static()


@pytest.fixture
def part(tmp_path):
    path = tmp_path / "part-0"
    path.write_text(LINES)
    return str(path)


@pytest.fixture
def variables(fresh):
    return [static.data("f", [-1, 2]), static.data("label", [-1, 1], "int64")]


@pytest.mark.parametrize("kind", [dist.QueueDataset, fleet.FileInstantDataset, fleet.DatasetBase])
def test_lines_are_read_while_the_program_runs(kind, part, variables):
    dataset = kind()
    dataset.init(batch_size=2, use_var=variables)
    dataset.set_filelist([part, part])
    feeds = list(dataset)
    assert [len(feed["f"]) for feed in feeds] == [2, 2, 2]
    np.testing.assert_allclose(feeds[1]["f"], [[3, 4], [0.5, 0.25]])
    np.testing.assert_array_equal(feeds[1]["label"], [[5], [1]])
    assert feeds[0]["label"].dtype == np.int64 and feeds[0]["f"].dtype == np.float32


def test_a_command_stands_before_the_reader(part, variables):
    dataset = dist.QueueDataset()
    dataset.init(batch_size=4, use_var=variables, pipe_command="grep -v 0.1")
    dataset.set_filelist([part])
    (feed,) = dataset
    assert feed["label"].tolist() == [[1], [5]]
    dataset.init(batch_size=4, use_var=variables, pipe_command="sed s/5$/6/", download_cmd="tail -n 1")
    (feed,) = dataset
    assert feed["label"].tolist() == [[6]]
    dataset.init(use_var=variables, pipe_command="exit 3")
    with pytest.raises(RuntimeError, match="3"):
        list(dataset)


def test_sequences_have_lengths_of_their_own(tmp_path, fresh):
    ids = static.data("ids", [-1, 1], "int64", lod_level=1)
    path = tmp_path / "part"
    path.write_text("2 5 6\n1 18446744073709551615\n3 1 2 3\n")
    dataset = dist.QueueDataset()
    dataset.init(batch_size=2, use_var=[ids])
    dataset.set_filelist([str(path)])
    first, last = dataset
    assert np.array(first["ids"]).tolist() == [[5], [6], [-1]]
    assert first["ids"].recursive_sequence_lengths() == [[2, 1]] and last["ids"].lod() == [[0, 3]]


def test_examples_in_memory_are_shuffled(part, variables):
    dataset = dist.InMemoryDataset()
    assert fleet.InMemoryDataset is dist.InMemoryDataset
    dataset.init(batch_size=3, thread_num=2, use_var=variables)
    dataset.set_filelist([part] * 5)
    with pytest.raises(RuntimeError, match="load_into_memory"):
        dataset.local_shuffle()
    dataset.load_into_memory()
    assert dataset.get_memory_data_size() == 15 and dataset.get_shuffle_data_size() == 0
    before = np.concatenate([feed["label"] for feed in dataset])
    paddle.seed(3)
    dataset.local_shuffle()
    after = np.concatenate([feed["label"] for feed in dataset])
    assert after.tolist() != before.tolist() and sorted(after.ravel()) == sorted(before.ravel())
    dataset.global_shuffle(fleet)
    assert dataset.get_shuffle_data_size(fleet) == 15
    pairs = {(float(f), int(n)) for feed in dataset for (f, _), (n,) in zip(feed["f"], feed["label"], strict=True)}
    assert pairs == {(0.5, 1), (np.float32(0.1), 0), (3.0, 5)}
    dataset.slots_shuffle(["label"])
    feeds = list(dataset)
    assert sorted(np.concatenate([f["label"] for f in feeds]).ravel()) == sorted(before.ravel())
    with pytest.raises(ValueError, match="zz"):
        dataset.slots_shuffle(["zz"])
    dataset.release_memory()
    assert dataset.get_memory_data_size() == 0


def test_files_are_read_beside_the_program(part, variables):
    dataset = dist.InMemoryDataset()
    dataset.init(batch_size=2, use_var=variables, data_feed_type="MultiSlotInMemoryDataFeed", queue_num=2)
    dataset.set_filelist([part])
    dataset.preload_into_memory(3)
    dataset.wait_preload_done()
    assert dataset.get_memory_data_size() == 3 and dataset.queue_num == 2 and dataset.thread_num == 3
    dataset.update_settings(batch_size=5)
    assert len(list(dataset)) == 1
    dataset.set_date("20260131")
    with pytest.raises(ValueError):
        dataset.set_date("zz")
    dataset.set_filelist([part + "zz"])
    dataset.preload_into_memory()
    with pytest.raises(FileNotFoundError):
        dataset.wait_preload_done()
    with pytest.warns(UserWarning, match="nonsense"):
        dataset.update_settings(nonsense=1)


@pytest.mark.parametrize("line", ["3 1 2 3 1 0", "2 1 2", "0 1 5", "2 a b 1 0", "2 1"])
def test_lines_that_do_not_fit_are_named(line, tmp_path, variables):
    path = tmp_path / "part"
    path.write_text(LINES + line + "\n")
    dataset = dist.QueueDataset()
    dataset.init(use_var=variables)
    dataset.set_filelist([str(path)])
    with pytest.raises(ValueError, match="line 4 of"):
        list(dataset)


def test_settings_that_do_not_fit_are_refused(fresh):
    dataset = dist.QueueDataset()
    with pytest.raises(ValueError, match="float16"):
        dataset.init(use_var=[static.data("h", [-1, 1], "float16")])
    with pytest.raises(TypeError):
        dataset.init(nonsense=4)
    with pytest.raises(TypeError, match="list"):
        dataset.set_filelist("part")
    with pytest.raises(NotImplementedError, match="fs_name"):
        dataset.init(fs_name="hdfs://x")
    with pytest.raises(ValueError, match="batch_size"):
        dataset.init(batch_size=0)


def test_description_of_the_settings(variables):
    dataset = dist.QueueDataset()
    dataset.init(batch_size=2, use_var=variables)
    text = dataset._desc()
    assert text.startswith('name: "MultiSlotDataFeed"\nbatch_size: 2\n') and text.endswith("input_type: 0\n")
    assert 'name: "label"\n    type: "uint64"\n    is_dense: true' in text


def test_programs_train_on_datasets(part, fresh, variables, capsys):
    main, startup = fresh
    f, label = variables
    out = paddle.matmul(f, static.create_parameter([2, 1], "float32", name="w"))
    loss = paddle.mean(paddle.square(out - paddle.cast(label, "float32")))
    paddle.optimizer.SGD(0.05).minimize(loss)
    executor = static.Executor()
    executor.run(startup)
    scope = static.global_scope()
    scope.find_var("w").get_tensor().set(np.zeros([2, 1], "float32"))
    dataset = dist.InMemoryDataset()
    dataset.init(batch_size=2, use_var=variables)
    dataset.set_filelist([part])
    dataset.load_into_memory()
    executor.train_from_dataset(main, dataset, fetch_list=[loss], fetch_info=["loss"], print_period=2)
    w = np.zeros([2, 1])
    for x, y in (([[0.5, 0.25], [0.1, 0.2]], [[1], [0]]), ([[3, 4]], [[5]])):
        x, y = np.array(x), np.array(y)
        last = np.mean((x @ w - y) ** 2)
        w -= 0.05 * 2 * x.T @ (x @ w - y) / len(x)
    np.testing.assert_allclose(np.array(scope.find_var("w").get_tensor()), w, rtol=1e-5)
    printed = capsys.readouterr().out
    assert printed.count("batch:") == 1 and f"batch: [2], loss[1]:[{last:g}]" in printed
    executor.infer_from_dataset(main, dataset)
    np.testing.assert_allclose(np.array(scope.find_var("w").get_tensor()), w, rtol=1e-5)


@pytest.mark.parametrize("name", ["QueueDataset", "InMemoryDataset"])
def test_settings_may_be_given_one_at_a_time(name, part, variables):
    dataset = paddle.base.DatasetFactory().create_dataset(name)
    dataset.set_use_var(variables)
    dataset.set_batch_size(2)
    dataset.set_thread(3)
    dataset.set_pipe_command("head -n 2")
    dataset.set_filelist([part])
    if name == "InMemoryDataset":
        dataset.load_into_memory()
    batches = [feed["label"].tolist() for feed in dataset]
    assert batches == [[[1], [0]]] and dataset.thread_num == 3 and "batch_size: 2" in dataset.desc()
    with pytest.raises(ValueError, match="QueueDataset, InMemoryDataset"):
        paddle.base.DatasetFactory().create_dataset("Dataset")

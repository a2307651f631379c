# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets, samplers and the data loader."""

import subprocess
import sys

import numpy as np
import paddle
import pytest
from paddle.io import (
    BatchSampler,
    ComposeDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedBatchSampler,
    IterableDataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)


class Squares(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        return np.full([2], i, "float32"), i * i


def test_batches_are_tensors_in_order():
    batches = list(DataLoader(Squares(), batch_size=3))
    assert [b[0].shape for b in batches] == [[3, 2], [3, 2], [1, 2]]
    assert batches[1][1].tolist() == [9, 16, 25] and batches[1][1].dtype == paddle.int64


def test_drop_last_and_length():
    loader = DataLoader(Squares(), batch_size=3, drop_last=True)
    assert len(loader) == len(list(loader)) == 2


def test_shuffle_takes_every_sample_once():
    loader = DataLoader(Squares(), batch_size=2, shuffle=True)
    assert sorted(v for _, y in loader for v in y.tolist()) == [i * i for i in range(7)]


def test_iterable_and_dict_samples():
    class Stream(IterableDataset):
        def __iter__(self):
            for i in range(3):
                yield {"x": float(i), "name": str(i)}

    batch = list(DataLoader(Stream(), batch_size=2))[0]
    assert batch["x"].tolist() == [0.0, 1.0] and batch["name"] == ["0", "1"]


def test_tensor_dataset_and_random_split():
    data = TensorDataset([paddle.arange(6), paddle.arange(6) * 2])
    parts = random_split(data, [4, 2])
    assert [len(p) for p in parts] == [4, 2]
    x, y = DataLoader(parts[0], batch_size=4).__iter__().__next__()
    assert (y.numpy() == 2 * x.numpy()).all()


def test_distributed_batches_share_the_data():
    taken = []
    for rank in range(2):
        for batch in DistributedBatchSampler(Squares(), 2, num_replicas=2, rank=rank):
            taken.extend(batch)
    assert len(taken) == 8 and set(taken) == set(range(7))


def test_batch_sampler_refuses_both_sources():
    with pytest.raises(AssertionError):
        BatchSampler(dataset=Squares(), sampler=[1])


@pytest.mark.parametrize("num_workers", [0, 2])
def test_without_batches_numbers_stay_what_they_are(num_workers):
    class Sample(Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return np.float32(i), np.int64(i), np.bool_(True), i, np.ones(1)

    kinds = [np.float32, np.int64, np.bool_, int, paddle.Tensor]
    for sample in DataLoader(Sample(), batch_size=None, num_workers=num_workers):
        assert [type(part) for part in sample] == kinds


def test_batches_have_the_structure_of_samples():
    class Mixed(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return {"x": np.ones([2], "uint8"), "pair": (1.5, [True, "s"]), "t": paddle.full([2], i)}

    batch = next(iter(DataLoader(Mixed(), batch_size=2)))
    assert batch["x"].dtype == paddle.uint8 and batch["x"].shape == [2, 2]
    number, (flag, text) = batch["pair"]
    assert number.dtype == paddle.float64 and flag.dtype == paddle.bool and text == ["s", "s"]
    assert isinstance(batch["pair"], list) and batch["t"].tolist() == [[0, 0], [1, 1]]


def test_a_batch_of_plain_arrays_is_one_tensor():
    class Plain(Squares):
        def __getitem__(self, i):
            return np.full([3], i, "float32")

    assert next(iter(DataLoader(Plain(), batch_size=2))).shape == [2, 3]


def test_samples_of_mixed_dtypes_are_promoted_as_numpy_does():
    class Growing(Squares):
        def __getitem__(self, i):
            return np.full([2], i, "int32" if i == 0 else "float64")

    batch = next(iter(DataLoader(Growing(), batch_size=3)))
    assert batch.dtype == paddle.float64 and batch.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_samples_of_unequal_shapes_are_refused():
    class Ragged(Squares):
        def __getitem__(self, i):
            return np.zeros([i + 1])

    with pytest.raises(ValueError, match=r"shapes \[1\] and \[2\]; make them equal"):
        next(iter(DataLoader(Ragged(), batch_size=2)))


def test_without_batches_samples_come_as_they_are():
    x, y = next(iter(DataLoader(Squares(), batch_size=None)))
    assert x.shape == [2] and y == 0


def test_a_collate_function_may_return_anything():
    loader = DataLoader(Squares(), batch_size=2, collate_fn=lambda samples: (np.ones([2, 2]), "s", 3, None))
    array, *rest = next(iter(loader))
    assert isinstance(array, paddle.Tensor) and rest == ["s", 3, None]


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"num_workers": -1},
        {"prefetch_factor": 0},
        {"timeout": -1},
        {"batch_size": 2, "batch_sampler": BatchSampler(Squares())},
    ],
)
def test_wrong_options_are_refused(options):
    with pytest.raises(AssertionError, match=next(iter(options))):
        DataLoader(Squares(), **options)


def test_distributed_batches_repeat_samples_until_all_ranks_have_equally_many():
    five = list(range(5))
    assert list(DistributedBatchSampler(five, 2, 2, 0)) == [[0, 1], [4]]
    assert list(DistributedBatchSampler(five, 2, 2, 1)) == [[2, 3], [0]]
    assert list(DistributedBatchSampler(list(range(10)), 2, 3, 2)) == [[4, 5], [0, 1]]


def test_weighted_samples_have_positive_weight():
    sampler = WeightedRandomSampler([0.0, 2.0, 0.0, 1.0], 50)
    assert set(sampler) <= {1, 3} and len(sampler) == 50
    with pytest.raises(AssertionError, match="replacement"):
        iter(WeightedRandomSampler([1, 0], 2, replacement=False))


def test_datasets_combine():
    six = [Squares(), Squares()]
    joined = ConcatDataset(six)
    assert len(joined) == 14 and joined[-1][1] == 36 and ConcatDataset.cumsum(six) == [7, 14]
    with pytest.raises(IndexError):
        joined[14]
    side = ComposeDataset(six)
    assert len(side[2]) == 4 and side[2][3] == 4
    assert Subset(Squares(), [3, 1])[0][1] == 9


PAGE_FAULTS = """
import resource

import numpy as np
from paddle.io import DataLoader, Dataset

class Scaled(Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, i):
        return (np.full(150_000, i, np.float32) * 2 + 1)[:10]

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in DataLoader(Scaled(), batch_size=8):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
print(faults())
"""


@pytest.mark.unsanitized
def test_temporaries_of_samples_keep_their_memory():
    out = subprocess.run([sys.executable, "-c", PAGE_FAULTS], capture_output=True, text=True, check=True)
    assert int(out.stdout) < 64 * 150_000 * 4 // 4096 // 2  # half of what one temporary a sample needs


def test_seeds_of_workers_are_those_of_a_seed_sequence():
    from paddle.io.dataloader.worker import _generate_states

    assert _generate_states(0, 1) == [1835504127, 1731038949, 1320224556, 2330041505]
    assert _generate_states(1, 3) == [457190280, 2660306227, 859341110, 354512857]


def test_places_and_sizes_of_other_types_are_refused():
    for error, options in ((ValueError, {"places": 3}), (TypeError, {"batch_size": "a"})):
        with pytest.raises(error, match=next(iter(options))):
            paddle.io.DataLoader([1, 2], **options)
    paddle.enable_static()
    try:
        with pytest.raises(AssertionError, match="feed_list"):
            paddle.io.DataLoader([1, 2], return_list=False)
    finally:
        paddle.disable_static()


def test_a_sample_that_is_a_tuple_is_a_list_where_nothing_is_batched():
    from paddle.io.dataloader.collate import default_convert_fn

    assert default_convert_fn((1, ("a", 2.5))) == [1, ["a", 2.5]]


def test_a_batch_sampler_refuses_an_order_that_gives_no_indices():
    with pytest.raises(AssertionError, match="sampler has type int"):
        paddle.io.BatchSampler(sampler=3)
    assert list(paddle.io.BatchSampler(sampler=range(3), batch_size=2)) == [[0, 1], [2]]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Datasets, samplers and the data loader."""

import numpy as np
import paddle
import pytest
from paddle.io import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedBatchSampler,
    IterableDataset,
    TensorDataset,
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


def test_worker_processes_are_refused_by_name():
    with pytest.raises(NotImplementedError, match="num_workers=0"):
        DataLoader(Squares(), num_workers=2)


def test_batch_sampler_refuses_both_sources():
    with pytest.raises(AssertionError):
        BatchSampler(dataset=Squares(), sampler=[1])

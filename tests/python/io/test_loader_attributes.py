# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of loaders and samplers, and the collation that loaders use."""

import numpy as np
import paddle
from paddle.io import BatchSampler, DataLoader, DistributedBatchSampler, Sampler, TensorDataset

DATA = TensorDataset([paddle.arange(10, dtype="float32").reshape([10, 1])])


def test_attributes_of_a_loader():
    loader = DataLoader(DATA, batch_size=4, drop_last=True)
    assert loader.dataset is DATA and loader.batch_size == 4
    assert isinstance(loader.batch_sampler, BatchSampler) and loader.batch_sampler.batch_size == 4
    assert loader.batch_sampler.drop_last is True
    assert [batch[0].shape for batch in loader] == [[4, 1], [4, 1]]
    summed = DataLoader(DATA, batch_size=5, collate_fn=lambda rows: sum(float(row[0]) for row in rows))
    assert summed.collate_fn([(1.0,), (2.0,)]) == 3.0 and list(summed) == [10.0, 35.0]


def test_default_collation_joins_by_structure():
    from paddle.io.dataloader.collate import default_collate_fn

    joined = default_collate_fn([{"x": np.ones(2, "float32"), "n": 1}, {"x": np.zeros(2, "float32"), "n": 2}])
    assert joined["x"].tolist() == [[1.0, 1.0], [0.0, 0.0]] and joined["n"].tolist() == [1, 2]


def test_a_sampler_of_ones_own():
    class Backwards(Sampler):
        def __iter__(self):
            return iter(range(len(self.data_source) - 1, -1, -1))

    sampler = Backwards(DATA)
    assert sampler.data_source is DATA and list(sampler) == list(range(9, -1, -1))
    batches = BatchSampler(sampler=sampler, batch_size=4)
    assert list(batches) == [[9, 8, 7, 6], [5, 4, 3, 2], [1, 0]] and batches.drop_last is False


def test_a_distributed_sampler_takes_its_share():
    shares = [DistributedBatchSampler(DATA, 2, num_replicas=3, rank=rank) for rank in range(3)]
    first = shares[0]
    assert (first.dataset, first.batch_size, first.drop_last, first.shuffle) == (DATA, 2, False, False)
    assert (first.nranks, first.local_rank, first.num_samples, first.total_size, first.epoch) == (3, 0, 4, 12, 0)
    seen = [i for share in shares for batch in share for i in batch]
    assert set(seen) == set(range(10)) and len(seen) == 12
    first.set_epoch(5)
    assert first.epoch == 5

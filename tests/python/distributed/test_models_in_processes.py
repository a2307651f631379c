# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.Model` in a job of several processes."""

import os

import numpy as np
import paddle
import paddle.distributed as dist


class Points(paddle.io.Dataset):
    """Samples of which a network of zeros gets those of class 0 right."""

    def __init__(self, count):
        self.x = np.random.default_rng(count).standard_normal((count, 3)).astype("float32")
        self.y = (np.arange(count) % 3 > 0).astype("int64")[:, None]

    def __getitem__(self, i):
        return self.x[i], self.y[i]

    def __len__(self):
        return len(self.x)


def fitted(path):
    rank = int(os.environ["PADDLE_TRAINER_ID"])
    paddle.seed(rank)
    model = paddle.Model(paddle.nn.Linear(3, 2))
    model.prepare(
        paddle.optimizer.Adam(0.1, parameters=model.parameters()),
        paddle.nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    model.fit(Points(24), epochs=1, batch_size=4, verbose=0)
    weights = []
    dist.all_gather(weights, model.network.weight)
    np.testing.assert_array_equal(weights[0].numpy(), weights[1].numpy())
    model.save(f"{path}/of {rank}")
    for parameter in model.parameters():
        parameter.set_value(paddle.zeros_like(parameter))
    # 7 of 19 samples have class 0; one sample fills up the last batch and does not count.
    assert model.evaluate(Points(19), batch_size=4, verbose=0)["acc"] == 7 / 19
    assert model.predict(Points(19), batch_size=4, verbose=0, stack_outputs=True)[0].shape == (10, 2)


def test_gradients_are_averaged_and_metrics_see_all_samples(tmp_path):
    dist.spawn(fitted, (str(tmp_path),), nprocs=2)
    assert sorted(os.listdir(tmp_path)) == ["of 0.pdopt", "of 0.pdparams"]


def checkpointed(path):
    dist.init_parallel_env()
    rank = dist.get_rank()
    state = {"net": {"w": paddle.full([2, 3], 7.0)}, "step": 5}
    dist.save_state_dict(state, path, coordinator_rank=1)
    found = {"net": {"w": paddle.zeros([2, 3])}, "step": rank}
    dist.load_state_dict(found, path)
    assert found["step"] == 5 and found["net"]["w"].tolist() == [[7.0] * 3] * 2
    part = dist.ShardedWeight("w", paddle.ones([1, 3]), (1, 3), (2, 3), (rank, 0))
    dist.save_state_dict({"w": part}, path, coordinator_rank=1)
    whole = {"w": paddle.zeros([2, 3])}
    dist.load_state_dict(whole, path)
    assert whole["w"].tolist() == [[1.0] * 3] * 2


def test_checkpoints_of_whole_tensors(tmp_path):
    dist.spawn(checkpointed, (str(tmp_path / "saved"),), nprocs=2)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pipelines over processes train as one process does with the whole batch; what layers and losses are handed."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import fleet
from paddle.distributed.fleet import meta_parallel
from paddle.distributed.fleet.meta_parallel import pipeline_schedules as schedules

WORDS = np.random.default_rng(3).integers(0, 6, (3, 8, 5))


def values(number, shape):
    return np.random.default_rng(number).standard_normal(shape).astype("float32")


class Embed(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([6, 4])
        self.weight.set_value(values(100, [6, 4]))

    def forward(self, words):
        mask = (words > 0).astype("float32").unsqueeze(-1)
        return paddle.nn.functional.embedding(words, self.weight), mask


class Block(paddle.nn.Layer):
    def __init__(self, number):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)
        for place, parameter in enumerate(self.linear.parameters()):
            parameter.set_value(values(2 * number + place, parameter.shape))

    def forward(self, pair):
        x, mask = pair
        return paddle.tanh(self.linear(x)) * mask + x, mask


def scores(layer, pair):
    return pair[0] @ layer.weight.t()


def loss_of(out, labels):
    return paddle.nn.functional.cross_entropy(out, labels)


def descriptions(blocks=4):
    middle = [meta_parallel.LayerDesc(Block, number) for number in range(blocks)]
    return [
        meta_parallel.SharedLayerDesc("words", Embed),
        *middle,
        meta_parallel.SharedLayerDesc("words", Embed, scores),
    ]


def optimizer_of(parameters):
    return paddle.optimizer.AdamW(0.05, parameters=parameters, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5))


def trained_alone():
    """Losses, and parameters by layer: the embedding, then weight and bias of each block."""
    embed, blocks = Embed(), [Block(number) for number in range(4)]
    parameters = [p for layer in (embed, *blocks) for p in layer.parameters()]
    optimizer, losses = optimizer_of(parameters), []
    for words in WORDS:
        value = embed(paddle.to_tensor(words))
        for block in blocks:
            value = block(value)
        loss = loss_of(scores(embed, value), paddle.to_tensor(words))
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
        optimizer.clear_grad()
    return losses, {p.name: p.numpy() for p in parameters}, [p.numpy() for p in parameters]


def pipeline(pp, dp, sharding, parts, micros, scale):
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": dp, "pp_degree": pp, "sharding_degree": sharding}
    shares = dp * sharding
    strategy.pipeline_configs = {"accumulate_steps": micros, "micro_batch_size": 8 // shares // micros}
    fleet.init(is_collective=True, strategy=strategy)
    hcg = fleet.get_hybrid_communicate_group()
    model = meta_parallel.PipelineLayer(
        descriptions(),
        num_stages=pp,
        loss_fn=loss_of,
        seg_method="layer:Block",
        num_virtual_pipeline_stages=parts,
        recompute_interval=1 if dp > 1 else 0,
    )
    model = fleet.distributed_model(model)
    optimizer = fleet.distributed_optimizer(optimizer_of(model.parameters()))
    scaler = fleet.distributed_scaler(paddle.amp.GradScaler(init_loss_scaling=scale)) if scale else None
    share = hcg.get_data_parallel_rank() * sharding + hcg.get_sharding_parallel_rank()
    losses, alone, expected = *trained_alone()[:2], trained_alone()[2]
    for words, whole in zip(WORDS, losses, strict=True):
        rows = paddle.to_tensor(words[share * 8 // shares : (share + 1) * 8 // shares])
        first, last = model.is_pipeline_first_stage(), model.is_pipeline_last_stage()
        data = [rows if first else None, rows if last else None]
        before = model.eval_batch(data, compute_loss=True).item()
        loss = model.train_batch(data, optimizer, scaler=scaler).item()
        assert abs(before - loss) < 1e-5
        every = []
        dist.all_gather_object(every, loss)
        assert abs(np.mean(every) - whole) < 1e-4
    outputs = model.eval_batch(data)
    assert (outputs is None) != model.is_pipeline_last_stage()
    stage = hcg.get_stage_id()
    for name, parameter in model.named_parameters():
        if "shared_layers" in name:
            number = 0
        else:
            places = [int(part) for part in name.removeprefix("_layers.").split(".")[:2] if part.isdigit()]
            number = 1 + 2 * (sum(places) - 1) + name.endswith("bias")
        np.testing.assert_allclose(parameter.numpy(), expected[number], rtol=1e-3, atol=1e-5, err_msg=f"{stage} {name}")
    assert len(list(model.parameters())) < len(alone)


@pytest.mark.parametrize(
    "pp, dp, sharding, parts, micros, scale",
    [
        (2, 1, 1, 1, 4, 0),
        (2, 1, 1, 2, 4, 2.0),
        (2, 1, 1, 2, 1, 0),
        (4, 1, 1, 1, 2, 0),
        (2, 2, 1, 1, 2, 0),
        (2, 1, 2, 1, 2, 4.0),
    ],
    ids=["stages", "parts", "fewer micro-batches than stages", "four stages", "data", "split state"],
)
def test_a_pipeline_trains_as_one_process(pp, dp, sharding, parts, micros, scale):
    dist.spawn(pipeline, (pp, dp, sharding, parts, micros, scale), nprocs=pp * dp * sharding)


def replicas():
    strategy = fleet.DistributedStrategy()
    strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 2}
    fleet.init(is_collective=True, strategy=strategy)
    model = meta_parallel.PipelineLayer(descriptions(), num_stages=1, loss_fn=loss_of)
    model = fleet.distributed_model(model)
    optimizer = fleet.distributed_optimizer(optimizer_of(model.parameters()))
    for words in WORDS:
        rows = paddle.to_tensor(words[dist.get_rank() * 4 :][:4])
        model.train_batch([rows, rows], optimizer)
    for parameter, alone in zip(model.parameters(), trained_alone()[2], strict=True):
        np.testing.assert_allclose(parameter.numpy(), alone, rtol=1e-3, atol=1e-5)


def test_replicas_of_one_stage_train_together():
    dist.spawn(replicas, nprocs=2)


@pytest.mark.parametrize("stages, parts, micros", [(2, 1, 5), (4, 1, 2), (2, 2, 4), (4, 2, 8), (3, 2, 4), (2, 3, 2)])
def test_no_stage_waits_for_what_comes_later(stages, parts, micros):
    orders = [
        schedules.interleaved(s, stages, parts, micros)
        if parts > 1
        else schedules.one_forward_one_backward(s, stages, micros)
        for s in range(stages)
    ]
    for order in orders:
        assert sorted(order) == sorted((k, p, m) for k in "bf" for p in range(parts) for m in range(micros))
    done, last = set(), stages * parts - 1
    while any(orders):
        ran = False
        for stage, order in enumerate(orders):
            while order:
                kind, part, micro = order[0]
                place = part * stages + stage
                needs = (
                    ("f", place - 1)
                    if kind == "f" and place
                    else ("b", place + 1)
                    if kind == "b" and place < last
                    else None
                )
                if needs is not None and (*needs, micro) not in done:
                    break
                assert kind == "f" or ("f", place, micro) in done
                done.add((kind, place, micro))
                order.pop(0)
                ran = True
        assert ran, "every stage waits"


def test_steps_of_a_stage_as_text():
    assert schedules.as_text(schedules.one_forward_one_backward(0, 2, 3), 1) == "f0;f1;b0;f2;b1;b2;"
    assert schedules.as_text(schedules.one_forward_one_backward(1, 2, 2), 1) == "f0;b0;f1;b1;"
    assert schedules.as_text(schedules.forward_alone(2, 1), 2) == "f0_vp0;f0_vp1;"


# -- one process: what the real PaddlePaddle hands on, observed ------------------------------------
def trainer(layers, loss, micros=2):
    strategy = fleet.DistributedStrategy()
    strategy.pipeline_configs = {"accumulate_steps": micros, "micro_batch_size": 2}
    fleet.init(is_collective=True, strategy=strategy)
    model = meta_parallel.PipelineLayer(layers, num_stages=1, loss_fn=loss)
    return fleet.distributed_model(model), paddle.optimizer.SGD(0.1, parameters=model.parameters())


def test_tuples_are_one_argument_and_lists_have_an_entry_a_micro_batch():
    seen = []

    def look(value):
        seen.append(type(value).__name__)
        return value

    def loss(out, labels):
        seen.append((type(out).__name__, type(labels).__name__))
        return (out[0] * 1.0).mean()

    linear = paddle.nn.Linear(3, 3)
    model, optimizer = trainer([look, lambda pair: (linear(pair[0]), pair[1])], loss)
    x = paddle.ones([4, 3])
    model.train_batch([(x, x), (x,)], optimizer)
    assert seen == ["tuple", ("tuple", "tuple")] * 2
    seen.clear()
    model.train_batch([[[x, x], [x, x]], x], optimizer)
    assert seen == ["list", ("tuple", "Tensor")] * 2
    model.train_batch(iter([((x, x), x), ((x, x), x)]), optimizer)
    with pytest.raises(ValueError, match="one for each of 2"):
        model.train_batch([[x], x], optimizer)
    with pytest.raises(ValueError, match="inputs, labels"):
        model.train_batch(x, optimizer)


def test_several_losses():
    layers = [paddle.nn.Linear(3, 1, weight_attr=paddle.nn.initializer.Constant(1.0))]
    model, optimizer = trainer(layers, [lambda out, y: out.mean(), lambda out, y: (2 * out).mean()])
    x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(4, 3))
    first, second = model.train_batch([x, x], optimizer, loss_fn_idx=1, return_micro_batch_loss=True)
    assert (first.tolist(), second.tolist()) == ([7.5, 25.5], [15.0, 51.0])
    np.testing.assert_allclose(layers[0].weight.numpy()[:, 0], 1 - 0.1 * 2 * x.numpy().mean(0), rtol=1e-5)


def test_names_and_cuts():
    layers = [paddle.nn.ReLU(), *(meta_parallel.LayerDesc(Block, n) for n in range(4)), paddle.nn.ReLU()]
    parts = meta_parallel.PipelineLayer(layers, 1, seg_method="layer:Block", num_virtual_pipeline_stages=2)
    assert parts.segment_parts == [0, 3, 6]
    assert list(parts.state_dict())[::2] == [
        "0.1.linear.weight",
        "0.2.linear.weight",
        "3.0.linear.weight",
        "3.1.linear.weight",
    ]
    assert meta_parallel.PipelineLayer(layers, 1, seg_method=[0, 6]).segment_parts == [0, 6]
    shared = meta_parallel.PipelineLayer(descriptions(0), 1)
    assert list(shared.state_dict()) == ["shared_layers.words.weight"]
    with pytest.raises(ValueError, match="rise from 0 to 6"):
        meta_parallel.PipelineLayer(layers, 1, seg_method=[0, 4])
    with pytest.raises(ValueError, match="matches 4 layers; at least 5"):
        meta_parallel.PipelineLayer(layers, 1, seg_method="layer:Block", num_virtual_pipeline_stages=5)
    with pytest.raises(ValueError, match="1 processes"):
        meta_parallel.PipelineLayer(layers, 2)


def test_what_trainers_of_their_own_use():
    model, optimizer = trainer([paddle.nn.Linear(3, 1)], lambda out, labels: (out - labels).square().mean())
    data = model._prepare_training([paddle.ones([4, 3]), paddle.zeros([4, 1])], optimizer, None)
    loss = model.forward_backward_pipeline(data)
    assert loss.shape == [] and model._layers.parameters()[0].grad is not None
    assert not model._dp_comm_overlap and not model._sharding_comm_overlap and model.optimizer is optimizer
    model._layers._synchronize_shared_weights()

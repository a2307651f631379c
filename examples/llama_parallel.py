# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Llama of quickstart.py on several processes: data, tensor and pipeline parallel by marks on its parameters.

    python -m paddle.distributed.launch --nproc_per_node 4 examples/llama_parallel.py --mp 2 --pp 2
    python examples/llama_parallel.py --mp 2 --pp 2 --simulate 8

What is left of the ranks is data parallel. The losses are those of one process.
"""

import argparse

import numpy as np
import paddle
import paddle.distributed as dist
from llama import Llama
from paddle.distributed import ProcessMesh, Replicate, Shard
from quickstart import LENGTH, load_text, loss_of, make_optimizer, sample_batch

COLUMNS, ROWS = ("q", "k", "v", "gate", "up"), ("o", "down")


# -- what makes it parallel --------------------------------------------------------------------------
def place(model, ranks, mp, pp):
    """Distributes the model in place; the meshes of its stages."""
    grid = np.arange(ranks).reshape(pp, -1, mp)
    stages = [ProcessMesh(part.tolist(), dim_names=["dp", "mp"]) for part in grid]
    size = -(-len(model.blocks) // pp)
    for number, block in enumerate(model.blocks):
        mesh = stages[number // size]
        for name, layer in block.named_sublayers():
            kind = name.rsplit(".", 1)[-1]
            if kind in COLUMNS + ROWS:
                dist.shard_tensor(layer.weight, mesh, [Replicate(), Shard(1 if kind in COLUMNS else 0)])
        dist.shard_layer(block, mesh)
        if number % size == 0 and number > 0:
            block.register_forward_pre_hook(moves_to(mesh))
    dist.shard_layer(model.embed, stages[0])
    for layer in (model.norm, model.head):
        dist.shard_layer(layer, stages[-1])
    return stages


def moves_to(mesh):
    """A hook that brings the activations to the mesh of the next stage."""
    return lambda _, inputs: (dist.reshard(inputs[0], mesh, [Shard(0)]), *inputs[1:])


def batch_on(stages, tokens, targets):
    """Each half of the data-parallel ranks takes its rows."""
    return dist.shard_tensor(tokens, stages[0], [Shard(0)]), dist.shard_tensor(targets, stages[-1], [Shard(0)])


# ----------------------------------------------------------------------------------------------------
def train(steps, ranks, mp, pp):
    """The losses of some steps, on this rank: those of other stages do not have them (None)."""
    paddle.seed(2024)
    rng = np.random.default_rng(2024)
    text, _ = load_text()
    model = Llama(longest=LENGTH)
    stages = place(model, ranks, mp, pp)
    optimizer, schedule = make_optimizer(model, 400)
    optimizer = dist.shard_optimizer(optimizer, dist.ShardingStage1("dp"))
    losses = []
    for step in range(steps):
        loss = loss_of(model, *batch_on(stages, *sample_batch(text, rng)))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        losses.append(float(loss) if stages[-1].contains(dist.get_rank()) else None)
        if dist.get_rank() == ranks - 1:
            print(f"step {step + 1}  loss {losses[-1]:.5f}", flush=True)
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=4, help="of training (default: 4)")
    parser.add_argument("--mp", type=int, default=1, help="ranks that share each layer (default: 1)")
    parser.add_argument("--pp", type=int, default=1, help="stages of layers (default: 1)")
    parser.add_argument("--simulate", type=int, help="ranks as threads of this process")
    options = parser.parse_args()
    if options.simulate:
        dist.simulate(options.simulate, train, options.steps, options.simulate, options.mp, options.pp)
    else:
        dist.init_parallel_env()
        train(options.steps, dist.get_world_size(), options.mp, options.pp)


if __name__ == "__main__":
    main()

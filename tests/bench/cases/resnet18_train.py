# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ResNet-18, batch 8 of 3x224x224, cross entropy, SGD with momentum: step time."""

from harness import fill_paddle, fill_torch, integers, normal, peak_rss_mib
from models.resnet import paddle_resnet, torch_resnet

BATCH, RATE = 8, 0.01


def measure(bench, step):
    for _ in range(3):
        loss = float(step())
    bench.check("loss_after_3_steps", loss)
    bench.time("step", step)
    bench.one("peak_rss", "MiB", peak_rss_mib())


def run_paddle(bench):
    paddle = bench.paddle()
    model = fill_paddle(paddle_resnet(18))
    optimizer = paddle.optimizer.Momentum(RATE, 0.9, parameters=model.parameters())
    x = paddle.to_tensor(normal("x", [BATCH, 3, 224, 224]))
    y = paddle.to_tensor(integers("y", [BATCH], 1000))

    def loss_of(x, y):
        return paddle.nn.functional.cross_entropy(model(x), y)

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    measure(bench, step)


def run_torch(bench):
    torch = bench.torch()
    model = fill_torch(torch_resnet(18))
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
    x = torch.from_numpy(normal("x", [BATCH, 3, 224, 224]))
    y = torch.from_numpy(integers("y", [BATCH], 1000))

    def loss_of(x, y):
        return torch.nn.functional.cross_entropy(model(x), y)

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    measure(bench, step)

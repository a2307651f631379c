# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 inference at batch 1 and 8, eager or compiled: latency."""

from harness import fill_paddle, fill_torch, normal
from models.resnet import paddle_resnet, torch_resnet

BATCHES = (1, 8)


def measure(bench, forward, x):
    batch = x.shape[0]
    bench.check(f"abs_sum_batch{batch}", float(forward(x).abs().sum()))
    bench.time(f"latency_batch{batch}", lambda: forward(x), budget=4)


def run_paddle(bench):
    paddle = bench.paddle()
    model = fill_paddle(paddle_resnet(50))
    model.eval()
    forward = bench.maybe_compile(lambda x: model(x))
    with paddle.no_grad():
        for batch in BATCHES:
            measure(bench, forward, paddle.to_tensor(normal("x", [batch, 3, 224, 224])))


def run_torch(bench):
    torch = bench.torch()
    model = fill_torch(torch_resnet(50)).eval()
    with torch.inference_mode(not bench.compiled), torch.no_grad():
        for batch in BATCHES:
            forward = bench.maybe_compile(model, dynamic=False) if bench.compiled else model
            measure(bench, forward, torch.from_numpy(normal("x", [batch, 3, 224, 224])))

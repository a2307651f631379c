# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""LSTM(256, 256, 2 layers), 64 steps, batch 32: forward + backward time."""

from harness import normal, uniform

SIZE, LAYERS, LENGTH, BATCH = 256, 2, 64, 32


def weights():
    """Name -> value; the gates are in the order input, forget, cell, output in both frameworks."""
    for layer in range(LAYERS):
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            name = f"{kind}_l{layer}"
            shape = (4 * SIZE, SIZE) if kind.startswith("weight") else (4 * SIZE,)
            yield name, uniform(name, shape, SIZE)


def measure(bench, step):
    bench.check("loss", float(step()))
    bench.time("forward_backward", step)


def run_paddle(bench):
    paddle = bench.paddle()
    lstm = paddle.nn.LSTM(SIZE, SIZE, LAYERS)
    for name, value in weights():
        kind, layer = name.rsplit("_l", 1)
        getattr(lstm[int(layer)].cell, kind).set_value(value)
    x = paddle.to_tensor(normal("x", [BATCH, LENGTH, SIZE]))

    def loss_of(x):
        y, _ = lstm(x)
        return (y * y).mean()

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x)
        loss.backward()
        for parameter in lstm.parameters():
            parameter.clear_grad()
        return loss

    measure(bench, step)


def run_torch(bench):
    torch = bench.torch()
    lstm = torch.nn.LSTM(SIZE, SIZE, LAYERS, batch_first=True)
    with torch.no_grad():
        for name, value in weights():
            getattr(lstm, name).copy_(torch.from_numpy(value))
    x = torch.from_numpy(normal("x", [BATCH, LENGTH, SIZE]))

    def loss_of(x):
        y, _ = lstm(x)
        return (y * y).mean()

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x)
        loss.backward()
        lstm.zero_grad()
        return loss

    measure(bench, step)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""784-512-512-10 ReLU MLP, batch 128, cross entropy, Adam: steps per second."""

from harness import fill_paddle, fill_torch, integers, normal

SIZES, BATCH, RATE = (784, 512, 512, 10), 128, 1e-3


def measure(bench, step):
    losses = [float(step()) for _ in range(3)]
    bench.check("loss_after_3_steps", losses[-1])
    bench.time("train_rate", step, unit="steps/s", work=1)


def layers(nn):
    sizes = list(zip(SIZES, SIZES[1:], strict=False))
    out = []
    for i, (n_in, n_out) in enumerate(sizes):
        out.append(nn.Linear(n_in, n_out))
        if i + 1 < len(sizes):
            out.append(nn.ReLU())
    return nn.Sequential(*out)


def paddle_step(bench, wrap):
    """One training step; wrap(loss function) is what it calls."""
    paddle = bench.paddle()
    model = fill_paddle(layers(paddle.nn))
    adam = paddle.optimizer.Adam(RATE, parameters=model.parameters())
    x = paddle.to_tensor(normal("x", [BATCH, SIZES[0]]))
    y = paddle.to_tensor(integers("y", [BATCH], SIZES[-1]))

    def loss_of(x, y):  # to_static of paddle 3.3 cannot take a lambda
        return paddle.nn.functional.cross_entropy(model(x), y)

    loss_of = wrap(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return step


def run_paddle(bench):
    measure(bench, paddle_step(bench, bench.maybe_compile))


def run_torch(bench):
    torch = bench.torch()
    model = fill_torch(layers(torch.nn))
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    x = torch.from_numpy(normal("x", [BATCH, SIZES[0]]))
    y = torch.from_numpy(integers("y", [BATCH], SIZES[-1]))

    def loss_of(x, y):
        return torch.nn.functional.cross_entropy(model(x), y)

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        adam.zero_grad()
        return loss

    measure(bench, step)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""PINN of a clamped plate: u_xxxx + 2 u_xxyy + u_yyyy = q with a 2-64-64-64-64-1 tanh MLP.

4096 collocation points, mean squared residual, Adam.  Ten reverse-mode gradients build the
residual (in the same order everywhere), one more gives the gradient of the weights.
"""

import time

import numpy as np
from harness import fill_paddle, fill_torch, generator, peak_rss_mib

SIZES, POINTS, RATE, LOAD = (2, 64, 64, 64, 64, 1), 4096, 1e-3, 1.0


def points():
    xy = generator("collocation").uniform(0, 1, (POINTS, 2)).astype(np.float32)
    return xy[:, :1].copy(), xy[:, 1:].copy()


def layers(nn):
    parts = []
    for n_in, n_out in zip(SIZES, SIZES[1:], strict=False):
        parts += [nn.Linear(n_in, n_out), nn.Tanh()]
    return nn.Sequential(*parts[:-1])


def residual(u, x, y, grad):
    u_xx = grad(grad(u, x), x)
    u_yy = grad(grad(u, y), y)
    u_xxxx = grad(grad(u_xx, x), x)
    u_xxyy = grad(grad(u_xx, y), y)
    u_yyyy = grad(grad(u_yy, y), y)
    return u_xxxx + 2 * u_xxyy + u_yyyy - LOAD


def measure(bench, step, suffix=""):
    begin = time.perf_counter()
    step()
    bench.one("first_step" + suffix, "s", time.perf_counter() - begin, clock="wall")
    for _ in range(2):
        loss = float(step())
    bench.check("loss_after_3_steps" + suffix, loss)
    bench.time("step" + suffix, step, budget=6)
    bench.one("peak_rss" + suffix, "MiB", peak_rss_mib())


def run_paddle(bench):
    paddle = bench.paddle()
    net = fill_paddle(layers(paddle.nn))
    adam = paddle.optimizer.Adam(RATE, parameters=net.parameters())
    x, y = (paddle.to_tensor(p, stop_gradient=False) for p in points())

    def grad(value, by):
        return paddle.grad(value, by, create_graph=True)[0]

    def loss_of(x, y):
        x.stop_gradient = y.stop_gradient = False
        r = residual(net(paddle.concat([x, y], 1)), x, y, grad)
        return (r * r).mean()

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        x.clear_grad()
        y.clear_grad()
        return loss

    measure(bench, step)


def run_torch(bench):
    torch = bench.torch()
    net = fill_torch(layers(torch.nn))
    adam = torch.optim.Adam(net.parameters(), lr=RATE)
    x, y = (torch.from_numpy(p).requires_grad_() for p in points())

    def grad(value, by):
        return torch.autograd.grad(value, by, torch.ones_like(value), create_graph=True)[0]

    def loss_of(x, y):
        r = residual(net(torch.cat([x, y], 1)), x, y, grad)
        return (r * r).mean()

    loss_of = bench.maybe_compile(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        adam.zero_grad()
        x.grad = y.grad = None
        return loss

    measure(bench, step)

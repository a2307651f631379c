# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Small trainings on a quiet machine, and beside processes that keep the processors busy: milliseconds per
step, and how many times longer a step takes. A sample is the work of several steps, long enough for the
scheduler to take the processors away."""

import multiprocessing
import os
import statistics
import time

from harness import fill_paddle, fill_torch, integers, normal

from cases import llama_small_train

SIZES, BATCH, POINTS, WIDTH = (256, 256, 256, 10), 64, 256, 64
STEPS, ROUNDS = {"mlp": 50, "pinn": 50, "llama": 2}, 5


def spin():
    while True:
        pass


class Neighbours:
    """As many spinning processes as the case uses threads."""

    def __init__(self, count):
        context = multiprocessing.get_context("spawn")
        self._processes = [context.Process(target=spin, daemon=True) for _ in range(count)]

    def __enter__(self):
        for process in self._processes:
            process.start()
        time.sleep(1.0)

    def __exit__(self, *error):
        for process in self._processes:
            process.kill()
            process.join()


def timed(step, count):
    samples = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(count):
            step()
        samples.append((time.perf_counter() - begin) / count * 1e3)
    return samples


def measure(bench, steps):
    for name, step in steps.items():
        for _ in range(3):
            loss = step()
        bench.check(f"{name}_loss_after_3_steps", float(loss))
    if bench.check_only:
        return
    quiet = {name: timed(step, STEPS[name]) for name, step in steps.items()}
    with Neighbours(min(bench.threads, os.cpu_count())):
        shared = {name: timed(step, STEPS[name]) for name, step in steps.items()}
    for name in steps:
        bench.samples(f"{name}_quiet", "ms", quiet[name])
        bench.samples(f"{name}_shared", "ms", shared[name])
        bench.one(f"{name}_times_longer", "x", statistics.median(shared[name]) / statistics.median(quiet[name]))


def layers(nn, sizes, activation):
    out = []
    for i, (n_in, n_out) in enumerate(zip(sizes, sizes[1:], strict=False)):
        out.append(nn.Linear(n_in, n_out))
        if i + 2 < len(sizes):
            out.append(activation())
    return nn.Sequential(*out)


def run_paddle(bench):
    paddle = bench.paddle()
    model = fill_paddle(layers(paddle.nn, SIZES, paddle.nn.ReLU))
    adam = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
    x, y = paddle.to_tensor(normal("x", [BATCH, SIZES[0]])), paddle.to_tensor(integers("y", [BATCH], SIZES[-1]))

    def mlp():
        loss = paddle.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    field = fill_paddle(layers(paddle.nn, (2, WIDTH, WIDTH, WIDTH, 1), paddle.nn.Tanh))
    sgd = paddle.optimizer.SGD(1e-3, parameters=field.parameters())
    at = paddle.to_tensor(normal("at", [POINTS, 2]))
    at.stop_gradient = False

    def pinn():
        (first,) = paddle.grad(field(at).sum(), [at], create_graph=True)
        (second,) = paddle.grad(first[:, 0].sum(), [at], create_graph=True)
        loss = ((second[:, 0] + first[:, 1]) ** 2).mean()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        return loss

    llama = llama_small_train.paddle_step(bench, bench.maybe_compile)
    measure(bench, {"mlp": mlp, "pinn": pinn, "llama": llama})


def run_torch(bench):
    torch = bench.torch()
    model = fill_torch(layers(torch.nn, SIZES, torch.nn.ReLU))
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.from_numpy(normal("x", [BATCH, SIZES[0]])), torch.from_numpy(integers("y", [BATCH], SIZES[-1]))

    def mlp():
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        adam.step()
        adam.zero_grad()
        return loss

    field = fill_torch(layers(torch.nn, (2, WIDTH, WIDTH, WIDTH, 1), torch.nn.Tanh))
    sgd = torch.optim.SGD(field.parameters(), lr=1e-3)
    at = torch.from_numpy(normal("at", [POINTS, 2])).requires_grad_(True)

    def pinn():
        (first,) = torch.autograd.grad(field(at).sum(), [at], create_graph=True)
        (second,) = torch.autograd.grad(first[:, 0].sum(), [at], create_graph=True)
        loss = ((second[:, 0] + first[:, 1]) ** 2).mean()
        loss.backward()
        sgd.step()
        sgd.zero_grad()
        return loss

    llama = llama_small_train.torch_step(bench, bench.maybe_compile)
    measure(bench, {"mlp": mlp, "pinn": pinn, "llama": llama})

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Microseconds per eager operation on tiny tensors, and of what users call around them; import time
and peak RSS after import."""

import resource
import subprocess
import sys
import time

from harness import fill_paddle, fill_torch, normal

N = 16
PARAMETERS = 50


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def import_cost(bench, module):
    seconds, rss = [], []
    code = f"import {module}, resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    now = time.perf_counter if bench.clock == "wall" else children_seconds
    for repeat in range(6):
        begin = now()
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        if repeat:  # the first one warms the file cache
            seconds.append(now() - begin)
            rss.append(float(out.stdout.split()[-1]))
    bench.samples("import_time", "s", seconds)
    bench.samples("import_peak_rss", "MiB", rss)


def measure(bench, a, b, ag, bg, m, matmul, add, backward, step):
    bench.time("add", lambda: add(a, b), unit="us", repeats=15)
    bench.time("matmul_4x4", lambda: matmul(m, m), unit="us", repeats=15)
    bench.time("add_recorded", lambda: add(ag, bg), unit="us", repeats=15)
    bench.time("add_sum_backward", backward, unit="us", repeats=15)
    for _ in range(3):
        loss = step()
    bench.check("loss_after_3_steps", float(loss))
    bench.time("linear_sgd_step", step, unit="us", repeats=15)


def same_calls(framework, a, m, mask):
    """What both frameworks spell alike, by metric."""

    def assign():
        m[0] = a
        return m

    return {
        "relu": lambda: framework.nn.functional.relu(a),
        "index_int": lambda: a[0],
        "index_slice": lambda: a[1:3],
        "index_pair": lambda: m[1, 2],
        "index_mask": lambda: a[mask],
        "assign_row": assign,
        "shape": lambda: a.shape,
        "item": a[0].item,
        "numpy": a.numpy,
        "zeros": lambda: framework.zeros([4]),
        "full": lambda: framework.full([4], 1.5),
        "reshape": lambda: m.reshape([2, 8]),
        "sum": lambda: a.sum(),
        "mean": lambda: a.mean(),
    }


def measure_calls(bench, calls):
    """Times of all, and one number of their results."""
    total = 0.0
    for name, call in calls.items():
        bench.time(name, call, unit="us", repeats=9, budget=0.3)
        result = call()
        total += float(result.sum()) if hasattr(result, "sum") else float(sum(result) if name == "shape" else result)
    bench.check("sum_of_results", total)


def run_paddle(bench):
    paddle = bench.paddle()
    if bench.compiled:
        return
    import_cost(bench, "paddle")
    a, b = (paddle.to_tensor(normal(name, [4])) for name in "ab")
    ag, bg = (paddle.to_tensor(normal(name, [4]), stop_gradient=False) for name in "ab")
    m = paddle.to_tensor(normal("m", [4, 4]))

    def backward():
        paddle.add(ag, bg).sum().backward()
        ag.clear_grad()
        bg.clear_grad()

    model = fill_paddle(paddle.nn.Sequential(paddle.nn.Linear(N, N)))
    sgd = paddle.optimizer.SGD(0.01, parameters=model.parameters())
    x = paddle.to_tensor(normal("x", [1, N]))

    def step():
        y = model(x)
        loss = (y * y).mean()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        return loss

    measure(bench, a, b, ag, bg, m, paddle.matmul, paddle.add, backward, step)
    array, numbers = normal("array", [4]), [1.0, 2.0, 3.0]
    layer = fill_paddle(paddle.nn.Sequential(paddle.nn.Linear(N, N)))[0]
    calls = same_calls(paddle, a, m, paddle.to_tensor(normal("a", [4]) > 0))
    calls["tensor_of_list"] = lambda: paddle.to_tensor(numbers)
    calls["tensor_of_array"] = lambda: paddle.to_tensor(array)
    calls["tensor_of_number"] = lambda: paddle.to_tensor(1.5)
    calls["linear_forward"] = lambda: layer(x)
    measure_calls(bench, calls)
    many = [paddle.create_parameter([4], "float32") for _ in range(PARAMETERS)]
    sum(p.sum() for p in many).backward()
    bench.time("sgd_50_parameters", paddle.optimizer.SGD(1e-3, parameters=many).step, unit="us", repeats=9)
    bench.time("adamw_50_parameters", paddle.optimizer.AdamW(1e-3, parameters=many).step, unit="us", repeats=9)


def run_torch(bench):
    torch = bench.torch()
    if bench.compiled:
        return
    import_cost(bench, "torch")
    a, b = (torch.from_numpy(normal(name, [4])) for name in "ab")
    ag, bg = (torch.from_numpy(normal(name, [4])).requires_grad_() for name in "ab")
    m = torch.from_numpy(normal("m", [4, 4]))

    def backward():
        torch.add(ag, bg).sum().backward()
        ag.grad = bg.grad = None

    model = fill_torch(torch.nn.Sequential(torch.nn.Linear(N, N)))
    sgd = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.from_numpy(normal("x", [1, N]))

    def step():
        y = model(x)
        loss = (y * y).mean()
        loss.backward()
        sgd.step()
        sgd.zero_grad()
        return loss

    measure(bench, a, b, ag, bg, m, torch.matmul, torch.add, backward, step)
    array, numbers = normal("array", [4]), [1.0, 2.0, 3.0]
    layer = fill_torch(torch.nn.Sequential(torch.nn.Linear(N, N)))[0]
    calls = same_calls(torch, a, m, torch.from_numpy(normal("a", [4]) > 0))
    calls["tensor_of_list"] = lambda: torch.tensor(numbers)
    calls["tensor_of_array"] = lambda: torch.tensor(array)
    calls["tensor_of_number"] = lambda: torch.tensor(1.5)
    calls["linear_forward"] = lambda: layer(x)
    measure_calls(bench, calls)
    many = [torch.nn.Parameter(torch.zeros(4)) for _ in range(PARAMETERS)]
    sum(p.sum() for p in many).backward()
    bench.time("sgd_50_parameters", torch.optim.SGD(many, lr=1e-3).step, unit="us", repeats=9)
    bench.time("adamw_50_parameters", torch.optim.AdamW(many, lr=1e-3).step, unit="us", repeats=9)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing one row into a cache of 64 KiB and of 64 MiB: what moves is the row, whatever the size of the cache.

`eager` writes in a call of its own, `captured` in a compiled step that holds the cache, `given` in one that gets
it as an argument; `layer` writes a row of one layer of a stacked cache, through a view."""

import time

ROW, LAYERS = 256, 4  # float32
SIZES = {"64KiB": 64, "64MiB": 64 << 10}  # rows


def samples(step, repeats):
    for _ in range(5):
        step()
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(repeats):
            step()
        times.append((time.perf_counter() - begin) / repeats * 1e6)
    return times


def measure(bench, make_steps, total):
    """make_steps(rows) -> {name: (step, cache)}; total(cache) -> sum of its elements."""
    for size, rows in SIZES.items():
        for name, (step, cache) in make_steps(rows).items():
            step()
            bench.check(f"{name}_{size}_sum", total(cache))
            if not bench.check_only:
                bench.samples(f"{name}_{size}", "us", samples(step, 200))


def run_paddle(bench):
    paddle = bench.paddle()
    row = paddle.full([1, ROW], 2.0)

    def make_steps(rows):
        position = paddle.to_tensor([rows - 3])
        steps = {}

        def add(name, shape, write, compiled, given=False):
            cache = paddle.zeros(shape)
            if given:
                function = paddle.jit.to_static(write, full_graph=True) if compiled else write
                steps[name] = (paddle.no_grad()(lambda: function(cache, row, position)), cache)
                return

            def held(row, position):
                return write(cache, row, position)

            function = paddle.jit.to_static(held, full_graph=True) if compiled else held
            steps[name] = (paddle.no_grad()(lambda: function(row, position)), cache)

        def write(cache, row, position):
            cache[position] = row
            return row + 1.0

        def write_layer(cache, row, position):
            cache[2][position] = row
            return row + 1.0

        add("eager", [rows, ROW], write, False)
        add("eager_layer", [LAYERS, rows, ROW], write_layer, False)
        if bench.compiled:
            add("captured", [rows, ROW], write, True)
            add("given", [rows, ROW], write, True, given=True)
            add("layer", [LAYERS, rows, ROW], write_layer, True)
        return steps

    measure(bench, make_steps, lambda cache: float(cache.sum()))


def run_torch(bench):
    torch = bench.torch()
    row = torch.full((1, ROW), 2.0)

    def make_steps(rows):
        position = torch.tensor([rows - 3])
        cache, stacked = torch.zeros(rows, ROW), torch.zeros(LAYERS, rows, ROW)

        def write():
            cache[position] = row
            return row + 1.0

        def write_layer():
            stacked[2][position] = row
            return row + 1.0

        return {"eager": (torch.no_grad()(write), cache), "eager_layer": (torch.no_grad()(write_layer), stacked)}

    measure(bench, make_steps, lambda cache: float(cache.sum()))

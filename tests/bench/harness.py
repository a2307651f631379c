# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What every case shares: timing, records, deterministic weights."""

import json
import math
import os
import resource
import statistics
import sys
import time
import zlib

import numpy as np


def peak_rss_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Bench:
    def __init__(self, case, framework, threads):
        self.case, self.framework, self.threads = case, framework, threads
        self.clock = os.environ.get("BENCH_CLOCK", "wall")
        self.now = time.process_time if self.clock == "cpu" else time.perf_counter
        self.check_only = bool(os.environ.get("BENCH_CHECK_ONLY"))
        self.compiled = framework in ("paddle-static", "torch-compile")

    def version(self):
        name = "llama_cpp" if self.framework == "llama-cpp" else self.framework.split("-")[0]
        return getattr(sys.modules.get(name), "__version__", None)

    def emit(self, **fields):
        """Print one record."""
        record = {
            "case": self.case,
            "framework": self.framework,
            "version": self.version(),
            "threads": self.threads,
            "clock": self.clock,
            **fields,
        }
        print(json.dumps(record), flush=True)

    def check(self, name, value):
        """A number every framework must agree on; proves that the work is the same."""
        self.emit(check=name, value=float(value))

    def samples(self, metric, unit, values, **fields):
        if self.check_only:
            return
        self.emit(
            metric=metric,
            unit=unit,
            value=statistics.median(values),
            min=min(values),
            max=max(values),
            repeats=len(values),
            **fields,
        )

    def one(self, metric, unit, value, **fields):
        self.samples(metric, unit, [value], **fields)

    def time(self, metric, function, unit="ms", work=None, warmup=2, repeats=7, budget=5.0):
        """Median time of function() over repeats; short functions are batched to >= 20 ms.

        work: if given, the metric is a rate, work / seconds, in `unit` instead of a time.
        Stops early (after at least 3 repeats) when `budget` seconds are spent.
        """
        if self.check_only:
            return float("nan")
        budget *= float(os.environ.get("BENCH_BUDGET", 1))
        if self.clock == "cpu":  # a busy machine: do less
            warmup, repeats, budget = 1, min(repeats, 5), budget / 3
        for _ in range(warmup):
            function()
        begin = self.now()
        function()
        once = self.now() - begin
        batch = max(1, math.ceil(0.02 / max(once, 1e-9)))
        if batch > 1:  # the first estimate of a short function is poor
            begin = self.now()
            for _ in range(min(batch, 200)):
                function()
            once = (self.now() - begin) / min(batch, 200)
            batch = max(1, math.ceil(0.02 / max(once, 1e-9)))
        seconds, start = [], self.now()
        while len(seconds) < repeats:
            begin = self.now()
            for _ in range(batch):
                function()
            seconds.append((self.now() - begin) / batch)
            if len(seconds) >= 3 and self.now() - start > budget:
                break
        scale = {"us": 1e6, "ms": 1e3, "s": 1.0}.get(unit)
        values = [work / s for s in seconds] if work else [s * scale for s in seconds]
        self.samples(metric, unit, values)
        return statistics.median(seconds)

    # -- preparing a framework ---------------------------------------------------------------
    def paddle(self):
        import paddle

        return paddle

    def torch(self):
        import torch

        torch.set_num_threads(self.threads)
        return torch

    def maybe_compile(self, function, **options):
        """function itself, or its to_static / torch.compile form for the compiled frameworks."""
        if self.framework == "paddle-static":
            import paddle

            backend = "CINN" if paddle.is_compiled_with_cinn() else None
            return paddle.jit.to_static(function, backend=backend, full_graph=True, **options)
        if self.framework == "torch-compile":
            import torch

            return torch.compile(function, **options)
        return function


# -- the same numbers for every framework ----------------------------------------------------
def generator(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def uniform(name, shape, fan_in):
    bound = 1.0 / math.sqrt(fan_in)
    return generator(name).uniform(-bound, bound, shape).astype(np.float32)


def normal(name, shape):
    return generator(name).standard_normal(shape, dtype=np.float32)


def integers(name, shape, high):
    return generator(name).integers(0, high, shape, dtype=np.int64)


def fill_paddle(model):
    """Set the weights of Linear, Conv2D and Embedding layers from their names."""
    import paddle

    kinds = paddle.nn.Linear, paddle.nn.Conv2D, paddle.nn.Embedding
    for name, layer in model.named_sublayers():
        if isinstance(layer, kinds):
            shape = layer.weight.shape
            fan_in = shape[0] if isinstance(layer, kinds[0]) else int(np.prod(shape[1:]))
            layer.weight.set_value(uniform(name + ".weight", shape, fan_in))
            if getattr(layer, "bias", None) is not None:
                layer.bias.set_value(uniform(name + ".bias", layer.bias.shape, fan_in))
    return model


def fill_torch(model):
    """The same numbers as fill_paddle; a Linear weight is stored transposed in torch."""
    import torch

    kinds = torch.nn.Linear, torch.nn.Conv2d, torch.nn.Embedding
    with torch.no_grad():
        for name, layer in model.named_modules():
            if isinstance(layer, kinds):
                shape = tuple(layer.weight.shape)
                linear = isinstance(layer, kinds[0])
                shape = shape[::-1] if linear else shape
                fan_in = shape[0] if linear else int(np.prod(shape[1:]))
                weight = torch.from_numpy(uniform(name + ".weight", shape, fan_in))
                layer.weight.copy_(weight.T if linear else weight)
                if getattr(layer, "bias", None) is not None:
                    layer.bias.copy_(torch.from_numpy(uniform(name + ".bias", layer.bias.shape, fan_in)))
    return model

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Microseconds per call of every operator, forward and with its gradient, on about a million elements.

The rows are in tests/bench/operators; operator_page.py makes docs/operators_speed.md of the records.
BENCH_OPERATORS holds a regular expression that restricts the operators.
"""

import os
import re

import numpy as np

BUDGET = 0.12  # seconds per figure


def chosen():
    from operators import all_rows

    pattern = re.compile(os.environ.get("BENCH_OPERATORS", ""))
    return [r for r in all_rows() if pattern.search(r.op)]


def best(bench, function):
    """The least microseconds per call: what other programs disturb only adds to it."""
    function()
    begin = bench.now()
    function()
    once = max(bench.now() - begin, 1e-7)
    batch = max(1, int(0.002 / once))
    if batch > 1:  # the first estimate of a short function is poor
        begin = bench.now()
        for _ in range(min(batch, 100)):
            function()
        once = max((bench.now() - begin) / min(batch, 100), 1e-8)
        batch = max(1, int(0.002 / once))
    budget = BUDGET * float(os.environ.get("BENCH_BUDGET", 1))
    seconds, spent = [], 0.0
    while len(seconds) < 2 or (spent < budget and len(seconds) < 40):
        begin = bench.now()
        for _ in range(batch):
            function()
        spent += bench.now() - begin
        seconds.append((bench.now() - begin) / batch)
        if spent > 10 * budget:
            break
    return min(seconds) * 1e6


def summary(array):
    """Two numbers that tell results apart: the sum of the magnitudes, and a weighted sum."""
    flat = np.nan_to_num(np.asarray(array).ravel(), nan=0.0, posinf=0.0, neginf=0.0)
    flat = flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)
    weights = np.cos(np.arange(flat.size) % 1009)
    return float(np.abs(flat).sum()), float(np.abs((flat * weights).sum()))


def first(result):
    return first(result[0]) if isinstance(result, list | tuple) else result


class Runner:
    """What differs between the frameworks."""

    def __init__(self, bench):
        self.bench = bench

    def run(self):
        for r in chosen():
            call = self.call(r)
            if call is None:
                continue
            try:
                self.row(r, call)
            except Exception as error:
                self.bench.emit(row=r.name, problem=f"{type(error).__name__}: {error}"[:300])

    def row(self, r, call):
        tensors = [self.tensor(a, i) for a, i in zip(r.arrays(), r.inputs, strict=True)]
        given = self.setup(r, tensors)
        result = call(*given)
        out = first(result)
        if r.checked:
            total, weighted = summary(self.numpy(out))
            self.bench.emit(row=r.name, total=total, weighted=weighted)
        call = self.into(r, call, result)
        self.bench.emit(row=r.name, kind="forward", us=best(self.bench, lambda: call(*given)))
        if r.grad:
            call = self.call(r)
            step = self.backward(call, tensors, r, given)
            self.bench.emit(row=r.name, kind="both", us=best(self.bench, step))

    def into(self, r, call, result):
        return call


class Ours(Runner):
    def __init__(self, bench):
        super().__init__(bench)
        self.paddle = bench.paddle()
        self.operators = self.paddle._core.ops

    def tensor(self, array, spec):
        return self.paddle.to_tensor(array).astype(spec.dtype)

    def call(self, r):
        return lambda *x: r.ours(self.operators, *x)

    def setup(self, r, tensors):
        return r.ours_setup(self.operators, *tensors) if r.ours_setup else tensors

    def numpy(self, tensor):
        if not isinstance(tensor, self.paddle.Tensor):
            return tensor
        half = tensor.dtype in (self.paddle.float16, self.paddle.bfloat16)
        return (tensor.astype("float32") if half else tensor).numpy()

    def backward(self, call, tensors, r, given):
        inputs = [given[i] for i in r.grad]
        for x in inputs:
            x.stop_gradient = False
        out = first(call(*given))
        cotangent = self.paddle.ones_like(out)
        return lambda: self.paddle.grad([first(call(*given))], inputs, [cotangent], allow_unused=True)


class Torch(Runner):
    def __init__(self, bench):
        super().__init__(bench)
        self.torch = bench.torch()

    def tensor(self, array, spec):
        tensor = self.torch.from_numpy(np.asarray(array))
        return tensor.to(getattr(self.torch, spec.dtype))

    def call(self, r):
        return None if r.torch is None else lambda *x, **out: r.torch(self.torch, *x, **out)

    def setup(self, r, tensors):
        return r.torch_setup(self.torch, *tensors) if r.torch_setup else tensors

    def numpy(self, tensor):
        if not isinstance(tensor, self.torch.Tensor):
            return tensor
        half = tensor.dtype in (self.torch.float16, self.torch.bfloat16)
        return (tensor.float() if half else tensor).detach().resolve_conj().numpy()

    def into(self, r, call, result):
        """With out= into the memory of the first result, where the row says so."""
        if not r.out:
            return call
        result = tuple(result) if isinstance(result, list | tuple) else result
        return lambda *x: call(*x, out=result)

    def backward(self, call, tensors, r, given):
        inputs = [given[i] for i in r.grad]
        for x in inputs:
            x.requires_grad_()
        cotangent = self.torch.ones_like(first(call(*given)))
        return lambda: self.torch.autograd.grad([first(call(*given))], inputs, [cotangent], allow_unused=True)


def run_paddle(bench):
    if not bench.compiled:
        Ours(bench).run()


def run_torch(bench):
    if not bench.compiled:
        Torch(bench).run()

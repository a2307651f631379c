# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a fusion compiler makes of written-out operations beside fused_ops: other dtypes, gradients, sizes.

The four functions of fused_ops in bfloat16; their gradients in float32 (forward and backward in one call); two that no
pattern matches (a norm with |x|^1.5, a gate with softsign); a chain of 12 elementwise operators with broadcast operands;
a reduction over columns. Rates count the bytes that must move: inputs once, results once. [64, 1024] shows the cost of a
call.
"""

import numpy as np
from harness import normal

ROWS, COLUMNS = 2048, 4096
EPSILON = 1e-5


class Functions:
    """The functions for one framework; `lib` has exp, rsqrt, erf, sigmoid, abs, sqrt under these names."""

    def __init__(self, lib, keep, largest, scale, shift):
        self.lib, self.keep, self.largest, self.scale, self.shift = lib, keep, largest, scale, shift

    def rmsnorm(self, x):
        return x * self.lib.rsqrt((x * x).mean(-1, **self.keep) + EPSILON) * self.scale

    def softmax(self, x):
        e = self.lib.exp(x - self.largest(x))
        return e / e.sum(-1, **self.keep)

    def layernorm_gelu(self, x):
        d = x - x.mean(-1, **self.keep)
        y = d * self.lib.rsqrt((d * d).mean(-1, **self.keep) + EPSILON) * self.scale + self.shift
        return 0.5 * y * (1 + self.lib.erf(y * 0.5**0.5))

    def swiglu(self, x, g):
        return g * self.lib.sigmoid(g) * x

    def norm_three_halves(self, x):
        size = self.lib.abs(x)
        return x / ((size * self.lib.sqrt(size)).mean(-1, **self.keep) + EPSILON) * self.scale

    def softsign_gate(self, x, g):
        return g / (1 + self.lib.abs(g)) * x

    def chain(self, x):
        y = (x * self.scale + self.shift) * 0.5
        y = self.lib.abs(y - self.shift) * x + 1.5
        return self.lib.sqrt(y * y + self.scale) - y * 0.25

    def column_mean(self, x):
        return (x * x).mean(0)


FORWARD = {"rmsnorm": 1, "softmax": 1, "layernorm_gelu": 1, "swiglu": 2, "norm_three_halves": 1, "softsign_gate": 2}


def measure(bench, name, call, check, moved=0):
    bench.check(f"abs_mean.{name}", np.abs(np.asarray(check(), dtype=np.float64)).mean())
    for _ in range(4):
        call()
    seconds = bench.time(name, call, budget=2)
    if moved:
        bench.one(f"{name}.rate", "GB/s", moved / seconds / 1e9)


def run_all(bench, make, tensor, with_gradient, as_float32):
    for dtype, size in (("float32", 4), ("bfloat16", 2)):
        functions, arguments = make(dtype), [tensor(normal(n, [ROWS, COLUMNS]), dtype) for n in "xg"]
        names = dict(FORWARD)
        if dtype == "float32":
            names.update(chain=1, column_mean=1)
        for name, count in names.items():
            function = bench.maybe_compile(getattr(functions, name))
            given = arguments[:count]
            results = 0 if name == "column_mean" else 1

            def call(function=function, given=given):
                return function(*given)

            measure(
                bench,
                f"{name}.{dtype}",
                call,
                lambda call=call: as_float32(call()),
                moved=(count + results) * ROWS * COLUMNS * size,
            )
    functions, small = make("float32"), [tensor(normal(n, [64, COLUMNS])[:, :1024], "float32") for n in "xg"]
    functions.scale, functions.shift = functions.scale[:1024], functions.shift[:1024]
    for name, count in FORWARD.items():
        function, given = bench.maybe_compile(getattr(functions, name)), small[:count]

        def call(function=function, given=given):
            return function(*given)

        measure(bench, f"{name}.small", call, lambda call=call: as_float32(call()))
    functions, arguments = make("float32"), [tensor(normal(n, [ROWS, COLUMNS]), "float32") for n in "xg"]
    for name in ("rmsnorm", "softmax", "layernorm_gelu", "swiglu"):
        call = with_gradient(bench, getattr(functions, name), arguments[: FORWARD[name]])
        measure(bench, f"{name}.gradient", call, lambda call=call: as_float32(call()))


def run_paddle(bench):
    paddle = bench.paddle()

    def tensor(values, dtype):
        return paddle.to_tensor(np.ascontiguousarray(values)).astype(dtype)

    def make(dtype):
        vectors = [tensor(normal(n, [COLUMNS]), dtype) for n in ("scale", "shift")]
        return Functions(
            paddle, {"keepdim": True}, lambda x: x.max(-1, keepdim=True), paddle.abs(vectors[0]), vectors[1]
        )

    def with_gradient(bench, function, arguments):
        compiled = bench.maybe_compile(function)
        given = [a.clone() for a in arguments]
        for a in given:
            a.stop_gradient = False
        seed = paddle.to_tensor(normal("seed", [ROWS, COLUMNS]))

        def call():
            for a in given:
                a.clear_gradient(set_to_zero=False)
            compiled(*given).backward(seed)
            return given[0].grad

        return call

    with paddle.no_grad():
        run_all(bench, make, tensor, paddle_gradients_on(paddle, with_gradient), lambda t: t.astype("float32").numpy())


def paddle_gradients_on(paddle, with_gradient):
    def wrapped(*given):
        with paddle.enable_grad():
            inner = with_gradient(*given)

        def call():
            with paddle.enable_grad():
                return inner()

        return call

    return wrapped


def run_torch(bench):
    torch = bench.torch()

    def tensor(values, dtype):
        return torch.from_numpy(np.ascontiguousarray(values)).to(getattr(torch, dtype))

    def make(dtype):
        vectors = [tensor(normal(n, [COLUMNS]), dtype) for n in ("scale", "shift")]
        return Functions(
            torch, {"keepdim": True}, lambda x: x.amax(-1, keepdim=True), torch.abs(vectors[0]), vectors[1]
        )

    def with_gradient(bench, function, arguments):
        compiled = bench.maybe_compile(function)
        given = [a.clone().requires_grad_() for a in arguments]
        seed = torch.from_numpy(normal("seed", [ROWS, COLUMNS]))

        def call():
            for a in given:
                a.grad = None
            with torch.enable_grad():
                compiled(*given).backward(seed)
            return given[0].grad

        return call

    with torch.no_grad():
        run_all(bench, make, tensor, with_gradient, lambda t: t.detach().float().numpy())

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Row-wise operations on [2048, 4096] float32 (32 MiB), forward only: time and GB/s moved.

The rate counts only the bytes that must move: every input once, the output once.  Compare it
with the copy bandwidth of limits.py.  "composed" is written with elementary operations (what a
compiler should fuse); "builtin" is the framework's own function, where it has one.
"""

import numpy as np
from harness import normal

ROWS, COLUMNS = 2048, 4096
MIB = ROWS * COLUMNS * 4
EPSILON = 1e-5
TRAFFIC = {"rmsnorm": 2 * MIB, "softmax": 2 * MIB, "layernorm_gelu": 2 * MIB, "swiglu": 3 * MIB}


def measure(bench, functions, arguments):
    for (name, form), function in functions.items():
        args = arguments[: 2 if name == "swiglu" else 1]
        function = bench.maybe_compile(function)
        result = np.asarray(function(*args), dtype=np.float64)
        bench.check(f"abs_mean.{name}.{form}", np.abs(result).mean())
        seconds = bench.time(f"{name}.{form}", lambda: function(*args), budget=2)
        bench.one(f"{name}.{form}.rate", "GB/s", TRAFFIC[name] / seconds / 1e9)


def run_paddle(bench):
    paddle = bench.paddle()
    F = paddle.nn.functional
    scale = paddle.to_tensor(normal("scale", [COLUMNS]))
    shift = paddle.to_tensor(normal("shift", [COLUMNS]))

    def rmsnorm(x):
        return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * scale

    def softmax(x):
        e = paddle.exp(x - x.max(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def layernorm_gelu(x):
        d = x - x.mean(-1, keepdim=True)
        y = d * paddle.rsqrt((d * d).mean(-1, keepdim=True) + EPSILON) * scale + shift
        return 0.5 * y * (1 + paddle.erf(y * 0.5**0.5))

    def swiglu(x, g):
        return g * paddle.sigmoid(g) * x

    def softmax_builtin(x):
        return F.softmax(x)

    def layernorm_gelu_builtin(x):
        return F.gelu(F.layer_norm(x, [COLUMNS], scale, shift, EPSILON))

    def swiglu_builtin(x, g):
        return F.silu(g) * x

    functions = {
        ("rmsnorm", "composed"): rmsnorm,
        ("softmax", "composed"): softmax,
        ("layernorm_gelu", "composed"): layernorm_gelu,
        ("swiglu", "composed"): swiglu,
        ("softmax", "builtin"): softmax_builtin,
        ("layernorm_gelu", "builtin"): layernorm_gelu_builtin,
        ("swiglu", "builtin"): swiglu_builtin,
    }
    with paddle.no_grad():
        measure(bench, functions, [paddle.to_tensor(normal(n, [ROWS, COLUMNS])) for n in "xg"])


def run_torch(bench):
    torch = bench.torch()
    F = torch.nn.functional
    scale = torch.from_numpy(normal("scale", [COLUMNS]))
    shift = torch.from_numpy(normal("shift", [COLUMNS]))

    def rmsnorm(x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * scale

    def softmax(x):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def layernorm_gelu(x):
        d = x - x.mean(-1, keepdim=True)
        y = d * torch.rsqrt((d * d).mean(-1, keepdim=True) + EPSILON) * scale + shift
        return 0.5 * y * (1 + torch.erf(y * 0.5**0.5))

    def swiglu(x, g):
        return g * torch.sigmoid(g) * x

    def rmsnorm_builtin(x):
        return F.rms_norm(x, [COLUMNS], scale, EPSILON)

    def softmax_builtin(x):
        return F.softmax(x, -1)

    def layernorm_gelu_builtin(x):
        return F.gelu(F.layer_norm(x, [COLUMNS], scale, shift, EPSILON))

    def swiglu_builtin(x, g):
        return F.silu(g) * x

    functions = {
        ("rmsnorm", "composed"): rmsnorm,
        ("softmax", "composed"): softmax,
        ("layernorm_gelu", "composed"): layernorm_gelu,
        ("swiglu", "composed"): swiglu,
        ("rmsnorm", "builtin"): rmsnorm_builtin,
        ("softmax", "builtin"): softmax_builtin,
        ("layernorm_gelu", "builtin"): layernorm_gelu_builtin,
        ("swiglu", "builtin"): swiglu_builtin,
    }
    with torch.no_grad():
        measure(bench, functions, [torch.from_numpy(normal(n, [ROWS, COLUMNS])) for n in "xg"])

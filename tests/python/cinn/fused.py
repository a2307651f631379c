# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The row-wise functions that tests of kernels fuse, and their groups as text for other compilers."""

import paddle
from paddle.jit import to_static


def rms_norm(x, scale):
    return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * scale


def softmax(x, scale):
    e = paddle.exp(x - x.max(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True) * scale


def layer_norm_gelu(x, scale):
    d = x - x.mean(-1, keepdim=True)
    y = d * paddle.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5) * scale
    return 0.5 * y * (1 + paddle.erf(y * 0.5**0.5))


def swiglu(x, scale):
    return x * paddle.sigmoid(x) * scale


FUSED = [rms_norm, softmax, layer_norm_gelu, swiglu]


def executable_of(function, *arguments, **options):
    """The captured program of a function that is compiled, after one call."""
    compiled = to_static(function, backend="CINN", full_graph=True, **options)
    compiled(*arguments)
    (entry,) = [e for entries in compiled.program_cache.by_key.values() for e in entries]
    return entry.executable


def sources(function, target, *arguments, **options):
    """The groups of a function for a target."""
    return paddle._core.pir.group_sources(executable_of(function, *arguments, **options), target)

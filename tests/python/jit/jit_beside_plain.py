# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions beside the plain functions that they are made of."""

import numpy as np
import paddle
from paddle.jit import to_static


def check_beside_plain(f, full_graph, inputs):
    """Results of f, and the gradient of a weighted sum of their squares, are equal captured and plain; one capture
    serves all inputs, and the first one twice."""
    captured = to_static(f, full_graph=full_graph)
    for given in (*inputs, inputs[0]):
        found = []
        for call in (f, captured):
            x = paddle.to_tensor(given, stop_gradient=False)
            out = call(x)
            out = out if isinstance(out, tuple) else (out,)
            sum((k + 1) * (t * t).sum() for k, t in enumerate(out)).backward()
            found.append([t.numpy() for t in (*out, x.grad)])
        for plain, ours in zip(*found, strict=True):
            np.testing.assert_allclose(ours, plain, rtol=1e-6)

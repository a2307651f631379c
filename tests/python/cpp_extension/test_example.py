# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""examples/custom_op.py: the network with the operator learns, and its derivative is that of the formula."""

import importlib.util
from pathlib import Path

import numpy as np
import paddle

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "custom_op.py"


def test_the_example_learns(monkeypatch, tmp_path):
    monkeypatch.setenv("PADDLE_EXTENSION_DIR", str(tmp_path))
    spec = importlib.util.spec_from_file_location("custom_op_example", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    x = np.linspace(-4, 4, 33)
    t = paddle.to_tensor(x, stop_gradient=False)
    out = example.ops.squareplus(t, 2.0)
    out.sum().backward()
    root = np.sqrt(x * x + 2.0)
    np.testing.assert_allclose(out.numpy(), (x + root) / 2, rtol=1e-12)
    np.testing.assert_allclose(t.grad.numpy(), (1 + x / root) / 2, rtol=1e-9)
    assert example.main() < 0.01

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An activation of one's own, written in C++, in a network that is trained, captured and saved.

    python examples/custom_op.py

The operator is squareplus, (x + sqrt(x^2 + b)) / 2, a smooth ReLU (Barron, 2021), in custom_op.cc.
"""

import tempfile
from pathlib import Path

import paddle
from paddle import nn
from paddle.utils import cpp_extension

ops = cpp_extension.load(name="example_ops", sources=[Path(__file__).parent / "custom_op.cc"])


class Squareplus(nn.Layer):
    def __init__(self, b=0.25):
        super().__init__()
        self.b = b

    def forward(self, x):
        return ops.squareplus(x, self.b)


def main():
    paddle.seed(0)
    x = paddle.linspace(-2, 2, 64).unsqueeze(-1)
    y = paddle.sin(2 * x)
    net = nn.Sequential(nn.Linear(1, 32), Squareplus(), nn.Linear(32, 32), Squareplus(), nn.Linear(32, 1))
    net = paddle.jit.to_static(net)
    optimizer = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
    for _ in range(200):
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    print(f"loss {loss.item():.5f}")

    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(net, f"{folder}/net", input_spec=[paddle.static.InputSpec([None, 1], "float32")])
        loaded = paddle.jit.load(f"{folder}/net")
        print(f"saved and loaded: largest difference {(loaded(x) - net(x)).abs().max().item():.1e}")
    return loss.item()


if __name__ == "__main__":
    main()

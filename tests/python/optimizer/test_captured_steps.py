# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training steps that are captured whole change parameters as plain ones do."""

import numpy as np
import paddle
import pytest

_NAMES = "SGD Momentum Adagrad Adadelta RMSProp Adam AdamW Adamax NAdam RAdam Lamb ASGD Rprop"


def _step(layer, x, optimizer):
    loss = (layer(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    return loss


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("name", _NAMES.split())
def test_losses_of_steps(name, full_graph):
    losses = []
    for step in (_step, paddle.jit.to_static(_step, full_graph=full_graph)):
        paddle.seed(3)
        layer, x = paddle.nn.Linear(4, 3), paddle.randn([8, 4])
        optimizer = getattr(paddle.optimizer, name)(learning_rate=0.01, parameters=layer.parameters())
        losses.append([float(step(layer, x, optimizer)) for _ in range(5)])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    assert losses[0][-1] != losses[0][0]


def test_rprop_starts_from_the_rate_it_was_made_with():
    p = paddle.create_parameter([1], "float32")
    p.set_value(np.zeros(1, "float32"))
    optimizer = paddle.optimizer.Rprop(0.1, (1e-4, 1.0), parameters=[p])
    optimizer.set_lr(0.05)  # without effect, as in PaddlePaddle 3.3.1
    (p * 2).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(p.numpy(), [-0.1], rtol=1e-6)

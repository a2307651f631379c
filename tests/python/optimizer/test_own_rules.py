# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers of users: subclasses with `_create_accumulators` and `_append_optimize_op`."""

import numpy as np
import paddle
import pytest


class Signs(paddle.optimizer.Optimizer):
    def _create_accumulators(self, block, parameters):
        for p in parameters:
            if p.name not in self._already_create_accumulator:
                self._add_accumulator("mean", p, fill_value=1.0)
                self._already_create_accumulator.add(p.name)

    def _append_optimize_op(self, block, param_and_grad):
        p, g = param_and_grad
        mean = self._get_accumulator_master("mean", p)
        p.subtract_(paddle.sign(mean) * self._create_param_lr(param_and_grad))
        paddle.assign(0.5 * (mean + g), mean)


def parameter(value):
    return paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Assign(np.float32(value)))


def test_a_rule_of_a_user_with_state():
    p = parameter([1.0, 2.0])
    optimizer = Signs(learning_rate=0.1, parameters=[p], weight_decay=1.0)
    for _ in range(2):
        (-3.0 * p).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    # The mean is 1, then (1 - 3 + p) / 2 with the decay's part: negative, then 0 where p is 2.
    np.testing.assert_allclose(p.numpy(), [1.0, 1.9], rtol=1e-6)
    assert [name.split("_")[-2] for name in optimizer.state_dict()] == ["mean"]
    with pytest.raises(ValueError, match="no state tensor of kind 'other'"):
        optimizer._get_accumulator("other", p)


def test_a_rule_on_the_state_of_adamw():
    class Doubled(paddle.optimizer.AdamW):
        def _append_optimize_op(self, block, param_and_grad):
            p, g = param_and_grad
            assert self._get_accumulator_master(self._moment1_acc_str, p).shape == p.shape
            super()._append_optimize_op(block, (p, g * 2.0))

    p, q = parameter([1.0, -1.0]), parameter([1.0, -1.0])
    for made, weight in ((Doubled(0.1, parameters=[p]), p), (paddle.optimizer.AdamW(0.1, parameters=[q]), q)):
        factor = 1.0 if weight is p else 2.0
        for _ in range(3):
            (factor * weight**2).sum().backward()
            made.step()
            made.clear_grad()
    np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-6)

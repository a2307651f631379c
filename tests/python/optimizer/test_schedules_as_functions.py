# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of PaddlePaddle 1.x that give learning-rate schedules; rates as PaddlePaddle 3.3 gives them."""

import paddle
import pytest

_CASES = [
    ("noam_decay", (4, 3), [0.0, 0.09623, 0.19245, 0.28868, 0.25]),
    ("exponential_decay", (1.0, 5, 0.5, True), [1.0, 0.5, 0.25, 0.125, 0.0625]),
    ("natural_exp_decay", (1.0, 5, 0.5), [1.0, 0.60653, 0.36788, 0.22313, 0.13534]),
    ("inverse_time_decay", (1.0, 5, 0.5), [1.0, 0.66667, 0.5, 0.4, 0.33333]),
    ("polynomial_decay", (1.0, 5), [1.0, 0.80002, 0.60004, 0.40006, 0.20008]),
    ("piecewise_decay", ([3, 6], [0.1, 0.2, 0.3]), [0.1, 0.1, 0.1, 0.2, 0.2]),
    ("cosine_decay", (1.0, 3, 4), [1.0, 0.85355, 0.5, 0.14645, 0.0]),
    ("linear_lr_warmup", (1.0, 4, 0.1, 0.9), [0.1, 0.3, 0.5, 0.7, 1.0]),
]


@pytest.mark.parametrize(("name", "args", "expected"), _CASES)
def test_rates_follow_the_schedule_of_the_function(name, args, expected):
    schedule = getattr(paddle.optimizer.lr, name)(*args)
    found = []
    for _ in expected:
        found.append(schedule())
        schedule.step()
    assert found == pytest.approx(expected, abs=1e-5)


def test_programs_are_told_to_use_the_schedule():
    paddle.enable_static()
    try:
        with pytest.raises(NotImplementedError, match="CosineAnnealingDecay"):
            paddle.optimizer.lr.cosine_decay(1.0, 3, 4)
    finally:
        paddle.disable_static()

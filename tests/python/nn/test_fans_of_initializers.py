# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fans are taken as they are given, also below 1."""

import numpy as np
import paddle
import pytest
from paddle.nn import initializer


@pytest.mark.parametrize(
    "made, deviation",
    [
        (lambda: initializer.XavierNormal(fan_in=0.25, fan_out=0.25), 2.0),
        (lambda: initializer.KaimingNormal(fan_in=0.5), 2.0),
    ],
)
def test_a_fan_below_one_widens_the_distribution(made, deviation):
    paddle.seed(1)
    weight = paddle.create_parameter([100, 100], "float32", default_initializer=made())
    assert abs(float(np.std(weight.numpy())) / deviation - 1) < 0.03


def test_a_fan_of_zero_is_refused_where_there_are_elements():
    with pytest.raises(ValueError, match=r"the mean of fan_in and fan_out is 0.0 for a weight of shape \[2, 3\]"):
        paddle.create_parameter([2, 3], "float32", default_initializer=initializer.XavierUniform(0, 0))
    layer = paddle.nn.Linear(0, 3)
    assert layer.weight.shape == [0, 3]

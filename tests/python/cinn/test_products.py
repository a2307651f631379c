# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Products take in the function of their result in compiled programs without gradients."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn import functional as F

from tests.python.cinn.fused import executable_of

FUNCTIONS = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate=True),
    "silu": F.silu,
    "sigmoid": F.sigmoid,
    "tanh": paddle.tanh,
}


@pytest.mark.parametrize("rows", [1, 5, 300])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_eager(at_once, name, rows):
    layer, function = nn.Linear(64, 96), FUNCTIONS[name]
    forward = lambda x: function(layer(x))
    x = paddle.randn([2, rows, 64])
    with paddle.no_grad():
        executable = executable_of(forward, x)
        assert "matmul_epilogue" in str(executable)
        compiled = paddle.jit.to_static(forward, backend="CINN", full_graph=True)
        np.testing.assert_allclose(compiled(x).numpy(), forward(x).numpy(), rtol=2e-5, atol=2e-6)
        layer.weight.set_value(layer.weight * 2)
        layer.bias.set_value(layer.bias - 1)
        np.testing.assert_allclose(compiled(x).numpy(), forward(x).numpy(), rtol=2e-5, atol=4e-6)


def test_with_gradients_the_product_stays_by_itself(at_once):
    layer = nn.Linear(8, 8)
    executable = executable_of(lambda x: F.gelu(layer(x)), paddle.randn([4, 8]))
    assert "matmul_epilogue" not in str(executable)


def test_a_result_that_others_read_too_stays(at_once):
    layer = nn.Linear(8, 8)

    def forward(x):
        y = layer(x)
        return F.relu(y), y * 2

    x = paddle.randn([4, 8])
    with paddle.no_grad():
        assert "matmul_epilogue" not in str(executable_of(forward, x))

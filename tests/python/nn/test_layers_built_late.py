# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that make parameters from what the first call gets, and the helper of a layer."""

import copy

import numpy as np
import paddle
import pytest
from paddle.nn.layer.layers import LayerObjectHelper


class Projection(paddle.nn.Layer):
    """The sum of products of inputs with weights that the first call makes."""

    def __init__(self, size, act=None):
        super().__init__()
        self._size, self._act, self._builds = size, act, 0

    def _build_once(self, inputs):
        self._builds += 1
        for i, (x, attr) in enumerate(self._helper.iter_inputs_and_params(inputs, None)):
            self.add_parameter(f"weight_{i}", self.create_parameter([x.shape[-1], self._size], attr=attr))

    def forward(self, inputs):
        products = [paddle.matmul(x, w) for x, w in zip(inputs, self.parameters(), strict=True)]
        return self._helper.append_activation(sum(products), act=self._act)


@pytest.mark.parametrize("full_graph", [None, True, False])
def test_parameters_are_made_once_from_the_first_inputs(full_graph):
    layer = Projection(2, "relu")
    assert not layer.parameters() and not layer._built
    called = layer if full_graph is None else paddle.jit.to_static(layer, full_graph=full_graph)
    inputs = [paddle.ones([4, 3]), paddle.ones([4, 5])]
    found = [called(inputs).numpy() for _ in range(3)]
    first, second = (w.numpy() for w in layer.parameters())
    expected = np.maximum(np.ones([4, 3]) @ first + np.ones([4, 5]) @ second, 0)
    for values in found:
        np.testing.assert_allclose(values, expected, rtol=1e-6)
    assert layer._builds == 1 and layer._built and paddle.nn.Linear(2, 2)._built


def test_a_copy_is_built_by_itself():
    layer = Projection(2)
    copied = copy.deepcopy(layer)
    assert list(copied([paddle.ones([1, 3])]).shape) == [1, 2]
    assert copied._built and not layer._built and not layer.parameters()


def test_a_call_that_fails_to_build_leaves_the_next_one_to_it():
    layer = Projection(2)
    with pytest.raises(AttributeError):
        layer(["no tensor"])
    assert list(layer([paddle.ones([1, 3])]).shape) == [1, 2] and layer._builds == 2


def test_what_the_helper_takes():
    helper = paddle.nn.Linear(2, 2)._helper
    assert isinstance(helper, LayerObjectHelper)
    x = paddle.to_tensor([-1.0, 2.0])
    names = [attr.name for _, attr in helper.iter_inputs_and_params((x, x), ["a", "b"])]
    assert names == ["a", "b"]
    assert helper.input_dtype([x, x]) == helper.input_dtype(x) == paddle.float32
    assert helper.input_dtype([]) is None
    assert helper.append_activation(x) is x
    assert helper.append_activation(x, "relu").tolist() == [0.0, 2.0]
    helper.is_instance("text", str)
    with pytest.raises(ValueError, match="param_attr"):
        list(helper.iter_inputs_and_params([x, x], ["a"]))
    with pytest.raises(ValueError, match="one dtype"):
        helper.input_dtype([x, x.astype("int32")])
    with pytest.raises(TypeError, match="act"):
        helper.append_activation(x, {"type": "relu"})
    with pytest.raises(TypeError, match="parameter"):
        helper.is_instance(3, str)

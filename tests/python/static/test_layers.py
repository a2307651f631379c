# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rarer layers of `paddle.static.nn`: shapes, values against NumPy, and running in a program."""

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.static import nn


@pytest.fixture(autouse=True)
def main():
    paddle.enable_static()
    program = static.Program()
    with static.program_guard(program, static.Program()):
        yield program
    paddle.disable_static()


def ones(value=1.0):
    return paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(value))


def run(program, fetch, **feed):
    executor = static.Executor()
    executor.run(static.default_startup_program())
    return executor.run(program, feed=feed, fetch_list=[fetch])[0]


def test_volumes(main):
    x = static.data("x", [None, 2, 4, 4, 4])
    y = nn.conv3d(x, 3, 3, padding=1, param_attr=ones(), bias_attr=False, act="relu")
    z = nn.conv3d_transpose(x, 3, filter_size=2, stride=2, param_attr=ones())
    values = np.ones([1, 2, 4, 4, 4], "float32")
    got = run(main, y, x=values)
    assert got.shape == (1, 3, 4, 4, 4) and got[0, 0, 1, 1, 1] == 54.0 and got[0, 0, 0, 0, 0] == 16.0
    assert run(main, z, x=values).shape == (1, 3, 8, 8, 8)
    with pytest.raises(ValueError, match="filter_size"):
        nn.conv3d_transpose(x, 3)


def test_norms(main):
    x = static.data("x", [None, 4, 3, 3])
    group, instance = nn.group_norm(x, 2), nn.instance_norm(x)
    values = np.random.default_rng(0).standard_normal([2, 4, 3, 3]).astype("float32")
    flat = values.reshape(2, 2, -1)
    wanted = (flat - flat.mean(-1, keepdims=True)) / np.sqrt(flat.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(run(main, group, x=values), wanted.reshape(values.shape), rtol=1e-4, atol=1e-5)
    flat = values.reshape(2, 4, -1)
    wanted = (flat - flat.mean(-1, keepdims=True)) / np.sqrt(flat.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(run(main, instance, x=values), wanted.reshape(values.shape), rtol=1e-4, atol=1e-5)


def test_products(main):
    x, y = static.data("x", [1, 2]), static.data("y", [1, 3])
    z = nn.bilinear_tensor_product(x, y, 4, param_attr=ones(0.5), bias_attr=ones(1.0))
    a, b = np.array([[1.0, 2.0]], "float32"), np.array([[1.0, 1.0, 1.0]], "float32")
    np.testing.assert_allclose(run(main, z, x=a, y=b), np.full([1, 4], 5.5))


def test_deformed_with_no_offset_is_a_convolution(main):
    x = static.data("x", [1, 1, 4, 4])
    offset = static.data("o", [1, 8, 3, 3])
    y = nn.deform_conv2d(x, offset, None, 1, 2, weight_attr=ones(), bias_attr=False)
    values = np.arange(16, dtype="float32").reshape(1, 1, 4, 4)
    got = run(main, y, x=values, o=np.zeros([1, 8, 3, 3], "float32"))
    v = values[0, 0]
    np.testing.assert_allclose(got[0, 0], v[:-1, :-1] + v[1:, :-1] + v[:-1, 1:] + v[1:, 1:], rtol=1e-5)


def test_spectral_norm(main):
    w = static.data("w", [3, 3])
    got = run(main, nn.spectral_norm(w, power_iters=60), w=np.diag([4.0, 1.0, 0.5]).astype("float32"))
    np.testing.assert_allclose(np.linalg.svd(got)[1][0], 1.0, rtol=1e-4)


def test_an_embedding_with_padding_keeps_its_weights(fresh):
    main, startup = fresh
    ids, table = np.array([[0, 1], [2, 1]]), np.arange(1.0, 7, dtype="float32").reshape(3, 2)
    weights = paddle.nn.initializer.Assign(table)
    layer = paddle.nn.Embedding(3, 2, padding_idx=1, weight_attr=paddle.ParamAttr(initializer=weights))
    out = layer(paddle.static.data("ids", [-1, 2], "int64"))
    exe = paddle.static.Executor()
    exe.run(startup)
    (found,) = exe.run(main, feed={"ids": ids}, fetch_list=[out])
    np.testing.assert_array_equal(found, np.where(ids[..., None] == 1, 0, table[ids]))


def test_initial_states_may_have_open_extents(fresh):
    main, startup = fresh
    x, h = paddle.static.data("x", [-1, -1, 3]), paddle.static.data("h", [-1, -1, 4])
    out, last = paddle.nn.GRU(3, 4)(x, h)
    exe = paddle.static.Executor()
    exe.run(startup)
    feed = {"x": np.zeros([2, 5, 3], "float32"), "h": np.ones([1, 2, 4], "float32")}
    found = exe.run(main, feed=feed, fetch_list=[out, last])
    assert found[0].shape == (2, 5, 4)
    np.testing.assert_allclose(found[0][:, -1], found[1][0])


class Leaky(paddle.nn.RNNCellBase):
    """Keeps half of its state."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([3, 3], default_initializer=paddle.nn.initializer.Constant(0.25))

    def forward(self, inputs, states=None):
        states = self.get_initial_states(inputs, self.state_shape) if states is None else states
        new = paddle.tanh(inputs @ self.weight) + 0.5 * states
        return new, new

    @property
    def state_shape(self):
        return (3,)


@pytest.mark.parametrize("reverse", [False, True])
def test_cells_run_over_open_steps_with_gradients(fresh, reverse):
    main, startup = fresh
    values = np.random.default_rng(2).standard_normal([2, 4, 3]).astype("float32")
    lengths = np.array([4, 2])
    x, length = paddle.static.data("x", [-1, -1, 3]), paddle.static.data("length", [-1], "int64")
    x.stop_gradient = False
    out, last = paddle.nn.RNN(Leaky(), is_reverse=reverse)(x, sequence_length=length)
    slope = paddle.static.gradients([(out * out).sum() + last.sum()], [x])
    exe = paddle.static.Executor()
    exe.run(startup)
    found = exe.run(main, feed={"x": values, "length": lengths}, fetch_list=[out, last, *slope])
    paddle.disable_static()
    x = paddle.to_tensor(values, stop_gradient=False)
    out, last = paddle.nn.RNN(Leaky(), is_reverse=reverse)(x, sequence_length=paddle.to_tensor(lengths))
    ((out * out).sum() + last.sum()).backward()
    paddle.enable_static()
    for a, b in zip(found, (out, last, x.grad), strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-5, atol=1e-6)


def test_projected_states_over_open_steps(fresh):
    main, startup = fresh
    layer = paddle.nn.LSTM(3, 4, direction="bidirect", proj_size=2)
    out, (h, c) = layer(paddle.static.data("x", [-1, -1, 3]))
    exe = paddle.static.Executor()
    exe.run(startup)
    for steps in (1, 5):
        feed = {"x": np.ones([2, steps, 3], "float32")}
        found = exe.run(main, feed=feed, fetch_list=[out, h, c])
        assert [f.shape for f in found] == [(2, steps, 4), (2, 2, 2), (2, 2, 4)]
        np.testing.assert_allclose(found[0][:, -1, :2], found[1][0], rtol=1e-6)
        np.testing.assert_allclose(found[0][:, 0, 2:], found[1][1], rtol=1e-6)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes that are computed from paddle.shape(x) while a program is captured."""

import numpy as np
import paddle
from paddle.static import InputSpec


def grouped(x):
    extent = paddle.shape(x)
    rows, columns = extent[0], extent[-1]
    y = x.reshape([rows, 2, columns // 2])
    z = paddle.concat([paddle.zeros([rows, 1, columns // 2]), y], 1)
    return z.reshape([-1, paddle.cast(columns, "int32") // 2]), paddle.expand(x.sum(), [rows * 2 - 1])


def test_they_stand_in_the_shape_arguments_of_calls():
    captured = paddle.jit.to_static(grouped, input_spec=[InputSpec([None, 4])], full_graph=True)
    for rows in (3, 5):
        x = paddle.arange(rows * 4, dtype="float32").reshape([rows, 4])
        for got, expected in zip(captured(x), grouped(x), strict=True):
            assert got.shape == expected.shape
            np.testing.assert_array_equal(got.numpy(), expected.numpy())


def test_they_are_saved(tmp_path):
    class Net(paddle.nn.Layer):
        def forward(self, x):
            return x.reshape([paddle.shape(x)[0], 2, 2]) + paddle.zeros([paddle.shape(x)[0], 1, 2])

    path = str(tmp_path / "net")
    net = Net()
    paddle.jit.save(net, path, input_spec=[InputSpec([None, 4])])
    x = paddle.ones([7, 4])
    np.testing.assert_array_equal(paddle.jit.load(path)(x).numpy(), net(x).numpy())


def test_values_of_inputs_are_sizes_of_their_run():
    def sized(x, n):
        return x.reshape([n, -1])[: n - 1]

    captured = paddle.jit.to_static(sized, input_spec=[InputSpec([12]), InputSpec([], "int64")], full_graph=True)
    for n in (2, 3, 6):
        assert captured(paddle.ones([12]), paddle.to_tensor(n)).shape == [n - 1, 12 // n]
    assert captured.get_traced_count() == 1


def test_sizes_computed_from_known_extents_are_numbers():
    seen = []

    @paddle.jit.to_static(full_graph=True)
    def enlarged(x):
        size = paddle.cast(paddle.slice(paddle.shape(x), axes=[0], starts=[2], ends=[4]), "int32") * 2
        y = paddle.nn.functional.interpolate(x, size=size, mode="nearest")
        seen.append(y.shape)
        return y

    assert enlarged(paddle.rand([1, 2, 3, 4])).shape == [1, 2, 6, 8]
    assert [type(extent) for extent in seen[0]] == [int] * 4
    assert list(seen[0]) == [1, 2, 6, 8]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Views, parts, blocks and combinations, against recorded PaddlePaddle results."""

import numpy as np
import paddle
import pytest


def t(values, dtype=None):
    return paddle.to_tensor(values, dtype)


def line():
    return paddle.arange(12, dtype="float32")


def test_views_share_memory():
    x = line()
    for view in (
        paddle.as_strided(x, [2, 3], [1, 2]),
        paddle.unfold(x, 0, 4, 3),
        paddle.view(x, [3, 4]),
        paddle.view_as(x, paddle.zeros([4, 3])),
        paddle.diagonal(x.reshape([3, 4])),
        paddle.view(x, "int32"),
    ):
        assert view.data_ptr() == x.data_ptr()
    assert paddle.as_strided(x, [2, 3], [1, 2]).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert paddle.as_strided(x[2:], [2], [1], 4).tolist() == [1, 2]
    assert paddle.unfold(x.reshape([3, 4]), -1, 2, 2).shape == [3, 2, 2]
    assert paddle.view(x.reshape([3, 4]), "uint8").shape == [3, 16]
    assert paddle.view(x, "int32")[:2].tolist() == [0, 1065353216]


def test_writes_through_views_reach_the_base():
    x = line().reshape([3, 4])
    x.diagonal()[:] = -1.0
    paddle.unfold(x, 1, 2, 2)[:, 1] = 7.0
    assert x.tolist() == [[-1, 1, 7, 7], [4, -1, 7, 7], [8, 9, 7, 7]]


def test_impossible_views_are_errors():
    x = line()
    for make in (
        lambda: paddle.as_strided(x, [20], [1]),
        lambda: paddle.unfold(x, 0, 14, 3),
        lambda: paddle.unfold(x, 0, 4, 0),
        lambda: paddle.view(x.reshape([4, 3]), "float64"),
        lambda: paddle.view(x.reshape([3, 4]).T, [12]),
        lambda: paddle.crop(x.reshape([3, 4]), [3, 4], [1, 1]),
        lambda: paddle.unstack(t([[1, 2]]), 1, 3),
    ):
        with pytest.raises(ValueError):
            make()


def test_diagonals():
    assert paddle.diag(t([1.0, 2]), 1, 9).tolist() == [[9, 1, 9], [9, 9, 2], [9, 9, 9]]
    assert paddle.diag(line().reshape([3, 4]), -1).tolist() == [4, 9]
    assert paddle.diagonal(line().reshape([3, 4]), 7).shape == [0]
    assert paddle.diagonal(line().reshape([3, 4]), -(2**63)).shape == [0]
    assert paddle.diagflat(t([[1, 2]]), -1).tolist() == [[0, 0, 0], [1, 0, 0], [0, 2, 0]]
    assert paddle.diagonal_scatter(paddle.zeros([3, 3]), t([1.0, 2]), 1).tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert paddle.zeros([3, 4]).fill_diagonal_(1.0, offset=-1).tolist() == [[0] * 4, [1, 0, 0, 0], [0, 1, 0, 0]]
    tall = paddle.zeros([7, 3]).fill_diagonal_(1.0, wrap=True)
    assert tall[3:].tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.raises(ValueError):
        paddle.zeros([3]).fill_diagonal_(1.0)


def test_writes_take_the_dtype_of_what_is_written():
    x, one = paddle.zeros([2, 2]), t([1, 1])
    assert paddle.diagonal_scatter(x, one).tolist() == [[1, 0], [0, 1]]
    assert paddle.select_scatter(x, one, 0, 1).tolist() == [[0, 0], [1, 1]]
    part = paddle.to_tensor([[1.5], [2.5]], "float64", stop_gradient=False)
    written = paddle.slice_scatter(x, part, axes=[1], starts=[0], ends=[1], strides=[1])
    assert written.dtype == paddle.float32 and written.tolist() == [[1.5, 0], [2.5, 0]]
    written.sum().backward()
    assert part.grad.dtype == paddle.float64 and part.grad.tolist() == [[1], [1]]
    assert x.astype("int32").slice_scatter(part, [1], [1], [2], [1]).tolist() == [[0, 1], [0, 2]]
    with pytest.raises(AssertionError, match="float32 and value has dtype int64"):
        paddle.masked_scatter(x, x == 0, t([1, 1, 1, 1]))


def test_parts():
    assert paddle.select_scatter(paddle.zeros([2, 3]), t([1.0, 2]), 1, 1).tolist() == [[0, 1, 0], [0, 2, 0]]
    assert paddle.narrow(line(), 0, -3, 2).tolist() == [9, 10]
    with pytest.raises(AssertionError):
        paddle.narrow(line(), 0, 10, 3)
    assert paddle.crop(line().reshape([3, 4]), [2, -1], [1, 1]).tolist() == [[5, 6, 7], [9, 10, 11]]
    assert paddle.reverse(t([[1, 2], [3, 4]]), [0]).tolist() == [[3, 4], [1, 2]]
    assert [p.shape for p in line().split_with_sizes([5, 7])] == [[5], [7]]


def test_combinations_and_blocks():
    assert paddle.combinations(t([1, 2, 3]), 2).tolist() == [[1, 2], [1, 3], [2, 3]]
    assert paddle.combinations(t([1, 2]), 2, True).tolist() == [[1, 1], [1, 2], [2, 2]]
    assert paddle.combinations(t([1, 2, 3]), 0).shape == [0]
    assert paddle.combinations(t([1, 2, 3]), 4).shape == [0, 4]
    assert paddle.cartesian_prod([t([1, 2]), t([3, 4])]).tolist() == [[1, 3], [1, 4], [2, 3], [2, 4]]
    assert paddle.block_diag([t([[1, 2]]), t(3), t([4, 5])]).tolist() == [
        [1, 2, 0, 0, 0],
        [0, 0, 3, 0, 0],
        [0, 0, 0, 4, 5],
    ]
    assert paddle.broadcast_shapes([2, 1], [3], [1]) == [2, 3]
    assert paddle.tril_indices(3, 4, 1).tolist() == [[0, 0, 1, 1, 1, 2, 2, 2, 2], [0, 1, 0, 1, 2, 0, 1, 2, 3]]
    assert paddle.triu_indices(3, dtype="int32").tolist() == [[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def test_repetition_by_a_tensor():
    x = t([[3.0, 1, 2], [0, 5, 4]])
    assert paddle.repeat_interleave(x, t([1, 2]), 0).tolist() == [[3, 1, 2], [0, 5, 4], [0, 5, 4]]
    assert t([1, 2]).repeat_interleave(2).tolist() == [1, 1, 2, 2]
    for wrong in (lambda: paddle.repeat_interleave(x, -1, 0), lambda: paddle.repeat_interleave(x, t([1, 2]), 1)):
        with pytest.raises(ValueError):
            wrong()


def test_integrals():
    y = t([[1.0, 2, 3], [4, 5, 6]])
    np.testing.assert_allclose(paddle.trapezoid(y, t([1.0, 2, 4]), axis=1).numpy(), [6.5, 15.5])
    np.testing.assert_allclose(paddle.cumulative_trapezoid(y, dx=2.0).numpy(), [[3, 8], [9, 20]])
    with pytest.raises(ValueError):
        paddle.trapezoid(y, y, 1.0)


def test_renorm():
    got = paddle.renorm(t([[3.0, 1, 2], [0, 0.5, 0.4]]), 2.0, 0, 2.0)
    np.testing.assert_allclose(got.numpy(), [[1.6035674, 0.5345225, 1.069045], [0, 0.5, 0.4]], rtol=1e-6)


def test_tensors_of_one_dtype():
    assert paddle.LongTensor([1, 2]).dtype == paddle.int64
    assert paddle.FloatTensor(2, 3).shape == [2, 3]
    assert paddle.BoolTensor().shape == [0]
    assert paddle.Size([2, 3]).numel() == 6 and isinstance(paddle.Size([2])[:1], paddle.Size)


def test_exchange_with_numpy():
    a = np.arange(3, dtype="float32")
    x = paddle.from_numpy(a)
    x[0] = 5.0
    assert a[0] == 5.0
    assert paddle.asarray([1, 2]).dtype == paddle.int64
    assert paddle.as_tensor(x).tolist() == x.tolist() and paddle.as_tensor(x).data_ptr() != x.data_ptr()
    assert paddle.from_dlpack(paddle.to_dlpack(x)).data_ptr() == x.data_ptr()


def test_batches_of_a_reader():
    assert list(paddle.batch(lambda: iter(range(5)), 2)()) == [[0, 1], [2, 3], [4]]
    assert list(paddle.batch(lambda: iter(range(5)), 2, drop_last=True)()) == [[0, 1], [2, 3]]


def test_writes_to_slices_with_negative_steps():
    for shape, key in (
        ((5,), slice(None, None, -1)),
        ((5,), slice(3, 0, -2)),
        ((3, 4), (slice(None), slice(None, None, -2))),
        ((2, 3, 4), (1, Ellipsis, slice(None, None, -3))),
        ((2, 3, 4), (slice(None, None, -1), None, 0, slice(2, None, -1))),
    ):
        expected = np.arange(np.prod(shape), dtype="float32").reshape(shape)
        x = t(expected)
        value = -np.arange(1.0, 1 + expected[key].size, dtype="float32").reshape(expected[key].shape)
        expected[key] = value
        x[key] = t(value)
        np.testing.assert_array_equal(x.numpy(), expected)
        expected[key] = 9.0
        x[key] = 9.0
        np.testing.assert_array_equal(x.numpy(), expected)


def test_the_gradient_of_a_write_backwards():
    value = t([1.0, 2.0, 3.0])
    value.stop_gradient = False
    x = paddle.zeros([3])
    x[::-1] = value
    (x * t([1.0, 10.0, 100.0])).sum().backward()
    assert value.grad.tolist() == [100, 10, 1]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(
    ("ends", "expected"),
    [((0, 1.5, 5), [0, 0, 0, 0, 1]), ((0.9, 5.9, 3), [0, 2, 5]), ((-1.9, -7.5, 4), [-1, -3, -5, -7])],
)
def test_ends_of_whole_steps_are_whole(dtype, ends, expected):
    assert paddle.linspace(*ends, dtype=dtype).tolist() == expected


def test_at_least_takes_lists_of_numbers_as_one_tensor():
    assert paddle.atleast_1d([1, 2]).tolist() == [1, 2]
    assert paddle.atleast_2d([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert [x.tolist() for x in paddle.atleast_1d([paddle.to_tensor(1), 2])] == [[1], [2]]
    assert [x.tolist() for x in paddle.atleast_1d(1, [2, 3])] == [[1], [2, 3]]

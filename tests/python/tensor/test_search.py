# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Search, uniqueness, and reads and writes along an axis, against recorded PaddlePaddle results."""

import numpy as np
import paddle
import pytest

NAN = float("nan")
U = [[2, 1, 2], [2, 1, 2], [0, 5, 0]]


def t(values, dtype=None):
    return paddle.to_tensor(values, dtype)


def lists(results):
    return [r.tolist() for r in results]


def test_unique_of_elements_rows_and_columns():
    assert lists(paddle.unique(t(U), True, True, True)) == [
        [0, 1, 2, 5],
        [6, 1, 0, 7],
        [2, 1, 2, 2, 1, 2, 0, 3, 0],
        [2, 2, 4, 1],
    ]
    assert lists(paddle.unique(t(U), True, True, True, axis=0)) == [[[0, 5, 0], [2, 1, 2]], [2, 0], [1, 1, 0], [1, 2]]
    rest = paddle.unique(t(U), True, True, True, axis=1, dtype="int32")
    assert lists(rest) == [[[1, 2], [1, 2], [5, 0]], [1, 0], [1, 0, 1], [1, 2]]
    assert [r.dtype for r in rest[1:]] == [paddle.int32] * 3
    assert paddle.unique(t([NAN, 1.0, NAN])).shape == [3]
    assert lists(paddle.unique(t(3.0), return_inverse=True)) == [[3.0], [0]]
    assert lists(paddle.unique(t([]), return_inverse=True)) == [[], []]


def test_unique_consecutive():
    assert lists(paddle.unique_consecutive(t([1, 1, 2, 2, 1]), True, True)) == [[1, 2, 1], [0, 0, 1, 1, 2], [2, 2, 1]]
    assert lists(t(U).unique_consecutive(True, True, axis=0)) == [[[2, 1, 2], [0, 5, 0]], [0, 0, 1], [2, 1]]


def test_searchsorted():
    rows = t([[1.0, 3, 5], [2, 4, 6]])
    assert paddle.searchsorted(rows, t([[3.0, 6], [3, 6]])).tolist() == [[1, 3], [1, 2]]
    right = paddle.searchsorted(rows, t([[3.0, 6], [3, 6]]), right=True, out_int32=True)
    assert right.tolist() == [[2, 3], [1, 3]] and right.dtype == paddle.int32
    assert paddle.searchsorted(t([1.0, 3, 5]), t([[3.0, 6], [NAN, 6]]), side="left").tolist() == [[1, 3], [3, 3]]
    assert int(paddle.searchsorted(t([1.0, 3, 5]), t(2.0))) == 1
    assert paddle.searchsorted(t([5.0, 1, 3]), t([4.0]), sorter=t([1, 2, 0])).tolist() == [2]
    with pytest.raises(RuntimeError):
        paddle.searchsorted(rows, t([1.0]))
    with pytest.raises(ValueError):
        paddle.searchsorted(t([1.0]), 2)
    with pytest.raises(ValueError):
        paddle.bucketize(t([3.0]), rows)


def test_selection():
    assert lists(paddle.kthvalue(t([2, 1, 1, 2]), 2)) == [1, 2]
    assert lists(paddle.kthvalue(t([[3.0, 1, 2], [0, 5, 4]]), 2, 0, True)) == [[[3, 5, 4]], [[0, 1, 1]]]
    assert lists(paddle.mode(t([2, 2, 1, 1, 3]))) == [1, 3]
    assert lists(paddle.mode(t([[2, 2, 1], [3, 3, 1]]), 0, True)) == [[[2, 2, 1]], [[0, 0, 1]]]
    for k in (0, 5):
        with pytest.raises(ValueError):
            paddle.kthvalue(t([1.0, 2.0]), k)


def test_running_extremes():
    assert lists(paddle.cummax(t([1, 1, 3, 3, 2]))) == [[1, 1, 3, 3, 3], [0, 1, 2, 3, 3]]
    values, index = paddle.cummax(t([1.0, NAN, 3, NAN, 2]))
    assert np.isnan(values.numpy()[1:]).all() and index.tolist() == [0, 1, 1, 3, 3]
    assert paddle.cummin(t([1, 1]), dtype="int32")[1].dtype == paddle.int32
    assert lists(paddle.cummin(t([[3, 1], [2, 5]]))) == [[3, 1, 1, 1], [0, 1, 1, 1]]


@pytest.mark.parametrize(
    "reduce,own,expected",
    [
        ("assign", True, [[2, 0.5, 3], [4, 9, 6]]),
        ("add", True, [[8, 2.5, 3], [4, 20, 6]]),
        ("add", False, [[7, 0.5, 3], [4, 15, 6]]),
        ("mul", True, [[10, 1, 3], [4, 405, 6]]),
        ("multiply", False, [[10, 0.5, 3], [4, 81, 6]]),
        ("mean", True, [[8 / 3, 1.25, 3], [4, 5, 6]]),
        ("mean", False, [[3.5, 0.5, 3], [4, 5, 6]]),
        ("amin", True, [[1, 0.5, 3], [4, 3, 6]]),
        ("amax", False, [[5, 0.5, 3], [4, 9, 6]]),
    ],
)
def test_put_along_axis_reduces(reduce, own, expected):
    x, index = t([[1.0, 2, 3], [4, 5, 6]]), t([[0, 0, 1], [1, 1, 1]])
    values = t([[5.0, 2, 0.5], [3, 3, 9]])
    got = paddle.put_along_axis(x, index, values, 1, reduce, include_self=own)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)
    x.put_along_axis_(index, values, 1, reduce, own)
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-6)


def test_put_along_axis_gives_the_last_value_at_a_place_the_gradient():
    x, values = t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), t([[7.0, 2.0, 9.0], [1.0, 2.0, 3.0]])
    x.stop_gradient = values.stop_gradient = False
    out = paddle.put_along_axis(x, t([[0, 0, 1], [2, 2, 2]]), values, 1)
    (out * t([1.0, 10.0, 100.0])).sum().backward()
    assert out.tolist() == [[2, 9, 3], [4, 5, 3]]
    assert x.grad.tolist() == [[0, 0, 100], [1, 10, 0]]
    assert values.grad.tolist() == [[0, 1, 10], [0, 0, 100]]


def test_put_along_axis_broadcasts_or_does_not():
    x = t([[1, 2, 3], [4, 5, 6]])
    assert paddle.put_along_axis(x, t([[0]]), 9, 1).tolist() == [[9, 2, 3], [9, 5, 6]]
    assert paddle.put_along_axis(x, t([[0]]), t([[9]]), 1, broadcast=False).tolist() == [[9, 2, 3], [4, 5, 6]]
    assert paddle.take_along_axis(x, t([[1]]), 1, broadcast=False).tolist() == [[2]]
    with pytest.raises(IndexError):
        paddle.take_along_axis(x, t([[3]]), 1)


def test_scatter_forms():
    x = t([1.0, 2.0])
    results = dict(sum=[8, 2], prod=[12, 2], mean=[8 / 3, 2], amin=[1, 2], amax=[4, 2])
    for reduce, expected in results.items():
        got = paddle.scatter_reduce(x, 0, t([0, 0]), t([3.0, 4]), reduce)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)
    assert paddle.scatter_add(x, 0, t([0]), t([3.0, 4])).tolist() == [4, 2]
    assert paddle.scatter_nd(t([[1], [1]]), t([1.0, 2]), [4]).tolist() == [0, 3, 0, 0]


def test_masked_scatter_takes_values_in_order():
    x = t([[3.0, 1, 2], [0, 5, 4]])
    assert paddle.masked_scatter(x, x > 2, t([7.0, 8, 9])).tolist() == [[7, 1, 2], [0, 8, 9]]
    with pytest.raises(AssertionError):
        paddle.masked_scatter(x, x > 2, t([7.0]))


def test_membership():
    assert paddle.isin(t([1, 2, 3]), t([2, 5]), invert=True).tolist() == [True, False, True]
    assert paddle.isin(t([[1.0, 2]]), t([])).tolist() == [[False, False]]
    with pytest.raises(TypeError):
        paddle.isin(1, t([2]))


def test_equal_values_come_out_of_topk_as_in_paddlepaddle():
    """Label assignment of detectors trains on these indices; the literals are results of PaddlePaddle 3.3.1."""
    x = paddle.to_tensor(np.floor(np.random.RandomState(20).rand(20) * 3).astype("float32"))
    assert paddle.topk(x, 5)[1].tolist() == [11, 13, 12, 5, 17]
    assert paddle.topk(x, 5, largest=False)[1].tolist() == [16, 9, 15, 10, 18]
    long = paddle.to_tensor(np.floor(np.random.RandomState(400).rand(400) * 3).astype("float32"))
    assert paddle.topk(long, 3)[1].tolist() == [6, 0, 2]
    assert paddle.topk(long, 13)[1].tolist() == [225, 322, 106, 108, 364, 112, 323, 230, 228, 119, 129, 330, 331]
    assert paddle.topk(paddle.ones([5], "int64"), 3)[1].tolist() == [2, 4, 3]


def test_topk_leaves_the_order_of_selection_where_it_need_not_sort():
    x = paddle.to_tensor([3.0, 1.0, 5.0, 2.0, 4.0, 0.0])
    assert paddle.topk(x, 4, sorted=False)[1].tolist() == [4, 2, 0, 3]
    assert paddle.topk(paddle.arange(12.0), 5, sorted=False)[1].tolist() == [9, 11, 10, 8, 7]


def test_equal_values_are_ordered_as_paddlepaddle_orders_them():
    x = t([2, 2, 3, 4, 0, 0, 4, 4, 1, 1, 4, 2, 1, 4, 1, 2, 3, 2, 0, 0])
    order = [19, 18, 4, 5, 14, 8, 9, 12, 1, 17, 15, 11, 0, 16, 2, 10, 13, 7, 6, 3]
    assert paddle.argsort(x).tolist() == order
    back = [3, 6, 7, 13, 10, 2, 16, 1, 17, 15, 11, 0, 9, 12, 8, 14, 5, 4, 18, 19]
    assert paddle.argsort(x, descending=True).tolist() == back
    assert paddle.argsort(x, stable=True).tolist()[:8] == [4, 5, 18, 19, 8, 9, 12, 14]
    assert [int(paddle.kthvalue(x, k)[1]) for k in (1, 5)] == [19, 8]
    assert int(paddle.mode(x)[1]) == 0
    assert int(paddle.median(x, 0, mode="min")[1]) == 17
    assert int(paddle.nanmedian(x, 0, mode="min")[1]) == 1


def test_long_rows_of_equal_values_are_sorted():
    x = paddle.to_tensor(np.random.default_rng(0).integers(0, 9, [3, 500]))
    order = paddle.argsort(x, -1)
    assert (paddle.take_along_axis(x, order, -1).numpy() == np.sort(x.numpy(), -1)).all()
    assert (np.sort(order.numpy(), -1) == np.arange(500)).all()
    assert (paddle.argsort(x, -1, stable=True).numpy() == np.argsort(x.numpy(), -1, kind="stable")).all()


def test_equal_values_of_a_long_row_are_ordered_as_paddlepaddle_orders_them():
    """Weighted sums of the positions and single ones; the literals are results of PaddlePaddle 3.3.1."""
    x = paddle.to_tensor((np.arange(20001) * 7919 % 50).astype("float32"))
    order, best = paddle.argsort(x).numpy(), paddle.topk(x, 6667)[1].numpy()
    assert order[[0, 1, 10000, 20000]].tolist() == [7150, 6550, 7846, 9221]
    assert int((order * np.arange(20001)).sum()) == 2000077863800
    assert best[[0, 1, 3000, 6666]].tolist() == [5571, 18921, 18018, 707]
    assert int((best * np.arange(6667)).sum()) == 222598722127
    assert int(paddle.median(x, 0, mode="min")[1]) == 18496
    assert int(paddle.nanmedian(x, 0, mode="min")[1]) == 17996
    assert int(paddle.kthvalue(x, 6667)[1]) == 1764
    assert int(paddle.mode(x)[1]) == 150


def test_rows_that_defeat_medians_of_three_are_sorted():
    n = 4096
    half = np.arange(1, n // 2 + 1)
    killer = np.concatenate([np.where(half % 2 == 1, half, n // 2 + half - 1), 2 * half]).astype("int64")
    doubled = paddle.to_tensor(np.repeat(killer, 2))
    assert (paddle.sort(doubled).numpy() == np.sort(doubled.numpy())).all()
    assert (doubled.numpy()[paddle.argsort(doubled).numpy()] == np.sort(doubled.numpy())).all()
    assert float(paddle.median(doubled.astype("float32"))) == np.median(doubled.numpy())
    assert int(paddle.kthvalue(doubled, 3000)[0]) == np.sort(doubled.numpy())[2999]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_reads_of_a_transposed_tensor(order):
    x = np.arange(60, dtype="float32").reshape(3, 4, 5)
    wanted, got = x.transpose(order), paddle.to_tensor(x).transpose(list(order))
    for axis, n in enumerate(wanted.shape):
        at = np.array([n - 1, 0, -2])
        before = (slice(None),) * axis
        np.testing.assert_array_equal(got[(*before, paddle.to_tensor(at))].numpy(), wanted[(*before, at)])
        parts = paddle.split(got, [1, n - 1], axis=axis)
        for one, other in zip(parts, np.split(wanted, [1], axis), strict=True):
            np.testing.assert_array_equal(one.numpy(), other)
    places = np.array([[0, 1], [2, -1], [-1, 0]])
    np.testing.assert_array_equal(
        paddle.gather_nd(got, paddle.to_tensor(places)).numpy(), wanted[places[:, 0], places[:, 1]]
    )
    np.testing.assert_array_equal(paddle.full_like(got, 2.0).numpy(), np.full_like(wanted, 2))


def test_rows_are_cut_into_many_narrow_parts():
    x = np.arange(40 * 30, dtype="int16").reshape(40, 30)
    sizes = [1, 0, 4, 3, 2, 20]
    parts = paddle.split(paddle.to_tensor(x), sizes, axis=1)
    for one, other in zip(parts, np.split(x, np.cumsum(sizes)[:-1], 1), strict=True):
        np.testing.assert_array_equal(one.numpy(), other)

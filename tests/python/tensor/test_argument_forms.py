# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Forms of arguments that programs use, the dtypes they give, and the types of errors. Expected values
were measured on PaddlePaddle 3.3.1."""

import pickle

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def _same(result, values, dtype):
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.numpy(), np.array(values, result.numpy().dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
def test_integers_are_clipped_from_one_side(dtype):
    x = paddle.to_tensor([0, 3, 5]).astype(dtype)
    _same(paddle.clip(x, 1), [1, 3, 5], x.dtype)
    _same(paddle.clip(x, max=4), [0, 3, 4], x.dtype)
    _same(x.clip(1, 4), [1, 3, 4], x.dtype)


def test_integers_with_a_floating_limit_give_float32():
    x = paddle.to_tensor([0, 3, 5])
    _same(paddle.clip(x, 1.5, 4.0), [1.5, 3.0, 4.0], paddle.float32)
    _same(paddle.clip(x, min=paddle.to_tensor(1.5)), [1.5, 3.0, 5.0], paddle.float32)
    x.clip_(1.5, 4.0)
    _same(x, [1, 3, 4], paddle.int64)


def test_scale_of_integers_loses_the_fraction_of_its_factors():
    x = paddle.to_tensor([3, 4])
    _same(paddle.scale(x, 2.5, 1.9), [7, 9], paddle.int64)
    _same(paddle.scale(x, 2.5, 1.9, bias_after_scale=False), [8, 10], paddle.int64)


@pytest.mark.parametrize("value, dtype", [(3, "float32"), ("inf", "float32"), (True, "bool"), (1 + 2j, "complex128")])
def test_full_takes_numbers_and_their_text(value, dtype):
    made = paddle.full([2], value)
    assert made.dtype == getattr(paddle, dtype)
    assert made.tolist() == [complex(value) if dtype == "complex128" else float(value)] * 2


def test_full_of_a_tensor_has_the_default_dtype():
    _same(paddle.full([2], paddle.to_tensor([3])), [3.0, 3.0], paddle.float32)
    _same(paddle.full(np.array([1, 2]), 1.0), [[1.0, 1.0]], paddle.float32)
    _same(paddle.full_like(paddle.zeros([1]), "nan"), [np.nan], paddle.float32)


@pytest.mark.parametrize(
    "name, dtype", [(float, "float64"), ("double", "float64"), ("long", "int64"), ("short", "int16")]
)
def test_dtypes_have_the_names_of_numpy(name, dtype):
    assert paddle.ones([1], dtype=name).dtype == getattr(paddle, dtype)
    assert paddle.ones([1]).astype(name).dtype == getattr(paddle, dtype)


def test_range_includes_its_end():
    _same(paddle.range(1, 5, 2), [1.0, 3.0, 5.0], paddle.float32)
    _same(paddle.range(5, 1, -2, "int32"), [5, 3, 1], paddle.int32)
    _same(paddle.range(0, 1, 0.25), [0.0, 0.25, 0.5, 0.75, 1.0], paddle.float32)
    with pytest.raises(ValueError):
        paddle.range(1, 5, 0)


@pytest.mark.parametrize(
    "data, shape, dtype",
    [
        (3, [1], "int64"),
        (2.5, [1], "float64"),
        ([1.5, 2], [2], "float64"),
        (np.float32(1), [1], "float32"),
        (np.ones((2, 2), "float32"), [2, 2], "float32"),
        ([True], [1], "bool"),
        (1j, [1], "complex128"),
    ],
)
def test_assign_holds_numbers_as_numpy_does(data, shape, dtype):
    made = paddle.assign(data)
    assert made.shape == shape and made.dtype == getattr(paddle, dtype)
    np.testing.assert_array_equal(made.numpy(), np.reshape(data, shape))


def test_assign_stacks_tensors():
    assert paddle.assign([paddle.to_tensor(1.0), paddle.to_tensor(2.0)]).tolist() == [1.0, 2.0]
    assert paddle.assign([paddle.ones([1]), paddle.ones([1])]).shape == [2, 1]


def test_a_sum_of_floats_as_integers_casts_the_elements():
    x = paddle.to_tensor([[0.75, -0.5], [1.5, 0.75]])
    _same(paddle.sum(x, dtype="int32"), 1, paddle.int32)
    _same(paddle.sum(x, 0, dtype="int64"), [1, 0], paddle.int64)
    _same(paddle.sum(x > 0, dtype="int32"), 3, paddle.int32)


def test_where_brings_floats_to_the_wider_dtype():
    mask = paddle.to_tensor([True, False])
    x, y = paddle.ones([2]), paddle.zeros([2], "float64")
    _same(paddle.where(mask, x, y), [1.0, 0.0], paddle.float64)
    _same(paddle.where(mask, y, x.astype("complex64")), [0, 1], paddle.complex128)


def test_index_select_takes_a_column_of_indices():
    x = paddle.arange(6, dtype="float32").reshape([3, 2])
    x.stop_gradient = False
    rows = paddle.index_select(x, paddle.to_tensor([[2], [2]]))
    assert rows.tolist() == [[4.0, 5.0], [4.0, 5.0]]
    rows.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0], [2.0, 2.0]]
    with pytest.raises(ValueError):
        paddle.index_select(x, paddle.to_tensor([[0, 1]]))


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32"])
def test_masked_fill_takes_a_mask_of_numbers(dtype):
    x = paddle.zeros([3])
    x.stop_gradient = False
    y = paddle.masked_fill(x * 1, paddle.to_tensor([1, 0, 2]).astype(dtype), 5.0)
    assert y.tolist() == [5.0, 0.0, 5.0]
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "shape, target, expected",
    [
        ([0, 3], [0, -1], [0, 3]),
        ([0, 3], [0, 0], [0, 0]),
        ([0, 3], [-1, 0], [3, 0]),
        ([0, 3], [-1, 3], [0, 3]),
        ([2, 0, 3], [0, -1], [0, 6]),
        ([2, 0, 3], [2, -1], [2, 0]),
        ([2, 0, 3], [0, -1, 3], [0, 2, 3]),
        ([2, 3], [0, -1], [2, 3]),
    ],
)
def test_a_zero_stands_for_itself_where_nothing_is_reshaped(shape, target, expected):
    assert paddle.zeros(shape).reshape(target).shape == expected


def test_nansum_in_another_dtype():
    x = paddle.to_tensor([[1.0, float("nan")], [2.0, 4.0]])
    _same(paddle.nansum(x, dtype="float64"), 7.0, paddle.float64)
    _same(paddle.nansum(x, 0, dtype="float64"), [3.0, 4.0], paddle.float64)


@pytest.mark.parametrize(
    "p, expected", [(2.0, [5.0, 0.0, 5.0]), (1.0, [7.0, 0.0, 7.0]), (float("inf"), [4.0, 0.0, 4.0])]
)
def test_pdist_is_the_distance_of_all_pairs(p, expected):
    x = paddle.to_tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]])
    assert paddle.pdist(x, p).tolist() == [expected[0], expected[1], expected[2]]
    assert paddle.pdist(x[:1]).shape == [0]


def test_norm_over_three_axes_is_that_of_a_vector():
    x = paddle.ones([2, 3, 4])
    np.testing.assert_allclose(paddle.norm(x, 2, [0, 1, 2]).item(), np.sqrt(24), rtol=1e-6)
    with pytest.raises(ValueError):
        paddle.norm(x, "fro", [0, 1, 2])


@pytest.mark.parametrize(
    "call",
    [
        lambda: paddle.sum(paddle.ones([2]), 5),
        lambda: paddle.concat([paddle.ones([2]), paddle.ones([2], "int64")]),
        lambda: F.one_hot(paddle.to_tensor([3]), 2),
        lambda: paddle.matmul("a", paddle.ones([2])),
    ],
)
def test_refused_arguments_are_a_value_error_as_well(call):
    with pytest.raises(ValueError) as caught:
        call()
    assert isinstance(caught.value, (TypeError, IndexError))
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: paddle.full([2], None),
        lambda: paddle._C_ops.full([2], None, paddle.float32),
        lambda: paddle.eye(-1),
        lambda: paddle.eye(2.5),
    ],
)
def test_a_missing_or_negative_number_is_a_type_error(call):
    with pytest.raises(TypeError):
        call()


def test_the_product_of_int32_is_int32():
    _same(paddle.prod(paddle.to_tensor([[2, 3], [4, 5]], dtype="int32"), 0), [8, 15], paddle.int32)
    _same(paddle.prod(paddle.to_tensor([2, 3])), 6, paddle.int64)


def test_median_by_other_names_takes_the_smaller_value():
    x = paddle.to_tensor([[3.0, 1.0, 2.0, 5.0]])
    assert paddle.median(x).item() == 2.5
    assert paddle.median(input=x).item() == 2.0
    values, places = paddle.median(x, dim=1)
    assert values.tolist() == [2.0] and places.tolist() == [2]
    assert paddle.median(x, dim=1, mode="avg").tolist() == [2.5]


def test_products_take_other_names():
    x = paddle.ones([1, 2, 2])
    assert paddle.bmm(input=x, mat2=x).tolist() == [[[2.0, 2.0], [2.0, 2.0]]]
    assert paddle.dot(input=x[0, 0], tensor=x[0, 1]).item() == 2.0


def test_the_longer_list_of_axes_completes_the_other():
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(3, 2, 4)
    made = paddle.tensordot(paddle.to_tensor(x), paddle.to_tensor(y), axes=[[0, 1, 2], [1, 0]])
    np.testing.assert_allclose(made.numpy(), np.tensordot(x, y, axes=[[0, 1, 2], [1, 0, 2]]))


@pytest.mark.parametrize("left, right, axes", [((2, 0, 4), (4, 0, 5), [[1, 2], [1, 0]]), ((0, 0), (0, 0), 1)])
def test_tensordot_over_empty_axes_equals_numpy(left, right, axes):
    x, y = (paddle.ones(shape) for shape in (left, right))
    x.stop_gradient = y.stop_gradient = False
    made = paddle.tensordot(x, y, axes)
    expected = np.tensordot(np.ones(left), np.ones(right), axes)
    assert made.shape == list(expected.shape)
    np.testing.assert_array_equal(made.numpy(), expected)
    made.sum().backward()
    assert x.grad.shape == x.shape and y.grad.shape == y.shape


def test_labels_may_keep_an_axis_of_one():
    scores = F.log_softmax(paddle.to_tensor(np.arange(8.0).reshape(4, 2)))
    labels = paddle.to_tensor([0, 1, 0, 1])
    assert F.nll_loss(scores, labels.unsqueeze(1)).item() == F.nll_loss(scores, labels).item()


def test_nanmedian_takes_several_axes_in_both_modes():
    x = paddle.to_tensor([[[1.0, 2.0], [4.0, 5.0]], [[7.0, 8.0], [0.0, 2.0]]])
    assert paddle.nanmedian(x, (0, 1), mode="min").tolist() == [1.0, 2.0]
    assert paddle.nanmedian(x, [1, 2], keepdim=True).tolist() == [[[3.0]], [[4.5]]]


def test_integers_keep_the_mark_that_they_need_a_gradient():
    x = paddle.to_tensor([1, 2])
    x.stop_gradient = False
    w = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    (w.gather(x) * x.astype("float32")).sum().backward()
    assert not x.stop_gradient and x.grad.tolist() == [2, 3] and w.grad.tolist() == [0.0, 1.0, 2.0]


def test_get_device_of_a_tensor_is_its_number():
    assert paddle.get_device(paddle.ones([1])) == -1 and paddle.get_device() == "cpu"
    assert str(paddle.device("cpu")) == "cpu"


def test_out_comes_back_under_its_names():
    out = (paddle.zeros([2]), paddle.zeros([2], "int64"))
    made = paddle.compat.max(paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1, out=out)
    assert made.values is out[0] and made.indices.tolist() == [1, 0] and out[0].tolist() == [5.0, 3.0]


def test_nodes_of_several_kinds_of_edges_are_renumbered_together():
    x, near = paddle.to_tensor([0, 1]), paddle.to_tensor([8, 0, 8, 9])
    sources, targets, ids = paddle.incubate.graph_reindex(x, near, paddle.to_tensor([1, 1, 0, 2], dtype="int32"))
    assert [sources.tolist(), targets.tolist(), ids.tolist()] == [[2, 0, 2, 3], [0, 1, 1, 1], [0, 1, 8, 9]]


def test_adaptive_softmax_may_know_its_head_alone():
    made, loss = F.adaptive_log_softmax_with_loss(
        paddle.ones([3, 5]),
        paddle.full([3], 1, dtype="int64"),
        paddle.ones([5, 3]),
        [[paddle.ones([5, 2]), paddle.ones([2, 1])]],
        cutoffs=[2],
    )
    np.testing.assert_allclose(made.numpy(), -np.log(3.0), rtol=1e-6)
    np.testing.assert_allclose(loss.item(), np.log(3.0), rtol=1e-6)


def test_silu_in_place():
    x = paddle.to_tensor([1.0, 2.0])
    assert F.silu(x, True) is x
    np.testing.assert_allclose(x.numpy(), [1 / (1 + np.exp(-1)), 2 / (1 + np.exp(-2))], rtol=1e-6)


def test_names_of_other_frameworks_in_layers_functions():
    F = paddle.nn.functional
    x, image = paddle.to_tensor([[1.0, -2.0, 3.0]]), paddle.arange(32, dtype="float32").reshape([1, 4, 2, 4])
    np.testing.assert_array_equal(F.gelu(input=x, approximate="tanh").numpy(), F.gelu(x, True).numpy())
    grouped = F.group_norm(input=image, num_groups=2, eps=1e-3)
    np.testing.assert_array_equal(grouped.numpy(), F.group_norm(image, 2, 1e-3).numpy())
    grid = paddle.zeros([1, 1, 1, 2])
    assert F.grid_sample(input=image, grid=grid).shape == [1, 4, 1, 1]
    assert F.pairwise_distance(x1=x, x2=x + 3, p=1.0, eps=0.0).tolist() == [9]
    for parts in (paddle.tensor_split(x, indices=[1], axis=1), x.tensor_split(indices=[1], dim=1)):
        assert [p.shape for p in parts] == [[1, 1], [1, 2]]
    assert len(paddle.tensor_split(x, sections=3, dim=1)) == 3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floor_division_is_that_of_the_exact_quotient(dtype):
    x = np.array([5, 3, -3, -1, 1, -1e-38, 1e-45, 6.0, -6.0, 7.5, 0, 5], dtype)
    y = np.array([0.1, -0.1, 0.1, np.inf, np.inf, 1e38, 3, 0.1, 0.1, -2, -3, 0], dtype)
    with np.errstate(all="ignore"):
        expected = np.floor_divide(x, y)
    out = paddle.to_tensor(x) // paddle.to_tensor(y)
    np.testing.assert_array_equal(out.numpy(), expected)
    np.testing.assert_array_equal(paddle.div(paddle.to_tensor(x), paddle.to_tensor(y), rounding_mode="floor"), expected)


def test_scatter_of_a_number():
    index = paddle.to_tensor([[0, 1], [1, 1]])
    expected = [[7.0, 0.0], [7.0, 7.0]]
    x = paddle.zeros([2, 2])
    for made in (
        x.scatter(0, index, 7.0),
        x.scatter(dim=0, index=index, value=7),
        paddle.scatter(x, 0, index, value=7.0),
        paddle.scatter(input=x, dim=0, index=index, value=7.0),
        x.clone().scatter_(0, index, 7.0),
        x.scatter(0, index, paddle.full([2, 2], 7.0)),
    ):
        assert made.tolist() == expected
    assert x.scatter(0, index, 2.0, reduce="add").tolist() == [[2.0, 0.0], [2.0, 4.0]]
    rows = x.scatter(paddle.to_tensor([1]), paddle.ones([1, 2]))
    assert rows.tolist() == [[0.0, 0.0], [1.0, 1.0]]


def test_scatter_reads_the_beginning_of_a_longer_source():
    x, index = paddle.zeros([2, 3]), paddle.to_tensor([[2, 0]])
    source = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], stop_gradient=False)
    made = x.scatter(1, index, source)
    assert made.tolist() == [[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    made.sum().backward()
    assert source.grad.tolist() == [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="one value per index"):
        x.scatter(1, index, source[:, :1])


def test_a_whole_exponent_leaves_integers_their_dtype():
    x = paddle.to_tensor([1, 2, 3], dtype="int32")
    assert paddle.pow(x, 2.0).dtype == paddle.int32 and paddle.pow(x, 2.0).tolist() == [1, 4, 9]
    assert x.pow(3).dtype == paddle.int32 and (x**2.0).dtype == paddle.float32


def test_indices_of_other_types_are_refused():
    x = paddle.ones([2])
    for index in (1.5, "a"):
        with pytest.raises(ValueError, match="an index must be an int"):
            x[index]


def test_ranges_are_rows_of_a_tensor():
    assert paddle.to_tensor([range(3)]).tolist() == [[0, 1, 2]]
    assert paddle.to_tensor((range(2), [5, 6])).tolist() == [[0, 1], [5, 6]]
    floats = paddle.to_tensor([[range(1, 3)]], dtype="float32")
    assert floats.dtype == paddle.float32 and floats.tolist() == [[[1.0, 2.0]]]
    with pytest.raises(ValueError, match="rank|shape|length"):
        paddle.to_tensor([range(2), range(3)])

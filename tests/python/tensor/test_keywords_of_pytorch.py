# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Composites take PyTorch's keywords beside their own, and `out`: the same call in both spellings gives the same."""

import numpy as np
import paddle
import pytest

F = paddle.nn.functional
MATRIX = np.array([[0.5, 0.25, 0.75], [0.125, 1.0, 0.375]], "float32")
ROW = np.array([0.5, 0.25, 0.75], "float32")
SQUARE = np.array([[2.0, 0.5], [0.5, 1.0]], "float32")
IMAGE = np.arange(1, 73, dtype="float32").reshape(2, 1, 6, 6) / 72
LABELS = np.array([2, 0])

# function, arrays, own keywords, PyTorch's
SPELLINGS = [
    (paddle.hypot, [ROW, ROW], "x y", "input other", {}),
    (paddle.logaddexp, [ROW, ROW], "x y", "input other", {}),
    (paddle.ldexp, [ROW, ROW], "x y", "input other", {}),
    (paddle.heaviside, [ROW, ROW], "x y", "input values", {}),
    (paddle.cummax, [MATRIX, 1], "x axis", "input dim", {}),
    (paddle.cummin, [MATRIX, 1], "x axis", "input dim", {}),
    (paddle.logcumsumexp, [MATRIX, 1], "x axis", "input dim", {}),
    (paddle.trapezoid, [MATRIX, 0], "y axis", "y dim", {}),
    (paddle.renorm, [MATRIX, 2.0, 0, 0.5], "x p axis max_norm", "input p dim maxnorm", {}),
    (paddle.tensordot, [ROW, ROW, 1], "x y axes", "a b dims", {}),
    (paddle.rot90, [MATRIX, 1, [0, 1]], "x k axes", "input k dims", {}),
    (paddle.vander, [ROW, 2], "x n", "x N", {}),
    (paddle.diagonal_scatter, [MATRIX, ROW[:2], 0, 1], "x y axis1 axis2", "input src dim1 dim2", {}),
    (paddle.select_scatter, [MATRIX, ROW, 0, 1], "x values axis index", "input src dim index", {}),
    (paddle.masked_scatter, [ROW, ROW > 0.3, ROW], "x mask value", "input mask source", {}),
    (paddle.slice_scatter, [ROW, ROW[:1], 0, 0, 1, 1], "x value axes starts ends strides", "input src dim start end step", {}),
    (paddle.index_fill, [MATRIX, 1, LABELS, 9.0], "x axis index value", "input dim index value", {}),
    (paddle.addmm, [SQUARE, SQUARE, SQUARE], "input x y", "input mat1 mat2", {}),
    (paddle.hsplit, [MATRIX[:, :2], 2], "x num_or_indices", "input indices_or_sections", {}),
    (paddle.linalg.qr, [SQUARE], "x", "A", {}),
    (paddle.linalg.det, [SQUARE], "x", "A", {}),
    (paddle.linalg.cholesky, [SQUARE], "x", "A", {}),
    (paddle.linalg.pinv, [SQUARE], "x", "A", {}),
    (paddle.linalg.vecdot, [MATRIX, MATRIX, 0], "x y axis", "x y dim", {}),
    (F.mse_loss, [MATRIX, MATRIX + 1], "input label", "input target", {}),
    (F.kl_div, [MATRIX, MATRIX], "input label", "input target", {}),
    (F.nll_loss, [MATRIX, LABELS], "input label", "input target", {}),
    (F.smooth_l1_loss, [MATRIX, MATRIX * 9, 0.5], "input label delta", "input target beta", {"is_huber": True}),
    (F.binary_cross_entropy_with_logits, [MATRIX, MATRIX], "logit label", "input target", {}),
    (F.margin_ranking_loss, [ROW, ROW * 2, ROW], "input other label", "input1 input2 target", {}),
    (F.triplet_margin_loss, [MATRIX, MATRIX, MATRIX + 1], "input positive negative", "anchor positive negative", {}),
    (F.gaussian_nll_loss, [ROW, ROW, ROW], "input label variance", "input target var", {}),
    (F.hardtanh, [ROW, 0.3, 0.6], "x min max", "input min_val max_val", {}),
    (F.max_pool2d, [IMAGE, 2, True], "x kernel_size return_mask", "input kernel_size return_indices", {}),
    (F.unfold, [IMAGE, 3, 2, 1, 1], "x kernel_sizes strides paddings dilations", "input kernel_size stride padding dilation", {}),
    (F.pixel_unshuffle, [IMAGE, 2], "x downscale_factor", "input downscale_factor", {}),
    (F.instance_norm, [IMAGE], "x", "input", {}),
    (F.one_hot, [LABELS, 3], "x num_classes", "tensor num_classes", {}),
    (F.prelu, [IMAGE, ROW[:1]], "x weight", "input weight", {}),
    (F.dropout2d, [IMAGE, 0.5, False], "x p training", "input p training", {}),
    (F.bilinear, [SQUARE, SQUARE, IMAGE[:1, 0, :2, :2]], "x1 x2 weight", "input1 input2 weight", {}),
]  # fmt: skip


def arrays_of(result):
    return [r.numpy() for r in (result if isinstance(result, (list, tuple)) else [result])]


def given(values, names):
    made = [paddle.to_tensor(v) if isinstance(v, np.ndarray) else v for v in values]
    return dict(zip(names.split(), made, strict=True))


@pytest.mark.parametrize(
    ("function", "values", "own", "theirs", "rest"), SPELLINGS, ids=lambda v: getattr(v, "__name__", "")
)
def test_both_spellings(function, values, own, theirs, rest):
    first = arrays_of(function(**given(values, own), **rest))
    second = arrays_of(function(**given(values, theirs), **rest))
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "name", "rad2deg deg2rad sgn signbit isneginf isposinf sinc positive logit nanmean nan_to_num".split()
)
def test_unary_functions_take_input_and_out(name):
    function, x = getattr(paddle, name), paddle.to_tensor(ROW)
    out = paddle.zeros([0])
    assert function(input=x, out=out) is out
    np.testing.assert_array_equal(out.numpy(), function(x).numpy())


@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack", "column_stack"])
def test_stacking_takes_tensors_and_out(name):
    parts, out = [paddle.to_tensor(MATRIX)] * 2, paddle.zeros([0])
    assert getattr(paddle, name)(tensors=parts, out=out) is out
    np.testing.assert_array_equal(out.numpy(), getattr(np, name)([MATRIX, MATRIX]))


def test_out_of_two_results_is_a_tuple():
    x = paddle.to_tensor([[1.0, 3.0, 2.0]])
    values, places = paddle.zeros([1, 3]), paddle.zeros([1, 3], "int64")
    paddle.cummax(x, 1, out=(values, places))
    assert values.tolist() == [[1.0, 3.0, 3.0]] and places.tolist() == [[0, 1, 1]]
    with pytest.raises(ValueError, match="cummax: argument out must be a tuple of 2"):
        paddle.cummax(x, 1, out=values)


def test_a_list_of_tensors_may_be_several_arguments():
    a, b = paddle.to_tensor([[1.0]]), paddle.to_tensor([[2.0, 3.0]])
    assert paddle.block_diag(a, b).tolist() == [[1.0, 0.0, 0.0], [0.0, 2.0, 3.0]]
    pairs = paddle.cartesian_prod(paddle.to_tensor([1, 2]), paddle.to_tensor([3]))
    assert pairs.tolist() == [[1, 3], [2, 3]]
    assert [part.shape for part in paddle.broadcast_tensors(a.t(), b)] == [[1, 2], [1, 2]]
    with pytest.raises(TypeError, match="by position and by keyword"):
        paddle.block_diag(a, inputs=[b])


def test_random_integers_of_a_shape():
    made = paddle.randint(5, [20], requires_grad=False)
    assert made.shape == [20] and 0 <= made.min().item() and made.max().item() < 5
    out = paddle.zeros([4], "int64")
    assert paddle.randint(3, 4, [4], out=out) is out and out.tolist() == [3, 3, 3, 3]
    assert paddle.randint_like(input=out, low=2, high=3).tolist() == [2, 2, 2, 2]


def test_the_axis_before_the_index():
    x, index = paddle.zeros([2, 3]), paddle.to_tensor([0, 2])
    assert paddle.index_fill(x, 1, index, 9.0).tolist() == [[9.0, 0.0, 9.0], [9.0, 0.0, 9.0]]
    assert x.index_fill_(dim=0, index=paddle.to_tensor([1]), value=4.0).tolist() == [[0.0] * 3, [4.0] * 3]


def test_a_mean_in_another_dtype():
    mean = paddle.nanmean(paddle.to_tensor([1.0, float("nan"), 4.0]), dtype="float64")
    assert mean.dtype == paddle.float64 and mean.item() == 2.5


def test_layers_take_the_keywords_of_their_functions():
    x = paddle.to_tensor(MATRIX)
    np.testing.assert_array_equal(paddle.nn.Softmax(dim=0)(x).numpy(), F.softmax(x, 0).numpy())
    assert paddle.nn.Flatten(start_dim=0, end_dim=1)(x).shape == [6]
    assert paddle.nn.Unflatten(dim=1, unflattened_size=[3, 1])(x).shape == [2, 3, 1]
    assert paddle.nn.Hardtanh(min_val=0.3, max_val=0.5)(x).max().item() == 0.5


@pytest.mark.parametrize("wanted", [paddle.float64, "float64", np.zeros(1)], ids=["dtype", "name", "tensor"])
def test_a_layer_goes_to_a_dtype(wanted):
    layer = paddle.nn.Linear(2, 2)
    assert layer.to(paddle.to_tensor(wanted) if isinstance(wanted, np.ndarray) else wanted) is layer
    assert layer.weight.dtype == paddle.float64

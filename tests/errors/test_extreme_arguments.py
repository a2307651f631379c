# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments at the ends of their range: the result that the rule gives, or an error, in bounded time and memory."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

LARGE = 2**63 - 1


@pytest.mark.parametrize("offset", [LARGE, -LARGE - 1, LARGE - 3])
def test_triangles_far_from_the_matrix(offset):
    whole, none = np.indices((4, 3)).reshape(2, -1), np.zeros((2, 0), "int64")
    lower, upper = (whole, none) if offset > 0 else (none, whole)
    np.testing.assert_array_equal(paddle.tril_indices(4, 3, offset).numpy(), lower)
    np.testing.assert_array_equal(paddle.triu_indices(4, 3, offset).numpy(), upper)
    x = paddle.zeros([4, 3])
    np.testing.assert_array_equal(x.fill_diagonal_(1.0, offset=offset).numpy(), np.zeros((4, 3)))


def test_upper_triangle_of_a_matrix_of_many_rows():
    np.testing.assert_array_equal(paddle.triu_indices(2**40, 3, 1).numpy(), [[0, 0, 1], [1, 2, 2]])


@pytest.mark.parametrize("scale", [1e308, float("inf"), float("nan"), -1e300])
@pytest.mark.parametrize("pool", ["psroi_pool", "roi_pool", "roi_align"])
def test_regions_scaled_out_of_the_numbers(pool, scale):
    x, boxes = paddle.ones([1, 4, 5, 6]), paddle.to_tensor([[0.3, 0.2, 3.7, 4.1]])
    with pytest.raises(ValueError, match=f"^{pool}: spatial_scale is .* boxes holds"):
        getattr(paddle.vision.ops, pool)(x, boxes, paddle.to_tensor([1], dtype="int32"), 2, scale)


def test_repeats_that_add_up_to_more_than_an_integer():
    with pytest.raises(OverflowError, match="repeat_interleave: repeats"):
        paddle.repeat_interleave(paddle.ones([3]), paddle.to_tensor([LARGE, LARGE, 5]), axis=0)


def test_shards_of_the_largest_index():
    got = paddle.shard_index(paddle.to_tensor([[0], [5]]), LARGE, 2, 0)
    np.testing.assert_array_equal(got.numpy(), [[0], [5]])


def test_a_centred_step_without_the_mean_of_the_gradient():
    state = [paddle.ones([3]) for _ in range(4)]
    with pytest.raises(ValueError, match="rmsprop_: centered is True and mean_grad is None"):
        paddle._C_ops.rmsprop_(*state, paddle.to_tensor([0.1]), None, None, 1e-3, 0.9, 0.8, True, False)
    with pytest.raises(ValueError, match=r"rmsprop_: mean_grad has shape \[2\]"):
        paddle._C_ops.rmsprop_(*state, paddle.to_tensor([0.1]), paddle.ones([2]), None, 1e-3, 0.9, 0.8, True, False)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("step", [31, 32, 40, 64, 1000])
def test_transposed_convolution_of_wide_steps(dtype, step):
    x = np.arange(30, dtype="float32").reshape(1, 3, 2, 5) % 7 - 3
    w = np.arange(24, dtype="float32").reshape(3, 4, 1, 2) % 5 - 2
    expected = np.zeros((1, 4, 2, 4 * step + 2), "float32")
    for k in range(2):
        expected[..., k : k + 4 * step + 1 : step] += np.einsum("nchw,co->nohw", x, w[:, :, 0, k])
    out = F.conv2d_transpose(paddle.to_tensor(x).astype(dtype), paddle.to_tensor(w).astype(dtype), stride=[1, step])
    np.testing.assert_array_equal(out.astype("float32").numpy(), expected)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
@pytest.mark.parametrize("step", [2**20, 2**31 - 1])
def test_convolution_with_one_window_for_any_step(dtype, step):
    x, w = paddle.ones([1, 2, 5, 5], dtype), paddle.ones([3, 2, 2, 1], dtype)
    x.stop_gradient = False
    out = F.conv2d(x, w, stride=[1, step])
    np.testing.assert_array_equal(out.astype("float32").numpy(), np.full((1, 3, 4, 1), 4.0))
    out.sum().backward()
    assert x.grad[0, 0].astype("float32").numpy().sum(0).tolist() == [24, 0, 0, 0, 0]


def test_transforms_of_no_axis():
    with pytest.raises(ValueError, match=r"fft_c2c: x has shape \[\]"):
        paddle._C_ops.fft_c2c(paddle.ones([], "complex64"), [0], "backward", True)


@pytest.mark.parametrize("driver", ["gels", "gelsd", "gelss"])
def test_least_squares_of_nothing(driver):
    x, y = np.arange(10.0).reshape(5, 2) % 4, np.ones((2, 5, 3))
    solution, residuals, rank, _ = paddle.linalg.lstsq(
        paddle.zeros([5, 0], "float64"), paddle.to_tensor(y), driver=driver
    )
    assert solution.shape == [2, 0, 3] and rank.numpy().tolist() == ([] if driver == "gels" else [0, 0])
    np.testing.assert_array_equal(residuals.numpy(), np.full((2, 3), 5.0))
    solution, residuals, rank, values = paddle.linalg.lstsq(
        paddle.to_tensor(x), paddle.zeros([5, 0], "float64"), driver=driver
    )
    assert solution.shape == [2, 0] and residuals.shape == [0]
    assert rank.numpy().tolist() == ([] if driver == "gels" else 2)  # which takes full rank for granted
    if driver != "gels":
        np.testing.assert_allclose(values.numpy(), np.linalg.svd(x)[1])


def test_counts_of_the_largest_integer():
    x = paddle.to_tensor([LARGE, 1])
    for weights in (None, paddle.ones([2])):
        with pytest.raises(ValueError, match=f"bincount: x holds {LARGE}"):
            paddle.bincount(x, weights)


def test_draws_from_no_weights():
    for shape in ([0], [2, 0]):
        with pytest.raises(ValueError, match="multinomial: x has shape .*0"):
            paddle.multinomial(paddle.ones(shape), 3, replacement=True)


def test_losses_of_no_classes():
    x = paddle.zeros([4, 0])
    with pytest.raises(IndexError, match="label has value 2"):
        F.cross_entropy(x, paddle.full([4], 2, "int64"), reduction="none")
    ignored = F.cross_entropy(x, paddle.full([4], 2, "int64"), ignore_index=2, reduction="none")
    np.testing.assert_array_equal(ignored.numpy(), np.zeros(4))


def test_pools_of_no_rows():
    x = paddle.zeros([2, 3, 0, 5])
    for kind in ("max", "avg", "sum"):
        rest = ([3, 3], [2, 2], [0, 0], True, True, "NCHW", kind, True, False, "EXPLICIT")
        assert paddle._C_ops.pool2d(x, *rest).shape == [2, 3, 1, 1]


def test_the_gradient_of_batch_norm_names_its_format():
    x, c = paddle.ones([2, 3, 4]), paddle.ones([3])
    with pytest.raises(ValueError, match="batch_norm_grad: data_format is ''"):
        paddle._C_ops.batch_norm_grad(x, c, c, None, None, c, c, None, x, 0.9, 1e-5, "", False, False, False)


@pytest.mark.parametrize(
    "split",
    [
        lambda: paddle.tensor_split(paddle.ones([4]), 2**40),
        lambda: paddle.split(paddle.zeros([0, 2]), 2**40),
        lambda: paddle.unbind(paddle.zeros([2**31, 0])),
        lambda: paddle.unstack(paddle.zeros([2**31, 0])),
        lambda: paddle.combinations(paddle.ones([2000]), r=1000),
    ],
)
def test_more_parts_than_a_list_holds(split):
    with pytest.raises(OverflowError, match="more than 2.30|at most 2.24"):
        split()


@pytest.mark.parametrize(
    "stack",
    [
        lambda n: paddle.nn.TransformerEncoder(paddle.nn.TransformerEncoderLayer(4, 2, 4), n),
        lambda n: paddle.nn.TransformerDecoder(paddle.nn.TransformerDecoderLayer(4, 2, 4), n),
        lambda n: paddle.nn.LSTM(2, 2, num_layers=n),
        lambda n: paddle.incubate.nn.FusedMultiTransformer(8, 2, 6, num_layers=n),
    ],
)
def test_more_layers_than_memory_holds(stack):
    with pytest.raises(OverflowError, match="num_layers has value 4611686018427387904"):
        stack(2**62)


def test_differences_of_a_high_order_end_where_nothing_is_left():
    assert paddle.diff(paddle.ones([4]), n=2**40).shape == [0]


def test_many_rows_without_elements_are_printed_in_short():
    assert repr(paddle.zeros([2**40, 0])).count("[]") == 6
    assert repr(paddle.zeros([3, 0])).count("[]") == 3


def test_bounds_of_slices_beyond_int32_are_what_they_say():
    n = 2**40
    x = paddle.zeros([n, 0])
    for key in (slice(n - 3, None), slice(-5, -2), slice(0, 2**33), slice(2**33, None, 2**20), slice(None, None, -1)):
        assert x[key].shape[0] == len(range(n)[key])

    @paddle.jit.to_static(full_graph=True)
    def tail(x):
        return x[n - 3 :], x[: 2**33]

    assert [y.shape[0] for y in tail(x)] == [3, 2**33]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics and histograms as a user calls them, against NumPy and recorded PaddlePaddle results."""

import numpy as np
import paddle
import pytest

NAN = float("nan")
F = [[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]]


def t(values, dtype=None):
    return paddle.to_tensor(values, dtype)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, 1]])
@pytest.mark.parametrize("keepdim", [False, True])
def test_var_and_std_equal_numpy(axis, keepdim):
    x = np.random.default_rng(0).standard_normal((4, 5))
    axes = tuple(axis) if isinstance(axis, list) else axis
    for ddof, unbiased in ((1, True), (0, False)):
        got = paddle.var(t(x), axis, unbiased, keepdim)
        np.testing.assert_allclose(got.numpy(), x.var(axes, ddof=ddof, keepdims=keepdim))
        got = paddle.std(t(x), axis, unbiased, keepdim)
        np.testing.assert_allclose(got.numpy(), x.std(axes, ddof=ddof, keepdims=keepdim))
    np.testing.assert_allclose(t(x).var(axis, correction=2).numpy(), x.var(axes, ddof=2))


def test_statistics_of_integers_have_paddles_dtypes():
    i = t([[3, 1, 2], [0, 5, 4]])
    assert (paddle.var(i).dtype, int(paddle.var(i))) == (paddle.int64, 3)
    assert (paddle.std(i).dtype, round(float(paddle.std(i)), 5)) == (paddle.float32, 1.73205)
    assert (paddle.median(i).dtype, float(paddle.median(i))) == (paddle.float32, 2.5)
    assert (paddle.nanmedian(i).dtype, int(paddle.nanmedian(i))) == (paddle.int64, 2)
    assert (paddle.nansum(i).dtype, int(paddle.nansum(i))) == (paddle.int64, 15)
    assert (paddle.nanmean(i).dtype, float(paddle.nanmean(i))) == (paddle.float32, 2.5)


def test_median_with_min_gives_positions():
    values, index = paddle.median(t([[4, 1, 3, 2], [1, 2, 9, 9]]), axis=1, mode="min")
    assert values.tolist() == [2, 2] and index.tolist() == [3, 1]
    values, index = paddle.median(t([[4, 1, NAN, 2], [1, 2, 9, 9]]), axis=1, mode="min")
    assert np.isnan(values.numpy()[0]) and index.tolist() == [2, 1]
    values, index = paddle.nanmedian(t([[4, 1, NAN, 2], [NAN] * 4]), axis=1, mode="min")
    assert values.numpy()[0] == 2 and np.isnan(values.numpy()[1]) and index.tolist() == [3, -1]
    with pytest.raises(ValueError, match="mode"):
        paddle.median(t(F), mode="max")
    with pytest.raises(ValueError, match="axis"):
        paddle.median(t(F), axis=[0, 1], mode="min")


def test_median_of_nothing_is_nan():
    assert np.isnan(float(paddle.median(t([]))))


@pytest.mark.parametrize("settings", [{"axis": 1}, {"axis": 1, "mode": "min"}])
def test_the_gradient_of_a_median_goes_to_the_nan(settings):
    x = paddle.to_tensor([[1.0, np.nan, 3.0], [2.0, 5.0, 4.0]], stop_gradient=False)
    median = paddle.median(x, **settings)
    (median[0] if isinstance(median, tuple) else median).sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_median_of_nothing_has_positions_with_min():
    values, places = paddle.median(paddle.ones([0, 4]), dim=0)
    assert np.isnan(values.numpy()).all() and values.shape == [4]
    assert places.dtype == paddle.int64 and places.tolist() == [0] * 4


@pytest.mark.parametrize(
    "way,expected",
    [
        ("linear", [2.5, 1.9, 1.5]),
        ("lower", [2, 1, 1]),
        ("higher", [3, 2, 2]),
        ("midpoint", [2.5, 1.5, 1.5]),
        ("nearest", [3, 2, 1]),
    ],
)
def test_quantile_interpolates_as_paddle(way, expected):
    got = paddle.quantile(t([1.0, 2, 3, 4]), [0.5, 0.3, 1 / 6], interpolation=way)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)


def test_quantile_shapes_nan_and_errors():
    got = paddle.quantile(t(F), [0.3, 0.5], axis=1, keepdim=True)
    assert got.shape == [2, 2, 1]
    np.testing.assert_allclose(got.numpy().ravel(), [1.6, 2.4, 2, 4], rtol=1e-6)
    assert np.isnan(float(paddle.quantile(t([1, NAN, 2]), 0.5)))
    np.testing.assert_allclose(
        paddle.nanquantile(t([[1, NAN, 2], [NAN] * 3]), [0.5, 0.1], axis=1).numpy(), [[1.5, NAN], [1.1, NAN]], rtol=1e-6
    )
    for bad in (1.5, [], -0.1):
        with pytest.raises(ValueError, match="q"):
            paddle.quantile(t(F), bad)
    with pytest.raises(ValueError, match="interpolation"):
        paddle.quantile(t(F), 0.5, interpolation="cubic")


def test_the_gradient_of_quantile_goes_to_the_neighbours():
    x = t([4.0, 1.0, 3.0, 2.0])
    x.stop_gradient = False
    paddle.quantile(x, 0.4).backward()
    np.testing.assert_allclose(x.grad.numpy(), [0, 0, 0.2, 0.8], rtol=1e-5)


def test_histograms():
    x = t([1.0, 2.0, 1.0])
    assert paddle.histogram(x, bins=4, min=0, max=3).tolist() == [0, 2, 1, 0]
    assert paddle.histogram(t([1.0, 1, 1]), bins=4).tolist() == [0, 0, 3, 0]
    assert paddle.histogram(t([-1.0, 1, 10]), bins=4, min=0, max=4).tolist() == [0, 1, 0, 0]
    np.testing.assert_allclose(x.histogram(4, 0, 3, density=True).numpy(), [0, 0.8888889, 0.44444445, 0], rtol=1e-6)
    np.testing.assert_allclose(paddle.histogram_bin_edges(t([1.0, 1]), bins=4).numpy(), [0.5, 0.75, 1, 1.25, 1.5])
    for wrong in (dict(bins=0), dict(min=5, max=4)):
        with pytest.raises(ValueError):
            paddle.histogram(x, **wrong)
    with pytest.raises(ValueError, match="finite"):
        paddle.histogram(t([NAN, 1.0]))


def test_histogramdd_equals_numpy():
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((50, 3)), rng.uniform(0, 1, 50)
    counts, edges = np.histogramdd(x, (2, 3, 4), weights=w, density=True)
    got, got_edges = paddle.histogramdd(t(x), [2, 3, 4], weights=t(w), density=True)
    np.testing.assert_allclose(got.numpy(), counts)
    for a, b in zip(got_edges, edges, strict=True):
        np.testing.assert_allclose(a.numpy(), b)
    counts, _ = paddle.histogramdd(t([[0.0, 1], [1, 0], [1, 1]]), [2, 3], [0.0, 2, 0, 3], True, t([1.0, 2, 3]))
    np.testing.assert_allclose(counts.numpy(), [[0, 1 / 6, 0], [1 / 3, 0.5, 0]], rtol=1e-6)


def test_bincount_checks_its_input():
    assert paddle.bincount(t([1, 2, 1], "int32"), minlength=5).tolist() == [0, 2, 1, 0, 0]
    assert paddle.bincount(t([1, 2]), weights=t([1, 2])).dtype == paddle.float64
    with pytest.raises(ValueError):
        paddle.bincount(t([-1]))
    with pytest.raises(TypeError):
        paddle.bincount(t([1.0]))


def test_mean_without_nan_of_complex_numbers_and_medians_of_nothing():
    assert paddle.nanmean(paddle.to_tensor([1 + 2j, 3 - 2j])).item() == 2
    assert paddle.median(paddle.zeros([0, 3], "float64")).dtype == paddle.float64


def test_density_of_weights_of_both_signs():
    x, w = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, -2.0, -4.0, 1.0])
    found = paddle.histogram(t(x), 3, weight=t(w), density=True)
    np.testing.assert_allclose(found.numpy(), np.histogram(x, 3, weights=w, density=True)[0], rtol=1e-6)


def test_variances_of_integers_are_about_a_whole_mean():
    x = t([-2, 5, -1], "int64")  # the mean, 2 / 3, counts as 0: (4 + 25 + 1) / 2
    assert paddle.var(x).item() == 15 and paddle.var(x, unbiased=False).item() == 10
    np.testing.assert_allclose(paddle.std(x).item(), 15**0.5, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_nansum_into_a_dtype_without_nan_drops_the_nan(dtype):
    x = t([[1.0, NAN], [2.0, 1.0]]).astype(dtype)
    assert paddle.nansum(x, 1, dtype="int64").tolist() == [1, 3]
    assert paddle.nansum(x, dtype="bool").tolist() is True
    assert paddle.nansum(x, 0, dtype="complex64").tolist() == [3, 1]
    assert paddle.nansum(x[:0], 0, dtype="int32").tolist() == [0, 0]


def test_mean_of_bools_is_true_where_one_is():
    assert paddle.mean(t([[True, False], [False, False]]), 1).tolist() == [True, False]


def test_covariance_of_one_variable_is_0d():
    x = np.random.default_rng(0).standard_normal((1, 5))
    assert paddle.linalg.cov(t(x)).shape == []
    np.testing.assert_allclose(paddle.linalg.cov(t(x)).item(), np.cov(x))
    assert paddle.linalg.corrcoef(t(x)).tolist() == 1.0


@pytest.mark.parametrize("fn", [paddle.quantile, paddle.nanquantile])
def test_quantiles_of_no_elements_are_nan(fn):
    assert np.isnan(fn(paddle.zeros([0]), 0.5).item())
    assert np.isnan(fn(paddle.zeros([2, 0]), [0.1, 0.9], axis=1).numpy()).all()
    assert fn(paddle.zeros([2, 0]), 0.5, axis=0).shape == [0]


def test_arange_of_integers_drops_the_fractions_of_its_bounds():
    assert paddle.arange(0, 2.5, dtype="int64").tolist() == [0, 1]
    assert paddle.arange(0.9, 5.9, 1.5, dtype="int32").tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="step has value 0"):
        paddle.arange(0, 3, 0.5, dtype="int64")


@pytest.mark.parametrize("function", [paddle.quantile, paddle.nanquantile])
@pytest.mark.parametrize("q", [0.5, [0.5], (0.5,), "vector"])
def test_one_fraction_gives_no_axis_of_its_own(function, q):
    x = paddle.to_tensor([[1.0, 3.0, 2.0], [4.0, 5.0, 9.0]])
    q = paddle.to_tensor([0.5]) if q == "vector" else q
    assert function(x, q, axis=1).tolist() == [2.0, 5.0]
    assert function(x, q, axis=1, keepdim=True).shape == [2, 1]
    assert function(x, [0.0, 1.0], axis=1).tolist() == [[1.0, 4.0], [3.0, 9.0]]

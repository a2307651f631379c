# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling functions and layers: arguments and values; values of the operators are in the case table."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn


def square():
    return paddle.arange(1.0, 26.0).reshape([1, 1, 5, 5])


def rows(t):
    return t.numpy()[0, 0].tolist()


@pytest.mark.parametrize(
    "more, expected",
    [
        (dict(padding=1), [[4.0, 6.5], [16.5, 19.0]]),
        (dict(padding=1, divisor_override=3), [[12.0, 19.5], [49.5, 57.0]]),
        (dict(stride=4, ceil_mode=True), [[7.0, 10.0], [22.0, 25.0]]),
        (dict(padding="SAME", stride=2), [[4.0, 5.5, 7.0], [11.5, 13.0, 14.5], [19.0, 20.5, 22.0]]),
    ],
)
def test_averages(more, expected):
    assert rows(F.avg_pool2d(square(), 3, **more)) == expected


def test_averages_that_count_padding():
    out = F.avg_pool2d(square(), 3, padding=1, stride=3, ceil_mode=True, exclusive=False)
    np.testing.assert_allclose(rows(out), [[16 / 9, 39 / 9, 0.0], [11.0, 19.0, 0.0], [0.0, 0.0, 0.0]], rtol=1e-6)


def test_maxima_and_their_positions():
    out, mask = F.max_pool2d(square(), 3, padding=1, return_mask=True)
    assert rows(out) == [[7.0, 10.0], [22.0, 25.0]]
    assert rows(mask) == [[6, 9], [21, 24]] and mask.dtype == paddle.int32


def test_a_window_without_elements_has_no_position():
    out, mask = F.max_pool2d(square(), 3, stride=3, padding=1, ceil_mode=True, return_mask=True)
    lowest = float(np.finfo(np.float32).min)
    assert rows(out)[2] == [lowest] * 3 and rows(mask)[2] == [-1, -1, -1]


def test_gradients_of_windows_without_elements_are_zero():
    x = square()
    x.stop_gradient = False
    F.max_pool2d(x, 3, stride=3, padding=1, ceil_mode=True).sum().backward()
    assert float(x.grad.sum()) == 4.0


def test_nan_is_never_the_maximum():
    x = paddle.to_tensor([[[[float("nan"), 1.0], [2.0, 3.0]]]])
    assert F.max_pool2d(x, 2).item() == 3.0


def test_a_kernel_larger_than_the_input_is_cut_off():
    assert F.max_pool2d(square(), 6, stride=6).item() == 25.0
    with pytest.raises(ValueError):
        F.max_pool2d(square(), 12, stride=6)


@pytest.mark.parametrize(
    "arguments",
    [
        dict(kernel_size=0),
        dict(kernel_size=-1),
        dict(kernel_size=[2, 2, 2]),
        dict(kernel_size=2, stride=0),
        dict(kernel_size=2, padding=-1),
        dict(kernel_size=2, padding="VALID", ceil_mode=True),
        dict(kernel_size=2, data_format="XX"),
        dict(kernel_size=2, return_mask=True, data_format="NHWC"),
    ],
)
def test_wrong_arguments_are_refused(arguments):
    with pytest.raises(ValueError):
        F.max_pool2d(square(), **arguments)


def test_other_ranks_are_refused():
    with pytest.raises(ValueError):
        F.avg_pool2d(paddle.ones([2, 3, 4]), 2)
    with pytest.raises(ValueError):
        F.max_pool1d(paddle.ones([2, 3, 4, 5]), 2)


def test_one_and_three_axes():
    x = paddle.arange(14.0).reshape([1, 2, 7])
    out, mask = F.max_pool1d(x, 3, return_mask=True)
    assert out.numpy().tolist() == [[[2.0, 5.0], [9.0, 12.0]]] and mask.numpy().tolist() == [[[2, 5], [2, 5]]]
    assert F.avg_pool1d(x, 3, stride=2).numpy().tolist() == [[[1.0, 3.0, 5.0], [8.0, 10.0, 12.0]]]
    volume = paddle.arange(64.0).reshape([1, 1, 4, 4, 4])
    assert F.avg_pool3d(volume, 2).numpy().ravel()[:2].tolist() == [10.5, 12.5]
    assert F.max_pool3d(volume, 2, return_mask=True)[1].numpy().ravel()[:2].tolist() == [21, 23]


@pytest.mark.parametrize("size, expected", [(3, [3, 3]), ([3, None], [3, 5]), ([None, 2], [5, 2]), (7, [7, 7])])
def test_adaptive_sizes(size, expected):
    assert F.adaptive_avg_pool2d(square(), size).shape == [1, 1, *expected]
    assert F.adaptive_max_pool2d(square(), size).shape == [1, 1, *expected]


def test_adaptive_values():
    out = F.adaptive_avg_pool1d(paddle.arange(7.0).reshape([1, 1, 7]), 3)
    assert out.numpy().ravel().tolist() == [1.0, 3.0, 5.0]
    out, mask = F.adaptive_max_pool1d(paddle.arange(7.0).reshape([1, 1, 7]), 3, return_indices=True)
    assert out.numpy().ravel().tolist() == [2.0, 4.0, 6.0] and mask.numpy().ravel().tolist() == [2, 4, 6]
    for wrong in ([3], -1, "a"):
        with pytest.raises(ValueError):
            F.adaptive_avg_pool2d(square(), wrong)


def test_unpooling_puts_maxima_back():
    out, mask = F.max_pool2d(square(), 2, return_mask=True)
    back = F.max_unpool2d(out, mask, 2, output_size=[5, 5]).numpy()[0, 0]
    expected = np.zeros((5, 5))
    expected[1, 1], expected[1, 3], expected[3, 1], expected[3, 3] = 7, 9, 17, 19
    np.testing.assert_array_equal(back, expected)
    assert F.max_unpool2d(out, mask, 2, output_size=[1, 1, 5, 5]).shape == [1, 1, 5, 5]


@pytest.mark.parametrize("more", [dict(), dict(output_size=[15, 5])])
def test_positions_outside_and_impossible_sizes_are_refused(more):
    out, mask = F.max_pool2d(square(), 2, return_mask=True)
    with pytest.raises(ValueError):
        F.max_unpool2d(out, mask, 2, **more)
    for shift in (100, -100):
        with pytest.raises(ValueError):
            F.max_unpool2d(out, mask + shift, 2, output_size=[5, 5])


def test_norms_of_windows():
    out = F.lp_pool2d(square(), 2, 2, ceil_mode=True).numpy()[0, 0]
    np.testing.assert_allclose(out[0], [np.sqrt(90), np.sqrt(170), np.sqrt(125)], rtol=1e-6)
    assert rows(F.lp_pool2d(square() - 10.0, float("inf"), 2)) == [[-3.0, -1.0], [7.0, 9.0]]
    assert F.lp_pool2d(square(), 2, 3, 2, True).shape == [1, 1, 2, 2]
    with pytest.raises(ValueError):
        F.lp_pool2d(square(), 0, 2)


def test_fractional_windows():
    out, mask = F.fractional_max_pool2d(square(), 3, random_u=0.3, return_mask=True)
    assert rows(out) == [[7.0, 8.0, 10.0], [12.0, 13.0, 15.0], [22.0, 23.0, 25.0]]
    assert rows(mask) == [[6, 7, 9], [11, 12, 14], [21, 22, 24]]
    out = F.fractional_max_pool2d(square(), [2, 3], kernel_size=2, random_u=0.7)
    assert rows(out) == [[7.0, 8.0, 10.0], [22.0, 23.0, 25.0]]
    assert F.fractional_max_pool2d(square(), [None, 3]).shape == [1, 1, 5, 3]
    with pytest.raises(ValueError):
        F.fractional_max_pool2d(square(), 3, random_u=1.5)


@pytest.mark.parametrize(
    "layer, shape, expected, text",
    [
        (nn.MaxPool1D(2), [1, 2, 8], [1, 2, 4], "MaxPool1D(kernel_size=2, stride=None, padding=0)"),
        (nn.MaxPool2D(2, padding=1), [1, 2, 8, 8], [1, 2, 5, 5], "MaxPool2D(kernel_size=2, stride=None, padding=1)"),
        (nn.MaxPool3D(2), [1, 2, 8, 8, 8], [1, 2, 4, 4, 4], "MaxPool3D(kernel_size=2, stride=None, padding=0)"),
        (nn.AvgPool1D(2), [1, 2, 8], [1, 2, 4], "AvgPool1D(kernel_size=2, stride=None, padding=0)"),
        (nn.AvgPool2D(2, 1), [1, 2, 8, 8], [1, 2, 7, 7], "AvgPool2D(kernel_size=2, stride=1, padding=0)"),
        (nn.AvgPool3D(2), [1, 2, 8, 8, 8], [1, 2, 4, 4, 4], "AvgPool3D(kernel_size=2, stride=None, padding=0)"),
        (nn.AdaptiveAvgPool1D(3), [1, 2, 8], [1, 2, 3], "AdaptiveAvgPool1D(output_size=3)"),
        (nn.AdaptiveAvgPool2D(1), [1, 2, 8, 8], [1, 2, 1, 1], "AdaptiveAvgPool2D(output_size=1)"),
        (nn.AdaptiveAvgPool3D(2), [1, 2, 8, 8, 8], [1, 2, 2, 2, 2], "AdaptiveAvgPool3D(output_size=2)"),
        (nn.AdaptiveMaxPool1D(3), [1, 2, 8], [1, 2, 3], "AdaptiveMaxPool1D(output_size=3, return_mask=False)"),
        (nn.AdaptiveMaxPool2D(3), [1, 2, 8, 8], [1, 2, 3, 3], "AdaptiveMaxPool2D(output_size=3, return_mask=False)"),
        (
            nn.AdaptiveMaxPool3D(2),
            [1, 2, 8, 8, 8],
            [1, 2, 2, 2, 2],
            "AdaptiveMaxPool3D(output_size=2, return_mask=False)",
        ),
        (nn.LPPool1D(2, 3), [1, 2, 9], [1, 2, 3], "LPPool1D(norm_type=2.0, kernel_size=3, stride=None, padding=0)"),
        (nn.LPPool2D(2, 3), [1, 2, 9, 9], [1, 2, 3, 3], "LPPool2D(norm_type=2.0, kernel_size=3, stride=3, padding=0)"),
        (
            nn.FractionalMaxPool2D(3, random_u=0.5),
            [1, 2, 8, 8],
            [1, 2, 3, 3],
            "FractionalMaxPool2D(output_size=3, return_mask=False)",
        ),
        (
            nn.FractionalMaxPool3D(3, random_u=0.5),
            [1, 2, 8, 8, 8],
            [1, 2, 3, 3, 3],
            "FractionalMaxPool3D(output_size=3, return_mask=False)",
        ),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, nn.Layer) else "",
)
def test_layers(layer, shape, expected, text):
    assert layer(paddle.rand(shape)).shape == expected
    assert repr(layer) == text


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_unpool_layers_invert_pool_layers(axes):
    pool = getattr(nn, f"MaxPool{axes}D")(2, return_mask=True)
    unpool = getattr(nn, f"MaxUnPool{axes}D")(2)
    x = paddle.rand([2, 3, *[4] * axes])
    out, mask = pool(x)
    back = unpool(out, mask)
    assert back.shape == x.shape
    np.testing.assert_array_equal(pool(back)[0].numpy(), out.numpy())


@pytest.mark.parametrize("kind", ["max_pool", "avg_pool"])
@pytest.mark.parametrize(
    "shape, kernel, more",
    [
        ([2, 3, 9, 21], 2, {}),
        ([2, 3, 9, 21], 3, dict(stride=2, padding=1)),
        ([1, 2, 8, 17], (4, 1), dict(stride=1)),
        ([1, 2, 8, 17], (2, 17), dict(stride=2, ceil_mode=True)),
        ([1, 2, 5, 6, 19], 2, dict(padding=1)),
    ],
)
def test_planes_of_float32_give_what_float64_does(kind, shape, kernel, more):
    pool = getattr(F, f"{kind}{len(shape) - 2}d")
    values = np.random.default_rng(0).integers(-4, 5, shape).astype("float64")
    results = []
    for dtype in ("float32", "float64"):
        x = paddle.to_tensor(values, dtype, stop_gradient=False)
        out = pool(x, kernel, **more)
        (out * paddle.arange(out.size, dtype=dtype).reshape(out.shape)).sum().backward()
        results.append((out.numpy(), x.grad.numpy()))
    for narrow, wide in zip(*results, strict=True):
        np.testing.assert_allclose(narrow, wide, rtol=1e-6)
    if kind == "max_pool":
        masks = [pool(paddle.to_tensor(values, d), kernel, return_mask=True, **more)[1] for d in ("float32", "float64")]
        assert (masks[0].numpy() == masks[1].numpy()).all()


def _windows(x, kernel, step, pad, fill):
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad)), constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=2)[:, :, ::step]


@pytest.mark.parametrize(("kernel", "step", "pad"), [(3, 1, 1), (2, 2, 0), (5, 1, 2), (3, 2, 1)])
def test_pools_of_long_rows(kernel, step, pad):
    x = np.random.default_rng(kernel).standard_normal((2, 3, 41)).astype("float32")
    t = paddle.to_tensor(x)
    out = F.max_pool1d(t, kernel, step, pad).numpy()
    np.testing.assert_array_equal(out, _windows(x, kernel, step, pad, -np.inf).max(-1))
    mean = F.avg_pool1d(t, kernel, step, pad, exclusive=False).numpy()
    np.testing.assert_allclose(mean, _windows(x, kernel, step, pad, 0).mean(-1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_a_global_average_and_its_gradient(dtype):
    x = paddle.to_tensor(np.arange(2 * 3 * 49).reshape(2, 3, 7, 7) % 16, dtype=dtype, stop_gradient=False)
    out = F.adaptive_avg_pool2d(x, 1)
    expected = x.astype("float64").numpy().mean((2, 3), keepdims=True)
    tolerance = 1e-2 if dtype == "bfloat16" else 1e-6
    np.testing.assert_allclose(out.astype("float64").numpy(), expected, rtol=tolerance)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.astype("float64").numpy(), np.full(x.shape, 1 / 49), rtol=tolerance)

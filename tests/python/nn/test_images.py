# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions and layers of images; the literals are results of PaddlePaddle 3.3.1."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def image(shape=(1, 1, 3, 4)):
    return paddle.arange(int(np.prod(shape)), dtype="float32").reshape(shape)


def same(out, expected):
    np.testing.assert_allclose(out.numpy().ravel()[: len(expected)], expected, rtol=1e-6, atol=1e-6)


def test_interpolate_takes_sizes_and_scales_in_every_form():
    x = image()
    for size in ([5, 6], (5, 6), paddle.to_tensor([5, 6]), [paddle.to_tensor(5), 6], np.array([5, 6])):
        assert F.interpolate(x, size).shape == [1, 1, 5, 6]
    for scale in (2, 2.0, [2, 2], (2.0, 2), paddle.to_tensor([2.0, 2.0])):
        assert F.interpolate(x, scale_factor=scale).shape == [1, 1, 6, 8]
    same(F.interpolate(x, [5, 6]), [0, 0, 1, 2, 2, 3])


def test_interpolate_samples_with_the_scale_unless_it_is_recomputed():
    x = image()
    same(F.interpolate(x, scale_factor=2.3, mode="bilinear"), [0, 0.15217388, 0.5869565, 1.0217391])
    recomputed = F.interpolate(x, scale_factor=2.3, mode="bilinear", recompute_scale_factor=True)
    same(recomputed, [0, 0.16666669, 0.61111116, 1.0555556])


def test_an_empty_batch_has_any_size_at_once():
    x = paddle.zeros([0, 3, 4, 5])
    x.stop_gradient = False
    y = F.interpolate(x, [2**31 - 1, 3], mode="bilinear")
    assert y.shape == [0, 3, 2**31 - 1, 3]
    assert paddle.grad(y.sum(), x)[0].shape == x.shape


def test_interpolate_modes():
    x = image()
    same(F.interpolate(x, [5, 6], mode="area"), [0, 0.5, 1, 2, 2.5, 3, 2, 2.5])
    same(F.interpolate(x, [2, 2], mode="bilinear", antialias=True), [2.2142859, 3.7857141, 7.214286, 8.785714])
    same(F.interpolate(x[0], [5], mode="linear"), [0, 0.7, 1.5, 2.3, 3, 4, 4.7, 5.5])
    y = image((1, 2, 3, 4))
    cubic = F.interpolate(y, [2, 5], mode="bicubic", antialias=True)
    same(cubic, [1.1958957, 1.8872509, 2.739165, 3.5910795, 4.282434, 6.717565])
    same(F.interpolate(y, [1, 1], mode="bilinear", align_mode=1), [0, 12])
    same(F.interpolate(y[0], scale_factor=[2], mode="linear", data_format="NWC"), [0, 1, 2, 3, 1, 2, 3, 4])


@pytest.mark.parametrize(
    "arguments,error",
    [
        (dict(), ValueError),
        (dict(size=[5, 6], scale_factor=2), ValueError),
        (dict(size=[5]), ValueError),
        (dict(size=[0, 6]), AssertionError),
        (dict(scale_factor=-1), ValueError),
        (dict(scale_factor=[2]), ValueError),
        (dict(scale_factor=0.1), ValueError),
        (dict(scale_factor="a"), TypeError),
        (dict(size=[5, 6], mode="foo"), ValueError),
        (dict(size=[5, 6], mode="linear"), ValueError),
        (dict(size=[5, 6], align_corners=True), ValueError),
        (dict(size=[5, 6], align_mode=2), ValueError),
        (dict(size=[5, 6], data_format="NCW"), ValueError),
        (dict(size=[5, 6], antialias=True), ValueError),
        (dict(scale_factor=2, mode="area"), ValueError),
    ],
)
def test_interpolate_refuses_what_does_not_fit(arguments, error):
    with pytest.raises(error):
        F.interpolate(image(), **arguments)


def test_interpolate_is_captured_with_a_size_that_is_not_known():
    f = paddle.jit.to_static(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), full_graph=True)
    np.testing.assert_array_equal(f(image()).numpy(), F.interpolate(image(), scale_factor=2, mode="bilinear").numpy())


def test_interpolate_is_captured_with_a_size_that_is_a_tensor():
    f = paddle.jit.to_static(lambda x, size: F.interpolate(x, size, mode="bilinear"), full_graph=True)
    for size in ([3, 5], [6, 2]):
        expected = F.interpolate(image(), size, mode="bilinear").numpy()
        np.testing.assert_array_equal(f(image(), paddle.to_tensor(size)).numpy(), expected)


def test_pad_reads_its_numbers_by_their_count():
    x = image()
    assert F.pad(x, [1, 1]).shape == [1, 1, 3, 6]
    assert F.pad(x, [1, 1, 2, 2, 0, 0]).shape == [1, 1, 7, 6]
    assert F.pad(x, [0, 0, 0, 0, 1, 1, 0, 2]).shape == [1, 1, 5, 6]
    assert F.pad(x, [1, 2, 0, 0, 0, 0, 0, 0], pad_from_left_axis=False).shape == [1, 1, 3, 7]
    assert F.pad(x, [1, 1, 1]).shape == [1, 1, 4, 6]
    assert F.pad(image((1, 2, 3, 4)), [1, 1, 0, 0], data_format="NHWC").shape == [1, 2, 5, 4]
    assert F.pad(x, paddle.to_tensor([1, 1, 0, 0])).shape == [1, 1, 3, 6]
    assert F.pad(x[0, 0], [1, 2, 0, 1]).shape == [6, 5]
    assert F.pad(x, [-1, 0, 0, 0]).shape == [1, 1, 3, 3]
    assert F.pad(input=x, pad=[1, 1]).shape == [1, 1, 3, 6]


def test_pad_continues_images():
    x = image()
    same(F.pad(x, [3, 3, 2, 2], mode="reflect"), [11, 10, 9, 8, 9, 10, 11, 10])
    same(F.pad(x, [9, 3, 2, 2], mode="circular"), [7, 4, 5, 6, 7, 4, 5, 6])
    same(F.pad(x, [-1, 3, 2, 2], mode="replicate"), [1, 2, 3, 3, 3, 3, 1, 2])
    same(F.pad(x.astype("int32"), [1, 0, 0, 0], mode="replicate"), [0, 0, 1, 2, 3, 4, 4, 5])


@pytest.mark.parametrize(
    "shape,pad,more,error",
    [
        ((1, 1, 3, 4), [1, 0], dict(mode="foo"), AssertionError),
        ((1, 1, 3, 4), [1, 1], dict(mode="reflect"), ValueError),
        ((1, 1, 3, 4), [4, 3, 2, 2], dict(mode="reflect"), ValueError),
        ((3, 4), [1, 1], dict(mode="replicate"), AssertionError),
        ((1, 3, 4), [1, 1], dict(data_format="NCHW"), AssertionError),
        ((1, 1, 3, 4), [-3, -3, 0, 0], dict(), ValueError),
    ],
)
def test_pad_refuses_what_does_not_fit(shape, pad, more, error):
    with pytest.raises(error):
        F.pad(image(shape), pad, **more)


def test_pad_layers():
    x = image()
    assert paddle.nn.Pad2D(1)(x).shape == [1, 1, 5, 6]
    same(paddle.nn.ReflectionPad2D(1)(x), [5, 4, 5, 6, 7, 6, 1, 0])
    same(paddle.nn.ReplicationPad1D(2)(x[0]), [0, 0, 0, 1, 2, 3, 3, 3])
    same(paddle.nn.ConstantPad1D(1, 3.0)(x[0]), [3, 0, 1, 2, 3, 3])
    same(paddle.nn.CircularPad3D([1, 2, 0, 0, 1, 1])(x[None]), [3, 0, 1, 2, 3, 0, 1, 7])
    same(paddle.nn.ZeroPad2D([1, 0, 0, 0])(x), [0, 0, 1, 2, 3, 0, 4, 5])
    assert repr(paddle.nn.ConstantPad2D(1, 2.5)) == (
        "ConstantPad2D(padding=[1, 1, 1, 1], mode=constant, value=2.5, data_format=NCHW)"
    )


def test_upsampling_layers():
    x = image((1, 2, 3, 4))
    same(paddle.nn.Upsample(size=[2, 2], mode="area")(x), [2.5, 4.5, 6.5, 8.5, 14.5, 16.5, 18.5, 20.5])
    same(paddle.nn.UpsamplingNearest2D(scale_factor=2)(x), [0, 0, 1, 1, 2, 2, 3, 3])
    bilinear = paddle.nn.UpsamplingBilinear2D(scale_factor=2)
    same(bilinear(x), [0, 0.42857143, 0.85714287, 1.2857143, 1.7142857])
    assert repr(bilinear) == "UpsamplingBilinear2D(scale_factor=2, data_format=NCHW)"
    same(F.upsample(x, [2, 2], mode="bicubic", align_corners=True), [0, 3, 8, 11, 12, 15, 20, 23])


def test_shuffles_undo_each_other():
    x = image((2, 8, 3, 4))
    there = paddle.nn.PixelShuffle(2)
    np.testing.assert_array_equal(paddle.nn.PixelUnshuffle(2)(there(x)).numpy(), x.numpy())
    once = paddle.nn.ChannelShuffle(2)
    np.testing.assert_array_equal(paddle.nn.ChannelShuffle(4)(once(x)).numpy(), x.numpy())
    assert repr(paddle.nn.PixelShuffle(2, "NHWC")) == "PixelShuffle(upscale_factor=2, data_format=NHWC)"
    for wrong, error in ((2.0, TypeError), (0, ValueError)):
        for layer in (paddle.nn.PixelShuffle, paddle.nn.PixelUnshuffle, paddle.nn.ChannelShuffle):
            with pytest.raises(error):
                layer(wrong)
    with pytest.raises(ValueError):
        F.pixel_shuffle(image(), 2)


def test_fold_sums_what_unfold_takes_apart():
    x = image()
    columns = paddle.nn.Unfold(2)(x)
    assert columns.shape == [1, 4, 6]
    same(columns, [0, 1, 2, 4, 5, 6, 1, 2])
    same(paddle.nn.Fold([3, 4], 2)(columns), [0, 2, 4, 3, 8, 20, 24, 14])
    assert F.unfold(x, [2, 2], 1, [0, 1, 0, 0]).shape == [1, 4, 8]
    for bad in (lambda: F.unfold(x, 5), lambda: F.fold(columns, [3, 5], 2), lambda: F.unfold(x, 2, 1, [1, 2, 3])):
        with pytest.raises(ValueError):
            bad()


def test_grid_sample_of_an_affine_grid_moves_the_image():
    x = image()
    theta = paddle.to_tensor([[[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    for align in (True, False):
        grid = F.affine_grid(theta, x.shape, align)
        np.testing.assert_allclose(F.grid_sample(x, grid, align_corners=align).numpy(), x.numpy()[..., ::-1], atol=1e-5)


def test_grid_sample_of_positions_that_are_no_numbers():
    y = image((1, 2, 3, 4))
    grid = paddle.to_tensor([[[[float("nan"), 0.0], [float("inf"), 0.0]]]])
    np.testing.assert_array_equal(
        F.grid_sample(y, grid, padding_mode="border").numpy().ravel(), [np.nan, 7, np.nan, 19]
    )
    with pytest.raises(ValueError):
        F.grid_sample(y, grid, mode="bicubic")


def test_pixels_in_bytes_are_interpolated_and_lose_the_fraction():
    x = paddle.to_tensor([[[[1, 200], [100, 255]]]], dtype="uint8")
    out = F.interpolate(x, [3, 3], mode="bilinear")
    assert out.dtype == paddle.uint8
    assert out.tolist() == [[[[1, 100, 200], [50, 139, 227], [100, 177, 255]]]]


@pytest.mark.parametrize("mode, times", [("reflect", [1, 3, 1]), ("replicate", [2, 1, 2]), ("circular", [2, 1, 2])])
def test_complex_borders_have_gradients(mode, times):
    x = paddle.to_tensor([[[1 + 1j, 2, 3]]], stop_gradient=False)
    out = paddle.nn.functional.pad(x, [1, 1], mode, data_format="NCL")
    (out.real() + 2 * out.imag()).sum().backward()
    assert x.grad.tolist() == [[[n * (1 + 2j) for n in times]]]


@pytest.mark.parametrize("channels", [1, 3, 7, 8, 21])
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_interpolation_with_channels_last_is_that_with_channels_first(channels, mode, dtype):
    image = np.random.default_rng(channels).standard_normal((2, 9, 6, channels)).astype(dtype)
    last, first = paddle.to_tensor(image), paddle.to_tensor(image.transpose(0, 3, 1, 2).copy())
    last.stop_gradient = first.stop_gradient = False
    a = paddle.nn.functional.interpolate(last, size=[7, 13], mode=mode, data_format="NHWC")
    b = paddle.nn.functional.interpolate(first, size=[7, 13], mode=mode)
    tolerance = 4e-3 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(a.numpy(), b.numpy().transpose(0, 2, 3, 1), rtol=tolerance, atol=tolerance)
    (a * a).sum().backward()
    (b * b).sum().backward()
    grads = last.grad.numpy(), first.grad.numpy().transpose(0, 2, 3, 1)
    np.testing.assert_allclose(*grads, rtol=5 * tolerance, atol=5 * tolerance)

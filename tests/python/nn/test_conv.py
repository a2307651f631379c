# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolution functions and layers: arguments, names, values; values of the operators are in the case table."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn


def image(*shape):
    return paddle.arange(float(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize(
    "padding, expected",
    [
        (0, [6, 6]),
        (1, [8, 8]),
        ([1, 2], [8, 10]),
        ((1, 2), [8, 10]),
        ([1, 2, 3, 4], [9, 13]),
        ([[0, 0], [0, 0], [1, 2], [3, 4]], [9, 13]),
        ("SAME", [8, 8]),
        ("valid", [6, 6]),
    ],
)
def test_paddings_of_every_form_give_these_sizes(padding, expected):
    out = F.conv2d(paddle.ones([1, 4, 8, 8]), paddle.ones([6, 4, 3, 3]), padding=padding)
    assert out.shape == [1, 6, *expected]


@pytest.mark.parametrize(
    "padding", ["bad", [1], [1, 2, 3], -1, [[1, 2], [3, 4]], 1.5, [[0, 0], [1, 1], [1, 2], [3, 4]]]
)
def test_other_paddings_are_refused(padding):
    with pytest.raises(ValueError):
        F.conv2d(paddle.ones([1, 4, 8, 8]), paddle.ones([6, 4, 3, 3]), padding=padding)


@pytest.mark.parametrize(
    "x, w, more",
    [
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(groups=3)),
        ([1, 4, 8, 8], [5, 2, 3, 3], dict(groups=2)),
        ([1, 4, 8, 8], [6, 3, 3, 3], {}),
        ([4, 8, 8], [6, 4, 3, 3], {}),
        ([1, 4, 8, 8], [6, 4, 3], {}),
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(stride=0)),
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(stride=[2])),
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(dilation=0)),
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(groups=0)),
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(groups=-1)),
        ([1, 4, 2, 2], [6, 4, 3, 3], {}),
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(data_format="XX")),
        ([1, 4, 8, 8], [6, 4, 3, 3], dict(stride=2**40)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(x, w, more):
    with pytest.raises(ValueError):
        F.conv2d(paddle.ones(x), paddle.ones(w), **more)


def test_sizes_without_memory_are_refused():
    with pytest.raises((OverflowError, MemoryError, ValueError)):
        F.conv2d(paddle.ones([1, 4, 8, 8]), paddle.ones([6, 4, 3, 3]), padding=2**31 - 1)


def test_integers_are_refused():
    with pytest.raises(TypeError):
        F.conv2d(paddle.ones([1, 4, 8, 8], "int32"), paddle.ones([6, 4, 3, 3], "int32"))


def test_an_empty_batch_gives_an_empty_batch():
    assert F.conv2d(paddle.ones([0, 4, 8, 8]), paddle.ones([6, 4, 3, 3])).shape == [0, 6, 6, 6]


@pytest.mark.parametrize(
    "more, expected",
    [
        ({}, [17, 17]),
        (dict(output_padding=1), [18, 18]),
        (dict(output_padding=[1, 0]), [18, 17]),
        (dict(output_size=18), [18, 18]),
        (dict(padding=1), [15, 15]),
        (dict(padding="SAME"), [16, 16]),
        (dict(padding="SAME", dilation=2), [16, 16]),
    ],
)
def test_transposed_convolutions_have_these_sizes(more, expected):
    out = F.conv2d_transpose(paddle.ones([1, 4, 8, 8]), paddle.ones([4, 6, 3, 3]), stride=2, **more)
    assert out.shape == [1, 6, *expected]


@pytest.mark.parametrize(
    "more",
    [
        dict(output_padding=2),
        dict(output_padding=-1),
        dict(output_size=[19, 17]),
        dict(output_size=[16, 17]),
        dict(output_size=[18, 18], output_padding=1),
        dict(padding=9),
    ],
)
def test_sizes_that_stride_does_not_leave_open_are_refused(more):
    with pytest.raises(ValueError):
        F.conv2d_transpose(paddle.ones([1, 4, 8, 8]), paddle.ones([4, 6, 3, 3]), stride=2, **more)


def test_transposed_values_with_output_padding():
    weight = image(1, 1, 3, 3) + 1.0
    out = F.conv2d_transpose(paddle.ones([1, 1, 2, 2]), weight, stride=2, output_padding=1).numpy()[0, 0]
    expected = [[1, 2, 4, 2, 3, 0], [4, 5, 10, 5, 6, 0], [8, 10, 20, 10, 12, 0]]
    np.testing.assert_array_equal(out[:3], expected)
    np.testing.assert_array_equal(out[5], np.zeros(6))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_end_of_a_volume_that_no_window_reaches_is_zero(dtype):
    used = [paddle.full([n], float("nan"), dtype) for n in (1000, 8000, 40000) for _ in range(4)]
    del used  # memory that is taken again
    x, weight = paddle.ones([1, 4, 6, 5, 7], dtype), paddle.ones([4, 8, 3, 3, 3], dtype)
    out = F.conv3d_transpose(x, weight, stride=3, output_padding=1).astype("float32").numpy()
    assert out.shape == (1, 8, 19, 16, 22) and (out[:, :, :18, :15, :21] == 4).all()
    assert not out[:, :, 18].any() and not out[:, :, :, 15].any() and not out[..., 21].any()


def test_one_axis_equals_numpy():
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((1, 1, 12)), rng.standard_normal((1, 1, 5))
    out = F.conv1d(paddle.to_tensor(x), paddle.to_tensor(w))
    np.testing.assert_allclose(out.numpy()[0, 0], np.correlate(x[0, 0], w[0, 0], "valid"))
    wide = F.conv1d_transpose(paddle.to_tensor(x), paddle.to_tensor(w))
    np.testing.assert_allclose(wide.numpy()[0, 0], np.convolve(x[0, 0], w[0, 0], "full"))


def test_channels_last_is_the_transposed_result():
    rng = np.random.default_rng(0)
    x, w, b = rng.standard_normal((2, 4, 6, 5)), rng.standard_normal((3, 4, 3, 3)), rng.standard_normal(3)
    first = F.conv2d(paddle.to_tensor(x), paddle.to_tensor(w), paddle.to_tensor(b), padding=1).numpy()
    moved = paddle.to_tensor(np.ascontiguousarray(np.moveaxis(x, 1, -1)))
    last = F.conv2d(moved, paddle.to_tensor(w), paddle.to_tensor(b), padding=1, data_format="NHWC").numpy()
    np.testing.assert_allclose(np.moveaxis(last, -1, 1), first)


def test_input_is_another_name_of_x():
    assert F.conv2d(input=paddle.ones([1, 1, 3, 3]), weight=paddle.ones([1, 1, 3, 3])).item() == 9.0


def test_a_repeated_call_gives_the_same_bits():
    x, w = paddle.rand([2, 16, 20, 20]), paddle.rand([32, 16, 3, 3])
    np.testing.assert_array_equal(F.conv2d(x, w, padding=1).numpy(), F.conv2d(x, w, padding=1).numpy())


# -- layers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, name, shape",
    [
        (nn.Conv1D, "conv1d", [6, 4, 3]),
        (nn.Conv2D, "conv2d", [6, 4, 3, 3]),
        (nn.Conv3D, "conv3d", [6, 4, 3, 3, 3]),
        (nn.Conv1DTranspose, "conv1d_transpose", [4, 6, 3]),
        (nn.Conv2DTranspose, "conv2d_transpose", [4, 6, 3, 3]),
        (nn.Conv3DTranspose, "conv3d_transpose", [4, 6, 3, 3, 3]),
    ],
)
def test_parameters_have_these_names_and_shapes(kind, name, shape):
    with paddle.utils.unique_name.guard():
        layer = kind(4, 6, 3)
    assert (layer.weight.name, layer.bias.name) == (f"{name}_0.w_0", f"{name}_0.b_0")
    assert layer.weight.shape == shape and layer.bias.shape == [6]
    assert float(layer.bias.abs().max()) == 0.0


def test_weights_begin_with_he_variance():
    paddle.seed(3)
    weight = nn.Conv2D(64, 128, 3, groups=4).weight.numpy()
    assert abs(weight.std() / np.sqrt(2 / (64 * 9)) - 1) < 0.05


def test_transposed_weights_begin_uniform():
    paddle.seed(3)
    weight = nn.Conv2DTranspose(64, 128, 3).weight.numpy()
    bound = np.sqrt(6 / ((64 + 128) * 9))
    assert np.abs(weight).max() <= bound and abs(weight.std() / (bound / np.sqrt(3)) - 1) < 0.05


def test_layers_print_their_arguments():
    layer = nn.Conv2D(
        4, 6, [3, 5], stride=2, padding=1, dilation=2, groups=2, padding_mode="reflect", data_format="NHWC"
    )
    assert repr(layer) == (
        "Conv2D(4, 6, kernel_size=[3, 5], stride=[2, 2], padding=1, padding_mode=reflect, dilation=[2, 2], groups=2, "
        "data_format=NHWC)"
    )
    layer = nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
    assert repr(layer) == (
        "Conv2DTranspose(4, 6, kernel_size=[3, 3], stride=[2, 2], padding=1, output_padding=1, groups=2, "
        "data_format=NCHW)"
    )


BORDERS = {
    "zeros": [73.0, 121.0, 154.0, 103.0],
    "reflect": [120.0, 138.0, 174.0, 180.0],
    "replicate": [99.0, 126.0, 162.0, 183.0],
    "circular": [162.0, 162.0, 198.0, 174.0],
}


@pytest.mark.parametrize("mode", BORDERS)
def test_padding_modes(mode):
    layer = nn.Conv2D(1, 1, 3, padding=1, padding_mode=mode, bias=False)
    layer.weight.set_value(image(1, 1, 3, 3))
    assert layer.bias is None
    assert layer(image(1, 1, 4, 4)).numpy()[0, 0, 0].tolist() == BORDERS[mode]


def test_wrong_layers_are_refused():
    with pytest.raises(ValueError):
        nn.Conv2D(5, 4, 3, groups=2)
    with pytest.raises(ValueError):
        nn.Conv2D(1, 1, 3, padding_mode="x")
    with pytest.raises(TypeError):
        nn.Conv2D(1, 1, 3, padding=[1, 2], padding_mode="reflect")
    with pytest.raises(ValueError):
        nn.Conv2D(4, 4, [3, 3, 3])


def test_a_layer_learns_an_edge_filter():
    paddle.seed(0)
    target = paddle.to_tensor([[[[1.0, 0.0, -1.0]] * 3]])
    layer = nn.Conv2D(1, 1, 3, bias=False)
    optimizer = paddle.optimizer.SGD(0.02, parameters=layer.parameters())
    for _ in range(60):
        x = paddle.randn([4, 1, 8, 8])
        loss = ((layer(x) - F.conv2d(x, target)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    assert float((layer.weight - target).abs().max()) < 0.2


def test_transposed_layer_takes_an_output_size():
    layer = nn.Conv2DTranspose(2, 3, 3, stride=2)
    assert layer(paddle.ones([1, 2, 4, 4]), output_size=[10, 9]).shape == [1, 3, 10, 9]


@pytest.mark.parametrize(
    "layer, shape, saved",
    [
        (lambda: nn.Conv2D(3, 4, 3), [1, 3, 8, 8], "conv2d"),
        (lambda: nn.Conv2D(4, 8, 3, groups=4), [1, 4, 8, 8], "depthwise_conv2d"),
        (lambda: nn.Conv3D(3, 4, 2), [1, 3, 4, 4, 4], "conv3d"),
    ],
)
def test_saved_programs_add_the_bias_apart(layer, shape, saved, tmp_path):
    model = layer()
    prefix = str(tmp_path / "model")
    paddle.jit.save(model, prefix, input_spec=[paddle.static.InputSpec(shape, "float32")])
    with open(prefix + ".json") as file:
        text = file.read()
    assert f'"1.{saved}"' in text and '"1.add"' in text and '_bias"' not in text
    x = paddle.rand(shape)
    np.testing.assert_allclose(paddle.jit.load(prefix)(x).numpy(), model(x).numpy(), rtol=1e-5, atol=1e-6)


def test_autocast_adds_the_bias_in_the_dtype_of_the_bias():
    model, x = nn.Conv2D(3, 4, 3), paddle.rand([1, 3, 8, 8])
    with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
        assert model(x).dtype == paddle.float32
    for promote, expected in ((True, paddle.float32), (False, paddle.bfloat16)):
        with paddle.amp.auto_cast(level="O2", dtype="bfloat16", use_promote=promote):
            assert model(x).dtype == expected


@pytest.mark.parametrize(
    "shape, kernel, more",
    [
        ([2, 3, 11, 37], (3, 3), dict(padding=1)),
        ([2, 3, 11, 37], (3, 3), dict(stride=2, padding=1)),
        ([1, 2, 13, 29], (5, 4), dict(stride=(3, 2), padding=(4, 1), dilation=(1, 2))),
        ([1, 2, 400, 310], (3, 5), dict(stride=(2, 1), padding=2)),
        ([2, 3, 7, 7], (7, 7), dict(padding=3)),
        ([2, 3, 14, 19], (7, 7), dict(padding=3)),
        ([1, 2, 23, 56], (7, 3), dict(padding=3, stride=(1, 2))),
        ([1, 2, 19, 33], (5, 5), dict(padding=2)),
        ([1, 2, 31, 20], (3, 3), dict(stride=2, dilation=2, padding=2)),
        ([2, 2, 6, 9, 18], (3, 2, 3), dict(stride=(1, 2, 2), padding=1)),
        ([1, 2, 40, 50, 60], (3, 3, 3), dict(padding=1)),
    ],
)
def test_one_filter_per_channel_in_float32_gives_what_float64_does(shape, kernel, more):
    conv = F.conv2d if len(shape) == 4 else F.conv3d
    rng = np.random.default_rng(0)
    values, filters, biases = (rng.standard_normal(s) for s in (shape, [shape[1], 1, *kernel], [shape[1]]))
    results = []
    for dtype in ("float32", "float64"):
        x, w, b = (paddle.to_tensor(v, dtype, stop_gradient=False) for v in (values, filters, biases))
        out = conv(x, w, b, groups=shape[1], **more)
        (out * paddle.cos(paddle.arange(out.size, dtype=dtype)).reshape(out.shape)).sum().backward()
        results.append([out.numpy(), x.grad.numpy(), w.grad.numpy(), b.grad.numpy()])
    for narrow, wide in zip(*results, strict=True):
        np.testing.assert_allclose(narrow, wide, rtol=1e-3, atol=2e-5 * np.abs(wide).max())


def test_special_values_beside_short_rows_stay_where_they_are():
    x = np.ones([1, 2, 5, 5], "float32")
    x[0, 0, :, 4] = [np.inf, np.nan, np.inf, np.nan, np.inf]
    image, w = (paddle.to_tensor(v, stop_gradient=False) for v in (x, np.ones([2, 1, 1, 1], "float32")))
    out = F.conv2d(image, w, groups=2)
    np.testing.assert_array_equal(out.numpy(), x)
    out[:, :, :, :4].sum().backward()
    np.testing.assert_array_equal(w.grad.numpy().ravel()[1:], [20.0])
    narrow = F.conv2d(paddle.to_tensor(x[:, :, :, 2:]), paddle.ones([2, 1, 1, 2]), groups=2)
    assert np.isfinite(narrow.numpy()[..., 0]).all()
    assert not np.isfinite(narrow.numpy()[0, 0, :, 1]).any()


@pytest.mark.parametrize("outputs, inputs, batch", [(5, 7, 3), (130, 140, 3), (130, 140, 1)])
def test_the_gradient_of_a_pointwise_filter_sums_over_images(outputs, inputs, batch):
    rng = np.random.default_rng(0)
    x, g = (rng.standard_normal([batch, n, 6, 9]).astype("float32") for n in (inputs, outputs))
    w = paddle.zeros([outputs, inputs, 1, 1])
    w.stop_gradient = False
    F.conv2d(paddle.to_tensor(x), w).backward(paddle.to_tensor(g))
    wide = np.einsum("nohw,nihw->oi", g.astype("float64"), x.astype("float64"))
    np.testing.assert_allclose(w.grad.numpy()[:, :, 0, 0], wide, rtol=1e-4, atol=1e-4)


def test_the_convolution_that_recorded_layers_call():
    from paddle.nn.functional.conv import _conv_nd

    x, weight, bias = paddle.rand([1, 4, 6, 6]), paddle.rand([4, 2, 3, 3]), paddle.rand([4])
    form = {"stride": [1, 2], "dilation": [1, 1], "groups": 2, "data_format": "NCHW"}
    out = _conv_nd(
        x, weight, bias=bias, padding=[1, 0], padding_algorithm="EXPLICIT", channel_dim=1, op_type="conv2d", **form
    )
    want = paddle.nn.functional.conv2d(x, weight, bias, [1, 2], [1, 0], 1, 2)
    np.testing.assert_allclose(out.numpy(), want.numpy(), rtol=1e-6)
    same = _conv_nd(x, weight, padding=[9, 9], padding_algorithm="SAME", **form)
    assert list(same.shape) == [1, 4, 6, 3]
    with pytest.raises(ValueError, match="op_type"):
        _conv_nd(x, weight, op_type="conv1d")


@pytest.mark.parametrize("transposed, dims, shape", [(False, 2, [4, 1, 3, 3]), (True, 1, [2, 2, 3])])
def test_layers_of_programs_derive_from_the_base_of_the_convolutions(transposed, dims, shape):
    from paddle.nn.layer.conv import _ConvNd

    class Wide(_ConvNd):
        def __init__(self, *args, **more):
            super().__init__(*args, **more)

        def forward(self, x):
            return F.conv2d(x, self.weight, self.bias, self._stride, (1, 0), self._dilation, self._groups)

    layer = Wide(2, 4, 3, transposed, dims, stride=2, groups=2, bias_attr=None if dims == 2 else False)
    assert layer.weight.shape == shape and layer._stride == [2] * dims and (layer.bias is None) == (dims == 1)
    assert layer.extra_repr().startswith(f"2, 4, kernel_size={[3] * dims}, stride={[2] * dims}, groups=2")
    if dims == 2:
        assert layer(paddle.ones([1, 2, 6, 6])).shape == [1, 4, 3, 2]


@pytest.mark.parametrize("shape", [(2, 3, 0), (0, 3, 4)])
def test_a_transposed_convolution_of_nothing_has_gradients(shape):
    x, w, b = paddle.ones(shape), paddle.ones([3, 4, 3]), paddle.zeros([4])
    x.stop_gradient = w.stop_gradient = b.stop_gradient = False
    out = F.conv1d_transpose(x, w, b)
    assert out.shape == [shape[0], 4, shape[2] + 2]
    out.sum().backward()
    assert x.grad.shape == list(shape) and not w.grad.any().item()
    assert b.grad.tolist() == [float(shape[0] * (shape[2] + 2))] * 4


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("width, stride, padding", [(7, 8, 1), (4, 1000, 2), (3, 2**31 - 1, 1)])
def test_gradients_of_filters_of_one_column_beyond_the_image(dtype, width, stride, padding):
    x = paddle.randn([2, 8, 5, width]).astype(dtype)
    weight = paddle.randn([8, 8, 3, 3]).astype(dtype)

    def gradient(of):
        w = weight.astype(of).detach()
        w.stop_gradient = False
        out = F.conv2d(x.astype(of), w, stride=[1, stride], padding=[1, padding])
        assert out.shape == [2, 8, 5, 1]
        return paddle.grad(out.sum(), w)[0].astype("float64").numpy()

    junk = [paddle.full([n], 0x7F, "uint8") for n in (256, 1024, 4096, 16384)]  # what freed memory holds
    del junk
    np.testing.assert_allclose(gradient(dtype), gradient("float64"), rtol=2e-2, atol=0.1)

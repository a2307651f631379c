# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""float32 convolutions of some size, with and without FLAGS_cpu_split_products: results, gradients and exported
programs as of windows in NumPy in float64, also with infinities, NaN and numbers of extreme size."""

import numpy as np
import paddle
import pytest
from paddle import inference
from paddle.nn import functional as F

FLAG = "FLAGS_cpu_split_products"
CASES = [  # input, outputs, kernel, stride, dilation, padding (top, bottom, left, right)
    pytest.param((1, 96, 20, 40), 24, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), id="few outputs"),
    pytest.param((2, 33, 17, 19), 70, (3, 3), (1, 1), (1, 1), (0, 0, 0, 0), id="uneven channels"),
    pytest.param((2, 32, 30, 29), 33, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), id="stride 2"),
    pytest.param((1, 64, 31, 29), 48, (3, 5), (3, 2), (1, 1), (2, 0, 1, 4), id="uneven strides and borders"),
    pytest.param((1, 64, 24, 24), 64, (3, 3), (1, 1), (2, 3), (2, 2, 3, 3), id="gaps"),
    pytest.param((1, 48, 40, 40), 48, (1, 3), (1, 1), (1, 1), (0, 0, 1, 1), id="one row"),
    pytest.param((1, 48, 40, 40), 48, (3, 1), (1, 1), (1, 1), (1, 1, 0, 0), id="one column"),
    pytest.param((5, 128, 7, 7), 160, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), id="small images"),
    pytest.param((1, 24, 200, 150), 16, (5, 5), (1, 1), (1, 1), (2, 2, 2, 2), id="several strips"),
    pytest.param((3, 64, 60, 90), 32, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), id="strips of several large images"),
    pytest.param((17, 64, 14, 14), 32, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), id="strips of whole images"),
    pytest.param((1, 512, 9, 9), 64, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), id="long sums"),
]


@pytest.fixture(params=[True, False], ids=["tiles", "no tiles"], autouse=True)
def split(request):
    before = paddle.get_flags([FLAG])
    paddle.set_flags({FLAG: request.param})
    yield request.param
    paddle.set_flags(before)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def windows(x, kernel, stride, dilation, padding):
    """[N, C, H', W', kh, kw] of the padded input."""
    top, bottom, left, right = padding
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(2, 3))
    return seen[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


def convolution(x, w, *where):
    return np.einsum("nchwij,ocij->nohw", windows(x, w.shape[2:], *where), w, optimize=True)


def assert_close(out, exact, magnitude):
    """An error of a few units of rounding of what each sum adds up."""
    assert out.shape == exact.shape
    assert (np.abs(out - exact) <= 2e-6 * magnitude).all()


@pytest.mark.parametrize("shape, outputs, kernel, stride, dilation, padding", CASES)
def test_results_and_gradients(shape, outputs, kernel, stride, dilation, padding):
    x, w, b = normal(*shape), normal(outputs, shape[1], *kernel, seed=1), normal(outputs, seed=2)
    tx, tw, tb = (paddle.to_tensor(a, stop_gradient=False) for a in (x, w, b))
    out = F.conv2d(tx, tw, tb, stride=stride, padding=list(padding), dilation=dilation)
    where = (stride, dilation, padding)
    x64, w64 = x.astype("float64"), w.astype("float64")
    magnitude = convolution(abs(x64), abs(w64), *where) + abs(b[:, None, None])
    assert_close(out.numpy(), convolution(x64, w64, *where) + b[:, None, None], magnitude)
    seed = normal(*out.shape, seed=3)
    out.backward(paddle.to_tensor(seed))
    grad_w = np.einsum("nchwij,nohw->ocij", windows(x64, kernel, *where), seed, optimize=True)
    assert np.abs(tw.grad.numpy() - grad_w).max() <= 1e-5 * np.abs(grad_w).max()
    # The gradient by the input is the transpose of the convolution: <g, conv(d)> = <grad, d>.
    direction = normal(*shape, seed=4).astype("float64")
    expected = np.sum(seed * convolution(direction, w64, *where))
    scale = np.sum(abs(seed) * convolution(abs(direction), abs(w64), *where))
    assert abs(np.sum(tx.grad.numpy() * direction) - expected) <= 1e-7 * scale


def test_the_gradient_by_the_input_at_every_pixel():
    w, seed = normal(40, 48, 3, 3, seed=1), normal(1, 40, 26, 22, seed=3)
    x = paddle.to_tensor(normal(1, 48, 26, 24), stop_gradient=False)
    F.conv2d(x, paddle.to_tensor(w), padding=[1, 1, 0, 0]).backward(paddle.to_tensor(seed))
    turned = w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3).astype("float64")
    where = ((1, 1), (1, 1), (1, 1, 2, 2))
    exact = convolution(seed.astype("float64"), turned, *where)
    assert_close(x.grad.numpy(), exact, convolution(abs(seed), abs(turned), *where))


def test_pointwise_filters_in_channels_last_memory():
    x, w, seed = normal(2, 20, 24, 64), normal(96, 64, 1, 1, seed=1), normal(2, 20, 24, 96, seed=3)
    tx, tw = paddle.to_tensor(x, stop_gradient=False), paddle.to_tensor(w, stop_gradient=False)
    out = F.conv2d(tx.transpose([0, 3, 1, 2]), tw).transpose([0, 2, 3, 1])
    out.backward(paddle.to_tensor(seed))
    rows, matrix, grads = (a.astype("float64") for a in (x.reshape(-1, 64), w[:, :, 0, 0], seed.reshape(-1, 96)))
    assert_close(out.numpy().reshape(-1, 96), rows @ matrix.T, abs(rows) @ abs(matrix.T))
    assert_close(tx.grad.numpy().reshape(-1, 64), grads @ matrix, abs(grads) @ abs(matrix))
    assert_close(tw.grad.numpy()[:, :, 0, 0], grads.T @ rows, abs(grads.T) @ abs(rows))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1e25, 3e38, 1e-30])
def test_numbers_without_exact_parts(value):
    x, w = normal(1, 64, 20, 20), normal(64, 64, 3, 3, seed=1)
    x[0, 5, 11, 7] = value
    if abs(value) < 1e-20:
        x[:] *= value
    out = F.conv2d(paddle.to_tensor(x), paddle.to_tensor(w), padding=1).numpy()
    with np.errstate(invalid="ignore"):
        exact = convolution(x.astype("float64"), w.astype("float64"), (1, 1), (1, 1), (1, 1, 1, 1))
    touched = np.zeros((20, 20), bool)
    touched[10:13, 6:9] = True
    assert np.allclose(out[:, :, ~touched], exact[:, :, ~touched], rtol=1e-4, atol=1e-4 * abs(x[0, 0]).max())
    if not np.isfinite(value):
        assert not np.isfinite(out[:, :, touched]).any()


class Block(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = paddle.nn.Conv2D(64, 64, 3, padding=1)
        self.second = paddle.nn.Conv2D(64, 64, 3, padding=1)

    def forward(self, x):
        return F.relu(self.second(F.hardswish(self.first(x))) + x)


def test_an_exported_block_with_a_residual(tmp_path):
    paddle.seed(3)
    block, x = Block(), normal(2, 64, 40, 24)
    block.eval()
    path = str(tmp_path / "block")
    paddle.jit.save(block, path, input_spec=[paddle.static.InputSpec([None, 64, None, None], "float32")])
    predictor = inference.create_predictor(inference.Config(path + ".json", path + ".pdiparams"))
    block.to(dtype="float64")
    for value in (0.0, np.nan, 1.0):  # the next run is right again
        x[1, 3, 20, 10] = value
        out = predictor.run([paddle.to_tensor(x)])[0].numpy()
        expected = block(paddle.to_tensor(x.astype("float64"))).numpy()
        assert np.allclose(out, expected, rtol=1e-5, atol=1e-5, equal_nan=True)

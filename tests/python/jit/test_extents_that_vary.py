# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions whose input specification leaves every extent open: values and gradients are those of eager calls."""

import math

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def rand(*shape):
    return np.random.RandomState(sum(shape)).uniform(0.1, 0.9, shape).astype("float32")


FILTER, INSTANCE = paddle.to_tensor(rand(3, 2, 3, 3)), paddle.nn.InstanceNorm2D(4)
LABELS = np.array([[0], [2], [1]])
CASES = {
    "cumprod": (lambda x: paddle.cumprod(x, 1), [(2, 3, 4)]),
    "logcumsumexp": (lambda x: paddle.logcumsumexp(x, 1), [(2, 3, 4)]),
    "expand to a size": (lambda x: paddle.expand(x, [3, 4, 5]), [(1, 4, 5)]),
    "expand as another": (paddle.expand_as, [(1, 4), (3, 4)]),
    "eye": (lambda x: x + paddle.eye(x.shape[0], x.shape[1]), [(3, 4)]),
    "full_like of an extent": (lambda x: x * paddle.full_like(x, x.shape[1]), [(3, 4)]),
    "clip by an extent": (lambda x: paddle.clip(x * 9, 0, x.shape[0]), [(3, 4)]),
    "quantile": (lambda x: paddle.quantile(x, 0.3, axis=1), [(3, 4)]),
    "masked_scatter": (lambda x, y: paddle.masked_scatter(x, x > 0.5, y), [(3, 4), (12,)]),
    "tensor_split": (lambda x: paddle.tensor_split(x, 2, 1)[0], [(3, 5)]),
    "label smoothing": (lambda x: F.cross_entropy(x, paddle.to_tensor(LABELS), label_smoothing=0.1), [(3, 5)]),
    "instance_norm": (lambda x: INSTANCE(x), [(2, 4, 5, 5)]),
    "grid_sample": (F.grid_sample, [(2, 3, 5, 4), (2, 3, 3, 2)]),
    "grid_sample by reflection": (
        lambda x, g: F.grid_sample(x, g * 3, padding_mode="reflection", align_corners=False),
        [(2, 3, 5, 4), (2, 3, 3, 2)],
    ),
    "grid_sample to the border": (
        lambda x, g: F.grid_sample(x, g * 3, padding_mode="border"),
        [(2, 3, 5, 4), (2, 3, 3, 2)],
    ),
    "deform_conv2d": (lambda x, o: paddle.vision.ops.deform_conv2d(x, o, FILTER), [(2, 2, 6, 5), (2, 18, 4, 3)]),
}


def written(where):
    def write(x):
        y = x * 1
        y[where] = x[where] * 3 if where[0].step in (-1, 2) else 7.0
        y[..., ::-1] = y * 2
        return y

    return write


def received(x):
    edges = paddle.to_tensor([0, 1, 1]), paddle.to_tensor([1, 0, 1])
    return paddle.geometric.send_u_recv(x, *edges, "mean", out_size=x.shape[0])


LINEAR = paddle.nn.Linear(4, 4)
# Of these, files too: sizes that Python compares or picks from must not be decided before they are known.
SAVED = {
    "diff": (lambda x: paddle.diff(x, axis=1), [(2, 3, 4)]),
    "trapezoid": (lambda x: paddle.trapezoid(x), [(3, 4)]),
    "cov": (lambda x: paddle.linalg.cov(x), [(3, 5)]),
    "tensor_split into three": (lambda x: paddle.concat(paddle.tensor_split(x, 3, 1)[::-1], 1), [(2, 5)]),
    "tensor_split at places": (lambda x: paddle.tensor_split(x, [1, 9], 1)[1], [(2, 5)]),
    "hsplit": (lambda x: paddle.hsplit(x, [1])[0], [(2, 3, 4)]),
    "masked_scatter": (lambda x, y: paddle.masked_scatter(x, x > 0.5, y), [(3, 4), (12,)]),
    "median": (lambda x: paddle.median(x, axis=1), [(3, 4)]),
    "nanmedian": (lambda x: paddle.nanmedian(x), [(3, 5)]),
    "median of the smaller": (lambda x: paddle.median(x, axis=1, mode="min")[0], [(3, 4)]),
    "unfold": (lambda x: F.unfold(x, 2, 1, 1), [(2, 3, 4, 5)]),
    "written backwards": (written(np.s_[::-1, :]), [(4, 5)]),
    "every other, backwards": (written(np.s_[::-2, :]), [(5, 4)]),
    "some, backwards": (written(np.s_[3:0:-1, :]), [(3, 4)]),
    "from the last but one, backwards": (written(np.s_[-2::-3, :]), [(6, 4)]),
    "pool to the size of another": (
        lambda x, y: F.adaptive_avg_pool2d(x, [y.shape[2], y.shape[3]]),
        [(1, 2, 9, 6), (1, 2, 3, 4)],
    ),
    "transposed to the size of another": (
        lambda x, y: F.conv2d_transpose(x, FILTER, stride=2, output_size=[y.shape[2], y.shape[3]]),
        [(1, 3, 4, 5), (1, 2, 10, 11)],
    ),
    "messages to as many rows": (received, [(4, 3)]),
    "unfold of a tensor": (lambda x: x.unfold(1, 2, 1), [(3, 4)]),
    "repeat_interleave": (lambda x: paddle.repeat_interleave(x, paddle.to_tensor([1, 0, 2])), [(3,)]),
    "rfft": (lambda x: paddle.fft.rfft(x).abs(), [(2, 5)]),
    "irfft": (lambda x: paddle.fft.irfft(paddle.fft.rfft(x) * 2), [(2, 6)]),
    "overlap_add": (lambda x: paddle.signal.overlap_add(x, 2), [(3, 4)]),
    "stft": (lambda x: paddle.signal.stft(x, 8).abs(), [(2, 32)]),
    "instance_norm of open channels": (lambda x: F.instance_norm(x), [(2, 3, 4, 5)]),
    "layer_norm": (lambda x: F.layer_norm(x, [4], LINEAR.bias), [(2, 4)]),
    "convolution by an open filter": (lambda x, w: F.conv2d(x, w, padding=1), [(2, 2, 5, 5), (3, 2, 3, 3)]),
    "transposed convolution": (lambda x, w: F.conv2d_transpose(x, w, stride=2), [(2, 2, 4, 4), (2, 3, 3, 3)]),
    "convolution by groups": (lambda x: F.conv2d(x, FILTER, groups=3), [(2, 6, 5, 5)]),
    "convolution by groups of open filters": (
        lambda x, w: F.conv2d(x, w, groups=2),
        [(2, 4, 5, 5), (4, 2, 3, 3)],
    ),
    "temporal_shift": (lambda x: F.temporal_shift(x, 2, 0.3), [(4, 10, 2, 2)]),
    "cholesky_inverse": (lambda x: paddle.linalg.cholesky_inverse(x + 3 * paddle.eye(3)), [(3, 3)]),
}
CASES.update(SAVED)


def tensors(shapes):
    made = [paddle.to_tensor(rand(*shape)) for shape in shapes]
    for t in made:
        t.stop_gradient = False
    return made


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name):
    function, shapes = CASES[name]
    spec = [paddle.static.InputSpec([None] * len(shape)) for shape in shapes]
    program = paddle.jit.to_static(lambda *inputs: function(*inputs), input_spec=spec, full_graph=True)
    first, second = tensors(shapes), tensors(shapes)
    eager, captured = function(*first), program(*second)
    np.testing.assert_allclose(captured.numpy(), eager.numpy(), rtol=1e-5, atol=1e-6)
    eager.sum().backward()
    captured.sum().backward()
    for one, other in zip(first, second, strict=True):
        if one.grad is not None:
            np.testing.assert_allclose(other.grad.numpy(), one.grad.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "function, shapes, extents",
    [
        (lambda x, y: paddle.linalg.lstsq(x, y)[0], [(5, 3), (5, 2)], [None, None]),
        (lambda x: paddle.signal.istft(paddle.complex(x, x), 8), [(2, 5, 9)], [None, 5, None]),
        (paddle.metric.accuracy, [(4, 3), (4, 1)], [None, None]),
    ],
    ids=["lstsq", "istft", "accuracy"],
)
def test_checks_of_values_wait_for_them(function, shapes, extents):
    spec = [paddle.static.InputSpec(extents) for _ in shapes]
    program = paddle.jit.to_static(lambda *inputs: function(*inputs), input_spec=spec, full_graph=True)
    inputs = tensors(shapes)
    np.testing.assert_allclose(program(*inputs).numpy(), function(*inputs).numpy(), rtol=1e-5, atol=1e-5)


def test_one_program_serves_several_sizes():
    spec = [paddle.static.InputSpec([None, 3, None, None]), paddle.static.InputSpec([None, None, None, 2])]
    program = paddle.jit.to_static(F.grid_sample, input_spec=spec, full_graph=True)
    for batch, size in ((1, 4), (3, 7)):
        x, grid = paddle.to_tensor(rand(batch, 3, size, 5)), paddle.to_tensor(rand(batch, 2, size, 2))
        np.testing.assert_allclose(program(x, grid).numpy(), F.grid_sample(x, grid).numpy(), rtol=1e-5, atol=1e-6)


def test_divmod_of_an_extent():
    def split(x):
        half, rest = divmod(x.shape[0], 2)
        return x[:half].sum() + rest

    program = paddle.jit.to_static(split, input_spec=[paddle.static.InputSpec([None])], full_graph=True)
    assert [program(paddle.ones([n])).item() for n in (4, 7)] == [2, 4]


class Applied(paddle.nn.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


@pytest.mark.parametrize("name", SAVED)
def test_files(name, tmp_path):
    function, shapes = SAVED[name]
    spec = [paddle.static.InputSpec([None] * len(shape), name=f"x{i}") for i, shape in enumerate(shapes)]
    paddle.jit.save(Applied(function), str(tmp_path / "m"), input_spec=spec)
    inputs = [paddle.to_tensor(rand(*shape)) for shape in shapes]
    loaded = paddle.jit.load(str(tmp_path / "m"))
    np.testing.assert_allclose(loaded(*inputs).numpy(), function(*inputs).numpy(), rtol=1e-5, atol=1e-5)


def sizes_of_python(x):
    if x.shape[0] > 4:
        rows = x.shape[0]
    else:
        rows = 4
    count = min(int(x.shape[0]), 3)
    most = max([x.shape[1], 2, x.shape[0]])
    wide = paddle.zeros([len(x), max(x.shape[1] - 1, 0)])
    return x[:count], paddle.ones([rows]) * most, wide + float(x.shape[1])


@pytest.mark.parametrize("shape", [(2, 3), (5, 2), (4, 1)])
def test_sizes_that_python_picks(shape, tmp_path):
    spec = [paddle.static.InputSpec([None, None], name="x")]
    paddle.jit.save(paddle.jit.to_static(sizes_of_python, spec, full_graph=True), str(tmp_path / "m"))
    loaded, x = paddle.jit.load(str(tmp_path / "m")), paddle.to_tensor(rand(*shape))
    for got, want in zip(loaded(x), sizes_of_python(x), strict=True):
        np.testing.assert_allclose(got.numpy(), want.numpy())


def test_a_plain_number_is_not_an_open_extent(tmp_path):
    layer = Applied(lambda x: paddle.tril_indices(x.shape[0], x.shape[0], 0))
    with pytest.raises(RuntimeError, match="known only at run time"):
        paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None])])


def image_sizes(x):
    _, _, h, w = x.shape
    padded = F.pad(x, [0, (4 - w % 4) % 4, 0, h % 2])
    half = x[:, :, : math.ceil(h / 2)] / math.sqrt(h * w)
    return padded, half, F.interpolate(x, size=[int(h * 1.5), math.floor(w / 2)])


def rows_by_extents(x):
    first, last = x.split([x.shape[2] - 1, -1], axis=2)
    written = x.clone()
    written[x.shape[0] - 1] = 0.0
    written[:, :, x.shape[2] // 2] = 1.0
    return first, last, x[:, :, x.shape[2] // 2], x[:, :, x.shape[2] - 1, 1:], written


@pytest.mark.parametrize("function", [image_sizes, rows_by_extents], ids=lambda f: f.__name__)
def test_arithmetic_of_sizes_in_files(function, tmp_path):
    spec = [paddle.static.InputSpec([None, 3, None, None], name="x")]
    paddle.jit.save(paddle.jit.to_static(function, spec, full_graph=True), str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for shape in ((2, 3, 4, 5), (1, 3, 7, 8)):
        x = paddle.to_tensor(rand(*shape))
        for got, want in zip(loaded(x), function(x), strict=True):
            assert list(got.shape) == list(want.shape)
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5)


def test_an_axis_of_unknown_extent_is_dropped_where_it_is_named(tmp_path):
    def squeezed(x):
        last, both = x.squeeze(-1), x[:, -1:].squeeze([1, 3])
        assert (last.ndim, both.ndim) == (3, 2)
        return last, both

    spec = [paddle.static.InputSpec([None, None, 3, None], name="x")]
    paddle.jit.save(paddle.jit.to_static(squeezed, spec, full_graph=True), str(tmp_path / "m"))
    x = rand(2, 4, 3, 1)
    for got, want in zip(
        paddle.jit.load(str(tmp_path / "m"))(paddle.to_tensor(x)), [x[..., 0], x[:, -1, :, 0]], strict=True
    ):
        np.testing.assert_array_equal(got.numpy(), want)


def test_the_first_row_of_an_open_extent_is_expanded():
    spec = [paddle.static.InputSpec([None, 3], "float32")]
    captured = paddle.jit.to_static(lambda x: paddle.expand(x[:1], [2, 3]), full_graph=True, input_spec=spec)
    for rows in (1, 4):
        x = paddle.arange(rows * 3, dtype="float32").reshape([rows, 3])
        assert captured(x).tolist() == [[0.0, 1.0, 2.0]] * 2
    with pytest.raises(ValueError, match="can be expanded only from 1"):
        captured(paddle.zeros([0, 3]))


class _Counting(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.rows = self.seen = 0
        self.sizes = ()

    def forward(self, x):
        self.rows, self.sizes = x.shape[0], (x.shape[0], 2)
        return x.sum() * self.rows

    def count(self, x):
        self.seen = self.seen + x.shape[0]
        return x.sum()


def test_extents_that_an_object_keeps_have_no_value_behind_the_function():
    layer = _Counting()
    spec = [paddle.static.InputSpec([None, 2])]
    forward = paddle.jit.to_static(layer.forward, input_spec=spec, full_graph=True)
    assert [float(forward(paddle.ones([n, 2]))) for n in (3, 5)] == [18.0, 50.0]
    for use in (
        lambda: layer.rows + 1,
        lambda: int(layer.rows),
        lambda: layer.sizes == (5, 2),
        lambda: range(layer.rows),
    ):
        with pytest.raises(RuntimeError, match="'(rows|sizes)' was set to an extent of an input, which is open"):
            use()
    assert repr(layer.rows) == "<'rows': an open extent of a captured function>"


def test_extents_of_another_capture_are_not_those_of_this_one():
    layer = _Counting()
    spec = [paddle.static.InputSpec([None, 2])]
    count = paddle.jit.to_static(layer.count, input_spec=spec, full_graph=True)
    count(paddle.ones([3, 2]))
    with pytest.raises(RuntimeError, match="'seen' was set to an extent of an input"):
        count(paddle.ones([5, 2]))

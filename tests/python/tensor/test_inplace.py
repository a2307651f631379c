# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""In-place forms: that they change their argument, its shape or dtype, and keep its history."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

X = np.array([[0.3, 0.6, 0.2], [0.7, 0.4, 0.9]])


def other():
    return paddle.to_tensor(X + 1)


FORMS = {
    "logit_": (lambda x: x.logit_(), lambda x: x.logit()),
    "sinc_": (lambda x: x.sinc_(), lambda x: x.sinc()),
    "cumsum_": (lambda x: x.cumsum_(0), lambda x: x.cumsum(0)),
    "cumprod_": (lambda x: x.cumprod_(1), lambda x: x.cumprod(1)),
    "tril_": (lambda x: x.tril_(), lambda x: x.tril()),
    "frac_": (lambda x: x.frac_(), lambda x: x.frac()),
    "clip_": (lambda x: x.clip_(0.35, 0.65), lambda x: x.clip(0.35, 0.65)),
    "softmax_": (lambda x: F.softmax_(x), lambda x: F.softmax(x)),
    "hardtanh_": (lambda x: F.hardtanh_(x, 0.35, 0.65), lambda x: F.hardtanh(x, 0.35, 0.65)),
    "erfinv_": (lambda x: x.erfinv_(), lambda x: x.erfinv()),
    "log_": (lambda x: x.log_(), lambda x: x.log()),
    "mul_": (lambda x: x.mul_(x), lambda x: x * x),
    "sub_": (lambda x: x.sub_(x), lambda x: x - x),
    "div_": (lambda x: x.div_(x + 1), lambda x: x / (x + 1)),
    "lerp_": (lambda x: x.lerp_(other(), 0.25), lambda x: x.lerp(other(), 0.25)),
    "clamp_": (lambda x: x.clamp_(0.35, 0.65), lambda x: x.clip(0.35, 0.65)),
    "masked_fill_": (lambda x: x.masked_fill_(x > 0.5, 2.0), lambda x: x.masked_fill(x > 0.5, 2.0)),
    "masked_scatter_": (
        lambda x: x.masked_scatter_(x > 0.5, other()),
        lambda x: x.masked_scatter(x > 0.5, other()),
    ),
    "index_fill_": (
        lambda x: x.index_fill_(paddle.to_tensor([1]), 1, 4.0),
        lambda x: x.index_fill(paddle.to_tensor([1]), 1, 4.0),
    ),
    "fill_diagonal_": (
        lambda x: x.fill_diagonal_(5.0),
        lambda x: (
            x * paddle.to_tensor([[0.0, 1, 1], [1, 0, 1]], "float64")
            + paddle.to_tensor([[5.0, 0, 0], [0, 5, 0]], "float64")
        ),
    ),
    "put_along_axis_": (
        lambda x: x.put_along_axis_(paddle.to_tensor([[0], [2]]), 2.0, 1, "mul"),
        lambda x: x.put_along_axis(paddle.to_tensor([[0], [2]]), 2.0, 1, "mul"),
    ),
    "where_": (lambda x: paddle.where_(x > 0.5, x, other()), lambda x: paddle.where(x > 0.5, x, other())),
    "nan_to_num_": (lambda x: x.nan_to_num_(), lambda x: x.nan_to_num()),
    "renorm_": (lambda x: x.renorm_(2.0, 0, 0.5), lambda x: x.renorm(2.0, 0, 0.5)),
    "fill_": (lambda x: x.fill_(2.0), lambda x: x * 0 + 2),
    "zero_": (lambda x: x.zero_(), lambda x: x * 0),
    "normal_": (lambda x: x.normal_() * 0, lambda x: x * 0),
    "exponential_": (lambda x: x.exponential_() * 0, lambda x: x * 0),
}


def leaf():
    x = paddle.to_tensor(X)
    x.stop_gradient = False
    return x


@pytest.mark.parametrize("name", FORMS)
def test_values_and_gradients_equal_the_plain_form(name):
    written, plain = FORMS[name]
    results = []
    for form in (written, plain):
        x = leaf()
        y = x * 1.0
        out = form(y)
        (out * out).sum().backward()
        results.append((out.numpy(), x.grad.numpy()))
    for got, expected in zip(*results, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in FORMS if n not in ("normal_", "exponential_")])
def test_the_argument_is_changed_and_returned(name):
    x = paddle.to_tensor(X)
    assert FORMS[name][0](x) is x


SHAPES = {
    "reshape_": (lambda y: y.reshape_([3, 2]), lambda y: y.reshape([3, 2])),
    "t_": (lambda y: y.t_(), lambda y: y.t()),
    "transpose_": (lambda y: paddle.transpose_(y, [1, 0]), lambda y: y.transpose([1, 0])),
    "flatten_": (lambda y: y.flatten_(), lambda y: y.flatten()),
    "unsqueeze_": (lambda y: y.unsqueeze_(0), lambda y: y.unsqueeze(0)),
    "cast_": (lambda y: y.cast_("float32"), lambda y: y.cast("float32")),
    "resize_": (lambda y: y.resize_([4]), lambda y: y.flatten()[:4]),
    "grown": (
        lambda y: y.resize_([2, 4]),
        lambda y: paddle.concat([y.flatten(), paddle.zeros([2], "float64")]).reshape([2, 4]),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape_and_dtype_change_in_place(name):
    written, plain = SHAPES[name]
    results = []
    for form in (written, plain):
        x = leaf()
        y = x * 2.0
        out = form(y)
        if form is written:
            assert out is y
        weights = paddle.arange(out.size, dtype=out.dtype).reshape(out.shape)
        (out * out * weights).sum().backward()
        results.append((out.numpy(), x.grad.numpy()))
        results[-1] += (str(out.dtype),)
    assert results[0][2] == results[1][2]
    for got, expected in zip(results[0][:2], results[1][:2], strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_square_matrix_is_transposed():
    x = paddle.to_tensor([[1, 2], [3, 4]])
    assert x.t_().tolist() == [[1, 3], [2, 4]]


def test_a_view_that_is_reshaped_still_writes_to_its_base():
    x = paddle.zeros([4])
    part = x[:2]
    part.reshape_([2, 1])
    part[1, 0] = 3.0
    assert x.tolist() == [0, 3, 0, 0]


def test_comparisons_in_place_give_bool():
    x = paddle.to_tensor([1.0, 2.0])
    assert x.less_(paddle.to_tensor([2.0, 1.0])).dtype == paddle.bool and x.tolist() == [True, False]
    assert paddle.to_tensor([3, 1]).divide_(paddle.to_tensor([2, 1])).tolist() == [1.5, 1.0]


def test_leaves_and_other_shapes_are_refused():
    for form in (lambda x: x.logit_(), lambda x: x.t_(), lambda x: x.add_(x)):
        with pytest.raises((RuntimeError, ValueError)):
            form(leaf())
    with pytest.raises(ValueError):
        paddle.ones([2]).add_(paddle.ones([3, 2]))
    with pytest.raises(ValueError):
        paddle.ones([2]).hypot_(paddle.ones([3, 2]))


def test_set_takes_other_memory():
    source = paddle.to_tensor([1.0, 2.0, 3.0])
    x = paddle.to_tensor([9.0])
    x.set_(source, [2], [1], 4)
    assert x.tolist() == [2, 3]
    source[2] = 7.0
    assert x.tolist() == [2, 7]
    assert paddle.to_tensor([1.0]).set_().shape == [0]


def test_random_fills():
    paddle.seed(1)
    x = paddle.zeros([20000])
    assert sorted(set(x.random_(0, 5).tolist())) == [0, 1, 2, 3, 4]
    assert set(x.bernoulli_(0.25).tolist()) == {0, 1} and abs(float(x.mean()) - 0.25) < 0.02
    assert abs(float(x.cauchy_(3.0).median()) - 3) < 0.1
    log = x.log_normal_(1.0, 2.0).log()
    assert abs(float(log.mean()) - 1) < 0.1 and abs(float(log.std()) - 2) < 0.1
    assert abs(float(x.geometric_(0.5).mean()) - 1 / np.log(2)) < 0.1


def test_functions_of_python():
    x = paddle.to_tensor([1.0])
    assert x.apply(lambda v: v + 1).tolist() == [2] and x.tolist() == [1]
    assert x.apply_(lambda v: v + 1) is x and x.tolist() == [2]
    with pytest.raises(RuntimeError):
        leaf().apply(lambda v: v)


def ids(*values):
    return paddle.to_tensor(list(values))


WRITES = {
    "index_put_": (
        lambda x, v: x.index_put_((ids(2, -1, 2),), v[:3]),
        lambda x, v: x.__setitem__([2, 3], v[[2, 1]]),
    ),
    "index_put_ adding": (
        lambda x, v: x.index_put_((ids(2, 0, 2),), v[:3], True),
        lambda x, v: np.add.at(x, [2, 0, 2], v[:3]),
    ),
    "index_put_ of a mask": (
        lambda x, v: x.index_put_((x > 3,), paddle.to_tensor(0.5, "float64")),
        lambda x, v: np.putmask(x, x > 3, 0.5),
    ),
    "index_add_": (lambda x, v: x.index_add_(ids(1, 1), 0, v[:2]), lambda x, v: np.add.at(x, [1, 1], v[:2])),
    "index_add_ of a transpose": (
        lambda x, v: x.index_add_(ids(2, 1), 1, v[:2].t()),
        lambda x, v: np.add.at(x, (slice(None), [2, 1]), v[:2].T),
    ),
    "scatter_": (lambda x, v: x.scatter_(ids(3, 0), v[:2]), lambda x, v: x.__setitem__([3, 0], v[:2])),
    "scatter_ adding": (
        lambda x, v: x.scatter_(ids(3, 3), v[:2], overwrite=False),
        lambda x, v: x.__setitem__(3, v[0] + v[1]),
    ),
    "fill_diagonal_": (lambda x, v: x.fill_diagonal_(7.0), lambda x, v: np.fill_diagonal(x, 7)),
    "scatter_ along an axis": (
        lambda x, v: x.scatter_(1, paddle.to_tensor([[2], [0]]), v[:2, :1]),
        lambda x, v: x.__setitem__(([0, 1], [2, 0]), v[:2, 0]),
    ),
    "item": (lambda x, v: x.__setitem__(ids(1, 3), v[:2]), lambda x, v: x.__setitem__([1, 3], v[:2])),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("rows", [slice(None), slice(0, 4)], ids=["whole", "view"])
def test_partial_writes(name, rows):
    ours, reference = WRITES[name]
    values = np.arange(16.0).reshape(4, 4) + 20
    expected = np.arange(20.0).reshape(5, 4)[rows][:4].copy()
    base = paddle.to_tensor(np.arange(20.0).reshape(5, 4)[:4] if rows == slice(None) else np.arange(20.0).reshape(5, 4))
    x = base if rows == slice(None) else base[rows]
    place, version = x.data_ptr(), x.inplace_version
    ours(x, paddle.to_tensor(values))
    reference(expected, values)
    np.testing.assert_array_equal(x.numpy(), expected)
    assert x.data_ptr() == place and x.inplace_version == version + 1
    np.testing.assert_array_equal(base.numpy()[:4], expected)


def test_partial_writes_of_their_own_values():
    x = paddle.to_tensor([1.0, 2.0, 4.0])
    assert x.index_add_(ids(0, 1), 0, x[1:]).tolist() == [3, 6, 4]
    assert x.index_put_((x.astype("int64") % 3,), x).tolist() == [6, 4, 4]
    steps = paddle.zeros([4, 4])
    steps[:, ::2][ids(1)] = 5.0
    assert steps[1].tolist() == [5, 0, 5, 0] and float(steps.sum()) == 10


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.index_put_((ids(0, 9),), paddle.ones([2])),
        lambda x: x.index_add_(ids(0, 9), 0, paddle.ones([2])),
        lambda x: x.scatter_(ids(0, 9), paddle.ones([2])),
        lambda x: x.scatter_(0, ids(0, 9), paddle.ones([2])),
    ],
)
def test_a_bad_index_leaves_the_tensor_alone(write):
    x = paddle.zeros([3])
    with pytest.raises(IndexError):
        write(x)
    assert x.tolist() == [0, 0, 0]


def test_partial_writes_keep_history():
    values = paddle.ones([2])
    values.stop_gradient = False
    x = paddle.zeros([3])
    x.index_put_((ids(2, 0),), values)
    x.index_add_(ids(0), 0, values[:1])
    (x * paddle.to_tensor([2.0, 3.0, 5.0])).sum().backward()
    assert values.grad.tolist() == [7, 2]


def positions(keys):
    return tuple(paddle.to_tensor(k) if isinstance(k, np.ndarray) else k for k in keys)


@pytest.mark.parametrize("value", [np.float64(7), "rows", "row"])
@pytest.mark.parametrize(
    "keys",
    [
        (slice(None), np.array([2, -4])),
        (slice(None), slice(None), np.array([0, 1, 1])),
        (np.array([[2], [0]]), slice(1, None), np.array([1, 0])),
        (slice(None, None, 2), np.array([3, 1]), 1),
    ],
)
def test_positions_are_written_through_a_view_of_any_strides(keys, value):
    held = np.arange(24.0).reshape(2, 3, 4)
    wanted = held.copy().transpose(1, 2, 0)
    values = {"rows": wanted[keys] + 100, "row": wanted[keys][..., :1] + 100}.get(value, value)
    x = paddle.to_tensor(held)
    x.transpose([1, 2, 0])[positions(keys)] = paddle.to_tensor(values)
    wanted[keys] = values
    np.testing.assert_array_equal(x.numpy().transpose(1, 2, 0), wanted)


@pytest.mark.parametrize("mask_type", ["bool", "int32"])
def test_a_mask_fills_a_view_of_any_strides(mask_type):
    held = np.arange(24.0).reshape(2, 3, 4)
    mask = held.transpose(2, 0, 1) % 5 < 2
    x = paddle.to_tensor(held)
    x.transpose([2, 0, 1]).masked_fill_(paddle.to_tensor(mask.astype(mask_type)), 9)
    np.testing.assert_array_equal(x.numpy().transpose(2, 0, 1), np.where(mask, 9, held.transpose(2, 0, 1)))


def test_a_bad_position_leaves_the_tensor_as_it_was():
    x = paddle.zeros([2, 3])
    with pytest.raises(IndexError):
        x.t()[paddle.to_tensor([0, 3])] = 1.0
    with pytest.raises(IndexError):
        x.put_along_axis_(paddle.to_tensor([[0], [3]]), 1.0, 1)
    assert not x.any()


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: x.cauchy_(),
        lambda x: x.geometric_(0.5),
        lambda x: x.log_normal_(),
        lambda x: x.bernoulli_(),
        lambda x: x.uniform_(),
    ],
)
def test_what_random_numbers_replace_has_a_gradient_of_zero(draw):
    x = paddle.ones([3])
    x.stop_gradient = False
    y = x * 2
    draw(y)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_a_tensor_put_along_itself_takes_its_values_as_indices():
    x = paddle.to_tensor([[3, 0, 2, 1, 3, 0]])
    try:
        x.put_along_axis_(x, paddle.full([1, 6], 1000), 1)
    except IndexError:  # a written index was read again
        pass
    assert set(x.flatten().tolist()) <= {0, 1, 2, 3, 1000}

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What every operator function understands: `out`, `dtype`, `alpha`, `rounding_mode`, keyword synonyms, integers in
place of a list, and the calling forms with an axis before the index."""

import inspect

import numpy as np
import paddle
import pytest


def t(*values, dtype="float32", grad=False):
    return paddle.to_tensor(values, dtype=dtype, stop_gradient=not grad)


def test_out_receives_the_result_and_is_returned():
    x, out = t(-1.0, 2.0), paddle.zeros([2])
    address = out.data_ptr()
    assert paddle.abs(x, out=out) is out
    assert out.tolist() == [1.0, 2.0] and out.data_ptr() == address


def test_out_takes_the_shape_and_dtype_of_the_result():
    out = paddle.zeros([0], dtype="int64")
    paddle.add(t(1.0, 2.0), t(3.0, 4.0), out=out)
    assert out.shape == [2] and out.dtype == paddle.float32 and out.tolist() == [4.0, 6.0]


def test_out_that_is_a_view_writes_into_its_base():
    base = paddle.zeros([4])
    paddle.abs(t(-1.0, -2.0), out=base[1:3])
    assert base.tolist() == [0.0, 1.0, 2.0, 0.0]
    with pytest.raises(ValueError, match="out is a view"):
        paddle.abs(t(1.0), out=base[1:3])


def test_gradients_flow_through_out():
    x, out = t(-1.0, 3.0, grad=True), paddle.zeros([2])
    paddle.abs(x, out=out)
    assert not out.stop_gradient
    (out * out).sum().backward()
    assert x.grad.tolist() == [-2.0, 6.0]


def test_out_may_be_an_input():
    x = t(1.0, 2.0)
    assert paddle.exp(x, out=x) is x
    np.testing.assert_allclose(x.numpy(), np.exp([1.0, 2.0]), rtol=1e-6)


def test_out_that_is_no_leaf_to_write_is_refused():
    with pytest.raises(ValueError, match="leaf"):
        paddle.abs(t(1.0), out=t(1.0, grad=True))
    with pytest.raises(TypeError, match="out must be a Tensor, got int"):
        paddle.abs(t(1.0), out=3)


def test_several_results_need_a_tuple():
    values, indices = paddle.zeros([1]), paddle.zeros([1], dtype="int64")
    made = paddle.topk(t(1.0, 5.0, 3.0), 1, out=(values, indices))
    assert made.values is values and made.indices is indices
    assert values.tolist() == [5.0] and indices.tolist() == [1]
    with pytest.raises(ValueError, match="tuple of 2"):
        paddle.topk(t(1.0, 5.0), 1, out=[values, indices])


def test_out_in_a_captured_function():
    @paddle.jit.to_static
    def f(x):
        out = paddle.zeros([2])
        paddle.exp(x, out=out)
        return out + 1

    x = t(0.0, 1.0)
    np.testing.assert_allclose(f(x).numpy(), np.exp([0.0, 1.0]) + 1, rtol=1e-6)


def test_dtype_casts_before_the_call():
    assert paddle.mean(t(1, 2, dtype="int64"), dtype="float32").item() == 1.5
    assert paddle.prod(t(2, 3, dtype="int32"), dtype="float64").dtype == paddle.float64


def test_alpha_scales_the_last_tensor():
    assert paddle.add(t(1.0), t(2.0), alpha=3).tolist() == [7.0]
    assert paddle.subtract(t(1.0), t(2.0), alpha=0.5).tolist() == [0.0]
    x = t(1.0)
    assert x.add_(t(2.0), alpha=2) is x and x.tolist() == [5.0]
    base, one = paddle.zeros([2, 1]), paddle.ones([1, 1])
    assert paddle.index_add(base, t(1, dtype="int64"), 0, one, alpha=2).tolist() == [[0.0], [2.0]]


@pytest.mark.parametrize(("mode", "rounding"), [("floor", np.floor), ("trunc", np.trunc)])
@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_rounding_mode(mode, rounding, dtype):
    x, y = [7, -7, 6, -6], [2, 2, -3, -4]
    got = paddle.divide(t(*x, dtype=dtype), t(*y, dtype=dtype), rounding_mode=mode)
    assert got.tolist() == rounding(np.array(x) / np.array(y)).tolist() and got.dtype.name == dtype
    with pytest.raises(ValueError, match="rounding_mode must be"):
        paddle.divide(t(1.0), t(1.0), rounding_mode="up")


def test_synonyms_of_keywords():
    x = t(1.0, 2.0)
    assert paddle.add(input=x, other=x).tolist() == [2.0, 4.0]
    assert paddle.sum(input=paddle.ones([2, 3]), dim=1, keepdim=True).shape == [2, 1]
    with pytest.raises(TypeError, match="several values for x"):
        paddle.abs(x, input=x)


def test_every_function_takes_out_and_name():
    x, out = t(1.0, 2.0), paddle.zeros([0])
    assert paddle.isclose(x, x + 1, out=out, name="n") is out and out.tolist() == [False, False]
    assert paddle.roll(x, 1, out=out) is out and out.tolist() == [2.0, 1.0]
    assert paddle.nn.functional.normalize(t(3.0, 4.0), axis=0, out=out) is out
    np.testing.assert_allclose(out.numpy(), [0.6, 0.8], rtol=1e-6)
    assert paddle.argmax(x, out=out) is out and out.item() == 1
    assert paddle.argmin(t([1.0, 0.0]), 1, keepdims=True).tolist() == [[1]]
    with pytest.raises(TypeError, match="unexpected argument out"):
        x.abs_(out=out)


def test_first_argument_of_an_in_place_form_by_keyword():
    x, eye = paddle.zeros([2, 2]), paddle.eye(2)
    assert paddle.addmm_(input=x, x=eye, y=eye) is x and x.tolist() == eye.tolist()
    assert paddle.logit_(x=x.fill_(0.5)) is x and x.sum().item() == 0.0
    assert paddle.index_put_(x=x, indices=(t(0, dtype="int64"),), values=t(3.0)).tolist() == [[3.0, 3.0], [0.0, 0.0]]


def test_forms_with_the_axis_before_the_index():
    x, index = paddle.arange(6.0).reshape([2, 3]), t(0, 1, dtype="int64")
    assert paddle.index_select(x, 1, index).tolist() == paddle.index_select(x, index, 1).tolist()
    assert x.index_select(0, index).tolist() == x.tolist()
    picked = t([0, 1, 0], [1, 0, 1], dtype="int64")
    assert paddle.gather(x, 1, picked).tolist() == [[0.0, 1.0, 0.0], [4.0, 3.0, 4.0]]
    assert x.gather(dim=1, index=picked).tolist() == [[0.0, 1.0, 0.0], [4.0, 3.0, 4.0]]
    spread = paddle.scatter(paddle.zeros([2, 3]), 1, t([0], [1], dtype="int64"), paddle.ones([2, 1]))
    assert spread.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_axes_to_swap():
    x = paddle.zeros([2, 3, 4])
    assert paddle.transpose(x, 0, 1).shape == [3, 2, 4]
    assert paddle.transpose(input=x, dim0=0, dim1=-1).shape == [4, 3, 2]
    assert x.transpose([2, 0, 1]).shape == x.transpose(2, 0, 1).shape == [4, 2, 3]
    assert paddle.swapaxes(x, axis0=1, axis1=2).shape == [2, 4, 3]
    assert paddle.swapaxes(x, 0, 1, name="n").shape == [3, 2, 4]
    assert x.permute(1, 0, 2).shape == x.permute([1, 0, 2]).shape == [3, 2, 4]
    with pytest.raises(ValueError, match="dim1"):
        paddle.transpose(x, 0, 5)


def test_sizes_as_arguments():
    assert paddle.zeros(2, 3).shape == paddle.ones(size=[2, 3]).shape == [2, 3]
    x = paddle.ones([2, 3])
    assert x.reshape(3, 2).shape == x.view(3, 2).shape == [3, 2]
    assert paddle.ones([1, 3]).expand(2, 3).shape == paddle.expand(paddle.ones([1, 3]), size=[2, 3]).shape == [2, 3]


def test_signatures_are_readable():
    assert str(inspect.signature(paddle.add)) == "(x, y, name=None, *, alpha=1, out=None)"
    assert str(inspect.signature(paddle.exp)) == "(x, name=None, *, out=None)"
    assert (
        str(inspect.signature(paddle.ones([1]).sum)) == "(axis=None, dtype=None, keepdim=False, name=None, *, out=None)"
    )


def test_in_place_forms_that_change_shape_or_dtype():
    x = paddle.arange(6.0)
    address = x.data_ptr()
    assert x.reshape_([2, 3]) is x and x.shape == [2, 3] and x.data_ptr() == address
    assert x.unsqueeze_(0).shape == [1, 2, 3] and x.squeeze_(0).t_().shape == x.shape == [3, 2]
    assert x.transpose_([1, 0]).flatten_().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert x.cast_("int32").dtype == paddle.int32 and x.equal_(x).dtype == paddle.bool


def test_in_place_forms_keep_the_gradient():
    x = t(1.0, 2.0, 3.0, 4.0, grad=True)
    y = x * 2
    y.reshape_([2, 2]).t_()
    (y * t([1.0, 2.0], [3.0, 4.0])).sum().backward()
    assert x.grad.tolist() == [2.0, 6.0, 4.0, 8.0]
    with pytest.raises(ValueError, match="leaf"):
        x.reshape_([2, 2])


def test_a_view_that_takes_another_shape_still_writes_its_memory():
    base = paddle.ones([2, 3])
    row = base[0]
    row.unsqueeze_(0).add_(paddle.ones([1, 3]))
    assert base.tolist() == [[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]]


def test_composed_in_place_forms():
    x = t([1.0, 2.0], [3.0, 4.0])
    assert x.cumsum_(0) is x and x.tolist() == [[1.0, 2.0], [4.0, 6.0]]
    assert x.tril_().tolist() == [[1.0, 0.0], [4.0, 6.0]]
    paddle.where_(t(True, False, dtype="bool"), x, paddle.zeros([2, 2]))
    assert x.tolist() == [[1.0, 0.0], [4.0, 0.0]]
    y = t(1.0, 2.0, grad=True)
    z = y * 3
    z.cumsum_(0)
    z.sum().backward()
    assert y.grad.tolist() == [6.0, 3.0]


def test_keywords_of_torch():
    x = paddle.to_tensor([[1.0, float("nan")], [0.0, 4.0]])
    assert paddle.nanmean(input=x, dim=1).tolist() == [1.0, 2.0]
    assert paddle.nanquantile(input=x, q=0.5, dim=1).tolist() == [1.0, 2.0]
    assert paddle.count_nonzero(input=x, dim=1).tolist() == [2, 1]
    assert paddle.nan_to_num(input=x, nan=2.0).tolist() == [[1.0, 2.0], [0.0, 4.0]]
    assert paddle.frac(input=x + 0.5, out=paddle.empty([2, 2]))[1].tolist() == [0.5, 0.5]
    assert paddle.moveaxis(input=paddle.ones([2, 3]), source=0, destination=1).shape == [3, 2]
    assert paddle.cdist(x1=x[1:], x2=x[1:]).tolist() == [[0.0]]
    assert paddle.logspace(start=0, end=2, steps=3).tolist() == [1.0, 10.0, 100.0]
    assert paddle.linalg.multi_dot(tensors=[paddle.eye(2), paddle.ones([2, 1])]).tolist() == [[1.0], [1.0]]
    assert paddle.randint(low=0, high=5, size=(2, 3)).shape == [2, 3]
    parts = paddle.tensor_split(input=paddle.arange(4), indices_or_sections=2, dim=0)
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3]]


def test_constructor_of_torch():
    assert paddle.Tensor(2, 3).shape == [2, 3]
    assert paddle.Tensor([1, 2]).dtype == paddle.float32
    assert paddle.Tensor(data=[1, 2]).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError):
        paddle.ones([2]).to(foo=1)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What wrong calls of functions and layers raise: the text begins with the function that was called, then
names the operator that refused where the two differ."""

import inspect
import re

import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn

X = paddle.ones([2, 3])
IMAGE = paddle.ones([1, 3, 8, 8])
FILTERS = paddle.ones([4, 3, 3, 3])

# call -> (exception, beginning of the text)
CALLS = {
    "sort: axis": (lambda: paddle.sort(X, axis=2), IndexError, "sort: argsort: axis has value 2"),
    "argmin: axis": (lambda: paddle.argmin(X, axis=2), ValueError, "argmin: axis has value 2"),
    "zeros: shape": (lambda: paddle.zeros([-1, 2]), ValueError, "zeros: full: shape has value [-1, 2]"),
    "zeros: None": (lambda: paddle.zeros(None), TypeError, "zeros: full: argument shape must be a list of ints"),
    "linalg.inv: shape": (lambda: paddle.linalg.inv(X), ValueError, "inv: inverse: x has shape [2, 3]"),
    "broadcast_to: shape": (lambda: paddle.broadcast_to(X, [2, 4]), ValueError, "broadcast_to: expand: x has shape"),
    "reshape: None": (lambda: paddle.reshape(X, None), TypeError, "reshape: argument shape may not be None"),
    "transpose: None": (lambda: paddle.transpose(X, None), TypeError, "transpose: argument perm may not be None"),
    "concat: element": (
        lambda: paddle.concat([X, None]),
        TypeError,
        "concat: element 1 of argument x must be a Tensor",
    ),
    "split: text": (lambda: paddle.split(X, "2"), TypeError, "split: num_or_sections has type str"),
    "seed: text": (lambda: paddle.seed("a"), ValueError, "seed: seed has value 'a'; it must be an int."),
    "zeros: device": (
        lambda: paddle.zeros([2], device="cuda"),
        ValueError,
        "device: there is no device 'cuda'",
    ),
    "arange: device": (
        lambda: paddle.arange(3, device="gpu:0"),
        ValueError,
        "device: there is no device 'gpu:0'",
    ),
    "rand: device": (lambda: paddle.rand([2], device="foo"), ValueError, "device: 'foo' is no device; pass"),
    "new_ones: device": (
        lambda: X.new_ones([2], device="cuda"),
        ValueError,
        "device: there is no device 'cuda'",
    ),
    "Embedding: device": (
        lambda: nn.Embedding(2, 2, device="gpu"),
        ValueError,
        "device: there is no device 'gpu'",
    ),
    "recompute: number": (
        lambda: paddle.distributed.fleet.utils.recompute(5, X),
        TypeError,
        "recompute: function has type int; it must be a Layer or a callable.",
    ),
    "cast: dtype": (lambda: paddle.cast(X, "foo"), TypeError, "cast: argument dtype must be a dtype"),
    "to: device": (lambda: X.to("foo"), TypeError, "to: an argument must be a device, dtype or Tensor, got str 'foo'"),
    "index": (lambda: X[5], IndexError, "Tensor[...]: index 5 is out of bounds for axis 0 with size 2"),
    "written index": (lambda: X.__setitem__(7, 1), IndexError, "Tensor[...]: index 7 is out of bounds"),
    "einsum: sizes": (
        lambda: paddle.einsum("ij,jk->ik", X, X),
        ValueError,
        "einsum: the label j stands for an axis of size 3 and for one of size 2",
    ),
    "einsum: diagonal": (lambda: paddle.einsum("ii->i", X), ValueError, "einsum: the label i stands for an axis of"),
    "grad: only_inputs": (lambda: paddle.grad(X, X, only_inputs=3), AssertionError, "grad: only_inputs has value 3"),
    "grad: None": (lambda: paddle.grad(X, None), AssertionError, "grad: inputs holds a NoneType"),
    "backward: None": (lambda: paddle.autograd.backward([None]), AssertionError, "backward: tensors holds a NoneType"),
    "mse_loss: shapes": (
        lambda: F.mse_loss(X, paddle.ones([2, 4])),
        ValueError,
        "mse_loss: input has shape [2, 3] and label [2, 4]",
    ),
    "mse_loss: None": (lambda: F.mse_loss(X, None), ValueError, "mse_loss: argument label must be a Tensor"),
    "cross_entropy: None": (lambda: F.cross_entropy(X, None), TypeError, "cross_entropy: argument label must be"),
    "embedding: None": (
        lambda: F.embedding(paddle.to_tensor([0]), None),
        TypeError,
        "embedding: argument weight must be a Tensor",
    ),
    "conv2d: None": (lambda: F.conv2d(None, FILTERS), TypeError, "conv2d: argument x must be a Tensor"),
    "conv2d: strides": (
        lambda: F.conv2d(IMAGE, FILTERS, stride=[1]),
        ValueError,
        "conv2d: stride has value [1]; it must be an integer or a list of 2 integers",
    ),
    "max_pool2d: size": (lambda: F.max_pool2d(IMAGE, [2]), ValueError, "max_pool2d: kernel_size has value [2]"),
    "Conv2D: size": (lambda: nn.Conv2D(3, 4, [3]), ValueError, "Conv2D: kernel_size has value [3]"),
    "pad: None": (lambda: F.pad(IMAGE, None), TypeError, "pad: argument pad may not be None"),
    "layer_norm: None": (lambda: F.layer_norm(X, None), ValueError, "layer_norm: normalized_shape has type NoneType"),
    "batch_norm: None": (
        lambda: F.batch_norm(IMAGE, None, None),
        ValueError,
        "batch_norm: argument running_mean must be a Tensor",
    ),
    "dropout: p": (lambda: F.dropout(X, p="a"), TypeError, "dropout: p has value 'a'"),
    "attention: rank": (
        lambda: F.scaled_dot_product_attention(X, X, X),
        ValueError,
        "scaled_dot_product_attention: query has shape [2, 3]",
    ),
    "Linear: size": (lambda: nn.Linear("a", 2), TypeError, "create_parameter: shape has value ['a', 2]"),
    "Linear: negative": (lambda: nn.Linear(-1, 2), AssertionError, "create_parameter: shape has value [-1, 2]"),
    "LSTM: size": (lambda: nn.LSTM(3, 4)(paddle.ones([2, 3, 5])), ValueError, "LSTM: inputs has shape [2, 3, 5]"),
    "Layer.to: device": (lambda: nn.Linear(2, 2).to("gpu:0"), ValueError, "Layer.to: device has value 'gpu:0'"),
    "set_state_dict: type": (
        lambda: nn.Linear(2, 2).set_state_dict(5),
        TypeError,
        "set_state_dict: state_dict has type",
    ),
    "clip_grad_norm_: type": (
        lambda: nn.utils.clip_grad_norm_(5, 1.0),
        TypeError,
        "clip_grad_norm_: parameters has type",
    ),
    "DataParallel: type": (lambda: paddle.DataParallel(5), TypeError, "DataParallel: layers has type int"),
    "create_predictor: type": (
        lambda: paddle.inference.create_predictor(None),
        TypeError,
        "create_predictor: config has type NoneType",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_function_that_was_called_is_named(name):
    call, kind, beginning = CALLS[name]
    with pytest.raises(kind, match="^" + re.escape(beginning)) as raised:
        call()
    assert str(raised.value).endswith(".") and "\n" not in str(raised.value)


def test_functions_of_users_are_not_named():
    def mine(x):
        return paddle.matmul(x, x)

    with pytest.raises(ValueError, match="^matmul: x has shape"):
        mine(X)
    with pytest.raises(ValueError, match="^matmul: x has shape"):
        paddle.jit.to_static(mine)(X)


def required(function):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind in kinds]


@pytest.mark.parametrize("name", [n for n in F.__all__ if required(getattr(F, n))])
def test_functions_of_nn_say_which_argument_is_no_tensor(name):
    function = getattr(F, name)
    with pytest.raises((TypeError, ValueError, RuntimeError, NotImplementedError)) as raised:
        function(*[None] * len(required(function)))
    assert ": " in str(raised.value) and "'NoneType'" not in str(raised.value)

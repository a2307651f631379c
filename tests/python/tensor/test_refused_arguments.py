# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What no function takes in place of a Tensor, and the types of the errors that say so."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

ARRAY = np.ones((2, 2), "float32")
OTHERS = [1, 1.5, "text", [1.0, 2.0], ARRAY]
FUNCTIONS = [
    paddle.sqrt,
    paddle.sum,
    paddle.fft.fft,
    paddle.fft.fftshift,
    paddle.is_complex,
    paddle.is_floating_point,
    paddle.linalg.norm,
    paddle.median,
    paddle.signbit,
    paddle.isneginf,
    paddle.flatten,
    paddle.clip,
    paddle.cumsum,
    F.silu,
    F.relu,
]


@pytest.mark.parametrize("value", OTHERS, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_that_are_no_tensors(function, value):
    for kind in (TypeError, ValueError):
        with pytest.raises(kind):
            function(value)


@pytest.mark.parametrize(
    ("name", "count", "refused"),
    [
        ("hstack", 1, "x must be a list of Tensors"),
        ("vstack", 1, "x must be a list of Tensors"),
        ("dstack", 1, "x must be a list of Tensors"),
        ("index_fill", 4, "x must be a Tensor"),
        ("logaddexp", 2, "x must be a Tensor"),
        ("tolist", 1, "x must be a Tensor"),
        ("scatter_nd", 3, "index must be a Tensor"),
        ("scatter_add", 4, "input must be a Tensor"),
        ("scatter_reduce", 5, "input must be a Tensor"),
        ("nanquantile", 2, "x must be a Tensor"),
        ("clamp", 1, "x must be a Tensor"),
    ],
)
def test_refusals_name_the_function_and_its_argument(name, count, refused):
    with pytest.raises(TypeError, match=f"^{name}: argument {refused}, got int"):
        getattr(paddle, name)(*[7] * count)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_name_themselves_when_they_refuse_a_fraction(name):
    with pytest.raises(ValueError, match=f"^{name}: q has value 2"):
        getattr(paddle, name)(paddle.ones([3]), 2)
    with pytest.raises(ValueError, match=f"^{name}: axis has value 5"):
        getattr(paddle, name)(paddle.ones([3]), 0.5, axis=5)


@pytest.mark.parametrize(
    "function", [paddle.add, paddle.matmul, paddle.maximum, paddle.equal, paddle.kron, paddle.atan2]
)
def test_operands_without_a_tensor(function):
    for x, y in [(1, 2.5), (ARRAY, ARRAY), (paddle.to_tensor(ARRAY), ARRAY), (ARRAY, paddle.to_tensor(ARRAY))]:
        with pytest.raises(TypeError):
            function(x, y)


def test_lists_of_tensors_hold_no_arrays():
    for function in (paddle.concat, paddle.stack, paddle.add_n):
        with pytest.raises(TypeError):
            function([ARRAY, ARRAY])


def test_numbers_stand_beside_a_tensor_and_arrays_beside_an_operator():
    x = paddle.to_tensor(ARRAY)
    assert paddle.add(x, 1).tolist() == (x + 1).tolist() == (x + ARRAY).tolist() == (ARRAY + x).tolist()


def test_wrong_numbers_of_elements_are_assertions_too():
    x = paddle.ones([2, 3])
    for call in (lambda: bool(x), lambda: int(x), lambda: len(paddle.ones([])), lambda: x.set_value(np.ones(2))):
        for kind in (AssertionError, ValueError):
            with pytest.raises(kind):
                call()


def test_formats_are_for_numbers():
    assert f"{paddle.to_tensor(1.5):.3f}" == "1.500"
    assert f"{paddle.to_tensor(7):5x}" == "    7"
    assert f"{paddle.ones([1])}" == str(paddle.ones([1]))
    with pytest.raises(TypeError):
        format(paddle.ones([1]), ".3f")
    with pytest.raises(ValueError, match="d"):
        format(paddle.to_tensor(1.5), "3d")


VECTOR, MATRIX = paddle.arange(4.0), paddle.ones([3, 3])


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (TypeError, lambda: paddle.concat([VECTOR, None])),
        (TypeError, lambda: paddle.stack([None])),
        (TypeError, lambda: paddle.meshgrid(VECTOR, [1, 2])),
        (ValueError, lambda: paddle.meshgrid(MATRIX, VECTOR)),
        (ValueError, lambda: paddle.randperm(-1)),
        (ValueError, lambda: paddle.quantile(MATRIX, 0.5, axis="a")),
        (ValueError, lambda: paddle.nanmedian(MATRIX, axis=[])),
        (ValueError, lambda: paddle.histogram(MATRIX, 4, -np.inf, 5)),
        (ValueError, lambda: paddle.histogram(paddle.to_tensor([-(2**62), 2**62]), 1)),
        (ValueError, lambda: paddle.linalg.cov(MATRIX, fweights=paddle.to_tensor([1.5, 2, 3]))),
        (ValueError, lambda: paddle.linalg.cov(MATRIX, fweights=paddle.to_tensor([-1, 2, 3]))),
        (ValueError, lambda: paddle.rot90(MATRIX, 1, [0, 0])),
        (ValueError, lambda: paddle.take(MATRIX, paddle.to_tensor([0]), mode="other")),
        (ValueError, lambda: paddle.diff(VECTOR, n=0)),
        (AssertionError, lambda: paddle.tensordot(MATRIX, MATRIX, -1)),
        (AssertionError, lambda: paddle.tensordot(MATRIX, paddle.ones([2, 3]), 2)),
        (AssertionError, lambda: paddle.cdist(MATRIX, paddle.ones([3, 2]))),
        (AssertionError, lambda: paddle.einsum("i1->i", MATRIX)),
        (AssertionError, lambda: paddle.einsum("i.j->ij", MATRIX)),
        (AssertionError, lambda: paddle.einsum("ij,jk", MATRIX)),
        (AssertionError, lambda: paddle.moveaxis(MATRIX, 0, 5)),
        (TypeError, lambda: paddle.save(VECTOR, "/nowhere", use_binary_format="False")),
        (TypeError, lambda: paddle.compat.sort(VECTOR, out=(VECTOR,))),
        (TypeError, lambda: paddle.compat.sort(VECTOR, out=[0, VECTOR])),
        (ValueError, lambda: paddle.compat.split(MATRIX, 2, dim=3)),
    ],
)
def test_values_out_of_range(kind, call):
    with pytest.raises(kind):
        call()


def test_nothing_is_shuffled_and_counted():
    assert paddle.randperm(0).shape == [0]
    assert paddle.histogram(paddle.to_tensor([3.0] * 3), 2, 1, 5).tolist() == [0, 3]


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64"])
def test_sgn_refuses_what_is_neither_floating_nor_complex(dtype):
    with pytest.raises(TypeError, match=f"sgn: x has dtype {dtype}"):
        paddle.sgn(paddle.ones([2], dtype))


@pytest.mark.parametrize("dtype", ["bool", "int8", "complex64"])
def test_frac_refuses_what_it_has_no_fraction_of(dtype):
    with pytest.raises(TypeError, match=f"frac: x has dtype {dtype}"):
        paddle.frac(paddle.ones([2]).astype(dtype))


def test_cosine_embedding_loss_takes_wide_floats():
    x, label = paddle.ones([3, 2]), paddle.ones([3])
    loss = paddle.nn.functional.cosine_embedding_loss
    assert loss(x, x, label.astype("int64")).item() == pytest.approx(0.0, abs=1e-6)
    for args in ((x.astype("int32"), x.astype("int32"), label), (x, x, label.astype("bool"))):
        with pytest.raises(ValueError, match="dtype"):
            loss(*args)


def test_extents_of_parameters_and_cutoffs_must_be_integers():
    for make in (lambda: paddle.nn.Linear(2.5, 3), lambda: paddle.nn.BatchNorm1D(3.0)):
        with pytest.raises(TypeError, match="every extent must be an int"):
            make()
    with pytest.raises(ValueError, match="rising integers"):
        paddle.nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2.5])


COMPLEX = paddle.ones([4, 4], "complex64")
REFUSED = {
    "hardtanh": (TypeError, lambda: F.hardtanh(paddle.ones([2]), "-1", "1")),
    "hardtanh_": (TypeError, lambda: F.hardtanh_(paddle.ones([2]), -1.0, "1")),
    "clip by value": (TypeError, lambda: paddle.nn.ClipGradByValue("1")),
    "flatten from": (ValueError, lambda: paddle.flatten(paddle.ones([2, 3]), 0.0)),
    "flatten to": (ValueError, lambda: paddle.nn.Flatten(0, 1.0)(paddle.ones([2, 3]))),
    "split": (ValueError, lambda: paddle.split(paddle.ones([2, 3]), 3, 1.0)),
    "split by a Tensor": (ValueError, lambda: paddle.split(paddle.ones([2, 3]), 3, paddle.to_tensor(1.0))),
    "chunk": (ValueError, lambda: paddle.chunk(paddle.ones([2, 3]), 3, 1.0)),
    "rand": (TypeError, lambda: paddle.rand([2], "int32")),
    "randn": (TypeError, lambda: paddle.randn([2], dtype="int32")),
    "uniform": (TypeError, lambda: paddle.uniform([2], "bool")),
    "randn_like": (TypeError, lambda: paddle.randn_like(paddle.ones([2], "int64"))),
    "rfft2": (RuntimeError, lambda: paddle.fft.rfft2(COMPLEX)),
    "rfftn": (RuntimeError, lambda: paddle.fft.rfftn(COMPLEX)),
    "ihfftn": (RuntimeError, lambda: paddle.fft.ihfftn(COMPLEX)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_of_another_type(name):
    kind, call = REFUSED[name]
    with pytest.raises(kind):
        call()


def test_lengths_to_clip_to_that_are_not_above_0():
    weight = paddle.create_parameter([2], "float32")
    for length in (-1.0, 0.0):
        with pytest.raises(ValueError, match="clip_norm"):
            paddle.nn.ClipGradByNorm(length)([(weight, paddle.ones([2]))])
        with pytest.raises(ValueError, match="max_norm"):
            paddle.nn.clip.clip_by_norm(paddle.ones([2]), length)

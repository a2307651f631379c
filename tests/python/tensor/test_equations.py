# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`einsum` refuses equations that are not well formed or do not fit the operands; in-place forms refuse numbers."""

import numpy as np
import paddle
import pytest

X = paddle.ones([4, 3, 4, 4])


@pytest.mark.parametrize(
    "equation, operands, message",
    [
        ("ijk", [], "at least one operand"),
        ("i -> j -> k", [X], "multiple `->`"),
        ("i,j,k", [X, X], "number of operands is 2, but found 3 segments"),
        ("i, -> k", [X], "number of operands is 1, but found 2 segments"),
        ("->", [X], "label string '' misses dimensions"),
        ("i", [X], "label string 'i' misses dimensions"),
        ("abcde", [X], "more labels"),
        ("i_", [X], "_ is not a valid label"),
        ("i..j", [X], "outside of an ellipsis"),
        ("...k...", [X], "outside of an ellipsis"),
        ("i...->i", [X], "missing ellipsis in output labels"),
    ],
)
def test_an_equation_that_is_refused(equation, operands, message):
    with pytest.raises(AssertionError, match=message):
        paddle.einsum(equation, *operands)
    with pytest.raises(ValueError):
        paddle.einsum(equation, *operands)


def test_in_place_forms_take_tensors():
    for function in (paddle.hypot_, paddle.hypot):
        for arguments in ((3.0, paddle.ones([2])), (paddle.ones([2]), 3.0)):
            with pytest.raises(TypeError):
                function(*arguments)
    with pytest.raises(ValueError):
        paddle.where_(paddle.to_tensor([True]), 1, 2)


def test_an_equation_keeps_to_its_operands_from_call_to_call():
    for rows, size in ((2, 3), (4, 5), (2, 3), (2, 1)):
        x, y = np.arange(rows * 3.0).reshape(rows, 3), np.arange(3.0 * size).reshape(3, size)
        for equation in ("ij,jk->ki", "ij,jk->ik"):
            got = paddle.einsum(equation, paddle.to_tensor(x), paddle.to_tensor(y))
            np.testing.assert_allclose(got.numpy(), np.einsum(equation, x, y))
    with pytest.raises(ValueError, match="the label j stands for an axis of size 3 and for one of size 2"):
        paddle.einsum("ij,jk->ki", paddle.zeros([2, 3]), paddle.zeros([2, 3]))


@pytest.mark.parametrize("equation", ["i->ii", "i->iii", "ij->jii", "i,i->ii", "ij,jk->kik"])
def test_labels_that_the_result_names_twice(equation):
    left, _, right = equation.partition("->")
    arrays = [np.arange(1.0, 7.0).reshape(2, 3)[:2, : 3 if "j" in part else 2] for part in left.split(",")]
    if "j" not in left:
        arrays = [a[0] for a in arrays]
    elif "," in left:
        arrays[1] = arrays[0].T + 1.0
    unique = "".join(dict.fromkeys(right))
    summed = np.einsum(f"{left}->{unique}", *arrays)
    sizes = dict(zip(unique, summed.shape, strict=True))
    expected = np.zeros([sizes[label] for label in right])
    for place in np.ndindex(*summed.shape):
        at = dict(zip(unique, place, strict=True))
        expected[tuple(at[label] for label in right)] = summed[place]
    operands = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    made = paddle.einsum(equation, *operands)
    np.testing.assert_allclose(made.numpy(), expected)
    made.sum().backward()
    assert all(operand.grad is not None for operand in operands)

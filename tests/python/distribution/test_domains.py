# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The sets that transforms map from and to, and the conditions on their values."""

import paddle
import pytest
from paddle.distribution import constraint, transform, variable


def test_constraints_tell_where_they_hold():
    assert constraint.real(paddle.to_tensor([1.0, float("nan")])).tolist() == [True, False]
    assert constraint.positive(paddle.to_tensor([0.0, -1.0])).tolist() == [True, False]
    assert constraint.Range(0, 1)(paddle.to_tensor([0.5, 2.0])).tolist() == [True, False]
    assert constraint.simplex(paddle.to_tensor([[0.5, 0.5], [0.2, 0.5]])).tolist() == [True, False]
    with pytest.raises(NotImplementedError):
        constraint.Constraint()(paddle.to_tensor([1.0]))


def test_sets_of_several_axes():
    rows = variable.Independent(variable.positive, 1)
    assert rows.event_rank == 1 and not rows.is_discrete
    assert rows.constraint(paddle.to_tensor([[1.0, 2.0], [-1.0, 2.0]])).tolist() == [True, False]
    stack = variable.Stack([variable.real, variable.positive], 0)
    assert stack.constraint(paddle.to_tensor([[-1.0, 2.0], [-1.0, 2.0]])).tolist() == [[True, True], [False, True]]
    with pytest.raises(ValueError, match="entries"):
        stack.constraint(paddle.ones([3, 2]))


@pytest.mark.parametrize(
    ("made", "codomain", "rank"),
    [
        (transform.ExpTransform(), variable.Positive, 0),
        (transform.AffineTransform(paddle.ones([1]), paddle.ones([1])), variable.Real, 0),
        (transform.SoftmaxTransform(), variable.Variable, 1),
        (transform.ReshapeTransform((2, 3), (6,)), variable.Independent, 1),
        (transform.StackTransform([transform.ExpTransform()], 0), variable.Stack, 0),
        (transform.ChainTransform([transform.ExpTransform(), transform.AbsTransform()]), variable.Independent, 0),
    ],
)
def test_codomains(made, codomain, rank):
    assert type(made._codomain) is codomain and made._codomain.event_rank == rank
    assert not made._codomain.is_discrete


def test_kinds_of_transforms():
    assert transform.Type.is_injective(transform.Type.BIJECTION)
    assert not transform.Type.is_injective(transform.Type.SURJECTION)
    with pytest.raises(ValueError, match="at least one"):
        transform.StickBreakingTransform().forward_shape(())


def test_a_range_takes_numbers_and_tensors():
    inside = paddle.distribution.constraint.Range(0, 1)
    assert inside(0.5) is True and inside(2.0) is False
    assert inside(paddle.to_tensor([0.5, 2.0])).tolist() == [True, False]


def test_a_shape_that_does_not_change_keeps_its_type():
    transform = paddle.distribution.ExpTransform()
    assert transform.forward_shape([2, 3]) == [2, 3] and transform.inverse_shape((2, 3)) == (2, 3)


def test_values_of_static_programs_are_variables():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()), pytest.raises(TypeError, match="variable"):
            paddle.distribution.Normal(0.0, 1.0).log_prob([1.0, 2.0])
    finally:
        paddle.disable_static()

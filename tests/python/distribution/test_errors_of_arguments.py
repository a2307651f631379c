# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What distributions refuse, and the dtypes and limits of their parameters."""

import numpy as np
import paddle
import pytest
from paddle.distribution import (
    Bernoulli,
    Categorical,
    Chi2,
    LKJCholesky,
    Normal,
    StackTransform,
    StudentT,
    Uniform,
    constraint,
    lkj_cholesky,
)


@pytest.mark.parametrize("shape", [3, 2.5, "a", None])
@pytest.mark.parametrize("made", [Bernoulli(0.3), Normal(0.0, 1.0), Categorical([0.4, 0.6]), LKJCholesky(3)])
def test_shapes_are_sequences(made, shape):
    with pytest.raises(TypeError, match="must be a list, tuple or Tensor"):
        made.sample(shape)


def test_seeds_are_integers():
    for made in (Normal(0.0, 1.0), Uniform(0.0, 1.0)):
        with pytest.raises(TypeError, match="seed"):
            made.sample([2, 3], 1.0)


def test_divergences_from_another_kind():
    with pytest.raises(TypeError, match="Normal"):
        Normal(0.0, 1.0).kl_divergence(Uniform(1.0, 2.0))
    with pytest.raises(TypeError, match="Categorical"):
        Categorical([0.4, 0.6]).kl_divergence(Uniform(1.0, 2.0))


def test_probabilities_keep_off_0_and_1():
    eps = np.finfo("float32").eps
    assert Bernoulli(0.0).mean.item() == eps
    assert abs(Bernoulli(1.0).variance.item() - eps) < 0.5 * eps
    with pytest.raises(TypeError, match="int"):
        Bernoulli(1)


def test_values_of_another_dtype_are_cast_with_a_warning():
    with pytest.warns(UserWarning, match="float64"):
        made = Bernoulli([0.3]).log_prob(paddle.to_tensor([1.0], dtype="float64"))
    np.testing.assert_allclose(made.numpy(), np.log([0.3]), rtol=1e-6)


def test_complex_numbers_take_the_default_precision():
    assert Normal(1 + 1j, 2.0).loc.dtype == paddle.complex64


def test_parameters_are_positive():
    for make in (
        lambda: Chi2(-1.0),
        lambda: StudentT(-1.0, 0.0, 1.0),
        lambda: StudentT(3.0, 0.0, -1.0),
        lambda: LKJCholesky(3, -1.0),
    ):
        with pytest.raises(ValueError, match="must be positive"):
            make()
    with pytest.raises(TypeError, match="dim"):
        LKJCholesky(3.0)


def test_triangles_as_vectors():
    lower = paddle.to_tensor([[[1.0, 0.0, 0.0], [2.0, 3.0, 0.0], [4.0, 5.0, 6.0]]])
    rows = lkj_cholesky.tril_matrix_to_vec(lower, -1)
    assert rows.tolist() == [[2.0, 4.0, 5.0]]
    back = lkj_cholesky.vec_to_tril_matrix(rows, 3, 3, 3, (1,), -1)
    assert back.tolist() == [paddle.tril(lower, -1).tolist()]
    with pytest.raises(ValueError, match="diag"):
        lkj_cholesky.tril_matrix_to_vec(lower, 3)


def test_constraints_have_a_check():
    assert constraint.Range(0, 1).check(0.5) and not constraint.Positive().check(-1)
    with pytest.raises(NotImplementedError):
        constraint.Constraint().check(1.0)


def test_stacks_along_an_axis_that_is_not_there():
    with pytest.raises(ValueError, match="axis 5"):
        StackTransform([paddle.distribution.ExpTransform()], 5).forward(paddle.ones([2]))


def test_beta_of_no_numbers():
    for beta in (paddle.zeros([0]), 1.0):
        with pytest.raises(ValueError, match="Beta"):
            paddle.distribution.Beta(paddle.zeros([0]), beta)


def test_one_mean_for_all_components_of_a_vector():
    covariance = paddle.to_tensor([[2.0, 0.5], [0.5, 3.0]])
    one = paddle.distribution.MultivariateNormal(paddle.to_tensor([1.0]), covariance_matrix=covariance)
    all_given = paddle.distribution.MultivariateNormal(paddle.to_tensor([1.0, 1.0]), covariance_matrix=covariance)
    assert tuple(one.event_shape) == (2,) and list(one.sample([5]).shape) == [5, 2]
    value = paddle.to_tensor([0.5, 2.0])
    assert float(one.log_prob(value)) == float(all_given.log_prob(value)) and float(one.entropy()) == float(
        all_given.entropy()
    )

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms: inverses, Jacobian determinants against those of numeric derivatives, shapes."""

import numpy as np
import paddle
import pytest
from paddle import distribution as D

X = np.array([0.3, 0.6])


def t(value):
    return paddle.to_tensor(np.array(value, "float64"))


ELEMENTWISE = [
    D.AffineTransform(t(1.0), t(-2.0)),
    D.ExpTransform(),
    D.PowerTransform(t(2.0)),
    D.SigmoidTransform(),
    D.TanhTransform(),
    D.ChainTransform([D.ExpTransform(), D.AffineTransform(t(0.0), t(2.0))]),
    D.StackTransform([D.ExpTransform(), D.TanhTransform()], 0),
]


@pytest.mark.parametrize("transform", ELEMENTWISE, ids=lambda v: type(v).__name__)
def test_inverse_and_derivative_of_elementwise_transforms(transform):
    x = t(X)
    y = transform.forward(x)
    np.testing.assert_allclose(transform.inverse(y).numpy(), X, rtol=1e-6)
    slope = (transform.forward(t(X + 1e-6)) - transform.forward(t(X - 1e-6))).numpy() / 2e-6
    log_det = np.broadcast_to(transform.forward_log_det_jacobian(x).numpy(), (2,))
    np.testing.assert_allclose(log_det, np.log(np.abs(slope)), rtol=1e-5)
    back = np.broadcast_to(transform.inverse_log_det_jacobian(y).numpy(), (2,))
    np.testing.assert_allclose(back, -log_det, rtol=1e-5)
    assert tuple(transform.forward_shape((5, 2))) == (5, 2)


def test_stick_breaking_gives_probabilities():
    transform = D.StickBreakingTransform()
    y = transform.forward(t(X))
    assert y.shape == [3] and float(y.sum()) == pytest.approx(1)
    np.testing.assert_allclose(transform.inverse(y).numpy(), X, rtol=1e-6)
    columns = [(transform.forward(t(X + d)) - transform.forward(t(X - d))).numpy()[:2] / 2e-6 for d in 1e-6 * np.eye(2)]
    expected = np.log(abs(np.linalg.det(np.stack(columns))))
    assert float(transform.forward_log_det_jacobian(t(X))) == pytest.approx(expected, rel=1e-5)
    assert transform.forward_shape((5, 3)) == (5, 4) and transform.inverse_shape((5, 3)) == (5, 2)


def test_reshape_and_independent():
    reshape = D.ReshapeTransform((2,), (1, 2))
    assert reshape.forward(t(X)).shape == [1, 2] and reshape.inverse(t([X])).shape == [2]
    assert reshape.forward_shape((5, 2)) == (5, 1, 2) and float(reshape.forward_log_det_jacobian(t(X))) == 0
    with pytest.raises(ValueError, match="size"):
        D.ReshapeTransform((2,), (3,))
    joint = D.IndependentTransform(D.ExpTransform(), 1)
    assert float(joint.forward_log_det_jacobian(t(X))) == pytest.approx(0.9)


def test_transforms_that_are_not_injective():
    low, high = D.AbsTransform().inverse(t(X))
    assert (low.numpy() == -X).all() and (high.numpy() == X).all()
    assert float(D.SoftmaxTransform().forward(t(X)).sum()) == pytest.approx(1)
    for transform in (D.AbsTransform(), D.SoftmaxTransform()):
        with pytest.raises(NotImplementedError, match="injective"):
            transform.forward_log_det_jacobian(t(X))


def test_transformed_distributions():
    base = D.Normal(t([0.0, 1.0]), t([1.0, 2.0]))
    ours = D.TransformedDistribution(base, [D.ExpTransform()])
    same = D.LogNormal(t([0.0, 1.0]), t([1.0, 2.0]))
    np.testing.assert_allclose(ours.log_prob(t([0.5, 3.0])).numpy(), same.log_prob(t([0.5, 3.0])).numpy())
    assert ours.batch_shape == (2,) and ours.sample([3]).shape == [3, 2]
    assert isinstance(D.ExpTransform()(base), D.TransformedDistribution)
    sticks = D.TransformedDistribution(base, [D.StickBreakingTransform()])
    assert sticks.batch_shape == () and sticks.event_shape == (3,) and sticks.log_prob(sticks.sample()).shape == []

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Distributions against SciPy: densities, entropies, cumulative functions, moments of draws, divergences."""

import numpy as np
import paddle
import pytest
from paddle import distribution as D
from scipy import stats
from scipy.special import digamma


def t(value, dtype="float64"):
    return paddle.to_tensor(np.array(value, dtype))


# name: (distribution, the same in SciPy, values of log_prob)
CONTINUOUS = {
    "Normal": (lambda: D.Normal(t([0.5, -1.0]), t([1.0, 2.0])), stats.norm([0.5, -1.0], [1.0, 2.0]), [0.3, 1.0]),
    "Uniform": (lambda: D.Uniform(t([0.0, 1.0]), t([2.0, 4.0])), stats.uniform([0.0, 1.0], [2.0, 3.0]), [0.5, 2.0]),
    "Laplace": (lambda: D.Laplace(t([1.0, 0.0]), t([2.0, 0.5])), stats.laplace([1.0, 0.0], [2.0, 0.5]), [0.5, -0.2]),
    "Gumbel": (lambda: D.Gumbel(t([1.0, 0.0]), t([2.0, 0.5])), stats.gumbel_r([1.0, 0.0], [2.0, 0.5]), [1.5, -0.2]),
    "Exponential": (lambda: D.Exponential(t([2.0, 0.5])), stats.expon(0, [0.5, 2.0]), [0.5, 3.0]),
    "Cauchy": (lambda: D.Cauchy(t([1.0, 0.0]), t([2.0, 0.5])), stats.cauchy([1.0, 0.0], [2.0, 0.5]), [0.5, 3.0]),
    "LogNormal": (lambda: D.LogNormal(t([0.2, 0.0]), t([0.5, 1.0])), stats.lognorm([0.5, 1.0], 0, np.exp([0.2, 0.0])), [0.5, 3.0]),
    "Gamma": (lambda: D.Gamma(t([2.0, 0.7]), t([3.0, 1.5])), stats.gamma([2.0, 0.7], 0, [1 / 3, 1 / 1.5]), [0.5, 3.0]),
    "Chi2": (lambda: D.Chi2(t([2.0, 3.5])), stats.chi2([2.0, 3.5]), [0.5, 3.0]),
    "Beta": (lambda: D.Beta(t([2.0, 0.7]), t([3.0, 1.5])), stats.beta([2.0, 0.7], [3.0, 1.5]), [0.2, 0.9]),
    "StudentT": (lambda: D.StudentT(t([5.0, 8.0]), t([0.0, 1.0]), t([1.0, 2.0])), stats.t([5.0, 8.0], [0.0, 1.0], [1.0, 2.0]), [0.2, 3.0]),
}  # fmt: skip
DISCRETE = {
    "Bernoulli": (lambda: D.Bernoulli(t([0.3, 0.8])), stats.bernoulli([0.3, 0.8]), [0.0, 1.0]),
    "Geometric": (lambda: D.Geometric(t([0.3, 0.8])), stats.geom([0.3, 0.8], -1), [2.0, 0.0]),
    "Poisson": (lambda: D.Poisson(t([3.0, 0.8])), stats.poisson([3.0, 0.8]), [2.0, 0.0]),
    "Binomial": (lambda: D.Binomial(t([10.0, 4.0]), t([0.3, 0.8])), stats.binom([10, 4], [0.3, 0.8]), [2.0, 4.0]),
}
ALL = {**CONTINUOUS, **DISCRETE}


@pytest.mark.parametrize("name", ALL)
def test_densities_and_entropies_are_those_of_scipy(name):
    make, reference, values = ALL[name]
    ours = make()
    expected = reference.logpdf(values) if name in CONTINUOUS else reference.logpmf(values)
    np.testing.assert_allclose(ours.log_prob(t(values)).numpy(), expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(ours.prob(t(values)).numpy(), np.exp(expected), rtol=1e-6)
    np.testing.assert_allclose(ours.entropy().numpy(), reference.entropy(), rtol=1e-6)


@pytest.mark.parametrize("name", [n for n in ALL if n != "Cauchy"])
def test_means_variances_and_draws_agree(name):
    make, reference, _ = ALL[name]
    ours = make()
    np.testing.assert_allclose(ours.mean.numpy(), reference.mean(), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(ours.variance.numpy(), reference.var(), rtol=1e-6)
    paddle.seed(1)
    drawn = ours.sample([20_000])
    assert drawn.shape == [20_000, 2] and drawn.dtype == paddle.float64 and drawn.stop_gradient
    error = 6 * reference.std() / np.sqrt(20_000)
    assert (np.abs(drawn.numpy().mean(0) - reference.mean()) < error).all()


@pytest.mark.parametrize("name", CONTINUOUS)
def test_draws_follow_the_distribution(name):
    make, reference, _ = CONTINUOUS[name]
    paddle.seed(2)
    drawn = make().sample([4000]).numpy()
    positions = reference.cdf(drawn)
    for column in range(2):
        assert stats.kstest(positions[:, column], "uniform").pvalue > 1e-4


@pytest.mark.parametrize("name", ["Laplace", "Exponential"])
def test_cumulative_functions_and_inverses(name):
    make, reference, values = CONTINUOUS[name]
    ours = make()
    np.testing.assert_allclose(ours.cdf(t(values)).numpy(), reference.cdf(values), rtol=1e-7)
    np.testing.assert_allclose(ours.icdf(t([0.2, 0.7])).numpy(), reference.ppf([0.2, 0.7]), rtol=1e-7)


@pytest.mark.parametrize("name", ["Gumbel", "Cauchy", "Geometric", "Bernoulli"])
def test_cumulative_functions(name):
    make, reference, values = ALL[name]
    np.testing.assert_allclose(make().cdf(t(values)).numpy(), reference.cdf(values), rtol=1e-7)


@pytest.mark.parametrize("name", ["Normal", "Uniform", "Laplace", "Gumbel", "Exponential", "Cauchy", "LogNormal"])
def test_draws_have_gradients(name):
    cls = getattr(D, name)
    count = 1 if name == "Exponential" else 2
    params = [t([1.5]), t([2.5])][:count]
    for p in params:
        p.stop_gradient = False
    draws = []
    for shift in (0.0, 1e-6):
        paddle.seed(3)
        shifted = [params[0] + shift, *params[1:]]
        draws.append(cls(*shifted).rsample([64]))
    paddle.seed(3)
    (grad,) = paddle.grad(cls(*params).rsample([64]).sum(), [params[0]])
    numeric = float((draws[1] - draws[0]).sum()) / 1e-6
    assert float(grad) == pytest.approx(numeric, rel=1e-4, abs=1e-6)


PAIRS = [
    (D.Normal, (0.5, 1.0), (0.0, 2.0)),
    (D.Laplace, (0.5, 1.0), (0.0, 2.0)),
    (D.Exponential, (2.0,), (0.5,)),
    (D.Uniform, (0.2, 0.7), (0.0, 1.0)),
    (D.LogNormal, (0.5, 1.0), (0.0, 2.0)),
    (D.Cauchy, (0.5, 1.0), (0.0, 2.0)),
    (D.Gamma, (2.0, 3.0), (1.0, 1.5)),
    (D.Beta, (2.0, 3.0), (1.0, 1.5)),
]


@pytest.mark.parametrize(("cls", "p", "q"), PAIRS, ids=lambda v: getattr(v, "__name__", ""))
def test_divergences_are_integrals(cls, p, q):
    from scipy.integrate import quad

    a, b = (cls(*(t(v) for v in params)) for params in (p, q))
    low, high = {D.Normal: (-12, 12), D.Laplace: (-30, 30), D.Uniform: (0.2, 0.7), D.Beta: (0, 1)}.get(cls, (0, 60))
    if cls in (D.Cauchy, D.LogNormal):
        low, high = -np.inf if cls is D.Cauchy else 0, np.inf

    def integrand(x):
        x = t(x)
        return float(a.prob(x) * (a.log_prob(x) - b.log_prob(x)))

    points = {"points": [0.0, 0.5]} if cls is D.Laplace else {}
    value = quad(integrand, low, high, limit=200, **points)[0]
    assert float(D.kl_divergence(a, b)) == pytest.approx(value, rel=2e-3)
    assert float(a.kl_divergence(a)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("cls", [D.Bernoulli, D.Geometric, D.Poisson])
def test_divergences_of_counts_are_sums(cls):
    a, b = cls(t(0.3)), cls(t(0.6))
    k = t(np.arange(2 if cls is D.Bernoulli else 60))
    value = float((a.prob(k) * (a.log_prob(k) - b.log_prob(k))).sum())
    assert float(D.kl_divergence(a, b)) == pytest.approx(value, rel=1e-6)


def test_categorical_takes_weights_and_logarithms():
    single = D.Categorical(paddle.to_tensor([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(single.probs(paddle.to_tensor([0, 2])).numpy(), [1 / 6, 1 / 2], rtol=1e-6)
    np.testing.assert_allclose(single.log_prob(paddle.to_tensor([1])).numpy(), np.log([1 / 3]), rtol=1e-6)
    soft = np.exp([1.0, 2, 3]) / np.exp([1.0, 2, 3]).sum()
    assert float(single.entropy()) == pytest.approx(stats.entropy(soft), rel=1e-6)
    batch = D.Categorical(paddle.to_tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 2.0]]))
    drawn = batch.sample([5000])
    assert drawn.shape == [5000, 2] and drawn.dtype == paddle.int64 and single.sample([2, 5]).shape == [2, 5]
    assert (drawn.numpy() == 2).mean(0) == pytest.approx(0.5, abs=0.05)
    np.testing.assert_allclose(batch.probs(paddle.to_tensor([[0], [2]])).numpy(), [[1 / 6], [0.5]], rtol=1e-6)
    assert batch.kl_divergence(batch).shape == [2, 1]


def test_vectors():
    dirichlet, reference = D.Dirichlet(t([1.0, 2.0, 3.0])), stats.dirichlet([1.0, 2.0, 3.0])
    assert float(dirichlet.log_prob(t([0.2, 0.3, 0.5]))) == pytest.approx(reference.logpdf([0.2, 0.3, 0.5]))
    assert float(dirichlet.entropy()) == pytest.approx(reference.entropy())
    np.testing.assert_allclose(dirichlet.sample([7]).numpy().sum(-1), 1, rtol=1e-6)
    counts, reference = D.Multinomial(10, t([0.2, 0.3, 0.5])), stats.multinomial(10, [0.2, 0.3, 0.5])
    assert float(counts.log_prob(t([2.0, 3.0, 5.0]))) == pytest.approx(reference.logpmf([2, 3, 5]))
    assert float(counts.entropy()) == pytest.approx(reference.entropy())
    assert (counts.sample([50]).numpy().sum(-1) == 10).all()


def test_normal_vectors():
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    reference = stats.multivariate_normal([0.0, 1.0], covariance)
    for options in (
        {"covariance_matrix": t(covariance)},
        {"precision_matrix": t(np.linalg.inv(covariance))},
        {"scale_tril": t(np.linalg.cholesky(covariance))},
    ):
        ours = D.MultivariateNormal(t([0.0, 1.0]), **options)
        assert float(ours.log_prob(t([0.5, 0.5]))) == pytest.approx(reference.logpdf([0.5, 0.5]))
        assert float(ours.entropy()) == pytest.approx(reference.entropy())
    paddle.seed(4)
    np.testing.assert_allclose(np.cov(ours.sample([20_000]).numpy().T), covariance, atol=0.1)
    other = D.MultivariateNormal(t([0.0, 0.0]), t(np.eye(2)))
    assert float(ours.kl_divergence(other)) == pytest.approx(0.5 * (3 + 1 - 2 - np.log(1.75)))
    with pytest.raises(ValueError, match="exactly one"):
        D.MultivariateNormal(t([0.0, 1.0]))


@pytest.mark.parametrize("p", [0.3, 0.4995, 0.9])
def test_continuous_bernoulli_is_normalised(p):
    ours = D.ContinuousBernoulli(t(p))
    x = (np.arange(20_000) + 0.5) / 20_000
    density = ours.prob(t(x)).numpy()
    assert density.mean() == pytest.approx(1, rel=1e-6)
    assert float(ours.mean) == pytest.approx((x * density).mean(), rel=1e-6)
    assert float(ours.variance) == pytest.approx((x**2 * density).mean() - float(ours.mean) ** 2, rel=1e-5)
    assert float(ours.entropy()) == pytest.approx(-(density * np.log(density)).mean(), abs=1e-6)
    assert float(ours.icdf(ours.cdf(t(0.2)))) == pytest.approx(0.2, abs=1e-3)


def test_parameters_may_be_numbers_lists_and_arrays():
    assert D.Normal(0, 2).loc.dtype == paddle.float32 and D.Normal(0.0, 1.0).sample().shape == []
    assert D.Normal([0, 1.0], [1.0, 2.0]).batch_shape == (2,) and D.Normal(0.0, [1.0, 2.0]).batch_shape == (2,)
    assert D.Normal(np.zeros(2), np.ones(2)).sample().dtype == paddle.float64
    with pytest.raises(TypeError, match="Normal"):
        D.Normal("a", 1)


def test_independent_axes_are_summed():
    base = D.Normal(t([0.0, 1.0]), t([1.0, 2.0]))
    joint = D.Independent(base, 1)
    assert joint.batch_shape == () and joint.event_shape == (2,)
    assert float(joint.log_prob(t([0.5, 0.5]))) == pytest.approx(float(base.log_prob(t([0.5, 0.5])).sum()))
    with pytest.raises(ValueError, match="reinterpreted_batch_rank"):
        D.Independent(base, 2)


def test_rules_of_divergence_can_be_added():
    class Mine(D.Normal):
        pass

    p, q = Mine(0.0, 1.0), D.Normal(0.0, 1.0)
    with pytest.raises(NotImplementedError, match="Uniform"):
        D.kl_divergence(q, D.Uniform(0.0, 1.0))

    @D.register_kl(Mine, D.Normal)
    def rule(a, b):
        return "mine"

    assert D.kl_divergence(p, q) == "mine" and float(D.kl_divergence(q, q)) == 0.0


def test_cholesky_factors_of_correlations():
    ours = D.LKJCholesky(3, t(1.5))
    paddle.seed(5)
    drawn = ours.sample([4000]).numpy()
    assert drawn.shape == (4000, 3, 3)
    correlations = drawn @ drawn.transpose(0, 2, 1)
    np.testing.assert_allclose(correlations[:, range(3), range(3)], 1, rtol=1e-9)
    # each correlation is 2 Beta(b, b) - 1 with b = concentration + dim / 2 - 1
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert stats.kstest((correlations[:, i, j] + 1) / 2, stats.beta(2.0, 2.0).cdf).pvalue > 1e-4
    two = D.LKJCholesky(2, t(1.5))
    r = np.linspace(-1, 1, 20_001)[1:-1]
    factors = np.zeros([r.size, 2, 2])
    factors[:, 0, 0], factors[:, 1, 0], factors[:, 1, 1] = 1, r, np.sqrt(1 - r**2)
    # the density is one of the factor's entry below the diagonal
    assert two.prob(t(factors)).numpy().mean() * 2 == pytest.approx(1, rel=1e-3)


def test_log_prob_of_a_complex_normal_is_complex():
    normal = paddle.distribution.Normal(paddle.to_tensor(1 + 1j), paddle.to_tensor(2.0))
    density = normal.log_prob(paddle.to_tensor(1 + 2j))
    assert density.dtype == paddle.complex64
    np.testing.assert_allclose(density, -0.25 - np.log(4 * np.pi), rtol=1e-6)


def test_a_plain_number_is_a_batch_of_one_where_paddlepaddle_makes_it_one():
    for d in (D.Poisson(3.0), D.ContinuousBernoulli(0.3)):
        assert list(d.batch_shape) == [1] and d.mean.shape == [1] and d.sample((2,)).shape == [2, 1]


def test_entropies_of_counts_in_static_programs():
    expected = [stats.poisson(4.0).entropy(), stats.binom(5, 0.25).entropy()]
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            entropies = [D.Poisson(t([4.0])).entropy(), D.Binomial(5, t([0.25])).entropy()]
            got = paddle.static.Executor().run(fetch_list=entropies)
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(np.concatenate(got), expected, rtol=1e-5)


def test_the_count_0_has_a_derivative():
    x = paddle.to_tensor([5.0, 0.0, 0.0], "float64", stop_gradient=False)
    D.Multinomial(5, t([0.2, 0.3, 0.5])).log_prob(x).backward()
    counts, p = np.array([5.0, 0.0, 0.0]), np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(x.grad.numpy(), digamma(6) - digamma(counts + 1) + np.log(p), rtol=1e-5)
    never = D.Multinomial(2, t([0.5, 0.5, 0.0]))
    assert never.log_prob(t([1.0, 1.0, 0.0])).item() == pytest.approx(np.log(0.5))
    assert never.log_prob(t([1.0, 0.0, 1.0])).item() == -np.inf


def test_numbers_and_divergences_in_static_programs():
    p, q = 0.25, 0.5
    expected = [0.7 * 0.7 * 0.3, 5 * (p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))]
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            made = [D.Geometric(0.3).pmf(2), D.kl_divergence(D.Binomial(5, t([p])), D.Binomial(5, t([q])))]
            got = paddle.static.Executor().run(fetch_list=made)
    finally:
        paddle.disable_static()
    np.testing.assert_allclose([g.item() for g in got], expected, rtol=1e-5)

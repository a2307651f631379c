# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the random operators draw: distribution, range, repeatability by seed, independence of threads."""

import numpy as np
import paddle
import pytest

N = 200_000
DRAWS = {
    "uniform": lambda: paddle._C_ops.uniform([N], min=-1.0, max=3.0),
    "gaussian": lambda: paddle._C_ops.gaussian([N], mean=2.0, std=3.0),
    "randint": lambda: paddle._C_ops.randint(-2, 5, [N]),
    "randperm": lambda: paddle._C_ops.randperm(N),
    "bernoulli": lambda: paddle._C_ops.bernoulli(paddle.full([N], 0.3)),
    "dropout": lambda: paddle._C_ops.dropout(paddle.ones([N]), p=0.3),
    "poisson small": lambda: paddle.poisson(paddle.full([N], 3.0)),
    "poisson large": lambda: paddle.poisson(paddle.full([N], 70.0)),
    "binomial small": lambda: paddle._C_ops.binomial(paddle.full([N], 20.0), paddle.full([N], 0.9)),
    "binomial large": lambda: paddle._C_ops.binomial(paddle.full([N], 300.0), paddle.full([N], 0.3)),
    "standard_gamma": lambda: paddle.standard_gamma(paddle.full([N], 3.5)),
    "standard_gamma below 1": lambda: paddle.standard_gamma(paddle.full([N], 0.4)),
    "exponential": lambda: paddle.ones([N]).exponential_(4.0),
    "uniform_inplace": lambda: paddle.ones([N]).uniform_(2.0, 3.0),
    "gaussian_inplace": lambda: paddle.ones([N]).normal_(1.0, 2.0),
    "dirichlet": lambda: paddle._C_ops.dirichlet(paddle.full([N, 2], 2.0))[:, 0],
    "multinomial": lambda: paddle._C_ops.multinomial(paddle.to_tensor([1.0, 3.0]), N, True),
    "truncated_gaussian_random": lambda: paddle._C_ops.truncated_gaussian_random(
        [N], 1.0, 2.0, 0, -1.0, 1.0, "float32"
    ),
    "truncated far from the mean": lambda: paddle._C_ops.truncated_gaussian_random(
        [N], 5.0, 0.1, 0, -2.0, 2.0, "float64"
    ),
    "truncated above the mean": lambda: paddle._C_ops.truncated_gaussian_random([N], -1.0, 0.5, 0, 1.0, 3.0, "float32"),
    "truncated hardly": lambda: paddle._C_ops.truncated_gaussian_random([N], 0.0, 0.02, 0, -2.0, 2.0, "float32"),
    "attn_dropout_mask": lambda: paddle._C_ops.attn_dropout_mask(
        paddle._C_ops.attn_seed_offset(paddle.ones([1]), [N]), [N], 0.3
    ),
}
# Mean and variance that the distribution has.
MOMENTS = {
    "uniform": (1.0, 16 / 12),
    "gaussian": (2.0, 9.0),
    "randint": (1.0, 48 / 12),
    "randperm": ((N - 1) / 2, (N * N - 1) / 12),
    "bernoulli": (0.3, 0.21),
    "dropout": (1.0, 0.3 / 0.7),
    "attn_dropout_mask": (1.0, 0.3 / 0.7),
    "poisson small": (3.0, 3.0),
    "poisson large": (70.0, 70.0),
    "binomial small": (18.0, 1.8),
    "binomial large": (90.0, 63.0),
    "standard_gamma": (3.5, 3.5),
    "standard_gamma below 1": (0.4, 0.4),
    "exponential": (0.25, 0.0625),
    "uniform_inplace": (2.5, 1 / 12),
    "gaussian_inplace": (1.0, 4.0),
    "dirichlet": (0.5, 0.05),
    "multinomial": (0.75, 0.1875),
    "truncated_gaussian_random": (0.08027554142714721, 0.31860729939404514),
    "truncated far from the mean": (1.9966740332566317, 1.103771511890064e-05),
    "truncated above the mean": (1.1128035134100434, 0.011668124224866818),
    "truncated hardly": (0.0, 0.0004),
}


@pytest.fixture(autouse=True)
def keep_threads():
    threads = paddle._core.get_num_threads()
    yield
    paddle._core.set_num_threads(threads)


def draw(name, seed=5):
    paddle.seed(seed)
    return DRAWS[name]().numpy()


@pytest.mark.parametrize("name", DRAWS)
def test_mean_and_variance(name):
    values = draw(name).astype("float64")
    mean, variance = MOMENTS[name]
    fourth = ((values - mean) ** 4).mean()
    assert abs(values.mean() - mean) <= 5 * np.sqrt(variance / N)
    assert abs(values.var() - variance) <= 5 * np.sqrt(max(fourth - variance**2, 1e-12) / N) + 1e-9 * variance


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_seed_gives_the_same_numbers(name):
    np.testing.assert_array_equal(draw(name), draw(name))


@pytest.mark.parametrize("name", DRAWS)
def test_other_seeds_and_later_calls_give_other_numbers(name):
    first = draw(name, 5)
    later = DRAWS[name]().numpy()
    assert (first != later).any()
    assert (first != draw(name, 6)).any()


@pytest.mark.parametrize("name", DRAWS)
def test_the_number_of_threads_changes_nothing(name):
    paddle._core.set_num_threads(1)
    alone = draw(name)
    paddle._core.set_num_threads(3)
    np.testing.assert_array_equal(draw(name), alone)


@pytest.mark.parametrize("name", DRAWS)
def test_neighbours_and_calls_are_uncorrelated(name):
    values = draw(name).astype("float64")
    again = DRAWS[name]().numpy().astype("float64")
    for a, b in ((values[:-1], values[1:]), (values[: N // 2], values[N // 2 :]), (values, again)):
        assert abs(np.corrcoef(a, b)[0, 1]) <= 5 / np.sqrt(len(a))


def test_ranges():
    uniform = draw("uniform")
    assert uniform.min() >= -1 and uniform.max() < 3
    assert set(draw("randint").tolist()) == set(range(-2, 5))
    np.testing.assert_array_equal(np.sort(draw("randperm")), np.arange(N))
    assert set(np.unique(draw("bernoulli"))) == {0.0, 1.0}


def test_gaussian_follows_the_normal_distribution():
    from scipy import stats

    assert stats.kstest(draw("gaussian"), "norm", args=(2.0, 3.0)).pvalue > 1e-4


def test_the_gradient_of_dropout_keeps_the_same_elements():
    paddle.seed(3)
    x = paddle.ones([1000])
    x.stop_gradient = False
    out = paddle._C_ops.dropout(x, p=0.4)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), out.numpy())


def test_attention_dropout_is_a_function_of_its_state():
    state = paddle.to_tensor([11, 7])
    first, second = (paddle._C_ops.attn_dropout_mask(state, [3, 50], 0.5).numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_states_are_of_one_type(tmp_path):
    state = paddle.cuda.get_rng_state("cpu")
    assert isinstance(state, paddle.core.GeneratorState) and isinstance(paddle.get_rng_state()[0], type(state))
    first = paddle.randn([4])
    paddle.cuda.set_rng_state(state)
    assert (paddle.randn([4]) == first).all()
    assert paddle.seed(3).get_state().current_seed() == 3
    paddle.save(paddle.get_rng_state(), str(tmp_path / "state.pd"))
    [loaded] = paddle.load(str(tmp_path / "state.pd"))
    assert type(loaded) is type(state) and loaded == paddle.get_rng_state()[0]
    with pytest.raises(ValueError, match="abacus"):
        paddle.set_rng_state(paddle.get_rng_state(), "abacus:0")
    with pytest.raises(TypeError):
        paddle.device.set_rng_state(3)


def test_gamma_variables_of_infinite_shape_are_infinite():
    x = paddle.standard_gamma(paddle.to_tensor([2.0, float("inf"), float("nan")]))
    assert np.isfinite(x[0].item()) and x[1].item() == float("inf") and x[2].item() == 0

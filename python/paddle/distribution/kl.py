# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Kullback-Leibler divergences between pairs of distributions."""

import math

from .. import _lazy, linalg, tensor
from ..framework.modes import in_dynamic_mode
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .laplace import Laplace
from .lognormal import LogNormal
from .multivariate_normal import MultivariateNormal
from .normal import Normal
from .poisson import Poisson
from .uniform import Uniform

__all__ = ["kl_divergence", "register_kl"]
__dir__ = _lazy.listing(__name__)

_rules = {}


def register_kl(cls_p, cls_q):
    """Decorator of a function `f(p, q)` that computes the divergence for two classes.

    Args:
        cls_p: Class of p.
        cls_q: Class of q.
    """
    from .distribution import Distribution

    for cls in (cls_p, cls_q):
        if not (isinstance(cls, type) and issubclass(cls, Distribution)):
            raise TypeError(f"register_kl: {cls!r} is no subclass of Distribution.")

    def register(function):
        _rules[cls_p, cls_q] = function
        return function

    return register


def kl_divergence(p, q):
    """Expectation under p of log p - log q.

    Args:
        p, q: Distributions.

    Raises:
        NotImplementedError: No rule is registered for their classes.
    """
    order = [
        (type(p).__mro__.index(a) + type(q).__mro__.index(b), rule)
        for (a, b), rule in _rules.items()
        if isinstance(p, a) and isinstance(q, b)
    ]
    if not order:
        raise NotImplementedError(
            f"kl_divergence: there is no rule for {type(p).__name__} and {type(q).__name__}; add one with register_kl."
        )
    return min(order, key=lambda item: item[0])[1](p, q)


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - tensor.log(ratio))


@register_kl(LogNormal, LogNormal)
def _lognormal(p, q):
    return _normal(p._base, q._base)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    value = tensor.log((q.high - q.low) / (p.high - p.low))
    outside = tensor.logical_or(q.low > p.low, q.high < p.high)
    return tensor.where(outside, tensor.full_like(value, math.inf), value)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    return p.kl_divergence(q)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    a, b = p._safe, q._safe
    return a * (tensor.log(a) - tensor.log(b)) + (1 - a) * (tensor.log1p(-a) - tensor.log1p(-b))


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, gap = p.scale / q.scale, tensor.abs(p.loc - q.loc)
    return -tensor.log(ratio) + ratio * tensor.exp(-gap / p.scale) + gap / q.scale - 1


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return tensor.log(p.probs / q.probs) + p.mean * (tensor.log1p(-p.probs) - tensor.log1p(-q.probs))


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    return tensor.log(((p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2) / (4 * p.scale * q.scale))


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return ratio - 1 - tensor.log(ratio)


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    gammas = tensor.lgamma(b) - tensor.lgamma(a) + (a - b) * tensor.digamma(a)
    return gammas + b * tensor.log(p.rate / q.rate) + a * (q.rate - p.rate) / p.rate


@register_kl(Beta, Beta)
def _beta(p, q):
    total = p.alpha + p.beta
    value = (p.alpha - q.alpha) * tensor.digamma(p.alpha) + (p.beta - q.beta) * tensor.digamma(p.beta)
    value = value + (q.alpha + q.beta - total) * tensor.digamma(total)
    logs = [tensor.lgamma(d.alpha) + tensor.lgamma(d.beta) - tensor.lgamma(d.alpha + d.beta) for d in (q, p)]
    return value + logs[0] - logs[1]


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    means = tensor.digamma(a) - tensor.digamma(a.sum(-1, keepdim=True))
    return q._log_normalizer_value() - p._log_normalizer_value() + ((a - b) * means).sum(-1)


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (tensor.log(p.rate) - tensor.log(q.rate)) - p.rate + q.rate


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if in_dynamic_mode() and not bool((p.total_count == q.total_count).all()):
        raise ValueError("kl_divergence: the binomial distributions must have equal total_count.")
    gap = tensor.log1p(-p.probs) - tensor.log1p(-q.probs)
    return p.total_count * (p.probs * (tensor.log(p.probs) - tensor.log(q.probs)) + (1 - p.probs) * gap)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    logs = [(tensor.log(d.probs), tensor.log1p(-d.probs), d._log_constant()) for d in (p, q)]
    (a, b, c), (x, y, z) = logs
    return p.mean * (a - b - x + y) + b - y + c - z


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p, q):
    size = p.loc.shape[-1]
    spread = linalg.triangular_solve(q._tril, p._tril, upper=False)
    offset = linalg.triangular_solve(q._tril, (q.loc - p.loc).unsqueeze(-1), upper=False)
    squares = (spread**2).sum([-2, -1]) + (offset**2).sum([-2, -1])
    return q._half_log_det() - p._half_log_det() + 0.5 * (squares - size)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of random generators: no values are compared."""

from . import between, normal, of, row

SIZE = [1024, 1024]


def drawn(op, inputs, ours, torch, **more):
    return row(op, inputs, ours, torch, checked=False, **more)


ROWS = [
    drawn("uniform", [], lambda o: o.uniform(SIZE, "float32", 0.0, 1.0), lambda t, **kw: t.rand(SIZE, **kw), out=True),
    drawn("gaussian", [], lambda o: o.gaussian(SIZE, 0.0, 1.0), lambda t, **kw: t.randn(SIZE, **kw), out=True),
    drawn("randint", [], lambda o: o.randint(0, 1000, SIZE), lambda t, **kw: t.randint(0, 1000, SIZE, **kw), out=True),
    drawn("randperm", [], lambda o: o.randperm(1 << 20), lambda t, **kw: t.randperm(1 << 20, **kw), out=True),
    drawn("bernoulli", [between(0, 1)], lambda o, x: o.bernoulli(x), lambda t, x, **kw: t.bernoulli(x, **kw), out=True),
    drawn("poisson", [between(0.5, 9)], lambda o, x: o.poisson(x), lambda t, x: t.poisson(x)),
    drawn("standard_gamma", [between(0.5, 9)], lambda o, x: o.standard_gamma(x), lambda t, x: t._standard_gamma(x)),
    drawn(
        "binomial",
        [of(lambda rng, s: rng.integers(1, 50, s)), between(0, 1)],
        lambda o, n, p: o.binomial(n, p),
        lambda t, n, p: t.binomial(n, p),
    ),
    drawn("dirichlet", [between(0.5, 9, 65536, 16)], lambda o, x: o.dirichlet(x), lambda t, x: t._sample_dirichlet(x)),
    drawn(
        "multinomial",
        [between(0.1, 1, 64, 16384)],
        lambda o, x: o.multinomial(x, 100, True),
        lambda t, x, **kw: t.multinomial(x, 100, True, **kw),
        out=True,
    ),
    drawn(
        "multinomial",
        [between(0.1, 1, 64, 16384)],
        lambda o, x: o.multinomial(x, 100, False),
        lambda t, x, **kw: t.multinomial(x, 100, False, **kw),
        out=True,
        variant="no replacement",
    ),
    drawn(
        "truncated_gaussian_random",
        [],
        lambda o: o.truncated_gaussian_random(SIZE, 0.0, 1.0, 0, -2.0, 2.0),
        lambda t: t.nn.init.trunc_normal_(t.empty(SIZE)),
    ),
    drawn("exponential", [normal()], lambda o, x: o.exponential(x, 1.0), lambda t, x: t.empty_like(x).exponential_()),
    drawn("gaussian_inplace", [normal()], lambda o, x: o.gaussian_inplace(x, 0.0, 1.0), lambda t, x: x.normal_()),
    drawn(
        "dropout",
        [normal()],
        lambda o, x: o.dropout(x, None, 0.5, False, "upscale_in_train"),
        lambda t, x: t.native_dropout(x, 0.5, True),
        grad=(0,),
    ),
]

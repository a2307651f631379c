# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of losses."""

import numpy as np

from . import between, integers, normal, of, row

F = "nn.functional"
TIME, BATCH, SYMBOLS, LABELS = 128, 32, 256, 20
RNNT = (4, 64, 16, 256)


def lengths(value):
    return of(lambda rng, s: np.full(s, value), BATCH, dtype="int64")


CTC = [normal(TIME, BATCH, SYMBOLS), integers(1, SYMBOLS, BATCH, LABELS, dtype="int32"), lengths(TIME), lengths(LABELS)]


def ctc(o, x, y, n, m):
    return o.warpctc(x, y, n, m, 0, False)


def torch_ctc(t, x, y, n, m):
    return t.nn.functional.ctc_loss(t.log_softmax(x, -1), y.long(), n, m, reduction="none")


def torch_ctc_kept(t, x, y, n, m):
    x = x.detach().requires_grad_()
    return torch_ctc(t, x, y, n, m).sum(), x


def transducer(o, x, y, n, m):
    return o.warprnnt(x, y, n, m, 0, 0.0)


TRANSDUCER = [
    normal(*RNNT),
    integers(1, 256, 4, 15, dtype="int32"),
    of(lambda rng, s: np.full(s, 64), 4, dtype="int32"),
    of(lambda rng, s: np.full(s, 15), 4, dtype="int32"),
]

ROWS = [
    row(
        "bce_loss",
        [between(0.01, 0.99), between(0, 1)],
        lambda o, x, y: o.bce_loss(x, y),
        lambda t, x, y: t.nn.functional.binary_cross_entropy(x, y, reduction="none"),
        grad=(0,),
    ),
    row(
        "logistic_loss",
        [normal(), between(0, 1)],
        lambda o, x, y: o.logistic_loss(x, y),
        lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(x, y, reduction="none"),
        grad=(0,),
    ),
    row(
        "sigmoid_cross_entropy_with_logits",
        [normal(), between(0, 1)],
        lambda o, x, y: o.sigmoid_cross_entropy_with_logits(x, y, None, False, -100),
        lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(x, y, reduction="none"),
        grad=(0,),
    ),
    row(
        "log_loss",
        [between(0.01, 0.99), between(0, 1)],
        lambda o, x, y: o.log_loss(x, y, 1e-4),
        lambda t, x, y: -y * t.log(x + 1e-4) - (1 - y) * t.log(1 - x + 1e-4),
        grad=(0,),
    ),
    row(
        "huber_loss",
        [normal(), normal()],
        lambda o, x, y: o.huber_loss(x, y, 0.7),
        lambda t, x, y: t.nn.functional.huber_loss(x, y, reduction="none", delta=0.7),
        grad=(0,),
    ),
    row(
        "kldiv_loss",
        [between(-3, 0), between(0.1, 1)],
        lambda o, x, y: o.kldiv_loss(x, y, "mean", False),
        lambda t, x, y: t.nn.functional.kl_div(x, y, reduction="mean"),
        grad=(0,),
    ),
    row(
        "nll_loss",
        [between(-9, 0), integers(0, 1024, 1024)],
        lambda o, x, y: o.nll_loss(x, y, None, -100, "mean"),
        lambda t, x, y: t.nn.functional.nll_loss(x, y),
        grad=(0,),
        note="a thousand places are read: the time is that of the call",
    ),
    row(
        "nll_loss_grad",
        [normal(), integers(0, 1024, 1024), *(of(lambda rng, s: np.full((), 1024.0), 1) for _ in range(2))],
        lambda o, x, y, n, g: o.nll_loss_grad(x, y, None, n, g, -100, "mean"),
        lambda t, x, y, n, g: t.ops.aten.nll_loss_backward(g, x, y, None, 1, -100, n),
    ),
    row(
        "hinge_loss",
        [normal(), of(lambda rng, s: rng.random(s) < 0.5)],
        lambda o, x, y: o.hinge_loss(x, y),
        lambda t, x, y: t.relu(1 - (2 * y - 1) * x),
        grad=(0,),
    ),
    row("identity_loss", [normal()], lambda o, x: o.identity_loss(x, 1), lambda t, x: t.mean(x), grad=(0,)),
    row(
        "cross_entropy_with_softmax",
        [normal(), integers(0, 1024, 1024, 1)],
        lambda o, x, y: o.cross_entropy_with_softmax(x, y)[1],
        lambda t, x, y: t.nn.functional.cross_entropy(x, y[:, 0], reduction="none"),
        grad=(0,),
        note="ours writes the softmax too",
    ),
    row(
        "cross_entropy_with_softmax",
        [normal(), between(0, 0.002)],
        lambda o, x, y: o.cross_entropy_with_softmax(x, y, True)[1],
        lambda t, x, y: t.nn.functional.cross_entropy(x, y, reduction="none"),
        grad=(0,),
        variant="soft labels",
    ),
    row(
        "cross_entropy_with_softmax_grad",
        [integers(0, 1024, 1024, 1), between(0, 0.002), between(1, 1, 1024, 1)],
        lambda o, y, p, g: o.cross_entropy_with_softmax_grad(y, p, g),
        lambda t, y, p, g: p.scatter_add(1, y, -t.ones_like(y, dtype=p.dtype)) * g,
    ),
    row(
        "viterbi_decode",
        [normal(BATCH, TIME, BATCH), normal(BATCH, BATCH), lengths(TIME)],
        lambda o, x, moves, n: o.viterbi_decode(x, moves, n, True),
        None,
    ),
    row(
        "warpctc",
        CTC,
        ctc,
        torch_ctc,
        grad=(0,),
        note="probabilities are added in float64; the forward pass makes the gradient too",
    ),
    row(
        "warpctc_grad",
        [*CTC, between(1, 1, BATCH)],
        lambda o, x, y, n, m, kept, g: o.warpctc_grad(x, y, n, m, kept, g, 0, False),
        lambda t, out, x: t.autograd.grad(out, x, retain_graph=True),
        ours_setup=lambda o, x, y, n, m, g: (x, y, n, m, ctc(o, x, y, n, m)[1], o.reshape(g, [BATCH, 1])),
        torch_setup=lambda t, x, y, n, m, g: torch_ctc_kept(t, x, y, n, m),
    ),
    row("warprnnt", TRANSDUCER, transducer, grad=(0,)),
    row(
        "warprnnt_grad",
        [*TRANSDUCER, between(1, 1, 4)],
        lambda o, x, y, n, m, kept, g: o.warprnnt_grad(x, y, n, m, kept, g, 0, 0.0),
        ours_setup=lambda o, x, y, n, m, g: (x, y, n, m, transducer(o, x, y, n, m)[1], g),
    ),
]

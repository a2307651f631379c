# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the losses."""

import itertools

import numpy as np
from scipy import special

from tests.op_cases import Case

FLOATS = ("float32", "float64")


def _hard(input, label, ignore_index=-100):
    log_p = special.log_softmax(input, -1)
    picked = np.take_along_axis(log_p, np.where(label == ignore_index, 0, label), -1)
    return special.softmax(input, -1), np.where(label == ignore_index, 0, -picked)


def _soft(input, label, soft_label):
    return special.softmax(input, -1), -(label * special.log_softmax(input, -1)).sum(-1, keepdims=True)


def _hard_grad(label, softmax, loss_grad):
    return loss_grad * (softmax - np.eye(softmax.shape[-1])[label[:, 0]])


def _bce(input, label):
    return -(label * np.maximum(np.log(input), -100) + (1 - label) * np.maximum(np.log1p(-input), -100))


def _logits(x, label, pos_weight=None, normalize=False, ignore_index=-100):
    weight = 1 if pos_weight is None else pos_weight
    loss = (1 - label) * x - weight * special.log_expit(x)
    loss = np.where(label == ignore_index, 0, loss)
    return loss / (label != ignore_index).sum() if normalize else loss


def _huber(input, label, delta):
    r = label - input
    return np.where(abs(r) <= delta, r * r / 2, delta * (abs(r) - delta / 2)), r


def _kldiv(x, label, reduction="mean", log_target=False):
    loss = np.exp(label) * (label - x) if log_target else special.xlogy(label, label) - label * x
    return dict(none=loss, sum=loss.sum(), mean=loss.mean(), batchmean=loss.sum() / len(x))[reduction]


def _nll(input, label, weight=None, ignore_index=-100, reduction="mean"):
    counts = label != ignore_index
    safe = np.where(counts, label, 0)
    factor = counts * (1.0 if weight is None else weight[safe])
    loss = -np.take_along_axis(input, safe[:, None], 1)[:, 0] * factor
    return dict(none=loss, sum=loss.sum(), mean=loss.sum() / factor.sum())[reduction], factor.sum()


def _nll_grad(input, label, weight, total_weight, out_grad, ignore_index=-100, reduction="mean"):
    counts = label != ignore_index
    factor = np.where(counts, weight[np.where(counts, label, 0)], 0)
    hot = np.moveaxis(np.arange(input.shape[1]) == label[..., None], -1, 1)
    return np.where(hot, -1.0, 0.0) * (out_grad * factor / (total_weight if reduction == "mean" else 1))[:, None]


def _alignments(steps, label, blank):
    """All paths of classes of a length that collapse to the label."""
    for path in itertools.product(range(4), repeat=steps):
        merged = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
        if [c for c in merged if c != blank] == list(label):
            yield path


def _ctc(logits, label, logits_length, labels_length, blank=0):
    """The sum over all alignments, one by one."""
    log_p = special.log_softmax(logits, -1)
    loss = np.zeros((logits.shape[1], 1))
    for b in range(logits.shape[1]):
        paths = _alignments(logits_length[b], label[b, : labels_length[b]], blank)
        scores = [sum(log_p[t, b, c] for t, c in enumerate(path)) for path in paths]
        loss[b] = -special.logsumexp(scores) if scores else 0
    return loss


def _ctc_grad(logits, label, logits_length, labels_length, warpctcgrad, loss_grad, blank=0):
    grad = np.zeros_like(logits)
    for at in np.ndindex(logits.shape):
        ahead, behind = logits.copy(), logits.copy()
        ahead[at] += 1e-5
        behind[at] -= 1e-5
        more, less = (_ctc(x, label, logits_length, labels_length, blank) for x in (ahead, behind))
        grad[at] = ((more - less) * loss_grad).sum() / 2e-5
    return grad


def _ctc_args(rng):
    return dict(
        logits=rng.standard_normal((4, 3, 4)),
        label=np.array([[1, 1], [2, 3], [3, 0]]),
        logits_length=np.array([4, 3, 2]),
        labels_length=np.array([2, 2, 1]),
    )


def _with_kept(args, reference, name):
    """Arguments of a gradient: what the forward kernel keeps comes from central differences."""

    def make(rng):
        given = args(rng)
        count = len(given["label"])
        ones = np.ones((count, 1) if name == "warpctcgrad" else count)
        kept = reference(**given, **{name: None}, loss_grad=ones)
        return given | {name: kept, "loss_grad": rng.standard_normal(ones.shape)}

    return make


def _rnnt(input, label, input_lengths, label_lengths, blank=0, fastemit_lambda=0.0):
    """The sum over all orders of blanks and labels."""
    loss = np.zeros(len(input))
    for b, (steps, count) in enumerate(zip(input_lengths, label_lengths, strict=True)):
        scores = []
        for places in itertools.combinations(range(steps - 1 + count), count):
            t, u, score = 0, 0, 0.0
            for k in range(steps - 1 + count):
                if k in places:
                    score, u = score + input[b, t, u, label[b, u]], u + 1
                else:
                    score, t = score + input[b, t, u, blank], t + 1
            scores.append(score + input[b, t, u, blank])
        loss[b] = -special.logsumexp(scores)
    return loss


def _rnnt_grad(input, label, input_lengths, label_lengths, warprnntgrad, loss_grad, blank=0, fastemit_lambda=0.0):
    grad = np.zeros_like(input)
    for at in np.ndindex(input.shape):
        ahead, behind = input.copy(), input.copy()
        ahead[at] += 1e-5
        behind[at] -= 1e-5
        more, less = (_rnnt(x, label, input_lengths, label_lengths, blank) for x in (ahead, behind))
        grad[at] = ((more - less) * loss_grad).sum() / 2e-5
    return grad


def _rnnt_args(rng):
    return dict(
        input=special.log_softmax(rng.standard_normal((2, 3, 3, 4)), -1),
        label=np.array([[1, 3], [2, 0]]),
        input_lengths=np.array([3, 2]),
        label_lengths=np.array([2, 1]),
    )


def _probabilities(rng):
    return dict(input=rng.uniform(0.05, 0.95, (3, 4)), label=rng.random((3, 4)))


def _scores(rng):
    return dict(x=rng.standard_normal((3, 4)), label=rng.random((3, 4)))


PAIRS = [
    Case(op="bce_loss", args=_probabilities, ref=_bce, dtypes=FLOATS, grad=("input", "label")),
    Case(
        op="bce_loss",
        args=lambda rng: dict(input=np.array([0.0, 1.0, 1.0, 0.0]), label=np.array([1.0, 0.0, 1.0, 0.0])),
        ref=lambda input, label: np.array([100.0, 100.0, 0.0, 0.0]),
        dtypes=FLOATS,
        id="certain",
    ),
    Case(op="logistic_loss", args=_scores, ref=_logits, dtypes=FLOATS, grad=("x", "label")),
    Case(
        op="logistic_loss",
        args=lambda rng: dict(x=np.array([-1e30, 300.0, 0.0]), label=np.array([0.0, 0.0, 1.0])),
        ref=lambda x, label: np.array([0.0, 300.0, np.log(2)]),
        dtypes=FLOATS,
        id="extreme",
    ),
    Case(
        op="sigmoid_cross_entropy_with_logits",
        args=lambda rng: _scores(rng) | dict(pos_weight=rng.random((3, 4))),
        ref=_logits,
        dtypes=FLOATS,
        grad=("x", "label", "pos_weight"),
        id="weight",
    ),
    Case(
        op="sigmoid_cross_entropy_with_logits",
        args=lambda rng: dict(
            x=rng.standard_normal((2, 3)),
            label=np.array([[1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]),
            pos_weight=None,
            normalize=True,
            ignore_index=-1,
        ),
        ref=_logits,
        dtypes=FLOATS,
        grad=("x",),
        id="ignored index",
    ),
    Case(
        op="log_loss",
        args=lambda rng: _probabilities(rng) | dict(epsilon=0.01),
        ref=lambda input, label, epsilon: -label * np.log(input + epsilon) - (1 - label) * np.log(1 - input + epsilon),
        dtypes=FLOATS,
        grad=("input", "label"),
    ),
    Case(
        op="huber_loss",
        args=lambda rng: dict(input=rng.standard_normal((3, 4)), label=rng.standard_normal((3, 4)), delta=0.7),
        ref=_huber,
        dtypes=FLOATS,
        grad=("input", "label"),
    ),
    *(
        Case(
            op="kldiv_loss",
            args=lambda rng, r=r, t=t: dict(
                x=rng.standard_normal((3, 4)), label=rng.random((3, 4)), reduction=r, log_target=t
            ),
            ref=_kldiv,
            dtypes=FLOATS,
            grad=("x", "label"),
            id=f"{r}{', of logarithms' if t else ''}",
        )
        for r, t in (("none", False), ("mean", False), ("batchmean", False), ("sum", True))
    ),
    *(
        Case(
            op="nll_loss",
            args=lambda rng, r=r: dict(
                input=rng.standard_normal((4, 3, 2)),
                label=np.array([[0, 2], [1, -1], [2, 2], [-1, 0]]),
                weight=rng.random(3),
                ignore_index=-1,
                reduction=r,
            ),
            ref=_nll,
            dtypes=FLOATS,
            grad=("input", "weight"),
            id=r,
        )
        for r in ("none", "mean", "sum")
    ),
    *(
        Case(
            op="nll_loss_grad",
            args=lambda rng, r=r: dict(
                input=np.zeros((4, 3, 2)),
                label=np.array([[0, 2], [1, -1], [2, 2], [-1, 0]]),
                weight=rng.random(3),
                total_weight=np.array(2.5),
                out_grad=rng.standard_normal((4, 2) if r == "none" else ()),
                ignore_index=-1,
                reduction=r,
            ),
            ref=_nll_grad,
            dtypes=FLOATS,
            grad=("weight", "out_grad"),
            id=r,
        )
        for r in ("none", "mean")
    ),
    Case(
        op="hinge_loss",
        args=lambda rng: dict(logits=rng.standard_normal((3, 4)), labels=rng.integers(0, 2, (3, 4)) * 1.0),
        ref=lambda logits, labels: np.maximum(0, 1 - (2 * labels - 1) * logits),
        dtypes=FLOATS,
        grad=("logits",),
    ),
    *(
        Case(
            op="identity_loss",
            args=lambda rng, r=r: dict(x=rng.standard_normal((3, 4)), reduction=r),
            ref=lambda x, reduction: (x.sum(), x.mean(), x)[reduction],
            dtypes=FLOATS,
            grad=("x",),
            id=name,
        )
        for r, name in enumerate(("sum", "mean", "none"))
    ),
    Case(
        op="warpctc",
        args=_ctc_args,
        ref=_ctc,
        dtypes=FLOATS,
        grad=("logits",),
        grad_order=2,
        atol=1e-5,
    ),
    Case(
        op="warpctc",
        args=lambda rng: _ctc_args(rng) | dict(logits_length=np.array([2, 3, 0]), labels_length=np.array([2, 0, 1])),
        ref=_ctc,
        dtypes=FLOATS,
        id="labels that do not fit, and an empty one",
        atol=1e-5,
    ),
    Case(
        op="warpctc_grad",
        args=_with_kept(_ctc_args, _ctc_grad, "warpctcgrad"),
        ref=_ctc_grad,
        dtypes=("float64",),
        rtol=1e-5,
        atol=1e-7,
        grad=("logits", "loss_grad"),
        grad_order=2,
    ),
    Case(
        op="warprnnt",
        args=_rnnt_args,
        ref=_rnnt,
        dtypes=FLOATS,
        grad=("input",),
        grad_order=2,
        atol=1e-5,
    ),
    Case(
        op="warprnnt_grad",
        args=_with_kept(_rnnt_args, _rnnt_grad, "warprnntgrad"),
        ref=_rnnt_grad,
        dtypes=("float64",),
        rtol=1e-5,
        atol=1e-7,
        grad=("input", "loss_grad"),
        grad_order=2,
    ),
]

CASES = [
    *PAIRS,
    Case(
        op="cross_entropy_with_softmax",
        args=lambda rng: dict(input=rng.standard_normal((4, 7)), label=rng.integers(0, 7, (4, 1))),
        ref=_hard,
        dtypes=FLOATS,
        grad=("input",),
        id="indices",
    ),
    Case(
        op="cross_entropy_with_softmax",
        args=lambda rng: dict(input=rng.standard_normal((4, 7)), label=np.array([[1], [2], [0], [2]]), ignore_index=2),
        ref=_hard,
        dtypes=FLOATS,
        grad=("input",),
        id="ignored index",
    ),
    Case(
        op="cross_entropy_with_softmax",
        args=lambda rng: dict(input=rng.standard_normal((4, 7)), label=rng.random((4, 7)), soft_label=True),
        ref=_soft,
        dtypes=FLOATS,
        grad=("input", "label"),
        id="distributions",
    ),
    Case(
        op="cross_entropy_with_softmax_grad",
        args=lambda rng: dict(
            label=rng.integers(0, 5, (3, 1)), softmax=rng.random((3, 5)), loss_grad=rng.standard_normal((3, 1))
        ),
        ref=_hard_grad,
        dtypes=FLOATS,
        grad=("softmax", "loss_grad"),
    ),
]

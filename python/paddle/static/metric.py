# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures as part of a program: accuracy, area under the curve, sums for click rates."""

from .. import _core
from ..framework import modes
from ..utils import unique_name
from .state import create_global_var

ops = _core.ops


def _take(target, value):
    """Let a variable have a value from here on."""
    _core.assign_inplace(target, value.reshape(target.shape).astype(target.dtype), "assign")


def accuracy(input, label, k=1, correct=None, total=None):
    """Share of rows whose label is among the k largest entries.

    Args:
        input: Shape [N, C].
        label: Shape [N, 1].
        k: Number of entries that count.
        correct: Variable that takes the number of such rows.
        total: Variable that takes the number of rows.
    """
    from ..metric import accuracy as compute

    share = compute(input, label, k)
    rows = ops.full_like(label.reshape([-1]), 1).sum().astype("float32")
    for target, value in ((correct, (share * rows).round()), (total, rows)):
        if target is not None:
            _take(target, value)
    return share


def _counts(bucket, weight, size):
    """Sums of weights by bucket, float64 of shape [size]."""
    return ops.full([size], 0.0, _core.float64).index_add(bucket, 0, weight.astype("float64"))


def _area(positive, negative):
    """Area under the curve of the counts per threshold, lowest first; by trapezoids."""
    hits, misses = positive.flip(0).cumsum(0), negative.flip(0).cumsum(0)
    before = hits - positive.flip(0)
    area = (negative.flip(0) * (hits + before)).sum() * 0.5
    whole = hits[-1] * misses[-1]
    return ops.where(whole > 0, area / whole.clip(1e-12), ops.full_like(whole, 0.0)).reshape([])


def _state(name, shape, dtype):
    return create_global_var(shape, 0, dtype, True, name=unique_name.generate(f"auc_{name}"))


def auc(input, label, curve="ROC", num_thresholds=2**12 - 1, topk=1, slide_steps=1, ins_tag_weight=None):
    """Area under the curve over all runs and over the last ones.

    Args:
        input: Probabilities of shape [N, 2]; the second column is that of the positive class.
        label: 0 or 1, of shape [N, 1].
        curve: 'ROC'.
        num_thresholds: Number of steps in which probabilities are counted.
        topk: Kept for older programs.
        slide_steps: Number of runs of the second value; 0: all.
        ins_tag_weight: Weights of the rows, of shape [N, 1].

    Returns:
        The area over all runs, that over the last `slide_steps`, and [their counts of positives, of negatives, the
        counts of all runs]. Areas are float64.

    Raises:
        ValueError: `curve` is another.
    """
    if curve != "ROC":
        raise ValueError(f"auc: curve has value {curve!r}; 'ROC' is available.")
    size = num_thresholds + 1
    score = input.detach()[:, -1].reshape([-1])
    bucket = (score * num_thresholds).floor().clip(0, num_thresholds).astype("int64")
    hit = label.reshape([-1]).astype("float64")
    weight = 1.0 if ins_tag_weight is None else ins_tag_weight.reshape([-1]).astype("float64")
    now = [_counts(bucket, hit * weight, size), _counts(bucket, (1.0 - hit) * weight, size)]
    steps = max(slide_steps, 1)
    last = [_state(f"batch_{kind}", [steps, size], "int64") for kind in ("pos", "neg")]
    whole = [_state(kind, [1, size], "int64") for kind in ("pos", "neg")]
    for target, value in zip(whole, now, strict=True):
        _take(target, target.astype("float64").reshape([size]) + value)
    for target, value in zip(last, now, strict=True):
        rows = [target[1:].astype("float64"), value.reshape([1, size])] if steps > 1 else [value.reshape([1, size])]
        _take(target, _core.ops.concat(rows, 0))
    all_runs = _area(*[t.astype("float64").reshape([size]) for t in whole])
    recent = all_runs if slide_steps == 0 else _area(*[t.astype("float64").sum(0) for t in last])
    return all_runs, recent, [*last, *whole]


def ctr_metric_bundle(input, label, ins_tag_weight=None):
    """Sums over all runs from which measures of click rates are made.

    Args:
        input: Probabilities of shape [N, 1].
        label: 0 or 1, of shape [N, 1].
        ins_tag_weight: Weights of the rows, of shape [N, 1].

    Returns:
        Sums of squared errors, of absolute errors, of probabilities, of their sigmoids, of labels, and the number of
        rows; float32 of shape [1].
    """
    if list(input.shape)[1:] != list(label.shape)[1:]:
        raise AssertionError(
            f"ctr_metric_bundle: input has shape {list(input.shape)} and label {list(label.shape)}; they must be equal."
        )
    with modes.no_grad():
        score, hit = input.reshape([-1]).astype("float32"), label.reshape([-1]).astype("float32")
        weight = ops.full_like(score, 1.0) if ins_tag_weight is None else ins_tag_weight.reshape([-1]).astype("float32")
        parts = [(score - hit) ** 2, (score - hit).abs(), score, ops.sigmoid(score), hit, ops.full_like(score, 1.0)]
        made = []
        for part in parts:
            total = create_global_var([1], 0.0, "float32", True, name=unique_name.generate("ctr_metric"))
            _take(total, total + (part * weight).sum())
            made.append(total)
    return tuple(made)

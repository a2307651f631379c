# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Metrics: `Metric`, `Accuracy`, `accuracy`."""

from . import _core

ops = _core.ops


class Metric:
    """Base: `compute` on tensors, `update` with its result, `accumulate` for the value."""

    def reset(self):
        """Start anew."""
        raise NotImplementedError(f"{type(self).__name__}: reset is not defined.")

    def update(self, *args):
        """Take the result of `compute` in."""
        raise NotImplementedError(f"{type(self).__name__}: update is not defined.")

    def accumulate(self):
        """The value over everything since `reset`."""
        raise NotImplementedError(f"{type(self).__name__}: accumulate is not defined.")

    def name(self):
        """Name of the value."""
        raise NotImplementedError(f"{type(self).__name__}: name is not defined.")

    def compute(self, *args):
        """What `update` takes."""
        return args


class Accuracy(Metric):
    """Part of samples whose label is among the k best classes, for every k in `topk`."""

    def __init__(self, topk=(1,), name=None, *args, **kwargs):
        self.topk = tuple(topk) if isinstance(topk, (list, tuple)) else (topk,)
        self.maxk = max(self.topk)
        base = name or "acc"
        single = self.maxk == 1 and len(self.topk) == 1
        self._name = [base] if single else [f"{base}_top{k}" for k in self.topk]
        self.reset()

    def compute(self, pred, label, *args):
        """1 where a class of the k best is the label, of shape [..., maxk]."""
        best = ops.topk(pred, self.maxk, -1, True, True)[1]
        if label.ndim == 1 or label.shape[-1] != 1:
            one_hot = label.ndim == pred.ndim and label.shape[-1] == pred.shape[-1] > 1
            label = ops.argmax(label, -1, True) if one_hot else ops.unsqueeze(label, [-1])
        return ops.cast(ops.equal(best, ops.cast(label, best.dtype)), _core.float32)

    def update(self, correct, *args):
        """Take the result of `compute` in and return the accuracy of this batch."""
        values = correct.numpy() if isinstance(correct, _core.Tensor) else correct
        count = int(values.size // values.shape[-1])
        batch = []
        for i, k in enumerate(self.topk):
            hits = float(values[..., :k].sum())
            self.total[i] += hits
            self.count[i] += count
            batch.append(hits / count if count else 0.0)
        return batch[0] if len(batch) == 1 else batch

    def reset(self):
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self):
        values = [t / c if c else 0.0 for t, c in zip(self.total, self.count, strict=False)]
        return values[0] if len(values) == 1 else values

    def name(self):
        return self._name


def accuracy(input, label, k=1, correct=None, total=None, name=None):
    """Part of samples whose label is among the k best classes, as a tensor."""
    best = ops.topk(input, k, -1, True, True)[1]
    label = ops.unsqueeze(label, [-1]) if label.ndim == 1 else label
    hit = ops.any(ops.equal(best, ops.cast(label, best.dtype)), [-1])
    return ops.mean(ops.cast(hit, _core.float32))

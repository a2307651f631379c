# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Metrics: accuracy of the k best, precision, recall and the area under the ROC curve."""

import abc

from .. import _core

ops = _core.ops


class Metric(metaclass=abc.ABCMeta):
    """Base: `compute` on tensors, `update` with its result as arrays, `accumulate` for the value."""

    @abc.abstractmethod
    def reset(self):
        """Start anew."""

    @abc.abstractmethod
    def update(self, *args):
        """Take the result of `compute` in."""

    @abc.abstractmethod
    def accumulate(self):
        """The value over everything since `reset`."""

    @abc.abstractmethod
    def name(self):
        """Name of the value, or list of names."""

    def compute(self, *args):
        """What `update` takes, from the outputs of a network and the labels."""
        return args


def _number(value):
    """A number as NumPy's float64, which is a float with the methods of an array."""
    import numpy

    return numpy.float64(value)


def _array(owner, what, value):
    """`value`, an array or a Tensor, as an array."""
    import numpy

    if isinstance(value, _core.Tensor):
        return value.numpy()
    if isinstance(value, numpy.ndarray):
        return value
    raise ValueError(f"{owner}: {what} has type {type(value).__name__}; it must be a NumPy array or a Tensor.")


class Accuracy(Metric):
    """Part of samples whose label is among the k best classes, for every k in `topk`.

    Args:
        topk: The values of k.
        name: Name of the metric, 'acc' by default.

    Example:
        >>> import paddle
        >>> metric = paddle.metric.Accuracy()
        >>> scores = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> float(metric.update(metric.compute(scores, paddle.to_tensor([[1], [1]]))))
        0.5
    """

    def __init__(self, topk=(1,), name=None, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.topk = tuple(topk) if isinstance(topk, (list, tuple)) else (topk,)
        self.maxk = max(self.topk)
        base = name or "acc"
        single = self.maxk == 1 and len(self.topk) == 1
        self._name = [base] if single else [f"{base}_top{k}" for k in self.topk]
        self.reset()

    def compute(self, pred, label, *args):
        """1 where a class of the k best is the label.

        Args:
            pred: Scores, of shape [..., classes].
            label: Classes, of shape [...] or [..., 1], or one-hot rows.

        Returns:
            A float32 Tensor of shape [..., maxk].
        """
        best = ops.topk(pred, self.maxk, -1, True, True)[1]
        if label.ndim == 1 or label.shape[-1] != 1:
            one_hot = label.ndim == pred.ndim and label.shape[-1] == pred.shape[-1] > 1
            label = ops.argmax(label, -1, True) if one_hot else ops.unsqueeze(label, [-1])
        return ops.cast(ops.equal(best, ops.cast(label, best.dtype)), _core.float32)

    def update(self, correct, *args):
        """Take the result of `compute` in and return the accuracy of this batch."""
        values = _array("Accuracy", "correct", correct)
        count = int(values.size // values.shape[-1])
        batch = []
        for i, k in enumerate(self.topk):
            hits = float(values[..., :k].sum())
            self.total[i] += hits
            self.count[i] += count
            batch.append(_number(hits / count if count else 0.0))
        return batch[0] if len(batch) == 1 else batch

    def reset(self):
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self):
        values = [_number(t / c) if c else 0.0 for t, c in zip(self.total, self.count, strict=True)]
        return values[0] if len(values) == 1 else values

    def name(self):
        return self._name


class _Binary(Metric):
    """Counts of a binary classifier; a score above 0.5 is a positive.

    A score of exactly 0.5 is a positive for Precision and none for Recall, as in PaddlePaddle.
    """

    _half_is_positive = True

    def __init__(self, name, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._name = name
        self.reset()

    def _outcomes(self, preds, labels):
        """Predicted and true positives, as flat bool arrays."""
        import numpy

        owner = type(self).__name__
        preds = _array(owner, "preds", preds).reshape(-1)
        labels = _array(owner, "labels", labels).reshape(-1)
        if preds.size != labels.size:
            raise ValueError(f"{owner}: preds has {preds.size} elements and labels {labels.size}; they must be equal.")
        rounded = numpy.floor(preds + 0.5) if self._half_is_positive else numpy.rint(preds)
        return rounded.astype("int64") == 1, labels.astype("int64") == 1

    def name(self):
        return self._name


class Precision(_Binary):
    """True positives among the predicted positives of a binary classifier."""

    def __init__(self, name="precision", *args, **kwargs):
        super().__init__(name, *args, **kwargs)

    def update(self, preds, labels):
        """Count one batch.

        Args:
            preds: Probabilities of the positive class.
            labels: 0 or 1, of the same size.
        """
        predicted, true = self._outcomes(preds, labels)
        self.tp += int((predicted & true).sum())
        self.fp += int((predicted & ~true).sum())

    def reset(self):
        self.tp = self.fp = 0

    def accumulate(self):
        found = self.tp + self.fp
        return self.tp / found if found else 0.0


class Recall(_Binary):
    """True positives among all positives of a binary classifier."""

    _half_is_positive = False

    def __init__(self, name="recall", *args, **kwargs):
        super().__init__(name, *args, **kwargs)

    def update(self, preds, labels):
        """Count one batch.

        Args:
            preds: Probabilities of the positive class.
            labels: 0 or 1, of the same size.
        """
        predicted, true = self._outcomes(preds, labels)
        self.tp += int((predicted & true).sum())
        self.fn += int((~predicted & true).sum())

    def reset(self):
        self.tp = self.fn = 0

    def accumulate(self):
        positives = self.tp + self.fn
        return self.tp / positives if positives else 0.0


class Auc(Metric):
    """Area under the receiver operating characteristic, from a histogram of the scores.

    Args:
        curve: Kept; the area is that of the ROC curve.
        num_thresholds: Number of bins of the histogram.
        name: Name of the metric.
    """

    def __init__(self, curve="ROC", num_thresholds=4095, name="auc", *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._curve, self._num_thresholds, self._name = curve, num_thresholds, name
        self.reset()

    def update(self, preds, labels):
        """Count one batch.

        Args:
            preds: Probabilities of the two classes, of shape [N, 2], or of the positive one, [N, 1].
            labels: 0 or 1, of shape [N] or [N, 1].
        """
        import numpy

        labels = _array("Auc", "labels", labels).reshape(-1).astype(bool)
        scores = _array("Auc", "preds", preds)
        scores = (scores if scores.ndim == 1 else scores[:, -1]).astype("float64")
        if scores.size != labels.size:
            raise ValueError(f"Auc: preds has {scores.size} rows and labels {labels.size}; they must be equal.")
        if scores.size and not (scores.min() >= 0 and scores.max() <= 1):
            raise ValueError("Auc: preds must be probabilities, between 0 and 1.")
        bins = (scores * self._num_thresholds).astype("int64")
        size = self._num_thresholds + 1
        self._stat_pos += numpy.bincount(bins[labels], minlength=size)
        self._stat_neg += numpy.bincount(bins[~labels], minlength=size)

    @staticmethod
    def trapezoid_area(x1, x2, y1, y2):
        """Area below the line from (x1, y1) to (x2, y2)."""
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def accumulate(self):
        import numpy

        positives = numpy.concatenate([[0], numpy.cumsum(self._stat_pos[::-1])])
        negatives = numpy.concatenate([[0], numpy.cumsum(self._stat_neg[::-1])])
        if positives[-1] == 0 or negatives[-1] == 0:
            return 0.0
        area = self.trapezoid_area(negatives[1:], negatives[:-1], positives[1:], positives[:-1]).sum()
        return numpy.float64(area / positives[-1] / negatives[-1])

    def reset(self):
        import numpy

        size = self._num_thresholds + 1
        self._stat_pos = numpy.zeros(size, dtype="int64")
        self._stat_neg = numpy.zeros(size, dtype="int64")

    def name(self):
        return self._name


def accuracy(input, label, k=1, correct=None, total=None, name=None):
    """Part of samples whose label is among the k best classes.

    Args:
        input: Scores, of shape [N, classes].
        label: Classes, of shape [N, 1].
        k: How many of the best classes count.
        correct: Tensor that takes the number of hits.
        total: Tensor that takes the number of samples.

    Returns:
        A float32 Tensor of shape [].

    Raises:
        TypeError: input has no floating dtype.
        ValueError: label has another shape.

    Example:
        >>> scores = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> float(paddle.metric.accuracy(scores, paddle.to_tensor([[1], [1]])))
        0.5
    """
    if not isinstance(input, _core.Tensor) or not input.is_floating_point():
        kind = input.dtype if isinstance(input, _core.Tensor) else type(input).__name__
        raise TypeError(f"accuracy: input is {kind}; it must be a Tensor of a floating dtype.")
    if not isinstance(label, _core.Tensor):
        raise TypeError(f"accuracy: label has type {type(label).__name__}; it must be a Tensor of integers [N, 1].")
    if label.ndim != 2 or (isinstance(label.shape[-1], int) and label.shape[-1] != 1):
        raise ValueError(f"accuracy: label has shape {list(label.shape)}; it must be [N, 1].")
    best = ops.topk(input, k, -1, True, True)[1]
    hit = ops.any(ops.equal(best, ops.cast(label, best.dtype)), [-1])
    for target, value in ((correct, ops.sum(ops.cast(hit, _core.int32))), (total, hit.shape[0])):
        if target is not None:
            target.set_value(ops.cast(_core.to_tensor(value), target.dtype).reshape(target.shape))
    return ops.mean(ops.cast(hit, _core.float32))

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures that are collected over batches, in NumPy."""

import numpy as np


class MetricBase:
    """Base: `reset`, `update` and `eval`.

    Args:
        name: Its name.
    """

    def __init__(self, name=None):
        self._name = type(self).__name__ if name is None else str(name)

    def reset(self):
        """Set numbers back to 0."""
        for name, value in list(vars(self).items()):
            if not name.startswith("_"):
                setattr(self, name, _zero(value))

    def get_config(self):
        """The numbers by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def update(self, *values):
        """Take the values of a batch in."""
        raise NotImplementedError(f"{type(self).__name__}: update is not defined; define it in the subclass.")

    def eval(self):
        """The measure over all batches."""
        raise NotImplementedError(f"{type(self).__name__}: eval is not defined; define it in the subclass.")


def _zero(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return np.zeros_like(value)
    return type(value)() if isinstance(value, (int, float, list, dict)) else None


class CompositeMetric(MetricBase):
    """Several measures of the same values."""

    def __init__(self, name=None):
        super().__init__(name)
        self._metrics = []

    def add_metric(self, metric):
        """Add a measure."""
        if not isinstance(metric, MetricBase):
            raise ValueError(f"CompositeMetric: metric has type {type(metric).__name__}; it must be a MetricBase.")
        self._metrics.append(metric)

    def reset(self):
        """Set all back."""
        for metric in self._metrics:
            metric.reset()

    def update(self, preds, labels):
        """Take the values of a batch in."""
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self):
        """All measures, as a list."""
        return [metric.eval() for metric in self._metrics]


class Precision(MetricBase):
    """The share of those that were called positive (probability above 0.5) that are."""

    def __init__(self, name=None):
        super().__init__(name)
        self.tp = self.fp = 0

    def update(self, preds, labels):
        """Take probabilities and labels, both [N, 1], in."""
        called, true = (np.rint(np.asarray(v)).astype("int64").ravel() == 1 for v in (preds, labels))
        self.tp += int((called & true).sum())
        self.fp += int((called & ~true).sum())

    def eval(self):
        """The share; 0 where none was called positive."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0


class Recall(MetricBase):
    """The share of the positive ones that were called so (probability above 0.5)."""

    def __init__(self, name=None):
        super().__init__(name)
        self.tp = self.fn = 0

    def update(self, preds, labels):
        """Take probabilities and labels, both [N, 1], in."""
        called, true = (np.rint(np.asarray(v)).astype("int64").ravel() == 1 for v in (preds, labels))
        self.tp += int((called & true).sum())
        self.fn += int((~called & true).sum())

    def eval(self):
        """The share; 0 where none is positive."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0


class Accuracy(MetricBase):
    """The mean of accuracies, weighted.

    Example:
        >>> from paddle import fluid
        >>> metric = fluid.metrics.Accuracy()
        >>> metric.update(value=0.5, weight=1)
        >>> metric.update(value=1.0, weight=3)
        >>> metric.eval()
        0.875
    """

    def __init__(self, name=None):
        super().__init__(name)
        self.value = self.weight = 0.0

    def update(self, value, weight):
        """Take the accuracy of a batch in, with its number of rows."""
        self.value += float(np.asarray(value).reshape(-1)[0]) * float(weight)
        self.weight += float(weight)

    def eval(self):
        """The mean."""
        if self.weight == 0:
            raise ValueError("Accuracy.eval: no values were given; call update first.")
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks, from the numbers of `fluid.layers.chunk_eval`."""

    def __init__(self, name=None):
        super().__init__(name)
        self.num_infer_chunks = self.num_label_chunks = self.num_correct_chunks = 0

    def update(self, num_infer_chunks, num_label_chunks, num_correct_chunks):
        """Take the numbers of a batch in."""
        self.num_infer_chunks += int(np.asarray(num_infer_chunks).reshape(-1)[0])
        self.num_label_chunks += int(np.asarray(num_label_chunks).reshape(-1)[0])
        self.num_correct_chunks += int(np.asarray(num_correct_chunks).reshape(-1)[0])

    def eval(self):
        """precision, recall, F1."""
        right = self.num_correct_chunks
        precision = right / self.num_infer_chunks if self.num_infer_chunks else 0
        recall = right / self.num_label_chunks if self.num_label_chunks else 0
        return precision, recall, 2 * precision * recall / (precision + recall) if right else 0


class EditDistance(MetricBase):
    """The mean of distances of `fluid.layers.edit_distance` and the share of sequences that are wrong."""

    def __init__(self, name=None):
        super().__init__(name)
        self.total_distance, self.seq_num, self.instance_error = 0.0, 0, 0

    def update(self, distances, seq_num):
        """Take the distances of a batch and their number in."""
        number = int(np.asarray(seq_num).reshape(-1)[0])
        self.seq_num += number
        self.instance_error += number - int((np.asarray(distances) == 0).sum())
        self.total_distance += float(np.sum(distances))

    def eval(self):
        """The mean distance and the share."""
        if self.seq_num == 0:
            raise ValueError("EditDistance.eval: no values were given; call update first.")
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num


class Auc(MetricBase):
    """The area under the curve, by counts per threshold.

    Args:
        name: Its name.
        curve: 'ROC'.
        num_thresholds: Number of thresholds.
    """

    def __init__(self, name=None, curve="ROC", num_thresholds=4095):
        super().__init__(name)
        if curve != "ROC":
            raise ValueError(f"Auc: curve has value {curve!r}; 'ROC' is available.")
        from ..metric import Auc as Present

        self._metric = Present(curve, num_thresholds)

    def reset(self):
        """Set all back."""
        self._metric.reset()

    def update(self, preds, labels):
        """Take probabilities [N, 2] and labels [N, 1] in."""
        self._metric.update(np.asarray(preds), np.asarray(labels))

    def eval(self):
        """The area."""
        return self._metric.accumulate()


__all__ = [
    "Accuracy",
    "Auc",
    "ChunkEvaluator",
    "CompositeMetric",
    "EditDistance",
    "MetricBase",
    "Precision",
    "Recall",
]

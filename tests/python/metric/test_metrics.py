# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of classifiers."""

import numpy as np
import paddle
import pytest
from paddle.metric import Accuracy, Auc, Metric, Precision, Recall, accuracy

SCORES = [[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]
LABELS = [[1], [1], [1]]


def test_accuracy_of_the_k_best():
    metric = Accuracy(topk=(1, 2))
    correct = metric.compute(paddle.to_tensor(SCORES), paddle.to_tensor(LABELS))
    assert correct.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert metric.update(correct) == pytest.approx([2 / 3, 1.0])
    assert metric.accumulate() == pytest.approx([2 / 3, 1.0]) and metric.name() == ["acc_top1", "acc_top2"]
    metric.reset()
    assert metric.accumulate() == [0.0, 0.0]


@pytest.mark.parametrize("label", [[1, 1, 0], [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]])
def test_accuracy_takes_flat_and_one_hot_labels(label):
    metric = Accuracy()
    metric.update(metric.compute(paddle.to_tensor(SCORES), paddle.to_tensor(label)).numpy())
    assert metric.accumulate() == pytest.approx(1 / 3) and metric.name() == ["acc"]


def test_the_function_gives_counts():
    correct, total = paddle.zeros([1], "int32"), paddle.zeros([1], "int32")
    value = accuracy(paddle.to_tensor(SCORES), paddle.to_tensor(LABELS), 1, correct, total)
    assert value.shape == [] and float(value) == pytest.approx(2 / 3)
    assert (int(correct), int(total)) == (2, 3)
    with pytest.raises(ValueError, match="label"):
        accuracy(paddle.to_tensor(SCORES), paddle.to_tensor([1, 1, 1]))


def test_precision_and_recall_count():
    preds, labels = np.array([0.1, 0.6, 0.8, 0.5]), np.array([0, 1, 0, 1])
    precision, recall = Precision(), Recall()
    assert precision.accumulate() == 0.0 and recall.accumulate() == 0.0
    precision.update(preds, labels)
    recall.update(paddle.to_tensor(preds), paddle.to_tensor(labels))
    assert precision.accumulate() == pytest.approx(2 / 3) and recall.accumulate() == 0.5
    assert (precision.name(), recall.name()) == ("precision", "recall")
    with pytest.raises(ValueError, match="preds"):
        precision.update([0.1], labels)


def test_auc_is_the_part_of_ordered_pairs():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1)
    metric = Auc(num_thresholds=100_000)
    for part in (slice(0, 100), slice(100, 300)):
        metric.update(np.stack([1 - scores[part], scores[part]], 1), labels[part, None])
    positive, negative = scores[labels == 1][:, None], scores[labels == 0][None]
    pairs = (positive > negative).mean() + 0.5 * (positive == negative).mean()
    assert metric.accumulate() == pytest.approx(pairs, abs=1e-4)
    assert Auc().accumulate() == 0.0


def test_the_base_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Metric()


def test_accuracy_of_nothing_is_a_python_number():
    assert repr(paddle.metric.Accuracy().accumulate()) == "0.0"
    assert repr(paddle.metric.Accuracy((1, 2)).accumulate()) == "[0.0, 0.0]"

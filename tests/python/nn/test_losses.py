# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Losses and their layers against NumPy."""

import itertools

import numpy as np
import paddle
import pytest
from paddle import nn
from scipy import special

F = nn.functional
RNG = np.random.RandomState(1)
X, Y = (RNG.randn(4, 5).astype("float32") for _ in range(2))
P = RNG.uniform(0.05, 0.95, (4, 5)).astype("float32")
BITS = (RNG.rand(4, 5) > 0.5).astype("float32")
SIGNS = BITS * 2 - 1
LABEL = np.array([0, 4, 2, 1])
WEIGHT = np.linspace(0.5, 1.5, 5).astype("float32")


def t(a):
    return paddle.to_tensor(a)


def distance(a, b, p=2.0):
    return (abs(a - b + 1e-6) ** p).sum(-1) ** (1 / p)


def cosine(a, b):
    return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))


def multi_margin(x, label, p, margin, weight):
    picked = x[np.arange(len(x)), label]
    gap = np.maximum(0, margin - picked[:, None] + x) ** p
    gap[np.arange(len(x)), label] = 0
    return gap.sum(1) / x.shape[1] * weight[label]


def multi_label_margin(x, label):
    loss = np.zeros(len(x))
    for i, row in enumerate(label):
        wanted = list(itertools.takewhile(lambda c: c >= 0, row))
        for j in wanted:
            loss[i] += sum(max(0, 1 - (x[i, j] - x[i, k])) for k in range(x.shape[1]) if k not in wanted)
    return loss / x.shape[1]


def poisson(x, y):
    large = np.maximum(y, 1)
    stirling = large * np.log(large) - large + 0.5 * np.log(2 * np.pi * large)
    return np.exp(x) - y * x + np.where(y > 1, stirling, 0)


RAGGED = np.array([[3, 0, -1, 2, 1], [0, 1, -1, -1, -1], [4, 3, 2, 1, 0], [-1, 0, 0, 0, 0]])
NEAR, FAR = distance(X, Y), distance(X, P)
CASES = {
    "margin ranking": (nn.MarginRankingLoss(0.2), (X, Y, SIGNS), np.maximum(0, -SIGNS * (X - Y) + 0.2)),
    "hinge": (nn.HingeEmbeddingLoss(1.3), (X, SIGNS), np.where(SIGNS > 0, X, np.maximum(0, 1.3 - X))),
    "cosine": (
        nn.CosineEmbeddingLoss(0.1),
        (X, Y, np.array([1, -1, 1, -1])),
        np.where([True, False, True, False], 1 - cosine(X, Y), np.maximum(0, cosine(X, Y) - 0.1)),
    ),
    "triplet": (nn.TripletMarginLoss(), (X, Y, P), np.maximum(0, NEAR - FAR + 1)),
    "triplet, swapped": (
        nn.TripletMarginLoss(2.0, p=1, swap=True),
        (X, Y, P),
        np.maximum(0, distance(X, Y, 1) - np.minimum(distance(X, P, 1), distance(Y, P, 1)) + 2),
    ),
    "triplet, own distance": (
        nn.TripletMarginWithDistanceLoss(lambda a, b: ((a - b) ** 2).sum(-1)),
        (X, Y, P),
        np.maximum(0, ((X - Y) ** 2).sum(-1) - ((X - P) ** 2).sum(-1) + 1),
    ),
    "soft margin": (nn.SoftMarginLoss(), (X, SIGNS), np.log1p(np.exp(-SIGNS * X))),
    "multi-label soft margin": (
        nn.MultiLabelSoftMarginLoss(t(WEIGHT)),
        (X, BITS),
        (-WEIGHT * (BITS * special.log_expit(X) + (1 - BITS) * special.log_expit(-X))).mean(-1),
    ),
    "multi-label margin": (nn.MultiLabelMarginLoss(), (X, RAGGED), multi_label_margin(X, RAGGED)),
    "multi margin": (nn.MultiMarginLoss(), (X, LABEL), multi_margin(X, LABEL, 1, 1.0, np.ones(5))),
    "multi margin, squared": (
        nn.MultiMarginLoss(2, 1.2, t(WEIGHT)),
        (X, LABEL),
        multi_margin(X, LABEL, 2, 1.2, WEIGHT),
    ),
    "poisson": (nn.PoissonNLLLoss(full=True), (X, P * 5), poisson(X, P * 5)),
    "gaussian": (
        nn.GaussianNLLLoss(full=True),
        (X, Y, P),
        0.5 * (np.log(P) + (X - Y) ** 2 / P + np.log(2 * np.pi)),
    ),
    "smooth l1": (
        nn.SmoothL1Loss(delta=0.5),
        (X, Y),
        np.where(abs(X - Y) < 0.5, (X - Y) ** 2 / 2, 0.5 * (abs(X - Y) - 0.25)),
    ),
    "binary, weighted": (nn.BCELoss(t(WEIGHT)), (P, BITS), -WEIGHT * np.log(np.where(BITS > 0, P, 1 - P))),
    "binary of logits, weighted": (
        nn.BCEWithLogitsLoss(pos_weight=t(WEIGHT)),
        (X, BITS),
        -(WEIGHT * BITS * special.log_expit(X) + (1 - BITS) * special.log_expit(-X)),
    ),
    "kl": (nn.KLDivLoss(), (X, BITS * P), special.xlogy(BITS * P, BITS * P) - BITS * P * X),
}


@pytest.mark.parametrize("name", CASES)
def test_layers_equal_numpy(name):
    layer, given, expected = CASES[name]
    args = [t(a.astype("float32")) if a.dtype.kind == "f" else t(a) for a in given]
    assert layer(*args).item() == pytest.approx(expected.mean(), rel=1e-4)
    for key in ("reduction", "_reduction"):
        if hasattr(layer, key):
            for how, reduce in (("sum", np.sum), ("none", lambda a: a), ("mean", np.mean)):
                setattr(layer, key, how)
                np.testing.assert_allclose(layer(*args).numpy(), reduce(expected), rtol=1e-4, atol=1e-5)


def test_retired_keywords_name_the_reduction():
    with pytest.raises(ValueError, match="reduction='sum'"):
        nn.MSELoss(size_average=False)
    with pytest.raises(ValueError, match="reduction='none'"):
        nn.TripletMarginLoss(reduce=False)


@pytest.mark.parametrize("function", [F.mse_loss, F.l1_loss, F.soft_margin_loss, F.binary_cross_entropy])
def test_unknown_reductions_are_refused(function):
    with pytest.raises(ValueError):
        function(t(P), t(BITS), reduction="average")


def test_npair():
    labels = np.array([0, 1, 1, 2])
    same = (labels[:, None] == labels).astype("float32")
    target = same / same.sum(1, keepdims=True)
    entropy = -(target * special.log_softmax(X @ Y.T, -1)).sum(1)
    expected = (
        0.25 * 0.002 * ((X * X).sum(1).mean() + (Y * Y).sum(1).mean()) + (target * entropy[:, None]).sum(0).mean()
    )
    assert F.npair_loss(t(X), t(Y), t(labels.astype("float32"))).item() == pytest.approx(expected, rel=1e-5)


def test_dice_and_focal_loss():
    p = special.softmax(X.reshape(2, 2, 5), -1)
    label = LABEL.reshape(2, 2, 1)
    hot = np.eye(5)[label[..., 0]]
    expected = 1 - 2 * (p * hot).sum((1, 2)) / (p.sum((1, 2)) + hot.sum((1, 2)) + 1e-5)
    assert F.dice_loss(t(p.astype("float32")), t(label)).item() == pytest.approx(expected.mean(), rel=1e-5)
    s = special.expit(X)
    hit = np.where(BITS > 0, s, 1 - s)
    focal = -np.log(hit) * (1 - hit) ** 1.5 * np.where(BITS > 0, 0.3, 0.7) / 3
    out = F.sigmoid_focal_loss(t(X), t(BITS), t(np.array([3.0], "float32")), 0.3, 1.5)
    assert out.item() == pytest.approx(focal.sum(), rel=1e-5)


def test_ctc_means_are_taken_per_label():
    logits = RNG.randn(6, 2, 4).astype("float32")
    labels, steps, lengths = np.array([[1, 2, 2], [3, 0, 0]]), t(np.array([6, 5])), t(np.array([3, 1]))
    args = (t(logits), t(labels.astype("int32")), steps, lengths)
    rows = F.ctc_loss(*args, reduction="none").numpy()
    assert nn.CTCLoss()(*args).item() == pytest.approx((rows / [3, 1]).mean(), rel=1e-5)
    one = F.ctc_loss(
        t(logits[:5, 1:]), t(labels[1:, :1].astype("int32")), t(np.array([5])), t(np.array([1])), reduction="sum"
    )
    assert one.item() == pytest.approx(rows[1], rel=1e-5)
    with pytest.raises(ValueError):
        F.ctc_loss(t(logits), t(labels + 4), steps, lengths)


def test_transducer_layer():
    log_p = special.log_softmax(RNG.randn(1, 2, 2, 3), -1).astype("float32")
    args = (t(log_p), *(t(np.array(a, "int32")) for a in ([[2]], [2], [1])))
    first, second = log_p[0, 0, 0, 2] + log_p[0, 0, 1, 0], log_p[0, 0, 0, 0] + log_p[0, 1, 0, 2]
    expected = -(np.logaddexp(first, second) + log_p[0, 1, 1, 0])
    assert nn.RNNTLoss()(*args).item() == pytest.approx(expected, rel=1e-5)


def tree_loss(x, weight, bias, nodes, branches):
    loss = np.zeros((len(x), 1))
    for i, row in enumerate(x):
        for node, branch in zip(nodes[i], branches[i], strict=True):
            if node >= 0:
                score = weight[node] @ row + bias[node, 0]
                loss[i] -= special.log_expit(score if branch else -score)
        loss[i] += np.log(2) * sum(node < 0 for node in nodes[i])
    return loss


def test_hierarchical_sigmoid():
    layer = nn.HSigmoidLoss(5, 6)
    w, b = layer.weight.numpy(), layer.bias.numpy()
    # Leaves 6 ... 11 of a heap whose root is 1: nodes from the leaf up, and which child it came from.
    nodes, branches = [], []
    for c in LABEL + 6:
        bits = range(3)  # the longest path
        nodes.append([(c >> (k + 1)) - 1 for k in bits])
        branches.append([(c >> k) & 1 for k in bits])
    out = layer(t(X), t(LABEL[:, None]))
    np.testing.assert_allclose(out.numpy(), tree_loss(X, w, b, nodes, branches), rtol=1e-4)
    table, code = (
        np.array([[0, 2, -1], [0, 1, 4], [0, 1, -1], [0, 2, 3]]),
        np.array([[0, 1, -1], [1, 0, 1], [1, 1, -1], [0, 0, 1]]),
    )
    out = layer(t(X), t(LABEL[:, None]), t(table), t(code))
    np.testing.assert_allclose(out.numpy(), tree_loss(X, w, b, table, code), rtol=1e-4)


def test_adaptive_softmax_is_a_distribution():
    layer = nn.AdaptiveLogSoftmaxWithLoss(5, 8, [2, 5], head_bias=True)
    log_p = layer.log_prob(t(X)).numpy()
    np.testing.assert_allclose(np.exp(log_p).sum(1), 1, rtol=1e-5)
    label = np.array([0, 3, 6, 1])
    output, loss = layer(t(X), t(label))
    np.testing.assert_allclose(output.numpy(), log_p[np.arange(4), label], rtol=1e-5)
    assert loss.item() == pytest.approx(-output.numpy().mean(), rel=1e-5)
    assert layer.predict(t(X)).tolist() == log_p.argmax(1).tolist()
    loss.backward()
    assert all(p.grad is not None for p in layer.parameters())


def test_margins_of_angles():
    cos = np.tanh(X)
    moved = cos.copy()
    rows = np.arange(4)
    moved[rows, LABEL] = np.cos(np.arccos(cos[rows, LABEL]) + 0.5) - 0.1
    expected = -special.log_softmax(16 * moved, -1)[rows, LABEL]
    loss, softmax = F.margin_cross_entropy(t(cos), t(LABEL), 1.0, 0.5, 0.1, 16.0, return_softmax=True, reduction="none")
    np.testing.assert_allclose(loss.numpy()[:, 0], expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(softmax.numpy(), special.softmax(16 * moved, -1), rtol=1e-4, atol=1e-6)


def test_sampled_classes_hold_all_labels():
    position, sampled = F.class_center_sample(t(np.array([7, 2, 7, 11])), 20, 6)
    sampled = sampled.numpy()
    assert len(sampled) == 6 and (np.diff(sampled) > 0).all()
    assert sampled[position.numpy()].tolist() == [7, 2, 7, 11]


def test_the_mean_counts_ignored_positions_where_the_index_is_negative():
    logits = X[:, :3]
    rows = special.logsumexp(logits, 1)
    for index, count in ((-100, 4), (-1, 4), (1, 3)):
        label = np.array([0, index, 2, 0])
        each = rows - logits[range(4), label % 3]
        each[1] = 0
        loss = F.cross_entropy(t(logits), t(label), ignore_index=index)
        np.testing.assert_allclose(loss.numpy(), each.sum() / count, rtol=1e-5)
        np.testing.assert_allclose(
            F.cross_entropy(t(logits), t(label), ignore_index=index, reduction="sum").numpy(), each.sum(), rtol=1e-5
        )
        weight = np.array([0.5, 1.0, 2.0], "float32")
        factors = weight[label % 3] * (label != index)
        loss = F.cross_entropy(t(logits), t(label), t(weight), ignore_index=index)
        np.testing.assert_allclose(loss.numpy(), (each * factors).sum() / factors.sum(), rtol=1e-5)


def test_smoothed_labels_ignore_no_position():
    """Losses of PaddlePaddle 3.3.1: smoothed labels are probabilities, which a mean compares with ignore_index."""
    logits, label = X[:, :3], np.array([0, 1, 2, 0])
    soft = np.eye(3)[label] * 0.9 + 0.1 / 3
    each = (soft * (special.logsumexp(logits, 1, keepdims=True) - logits)).sum(1)
    loss = {
        (index, how): float(
            F.cross_entropy(t(logits), t(label), ignore_index=index, reduction=how, label_smoothing=0.1)
        )
        for index in (-100, 1, 255)
        for how in ("sum", "mean")
    }
    for index, count in ((-100, 4), (1, 12), (255, 12)):
        np.testing.assert_allclose(loss[index, "sum"], each.sum(), rtol=1e-5)
        np.testing.assert_allclose(loss[index, "mean"], each.sum() / count, rtol=1e-5)


def test_labels_and_settings_out_of_range():
    x = t(np.zeros((2, 3), "float32"))
    for label in (7, -1):
        with pytest.raises(IndexError):
            F.cross_entropy(x, t(np.array([label, 0])))
    with pytest.raises(ValueError, match="label_smoothing"):
        F.cross_entropy(x, t(np.array([1, 0])), label_smoothing=1.5)


@pytest.mark.parametrize(
    "loss",
    [
        lambda x, y: F.cross_entropy(x, y, soft_label=True),
        lambda x, y: F.softmax_with_cross_entropy(x, y, soft_label=True).sum(),
        F.kl_div,
        F.binary_cross_entropy,
        F.binary_cross_entropy_with_logits,
        lambda x, y: F.log_loss(x[:, :1], y[:, :1]).sum(),
    ],
)
def test_no_gradient_flows_to_probabilities_that_are_labels(loss):
    x, y = (paddle.full([2, 3], v, "float32") for v in (0.25, 0.5))
    x.stop_gradient = y.stop_gradient = False
    loss(x, y).backward()
    assert x.grad is not None and y.grad is None


def test_losses_of_two_floating_dtypes_have_the_wider_one():
    x, y = np.array([0.5, -3.0]), np.array([0.25, 0.5])
    for first, second in (("float32", "float64"), ("float64", "float32")):
        a, b = t(x.astype(first)), t(y.astype(second))
        huber, divergence = F.smooth_l1_loss(a, b), F.kl_div(a, b, "sum")
        assert huber.dtype == divergence.dtype == paddle.float64
        np.testing.assert_allclose(huber.item(), (0.25**2 / 2 + 3.0) / 2, rtol=1e-6)
        np.testing.assert_allclose(divergence.item(), (y * (np.log(y) - x)).sum(), rtol=1e-6)


def test_smoothed_labels_may_be_probabilities():
    logits, classes = paddle.to_tensor(np.eye(3, dtype="float32")), paddle.to_tensor([2, 0, 1])
    whole = F.cross_entropy(logits, F.one_hot(classes, 3), label_smoothing=0.3)
    np.testing.assert_allclose(whole.item(), F.cross_entropy(logits, classes, label_smoothing=0.3).item(), rtol=1e-6)


@pytest.mark.parametrize("reduction", ["none", "other", None, 3])
def test_kl_div_keeps_the_terms_for_any_other_reduction(reduction):
    terms = F.kl_div(paddle.zeros([2, 3]), paddle.full([2, 3], np.e), reduction=reduction)
    np.testing.assert_allclose(terms, np.full([2, 3], np.e), rtol=1e-6)


@pytest.mark.parametrize("label", [3, -1])
def test_a_label_that_is_no_class_is_refused_by_nll_loss(label):
    scores = paddle.zeros([2, 3])
    with pytest.raises(IndexError, match=rf"nll_loss: label has value {label}; a class index must lie in \[0, 3\)"):
        F.nll_loss(scores, paddle.to_tensor([0, label]))


def test_the_gradient_of_weighted_nll_loss_reaches_the_weights_twice():
    # loss = (2 w0 + 3 w1) / (w0 + w1): d/dw0 = -w1 / (w0 + w1)^2, d2/dw0 dw1 = (w1 - w0) / (w0 + w1)^3
    weight = t(np.array([1.0, 3.0]))
    weight.stop_gradient = False
    loss = F.nll_loss(t(np.array([[-2.0, 0.0], [0.0, -3.0]])), paddle.to_tensor([0, 1]), weight)
    (first,) = paddle.grad(loss, weight, create_graph=True)
    np.testing.assert_allclose(first.numpy(), [-3 / 16, 1 / 16])
    (second,) = paddle.grad(first[0], weight)
    np.testing.assert_allclose(second.numpy()[1], 2 / 64)


@pytest.mark.parametrize("label", [[2, 4, 3], [2, 1, 1], [2, 4]])
def test_dice_loss_refuses_labels_of_another_shape(label):
    with pytest.raises(AssertionError, match="dice_loss: input has shape"):
        F.dice_loss(paddle.ones([2, 4, 3]), paddle.zeros(label, "int64"))


@pytest.mark.parametrize("settings", [{}, {"weight": np.ones(3, "float32")}, {"ignore_index": 1}, {"soft_label": True}])
def test_the_mean_of_no_cross_entropy_is_nan(settings):
    settings = {k: paddle.to_tensor(v) if k == "weight" else v for k, v in settings.items()}
    label = paddle.zeros([0, 3]) if "soft_label" in settings else paddle.zeros([0], "int64")
    assert np.isnan(F.cross_entropy(paddle.ones([0, 3]), label, **settings).item())


def test_a_normal_likelihood_of_nothing_is_nan():
    nothing = paddle.zeros([0, 3])
    assert np.isnan(F.gaussian_nll_loss(nothing, nothing, nothing).item())
    assert F.gaussian_nll_loss(nothing, nothing, nothing, reduction="none").shape == [0, 3]


@pytest.mark.parametrize("error", [AssertionError, ValueError])
def test_reductions_and_labels_that_are_none_are_refused(error):
    x = paddle.ones([2, 3])
    for call in (
        lambda: nn.functional.mse_loss(x, x, reduction="other"),
        lambda: nn.functional.margin_cross_entropy(x, paddle.to_tensor([0, 1]), reduction="other"),
        lambda: nn.functional.dice_loss(x, paddle.ones([2, 1])),
    ):
        with pytest.raises(error):
            call()


@pytest.mark.parametrize("normalized", [False, True])
def test_edit_distances(normalized):
    def distance(a, b):
        table = np.zeros((len(a) + 1, len(b) + 1))
        table[0], table[:, 0] = np.arange(len(b) + 1), np.arange(len(a) + 1)
        for i, p in enumerate(a, 1):
            for j, q in enumerate(b, 1):
                table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (p != q))
        return table[-1, -1]

    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, (6, 7)), rng.integers(0, 4, (6, 5))
    lengths, label_lengths = rng.integers(0, 8, 6), rng.integers(1, 6, 6)
    expected = np.array([distance(p[:n], q[:m]) for p, q, n, m in zip(a, b, lengths, label_lengths, strict=True)])
    expected = expected / label_lengths if normalized else expected
    call = F.loss.edit_distance
    tensors = [paddle.to_tensor(v) for v in (a, b, lengths, label_lengths)]
    number, found = call(*tensors[:2], normalized, None, *tensors[2:])
    assert number.tolist() == [6] and number.dtype == paddle.int64
    np.testing.assert_allclose(found.numpy(), expected.reshape(6, 1).astype("float32"))
    ignored = call(*tensors[:2], False, [0, 1])[1]
    kept = [[row[row > 1] for row in one] for one in (a, b)]
    np.testing.assert_array_equal(ignored.numpy()[:, 0], [distance(*pair) for pair in zip(*kept, strict=True)])


def test_edit_distances_to_labels_without_tokens():
    sequences, lengths = paddle.ones([2, 3], "int64"), paddle.to_tensor([0, 2])
    assert F.loss.edit_distance(sequences, sequences, False, None, None, lengths)[1].tolist() == [[3.0], [1.0]]
    with pytest.raises(ValueError, match="edit_distance"):
        F.loss.edit_distance(sequences, sequences, label_length=lengths)

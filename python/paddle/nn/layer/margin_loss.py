# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss layers of margins, rankings, distances and distributions."""

from .. import functional as F
from ._retired_keywords import reduction_only
from .layers import Layer

__all__ = [
    "MarginRankingLoss",
    "HingeEmbeddingLoss",
    "CosineEmbeddingLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "SoftMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiLabelMarginLoss",
    "MultiMarginLoss",
    "PoissonNLLLoss",
    "GaussianNLLLoss",
]


def _checked(layer, reduction):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"{type(layer).__name__}: reduction has value {reduction!r}; it must be 'mean', 'sum' or 'none'."
        )
    return reduction


@reduction_only
class MarginRankingLoss(Layer):
    """max(0, -label * (input - other) + margin): label 1 wants the first input larger, -1 the second.

    Args:
        margin: By how much.
        reduction: "mean", "sum" or "none".
        name: Unused.

    Example:
        >>> loss = paddle.nn.MarginRankingLoss(margin=1.0)
        >>> float(loss(paddle.to_tensor([2.0]), paddle.to_tensor([3.0]), paddle.to_tensor([1.0])))
        2.0
    """

    def __init__(self, margin=0.0, reduction="mean", name=None):
        super().__init__()
        self.margin, self.reduction, self.name = margin, _checked(self, reduction), name

    def forward(self, input, other, label):
        return F.margin_ranking_loss(input, other, label, self.margin, self.reduction)


@reduction_only
class HingeEmbeddingLoss(Layer):
    """The mean of input where label is 1, of max(0, margin - input) where it is -1.

    Args:
        margin: Distance from which on unlike pairs cost nothing.
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> loss = paddle.nn.HingeEmbeddingLoss()
        >>> float(loss(paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])))
        0.625
    """

    def __init__(self, margin=1.0, reduction="mean", name=None):
        super().__init__()
        self.margin, self.reduction, self.name = margin, _checked(self, reduction), name

    def forward(self, input, label):
        return F.hinge_embedding_loss(input, label, self.margin, self.reduction)


@reduction_only
class CosineEmbeddingLoss(Layer):
    """The mean of 1 - cos(input1, input2) where label is 1, of max(0, cos - margin) where it is -1.

    Args:
        margin: Cosine up to which unlike pairs cost nothing, in [-1, 1].
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> loss = paddle.nn.CosineEmbeddingLoss()
        >>> float(loss(paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0.0, 1.0]]), paddle.to_tensor([1])))
        1.0
    """

    def __init__(self, margin=0, reduction="mean", name=None):
        super().__init__()
        if not -1 <= margin <= 1:
            raise ValueError(f"CosineEmbeddingLoss: margin has value {margin}; it must be in [-1, 1].")
        self.margin, self.reduction, self.name = margin, _checked(self, reduction), name

    def forward(self, input1, input2, label):
        return F.cosine_embedding_loss(input1, input2, label, self.margin, self.reduction)


@reduction_only
class TripletMarginLoss(Layer):
    """The mean of max(0, d(input, positive) - d(input, negative) + margin), d the p-norm of the difference
    (Balntas et al. 2016).

    Args:
        margin: By how much the negative is to be farther away.
        p: Order of the norm.
        epsilon: Added to differences, so that the norm has a gradient at 0.
        swap: Whether the smaller of d(input, negative) and d(positive, negative) counts.
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> x, far = paddle.zeros([1, 2]), paddle.full([1, 2], 10.0)
        >>> float(paddle.nn.TripletMarginLoss()(x, x, far))
        0.0
    """

    def __init__(self, margin=1.0, p=2.0, epsilon=1e-06, swap=False, reduction="mean", name=None):
        super().__init__()
        self.margin, self.p, self.epsilon, self.swap = margin, p, epsilon, swap
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, positive, negative):
        return F.triplet_margin_loss(
            input, positive, negative, self.margin, self.p, self.epsilon, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(Layer):
    """`TripletMarginLoss` with a distance of one's own.

    Args:
        distance_function: Positive distances of the rows of two Tensors; None: the Euclidean one.
        margin: By how much the negative is to be farther away.
        swap: Whether the smaller of d(input, negative) and d(positive, negative) counts.
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> loss = paddle.nn.TripletMarginWithDistanceLoss(lambda x, y: (x - y).abs().sum(-1))
        >>> x, near, far = (paddle.full([1, 2], value) for value in (0.0, 1.0, 10.0))
        >>> float(loss(x, near, far)), float(loss(x, far, near))
        (0.0, 19.0)
    """

    def __init__(self, distance_function=None, margin=1.0, swap=False, reduction="mean", name=None):
        super().__init__()
        self.distance_function, self.margin, self.swap = distance_function, margin, swap
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, positive, negative):
        return F.triplet_margin_with_distance_loss(
            input, positive, negative, self.distance_function, self.margin, self.swap, self.reduction
        )


@reduction_only
class SoftMarginLoss(Layer):
    """The mean of log(1 + exp(-label * input)) for labels 1 and -1.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> round(float(paddle.nn.SoftMarginLoss()(paddle.to_tensor([100.0]), paddle.to_tensor([1.0]))), 4)
        0.0
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__()
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.soft_margin_loss(input, label, self.reduction)


@reduction_only
class MultiLabelSoftMarginLoss(Layer):
    """The mean over classes and samples of the binary cross entropy of logits with labels 0 and 1.

    Args:
        weight: A factor of every class, a Tensor [classes]; None: 1.
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> loss = paddle.nn.MultiLabelSoftMarginLoss()
        >>> round(float(loss(paddle.to_tensor([[100.0, -100.0]]), paddle.to_tensor([[1.0, 0.0]]))), 4)
        0.0
    """

    def __init__(self, weight=None, reduction="mean", name=None):
        super().__init__()
        self.weight, self.reduction, self.name = weight, _checked(self, reduction), name

    def forward(self, input, label):
        return F.multi_label_soft_margin_loss(input, label, self.weight, self.reduction)


@reduction_only
class MultiLabelMarginLoss(Layer):
    """Margins between all wanted and unwanted classes, divided by the number of classes.

    A label row holds the wanted classes, then -1; see `paddle.nn.functional.multi_label_margin_loss`.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> float(paddle.nn.MultiLabelMarginLoss()(paddle.to_tensor([[5.0, 0.0, 0.0]]), paddle.to_tensor([[0, -1, -1]])))
        0.0
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__()
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.multi_label_margin_loss(input, label, self.reduction)


@reduction_only
class MultiMarginLoss(Layer):
    """The mean of max(0, margin - input[label] + input[i])^p over the other classes i.

    Args:
        p: The power, 1 or 2.
        margin: By how much the right class is to lead.
        weight: A factor of every class, a Tensor [classes]; None: 1.
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> float(paddle.nn.MultiMarginLoss()(paddle.to_tensor([[5.0, 0.0]]), paddle.to_tensor([0])))
        0.0
    """

    def __init__(self, p=1, margin=1.0, weight=None, reduction="mean", name=None):
        super().__init__()
        self.p, self.margin, self.weight = p, margin, weight
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.multi_margin_loss(input, label, self.p, self.margin, self.weight, self.reduction)


@reduction_only
class PoissonNLLLoss(Layer):
    """The negative log likelihood of counts under a Poisson distribution.

    Args:
        log_input: Whether the input is the logarithm of the rate: exp(input) - label * input; else
            input - label * log(input + epsilon).
        full: Whether Stirling's approximation of log(label!) is added for labels above 1.
        epsilon: Keeps the logarithm finite; positive.
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> float(paddle.nn.PoissonNLLLoss()(paddle.to_tensor([0.0]), paddle.to_tensor([3.0])))
        1.0
    """

    def __init__(self, log_input=True, full=False, epsilon=1e-08, reduction="mean", name=None):
        super().__init__()
        if epsilon <= 0:
            raise ValueError(f"PoissonNLLLoss: epsilon has value {epsilon}; it must be positive.")
        self._log_input, self._full, self._epsilon = log_input, full, epsilon
        self._reduction, self._name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.poisson_nll_loss(input, label, self._log_input, self._full, self._epsilon, self._reduction)


class GaussianNLLLoss(Layer):
    """The negative log likelihood under normal distributions of given means and variances:
    (log(max(variance, epsilon)) + (input - label)^2 / max(variance, epsilon)) / 2.

    Args:
        full: Whether the constant log(2 pi) / 2 is added.
        epsilon: The least variance; positive.
        reduction: 'mean', 'sum' or 'none'.
        name: Unused.

    Example:
        >>> float(paddle.nn.GaussianNLLLoss()(paddle.to_tensor([1.0]), paddle.to_tensor([3.0]), paddle.to_tensor([1.0])))
        2.0
    """

    def __init__(self, full=False, epsilon=1e-06, reduction="mean", name=None):
        super().__init__()
        if epsilon <= 0:
            raise ValueError(f"GaussianNLLLoss: epsilon has value {epsilon}; it must be positive.")
        self.full, self.epsilon, self.reduction, self.name = full, epsilon, _checked(self, reduction), name

    def forward(self, input, label, variance):
        return F.gaussian_nll_loss(input, label, variance, self.full, self.epsilon, self.reduction)

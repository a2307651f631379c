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
    """input where label is 1, max(0, margin - input) where it is -1."""

    def __init__(self, margin=1.0, reduction="mean", name=None):
        super().__init__()
        self.margin, self.reduction, self.name = margin, _checked(self, reduction), name

    def forward(self, input, label):
        return F.hinge_embedding_loss(input, label, self.margin, self.reduction)


@reduction_only
class CosineEmbeddingLoss(Layer):
    """1 - cos for label 1, max(0, cos - margin) for label -1."""

    def __init__(self, margin=0, reduction="mean", name=None):
        super().__init__()
        if not -1 <= margin <= 1:
            raise ValueError(f"CosineEmbeddingLoss: margin has value {margin}; it must be in [-1, 1].")
        self.margin, self.reduction, self.name = margin, _checked(self, reduction), name

    def forward(self, input1, input2, label):
        return F.cosine_embedding_loss(input1, input2, label, self.margin, self.reduction)


@reduction_only
class TripletMarginLoss(Layer):
    """max(0, d(input, positive) - d(input, negative) + margin) for the p-norm d of the difference."""

    def __init__(self, margin=1.0, p=2.0, epsilon=1e-06, swap=False, reduction="mean", name=None):
        super().__init__()
        self.margin, self.p, self.epsilon, self.swap = margin, p, epsilon, swap
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, positive, negative):
        return F.triplet_margin_loss(
            input, positive, negative, self.margin, self.p, self.epsilon, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(Layer):
    """TripletMarginLoss with a distance of one's own."""

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
    """log(1 + exp(-label * input)) for labels 1 and -1."""

    def __init__(self, reduction="mean", name=None):
        super().__init__()
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.soft_margin_loss(input, label, self.reduction)


@reduction_only
class MultiLabelSoftMarginLoss(Layer):
    """The mean over classes of the binary cross entropy of logits."""

    def __init__(self, weight=None, reduction="mean", name=None):
        super().__init__()
        self.weight, self.reduction, self.name = weight, _checked(self, reduction), name

    def forward(self, input, label):
        return F.multi_label_soft_margin_loss(input, label, self.weight, self.reduction)


@reduction_only
class MultiLabelMarginLoss(Layer):
    """Margins between all wanted and unwanted classes; see `multi_label_margin_loss`."""

    def __init__(self, reduction="mean", name=None):
        super().__init__()
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.multi_label_margin_loss(input, label, self.reduction)


@reduction_only
class MultiMarginLoss(Layer):
    """Margins between the right class and all others; see `multi_margin_loss`."""

    def __init__(self, p=1, margin=1.0, weight=None, reduction="mean", name=None):
        super().__init__()
        self.p, self.margin, self.weight = p, margin, weight
        self.reduction, self.name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.multi_margin_loss(input, label, self.p, self.margin, self.weight, self.reduction)


@reduction_only
class PoissonNLLLoss(Layer):
    """Negative log likelihood of a Poisson distribution."""

    def __init__(self, log_input=True, full=False, epsilon=1e-08, reduction="mean", name=None):
        super().__init__()
        if epsilon <= 0:
            raise ValueError(f"PoissonNLLLoss: epsilon has value {epsilon}; it must be positive.")
        self._log_input, self._full, self._epsilon = log_input, full, epsilon
        self._reduction, self._name = _checked(self, reduction), name

    def forward(self, input, label):
        return F.poisson_nll_loss(input, label, self._log_input, self._full, self._epsilon, self._reduction)


class GaussianNLLLoss(Layer):
    """Negative log likelihood of a normal distribution."""

    def __init__(self, full=False, epsilon=1e-06, reduction="mean", name=None):
        super().__init__()
        if epsilon <= 0:
            raise ValueError(f"GaussianNLLLoss: epsilon has value {epsilon}; it must be positive.")
        self.full, self.epsilon, self.reduction, self.name = full, epsilon, _checked(self, reduction), name

    def forward(self, input, label, variance):
        return F.gaussian_nll_loss(input, label, variance, self.full, self.epsilon, self.reduction)

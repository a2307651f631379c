# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss layers."""

from ... import _lazy
from ...framework.call_forms import aliases
from .. import functional as F
from ._retired_keywords import reduction_only
from .computed import computed
from .layers import Layer

__all__ = [
    "CrossEntropyLoss",
    "MSELoss",
    "L1Loss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "NLLLoss",
    "SmoothL1Loss",
    "HuberLoss",
    "KLDivLoss",
]

__getattr__ = _lazy.attribute_hook(
    __name__,
    (),
    {
        name: (f"paddle.nn.layer.{module}", name)
        for module, names in {
            "class_loss": ("AdaptiveLogSoftmaxWithLoss", "CTCLoss", "HSigmoidLoss", "RNNTLoss"),
            "margin_loss": (
                "CosineEmbeddingLoss",
                "GaussianNLLLoss",
                "HingeEmbeddingLoss",
                "MarginRankingLoss",
                "MultiLabelMarginLoss",
                "MultiLabelSoftMarginLoss",
                "MultiMarginLoss",
                "PoissonNLLLoss",
                "SoftMarginLoss",
                "TripletMarginLoss",
                "TripletMarginWithDistanceLoss",
            ),
        }.items()
        for name in names
    },
)


@reduction_only
class CrossEntropyLoss(Layer):
    """Softmax and cross entropy; see `paddle.nn.functional.cross_entropy`.

    Args:
        weight: Weights of the classes, of shape [classes]; None for none.
        ignore_index: Label of samples that do not count.
        reduction: "mean", "sum" or "none".
        soft_label: Whether labels are probabilities of all classes.
        axis: Axis of the classes.
        use_softmax: False when inputs are probabilities already.
        label_smoothing: Weight of the uniform distribution in the labels.
        name: Unused.

    Example:
        >>> loss = paddle.nn.CrossEntropyLoss()(paddle.zeros([3, 2]), paddle.to_tensor([0, 1, 1]))
        >>> round(float(loss), 4)
        0.6931
    """

    def __init__(
        self,
        weight=None,
        ignore_index=-100,
        reduction="mean",
        soft_label=False,
        axis=-1,
        use_softmax=True,
        label_smoothing=0.0,
        name=None,
    ):
        super().__init__()
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction
        self.soft_label, self.axis, self.use_softmax = soft_label, axis, use_softmax
        self.label_smoothing, self.name = label_smoothing, name

    @aliases(target="label")
    def forward(self, input, label):
        return F.cross_entropy(
            input,
            label,
            self.weight,
            self.ignore_index,
            self.reduction,
            self.soft_label,
            self.axis,
            self.use_softmax,
            self.label_smoothing,
        )


class _Reduced(Layer):
    def __init__(self, reduction="mean", name=None):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(
                f"{type(self).__name__}: reduction has value {reduction!r}; it must be 'mean', 'sum' or 'none'."
            )
        self.reduction, self.name = reduction, name


@reduction_only
class MSELoss(_Reduced):
    """Mean squared error; called with (input, label) of one shape.

    Args:
        reduction: "mean" or "sum" of the elements, or "none" for all of them.

    Example:
        >>> float(paddle.nn.MSELoss()(paddle.to_tensor([1.0, 5.0]), paddle.to_tensor([3.0, 3.0])))
        4.0
    """

    def __init__(self, reduction="mean"):
        super().__init__(reduction)

    def forward(self, input, label):
        return F.mse_loss(input, label, self.reduction)


@reduction_only
class L1Loss(_Reduced):
    """Mean absolute error; called with (input, label) of one shape.

    Args:
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        name: Unused.

    Example:
        >>> float(paddle.nn.L1Loss()(paddle.to_tensor([1.0, 5.0]), paddle.to_tensor([3.0, 3.0])))
        2.0
    """

    def forward(self, input, label):
        return F.l1_loss(input, label, self.reduction)


@reduction_only
class BCELoss(_Reduced):
    """Binary cross entropy of probabilities; see `paddle.nn.functional.binary_cross_entropy`.

    Args:
        weight: Factors that broadcast to the loss; None for none.
        reduction: "mean", "sum" or "none".
        name: Unused.

    Example:
        >>> loss = paddle.nn.BCELoss()(paddle.to_tensor([0.5]), paddle.to_tensor([1.0]))
        >>> round(float(loss), 4)
        0.6931
    """

    def __init__(self, weight=None, reduction="mean", name=None):
        super().__init__(reduction, name)
        self.weight = weight

    def forward(self, input, label):
        return F.binary_cross_entropy(input, label, self.weight, self.reduction)


@reduction_only
class BCEWithLogitsLoss(_Reduced):
    """Sigmoid and binary cross entropy; called with (logits, labels) of one shape.

    Args:
        weight: Weights that broadcast with the elements; None for none.
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        pos_weight: Weights of the positive part of each class; None for none.
        name: Unused.

    Example:
        >>> loss = paddle.nn.BCEWithLogitsLoss()(paddle.zeros([2]), paddle.ones([2]))
        >>> round(float(loss), 4)
        0.6931
    """

    def __init__(self, weight=None, reduction="mean", pos_weight=None, name=None):
        super().__init__(reduction, name)
        self.weight, self.pos_weight = weight, pos_weight

    def forward(self, logit, label):
        return F.binary_cross_entropy_with_logits(logit, label, self.weight, self.reduction, self.pos_weight)


@reduction_only
class NLLLoss(_Reduced):
    """Negative log likelihood: minus the input at the label; see `paddle.nn.functional.nll_loss`.

    Args:
        weight: Weights of the classes [C]; None for none.
        ignore_index: Label of samples that do not count.
        reduction: "mean", "sum" or "none".
        name: Unused.

    Example:
        >>> likelihoods = paddle.to_tensor([[-0.5, -1.5]])
        >>> float(paddle.nn.NLLLoss()(likelihoods, paddle.to_tensor([1])))
        1.5
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", name=None):
        super().__init__(reduction, name)
        self._weight, self._ignore_index = weight, ignore_index

    def forward(self, input, label):
        return F.nll_loss(input, label, self._weight, self._ignore_index, self._reduction)

    _reduction = computed(lambda self: self.reduction, doc="What is done with the losses of the samples.")


@reduction_only
class SmoothL1Loss(_Reduced):
    """Squared error near zero, absolute error beyond `delta` (Huber 1964); see `paddle.nn.functional.smooth_l1_loss`.

    Args:
        reduction: "mean", "sum" or "none".
        delta: Error at which the two meet; positive.
        is_huber: False divides the loss by delta.
        name: Unused.

    Example:
        >>> float(paddle.nn.SmoothL1Loss()(paddle.to_tensor([3.0]), paddle.to_tensor([0.0])))
        2.5
    """

    def __init__(self, reduction="mean", delta=1.0, is_huber=True, name=None):
        super().__init__(reduction, name)
        self.delta, self.is_huber = delta, is_huber

    @aliases(target="label")
    def forward(self, input, label):
        return F.smooth_l1_loss(input, label, self.reduction, self.delta, self.is_huber)


HuberLoss = SmoothL1Loss


@reduction_only
class KLDivLoss(Layer):
    """The divergence sum of label * (log(label) - input), the input being a logarithm (Kullback and Leibler 1951).

    Args:
        reduction: 'mean' over elements, 'batchmean' over samples, 'sum' or 'none'.
        log_target: Whether the label is a logarithm too.

    Example:
        >>> p = paddle.to_tensor([[0.25, 0.75]])
        >>> float(paddle.nn.KLDivLoss()(p.log(), p))
        0.0
    """

    def __init__(self, reduction="mean", log_target=False):
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input, label):
        return F.kl_div(input, label, self.reduction, self.log_target)

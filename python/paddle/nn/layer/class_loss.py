# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss layers over very many classes and over alignments of sequences."""

from ... import _core
from .. import functional as F
from .layers import Layer

ops = _core.ops

__all__ = ["HSigmoidLoss", "AdaptiveLogSoftmaxWithLoss", "CTCLoss", "RNNTLoss"]


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid (Morin & Bengio 2005).

    Args:
        feature_size: Size of the input.
        num_classes: Number of classes; with is_custom the number of inner nodes.
        weight_attr: ParamAttr of the weight, one row per inner node.
        bias_attr: ParamAttr of the bias; False for none.
        is_custom: The tree is given to forward as path_table and path_code.
    """

    def __init__(
        self,
        feature_size,
        num_classes,
        weight_attr=None,
        bias_attr=None,
        is_custom=False,
        is_sparse=False,
        name=None,
    ):
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise ValueError(f"HSigmoidLoss: num_classes has value {num_classes}; it must be at least 2.")
        self._feature_size, self._num_classes = feature_size, num_classes
        self._is_custom, self._is_sparse, self._name = is_custom, is_sparse, name
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(self, input, label, path_table=None, path_code=None):
        return F.hsigmoid_loss(
            input, label, self._num_classes, self.weight, self.bias, path_table, path_code, self._is_sparse
        )


class AdaptiveLogSoftmaxWithLoss(Layer):
    """Adaptive softmax (Grave et al. 2017): frequent classes in the head, others in clusters behind it.

    Args:
        in_features: Size of the input.
        n_classes: Number of classes, sorted by falling frequency.
        cutoffs: First class of every cluster.
        weight_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the head's bias.
        div_value: Each cluster's hidden size is that of the one before divided by it.
        head_bias: Give the head a bias.
    """

    def __init__(
        self,
        in_features,
        n_classes,
        cutoffs,
        weight_attr=None,
        bias_attr=None,
        div_value=4.0,
        head_bias=False,
        name=None,
    ):
        super().__init__()
        cutoffs = list(cutoffs)
        whole = all(isinstance(c, int) for c in cutoffs)
        rising = all(a < b for a, b in zip(cutoffs, cutoffs[1:], strict=False))
        if not cutoffs or not whole or not rising or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise ValueError(
                f"AdaptiveLogSoftmaxWithLoss: cutoffs has value {cutoffs}; it must be rising integers in "
                f"[1, {n_classes - 1}]."
            )
        self.in_features, self.n_classes, self.div_value = in_features, n_classes, div_value
        self.cutoffs, self.is_head_bias = [*cutoffs, n_classes], head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head_weight = self.create_parameter([in_features, self.head_size], weight_attr)
        self.head_bias = self.create_parameter([self.head_size], bias_attr, is_bias=True) if head_bias else None
        self.tail_weights = []
        for i in range(self.n_clusters):
            hidden = int(in_features // div_value ** (i + 1))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            pair = [self.create_parameter(s, weight_attr) for s in ([in_features, hidden], [hidden, size])]
            for k, parameter in enumerate(pair):
                self.add_parameter(f"tail_weight_{i}_{k}", parameter)
            self.tail_weights.append(pair)

    def forward(self, input, label):
        return F.adaptive_log_softmax_with_loss(
            input, label, self.head_weight, self.tail_weights, self.cutoffs, self.head_bias
        )

    def log_prob(self, input):
        """Log probabilities of all classes, [N, n_classes]."""
        head = ops.matmul(input, self.head_weight)
        head = ops.log_softmax(head if self.head_bias is None else head + self.head_bias, -1)
        parts = [ops.slice(head, [1], [0], [self.shortlist_size])]
        for i, (narrow, wide) in enumerate(self.tail_weights):
            tail = ops.log_softmax(ops.matmul(ops.matmul(input, narrow), wide), -1)
            column = self.shortlist_size + i
            parts.append(tail + ops.slice(head, [1], [column], [column + 1]))
        return ops.concat(parts, 1)

    def predict(self, input):
        """The most probable class of each row, [N], as float32."""
        return ops.cast(ops.argmax(self.log_prob(input), 1, False, False, _core.int64), _core.float32)


class CTCLoss(Layer):
    """Connectionist temporal classification (Graves et al. 2006); see `paddle.nn.functional.ctc_loss`.

    Args:
        blank: Number of the blank label.
        reduction: 'mean', 'sum' or 'none'.
        zero_infinity: Whether infinite losses, of labels too long for their input, count as 0.

    Example:
        >>> logits = paddle.zeros([3, 1, 2])  # steps, samples, classes
        >>> loss = paddle.nn.CTCLoss(reduction="sum")
        >>> one = paddle.to_tensor([[1]], "int32")
        >>> lengths = paddle.to_tensor([3]), paddle.to_tensor([1])
        >>> round(float(loss(logits, one, *lengths)), 4)  # 6 of 8 paths give the label
        0.2877
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def forward(self, log_probs, labels, input_lengths, label_lengths, norm_by_times=False):
        return F.ctc_loss(
            log_probs,
            labels,
            input_lengths,
            label_lengths,
            self.blank,
            self.reduction,
            norm_by_times,
            self.zero_infinity,
        )


class RNNTLoss(Layer):
    """Transducer loss; see `paddle.nn.functional.rnnt_loss`."""

    def __init__(self, blank=0, fastemit_lambda=0.001, reduction="mean", name=None):
        super().__init__()
        self.blank, self.fastemit_lambda, self.reduction, self.name = blank, fastemit_lambda, reduction, name

    def forward(self, input, label, input_lengths, label_lengths):
        return F.rnnt_loss(input, label, input_lengths, label_lengths, self.blank, self.fastemit_lambda, self.reduction)

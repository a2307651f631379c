# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Losses: a number for each row."""

from ... import _core
from ... import arange as _arange
from ... import nn as _nn
from ... import shape as _extents
from ...framework.layer_helper import LayerHelper
from ...nn import functional as F
from ...static import nn as _static_nn
from ..operators import offsets_of, result, results, set_offsets

ops = _core.ops


def cross_entropy(input, label, soft_label=False, ignore_index=-100):
    """-log of the probability of the label.

    Args:
        input: Probabilities (not logits) of shape [..., C].
        label: Classes of shape [..., 1] or [...], or with soft_label probabilities of the shape of input.
        soft_label: Whether labels are probabilities: then the sum of -label * log(input).
        ignore_index: Label of rows whose loss is 0.

    Returns:
        A tensor of shape [..., 1].

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> loss = fluid.layers.cross_entropy(paddle.to_tensor([[0.25, 0.75]]), paddle.to_tensor([[0]]))
        >>> [[round(x, 4) for x in row] for row in loss.tolist()]
        [[1.3863]]
    """
    made = _probability_loss(input, label, soft_label, ignore_index)
    return set_offsets(made, offsets_of(input)) if offsets_of(input) else made


def _probability_loss(input, label, soft_label, ignore_index):
    largest = ops.full([], 1e20, input.dtype)
    logs = ops.maximum(ops.log(input), -largest)  # of 0 as well a number
    if soft_label:
        return -(label * logs).sum(-1, keepdim=True)
    if label.ndim == input.ndim - 1:
        label = label.unsqueeze(-1)
    label = ops.cast(label, _core.int64)
    counts = label != ignore_index
    chosen = ops.take_along_axis(logs, ops.where(counts, label, ops.full_like(label, 0)), -1)
    return ops.where(counts, -chosen, ops.full_like(chosen, 0.0))


def softmax_with_cross_entropy(
    logits,
    label,
    soft_label=False,
    ignore_index=-100,
    numeric_stable_mode=True,
    return_softmax=False,
    axis=-1,
):
    """-log of the probability that the softmax of logits gives to the label.

    Args:
        logits: Shape [..., C].
        label: Classes of shape [..., 1], or with soft_label probabilities of the shape of logits.
        soft_label: Whether labels are probabilities.
        ignore_index: Label of rows whose loss is 0.
        numeric_stable_mode: Not read: it always is.
        return_softmax: Whether the probabilities are given too.
        axis: The axis of the classes.

    Returns:
        A tensor of shape [..., 1], or (loss, softmax).
    """
    return F.softmax_with_cross_entropy(
        logits, label, soft_label, ignore_index, numeric_stable_mode, return_softmax, axis
    )


def square_error_cost(input, label):
    """(input - label) ** 2 of every element."""
    difference = input - label
    return difference * difference


def mse_loss(input, label):
    """The mean of (input - label) ** 2, of shape [1]."""
    return square_error_cost(input, label).mean().reshape([1])


def sigmoid_cross_entropy_with_logits(x, label, ignore_index=-100, name=None, normalize=False):
    """-label * log(sigmoid(x)) - (1 - label) * log(1 - sigmoid(x)) of every element.

    Args:
        x: Logits.
        label: Numbers from 0 to 1 of the shape of x.
        ignore_index: Label of elements whose loss is 0.
        name: Not read.
        normalize: Whether the result is divided by the number of elements that count.
    """
    attrs = {"ignore_index": ignore_index, "normalize": normalize}
    return result("sigmoid_cross_entropy_with_logits", {"X": x, "Label": label}, attrs)


def log_loss(input, label, epsilon=1e-4, name=None):
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon) of every element."""
    return F.log_loss(input, label, epsilon)


def huber_loss(input, label, delta):
    """(label - input) ** 2 / 2 where that is up to delta apart, else delta * (|label - input| - delta / 2)."""
    return result("huber_loss", {"X": input, "Y": label}, {"delta": float(delta)})


def smooth_l1(x, y, inside_weight=None, outside_weight=None, sigma=None):
    """The sum over each row of a function of inside_weight * (x - y), times outside_weight.

    The function of d is (sigma * d) ** 2 / 2 where |d| < 1 / sigma ** 2, else |d| - 0.5 / sigma ** 2.

    Returns:
        A tensor of shape [N, 1].
    """
    square = float(sigma) ** 2 if sigma is not None else 1.0
    d = x - y
    if inside_weight is not None:
        d = d * inside_weight
    size = ops.abs(d)
    made = ops.where(size < 1.0 / square, d * d * (0.5 * square), size - 0.5 / square)
    if outside_weight is not None:
        made = made * outside_weight
    return made.flatten(1).sum(1, keepdim=True) if made.ndim > 2 else made.sum(1, keepdim=True)


def kldiv_loss(x, target, reduction="mean", name=None):
    """target * (log(target) - x), where target is positive: its mean, its sum over the rows' number, its sum, or it."""
    made = result("kldiv_loss", {"X": x, "Target": target}, {"reduction": reduction}, "Loss")
    return made.reshape([1]) if made.ndim == 0 else made


def rank_loss(label, left, right, name=None):
    """log(1 + exp(left - right)) - label * (left - right): RankNet (Burges and others, 2005)."""
    difference = left - right
    return F.softplus(difference) - label * difference


def margin_rank_loss(label, left, right, margin=0.1, name=None):
    """max(0, margin - label * (left - right))."""
    return ops.relu(margin - label * (left - right))


def bpr_loss(input, label, name=None):
    """The mean over the other classes of -log(sigmoid(score of the label - their score)); shape [N, 1]."""
    classes = int(input.shape[-1])
    own = ops.take_along_axis(input, ops.cast(label.reshape([-1, 1]), _core.int64), -1)
    others = F.softplus(input - own).sum(-1, keepdim=True) - F.softplus(own - own)
    return others / float(classes - 1)


def teacher_student_sigmoid_loss(input, label, soft_max_up_bound=15.0, soft_max_lower_bound=-15.0):
    """The loss of a click (the sign and size of the label say whether there was one) plus that of a teacher's score."""
    x = input
    base = ops.relu(x) + ops.log1p(ops.exp(-ops.abs(x)))
    clicked = ops.cast(((label >= -1.0) & (label < 0.0)) | (label >= 1.0), x.dtype)
    scored = ops.cast(label >= 0.0, x.dtype)
    score = ops.where(label >= 1.0, label - 1.0, label) * scored
    return base - x * clicked + scored * (base - x * score)


def npair_loss(anchor, positive, labels, l2_reg=0.002):
    """The N-pair loss (Sohn, 2016): shape [1]."""
    return F.npair_loss(anchor, positive, labels, l2_reg).reshape([1])


def dice_loss(input, label, epsilon=0.00001, name=None):
    """1 - twice the intersection of two distributions divided by their sum; shape [1]."""
    return F.dice_loss(input, label, epsilon).reshape([1])


def center_loss(input, label, num_classes, alpha, param_attr, update_center=True):
    """Half of the squared distance of each row from the centre of its class, which moves towards its rows.

    Returns:
        A tensor of shape [N, 1].
    """
    helper = LayerHelper("center_loss")
    centers = helper.create_parameter(param_attr, [num_classes, int(input.shape[1])], input.dtype)
    centers.stop_gradient = True
    places = label.reshape([-1])
    difference = input - ops.gather(centers, places, 0)
    if update_center:
        counts = ops.full([num_classes], 1.0, input.dtype).index_add(
            places, 0, ops.full_like(difference[:, 0], 1.0).detach()
        )
        moved = ops.full_like(centers, 0.0).index_add(places, 0, difference.detach())
        _core.assign_inplace(centers, centers + moved * float(alpha) / counts.unsqueeze(-1), "center_loss")
    return (difference * difference).sum(1, keepdim=True) * 0.5


def edit_distance(input, label, normalized=True, ignored_tokens=None, input_length=None, label_length=None):
    """How many insertions, deletions and substitutions make a label out of a prediction.

    Args:
        input: Predictions: rows of sequences of shape [rows, 1], or [N, T] with input_length.
        label: Labels of the same form.
        normalized: Whether it is divided by the length of the label.
        ignored_tokens: Integers that are left out before.
        input_length: Lengths of shape [N].
        label_length: Lengths of shape [N].

    Returns:
        The distances (float32, [N, 1]) and their number (int64, [1]).
    """
    if ignored_tokens:
        if input_length is not None:
            raise NotImplementedError("edit_distance: ignored_tokens of padded sequences are not available.")
        attrs = {"tokens": list(ignored_tokens)}
        input, label = (result("sequence_erase", {"X": v}, attrs) for v in (input, label))
    inputs = {"Hyps": input, "Refs": label, "HypsLength": input_length, "RefsLength": label_length}
    out, number = results("edit_distance", inputs, ["Out", "SequenceNum"], {"normalized": normalized})
    return out, number


def warpctc(input, label, blank=0, norm_by_times=False, input_length=None, label_length=None):
    """The loss of connectionist temporal classification (Graves and others, 2006).

    Args:
        input: Logits: rows of sequences of shape [rows, C], or [T, N, C] with input_length.
        label: Labels: rows of sequences of shape [rows, 1], or [N, L] with label_length.
        blank: The class that stands for nothing.
        norm_by_times: Whether gradients are divided by the number of steps.
        input_length: Lengths of shape [N].
        label_length: Lengths of shape [N].

    Returns:
        A tensor of shape [N, 1].
    """
    inputs = {"Logits": input, "Label": label, "LogitsLength": input_length, "LabelLength": label_length}
    return result("warpctc", inputs, {"blank": blank, "norm_by_times": norm_by_times}, "Loss")


def ctc_greedy_decoder(input, blank, input_length=None, padding_value=0, name=None):
    """The most probable class of every step, repetitions once and blanks left out.

    Args:
        input: Probabilities: rows of sequences of shape [rows, C], or [N, T, C] with input_length.
        blank: The class that stands for nothing.
        input_length: Lengths of shape [N, 1].
        padding_value: What stands behind the end of a result.
        name: Not read.

    Returns:
        Rows of sequences of shape [rows, 1]; with input_length (shape [N, T], lengths of shape [N, 1]).
    """
    best = ops.argmax(input, -1, input_length is None, False, _core.int64)
    if input_length is None:
        set_offsets(best, offsets_of(input))
        return result("ctc_align", {"Input": best}, {"merge_repeated": True, "blank": blank}, "Output")
    attrs = {"merge_repeated": True, "blank": blank, "padding_value": padding_value}
    inputs = {"Input": best, "InputLength": input_length}
    return tuple(results("ctc_align", inputs, ["Output", "OutputLength"], attrs))


def hsigmoid(
    input,
    label,
    num_classes,
    param_attr=None,
    bias_attr=None,
    name=None,
    path_table=None,
    path_code=None,
    is_custom=False,
    is_sparse=False,
):
    """The loss of a tree of decisions whose leaves are the classes (Morin and Bengio, 2005); shape [N, 1]."""
    helper = LayerHelper("hierarchical_sigmoid", name=name)
    rows = num_classes if is_custom else num_classes - 1
    weight = helper.create_parameter(param_attr, [rows, int(input.shape[1])], input.dtype)
    bias = helper.create_parameter(bias_attr, [rows, 1], input.dtype, is_bias=True)
    return F.hsigmoid_loss(input, label, num_classes, weight, bias, path_table, path_code, is_sparse)


def sampled_softmax_with_cross_entropy(
    logits,
    label,
    num_samples,
    num_true=1,
    remove_accidental_hits=True,
    use_customized_samples=False,
    customized_samples=None,
    customized_probabilities=None,
    seed=0,
):
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "sampled_softmax_with_cross_entropy: paddle does not have it; use nce, or softmax_with_cross_entropy."
    )


nce = _static_nn.nce


def linear_chain_crf(input, label, param_attr=None, length=None):
    """The negative log likelihood of labels in a linear chain of conditional random fields (Lafferty and others, 2001).

    Args:
        input: Scores: rows of sequences of shape [rows, tags], or [N, T, tags] with `length`.
        label: Tags: rows of shape [rows, 1], or [N, T] with `length`.
        param_attr: ParamAttr of the transitions, of shape [tags + 2, tags]: scores of the first and of the last tag, then of
            a tag (column) behind another (row).
        length: Lengths of shape [N, 1].

    Returns:
        A tensor of shape [N, 1].
    """
    tags = int(input.shape[-1])
    weight = LayerHelper("linear_chain_crf").create_parameter(param_attr, [tags + 2, tags], input.dtype)
    if length is None:
        from .sequences import padded

        rows = input
        input, length = padded(rows)
        label, _ = padded(label if offsets_of(label) else set_offsets(label, offsets_of(rows)))
    label = label.reshape([0, 0]) if label.ndim == 3 else label
    return _chain_cost(input, ops.cast(label, _core.int64), length.reshape([-1]), weight)


def _chain_cost(x, label, length, weight):
    """The cost of padded sequences: x [N, T, tags], label [N, T], length [N]."""
    tags = int(x.shape[-1])
    first, last, steps = weight[0], weight[1], weight[2:]
    times = _arange(0, _extents(x)[1], 1, "int64")
    inside = ops.cast(times.unsqueeze(0) < ops.cast(length, _core.int64).unsqueeze(1), x.dtype)
    own = (x * ops.one_hot(label, tags).astype(x.dtype)).sum(-1)
    flat = steps.reshape([-1])
    moves = ops.gather(flat, (label[:, :-1] * tags + label[:, 1:]).reshape([-1]), 0).reshape(_extents(label[:, 1:]))
    end = ops.take_along_axis(label, ops.cast(length, _core.int64).unsqueeze(1) - 1, 1)
    path = (own * inside).sum(1) + (moves * inside[:, 1:]).sum(1)
    path = path + ops.gather(first, label[:, 0], 0) + ops.gather(last, end.reshape([-1]), 0)
    alpha = _forward(x, inside, first, steps)
    return (ops.logsumexp(alpha + last, [1], False) - path).unsqueeze(1)


def _forward(x, inside, first, steps):
    """Logarithms of the sums over all paths up to the end of each sequence, by its last tag: [N, tags]."""
    cell = _ChainStep(steps)
    start = x[:, 0] + first
    rest = ops.concat([x[:, 1:], inside[:, 1:].unsqueeze(-1)], -1)
    return _nn.RNN(cell)(rest, start)[1]


class _ChainStep(_nn.RNNCellBase):
    """One step of the forward algorithm."""

    def __init__(self, steps):
        super().__init__()
        self._steps = [steps]

    def forward(self, inputs, states):
        score, goes_on = inputs[:, :-1], inputs[:, -1:]
        made = ops.logsumexp(states.unsqueeze(2) + self._steps[0].unsqueeze(0), [1], False) + score
        made = goes_on * made + (1.0 - goes_on) * states
        return made, made


def crf_decoding(input, param_attr, label=None, length=None):
    """The most probable tags of a chain (Viterbi, 1967).

    Args:
        input: Scores: rows of sequences of shape [rows, tags], or [N, T, tags] with `length`.
        param_attr: ParamAttr that names the transitions of `linear_chain_crf`.
        label: Tags; with them the result says whether each one is right.
        length: Lengths of shape [N, 1].

    Returns:
        int64 of shape [rows, 1] or [N, T].
    """
    tags = int(input.shape[-1])
    weight = LayerHelper("crf_decoding").create_parameter(param_attr, [tags + 2, tags], input.dtype)
    inputs = {"Emission": input, "Transition": weight, "Label": label, "Length": length}
    return result("crf_decoding", inputs, {}, "ViterbiPath")


__all__ = (
    "bpr_loss center_loss crf_decoding cross_entropy ctc_greedy_decoder dice_loss edit_distance hsigmoid huber_loss kldiv_loss "
    "linear_chain_crf log_loss margin_rank_loss mse_loss nce npair_loss rank_loss sampled_softmax_with_cross_entropy "
    "sigmoid_cross_entropy_with_logits smooth_l1 softmax_with_cross_entropy square_error_cost teacher_student_sigmoid_loss "
    "warpctc"
).split()

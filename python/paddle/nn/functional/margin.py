# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Losses of margins, rankings and distances."""

from ... import _core
from ...tensor._args import aliases, check_tensor, program_operands
from ._reduction import checked, fit, reduced

ops = _core.ops

__all__ = [
    "margin_ranking_loss",
    "hinge_embedding_loss",
    "cosine_embedding_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "soft_margin_loss",
    "multi_label_soft_margin_loss",
    "multi_label_margin_loss",
    "multi_margin_loss",
    "npair_loss",
]

_WIDE, _INTS = ("float32", "float64"), ("int32", "int64")


def _same_shape(op, **tensors):
    (first, a), *rest = tensors.items()
    for name, b in rest:
        if not fit(a.shape, b.shape):
            raise ValueError(f"{op}: {first} has shape {list(a.shape)} and {name} {list(b.shape)}; they must be equal.")


def _as(x, like):
    return x if x.dtype == like.dtype else ops.cast(x, like.dtype)


@aliases(input1="input", input2="other", target="label")
def margin_ranking_loss(input, other, label, margin=0.0, reduction="mean", name=None):
    """max(0, -label * (input - other) + margin): input ranks above other where label is 1, below it where label is -1.

    Args:
        input: Floating Tensor.
        other: Tensor of the same shape.
        label: 1 or -1, of the same shape.
        margin: By how much.
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        name: Unused.

    Returns:
        A Tensor of shape [], or of the shape of input without reduction.

    Example:
        >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.margin_ranking_loss(x, y, paddle.to_tensor([1.0, 1.0]), reduction="none").tolist()
        [2.0, 0.0]
    """
    check_tensor("margin_ranking_loss", input=input, other=other, label=label)
    program_operands("margin_ranking_loss", "floating", input=input, other=other, label=label)
    loss = ops.relu(label * (other - input) + margin)
    return reduced(loss, reduction, "margin_ranking_loss")


@aliases(target="label")
def hinge_embedding_loss(input, label, margin=1.0, reduction="mean", name=None):
    """input where label is 1, max(0, margin - input) where it is -1."""
    checked(reduction, "hinge_embedding_loss")
    zero = ops.full_like(input, 0.0)
    loss = ops.where(label == -1.0, ops.relu(margin - input), zero) + ops.where(label == 1.0, input, zero)
    return reduced(loss, reduction, "hinge_embedding_loss")


@aliases(target="label")
def cosine_embedding_loss(input1, input2, label, margin=0, reduction="mean", name=None):
    """1 - cos for label 1, max(0, cos - margin) for label -1.

    Args:
        input1: [N, M] or [M].
        input2: As input1.
        label: [N], or a 0-d or [1] tensor; 32 or 64 bits, integers too.

    Raises:
        ValueError: input1 or input2 is neither float32 nor float64, or shapes do not fit.

    Example:
        >>> x = paddle.to_tensor([[1.0, 0.0]])
        >>> float(paddle.nn.functional.cosine_embedding_loss(x, x, paddle.to_tensor([-1])))
        1.0
    """
    check_tensor("cosine_embedding_loss", input1=input1, input2=input2, label=label)
    checked(reduction, "cosine_embedding_loss")
    for name, x, dtypes in (("input1", input1, _WIDE), ("input2", input2, _WIDE), ("label", label, _WIDE + _INTS)):
        if x.dtype.name not in dtypes:
            raise ValueError(f"cosine_embedding_loss: {name} has dtype {x.dtype.name}; it must be {', '.join(dtypes)}.")
    if label.ndim > 1:
        raise ValueError(f"cosine_embedding_loss: label has {label.ndim} dimensions; it must have one, [N].")
    _same_shape("cosine_embedding_loss", input1=input1, input2=input2)
    if input1.ndim > 2:
        raise ValueError(
            f"cosine_embedding_loss: input1 has {input1.ndim} dimensions; it must be [N, M] with label [N], or [M]."
        )
    axis = [input1.ndim - 1]
    epsilon = 1e-12
    product = ops.sum(input1 * input2, axis, None, False)
    squares = [ops.sum(x * x, axis, None, False) + epsilon for x in (input1, input2)]
    cos = product / ops.sqrt(squares[0] * squares[1])
    zero = ops.full_like(cos, 0.0)
    loss = ops.where(label == 1, 1.0 - cos, zero) + ops.where(label == -1, ops.relu(cos - margin), zero)
    return reduced(loss, reduction, "cosine_embedding_loss")


def _triplet(near, far, swapped, margin, reduction, op):
    if swapped is not None:
        far = ops.minimum(far, swapped)
    return reduced(ops.relu(near - far + margin), reduction, op)


@aliases(anchor="input", eps="epsilon")
def triplet_margin_loss(
    input,
    positive,
    negative,
    margin=1.0,
    p=2,
    epsilon=1e-06,
    swap=False,
    reduction="mean",
    name=None,
):
    """max(0, d(input, positive) - d(input, negative) + margin) for the p-norm d of the difference.

    Args:
        input: Anchors, [N, D] or [D].
        positive: As input, of the same class.
        negative: As input, of another class.
        epsilon: Added to the differences.
        swap: Use the nearer of input and positive to the negative.
    """
    check_tensor("triplet_margin_loss", input=input, positive=positive, negative=negative)
    program_operands("triplet_margin_loss", "floating", input=input, positive=positive, negative=negative)
    from .common import pairwise_distance

    checked(reduction, "triplet_margin_loss")
    if margin < 0:
        raise ValueError(f"triplet_margin_loss: margin has value {margin}; it must not be negative.")
    _same_shape("triplet_margin_loss", input=input, positive=positive, negative=negative)
    near = pairwise_distance(input, positive, p, epsilon)
    far = pairwise_distance(input, negative, p, epsilon)
    swapped = pairwise_distance(positive, negative, p, epsilon) if swap else None
    return _triplet(near, far, swapped, margin, reduction, "triplet_margin_loss")


@aliases(anchor="input")
def triplet_margin_with_distance_loss(
    input,
    positive,
    negative,
    distance_function=None,
    margin=1.0,
    swap=False,
    reduction="mean",
    name=None,
):
    """triplet_margin_loss with a distance of one's own.

    Args:
        input: Anchors, [N, D].
        positive: As input, of the same class.
        negative: As input, of another class.
        distance_function: A function of two tensors; the 2-norm of the difference by default.
        swap: Use the nearer of input and positive to the negative.
    """
    check_tensor("triplet_margin_with_distance_loss", input=input, positive=positive, negative=negative)
    program_operands("triplet_margin_with_distance_loss", "floating", input=input, positive=positive, negative=negative)
    from .common import pairwise_distance

    op = "triplet_margin_with_distance_loss"
    checked(reduction, op)
    if margin < 0:
        raise ValueError(f"{op}: margin has value {margin}; it must not be negative.")
    _same_shape(op, input=input, positive=positive, negative=negative)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(input, positive), distance(input, negative)
    if not _core.is_capturing() and not (bool(ops.all(near > 0)) and bool(ops.all(far > 0))):
        raise ValueError(f"{op}: the distance function gives values that are not positive; distances must be positive.")
    swapped = distance(positive, negative) if swap else None
    return _triplet(near, far, swapped, margin, reduction, op)


@aliases(target="label")
def soft_margin_loss(input, label, reduction="mean", name=None):
    """log(1 + exp(-label * input)) for labels 1 and -1."""
    check_tensor("soft_margin_loss", input=input, label=label)
    checked(reduction, "soft_margin_loss")
    _same_shape("soft_margin_loss", input=input, label=label)
    return reduced(-ops.logsigmoid(_as(label, input) * input), reduction, "soft_margin_loss")


def multi_label_soft_margin_loss(input, label, weight=None, reduction="mean", name=None):
    """The mean over classes of the binary cross entropy of logits.

    Args:
        input: Logits, [N, C].
        label: 0 or 1, [N, C].
        weight: A factor per class.
    """
    check_tensor("multi_label_soft_margin_loss", input=input, label=label)
    op = "multi_label_soft_margin_loss"
    checked(reduction, op)
    _same_shape(op, input=input, label=label)
    label = _as(label, input)
    loss = -(label * ops.logsigmoid(input) + (1.0 - label) * ops.logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    return reduced(ops.mean(loss, [-1], False), reduction, op)


def multi_label_margin_loss(input, label, reduction="mean", name=None):
    """Every pair of a wanted class j and an unwanted one i adds max(0, 1 - (input[j] - input[i])) / C.

    Args:
        input: Scores, [N, C].
        label: Wanted classes of each row, ended by -1, [N, C].
    """
    check_tensor("multi_label_margin_loss", input=input, label=label)
    op = "multi_label_margin_loss"
    checked(reduction, op)
    _same_shape(op, input=input, label=label)
    label = ops.cast(label, _core.int64)
    classes = input.shape[1]
    ended = ops.cumsum(ops.cast(label == -1, _core.int64), 1) > 0
    wrong = ops.logical_and(ops.logical_not(ended), ops.logical_or(label < 0, label >= classes))
    if not _core.is_capturing() and bool(ops.any(wrong)):
        raise ValueError(f"{op}: label holds classes outside [0, {classes}); rows end with -1.")
    safe = ops.where(ended, ops.full_like(label, 0), label)
    wanted = ops.cast(ops.logical_not(ended), input.dtype)
    hot = ops.cast(ops.one_hot(safe, classes), input.dtype) * ops.unsqueeze(wanted, [2])
    unwanted = 1.0 - ops.clip(ops.sum(hot, [1], None, False), 0.0, 1.0)
    scores = ops.take_along_axis(input, safe, 1)
    gap = ops.relu(1.0 - (ops.unsqueeze(scores, [2]) - ops.unsqueeze(input, [1])))
    gap = gap * ops.unsqueeze(wanted, [2]) * ops.unsqueeze(unwanted, [1])
    return reduced(ops.sum(gap, [1, 2], None, False) / float(classes), reduction, op)


@aliases(target="label")
def multi_margin_loss(input, label, p=1, margin=1.0, weight=None, reduction="mean", name=None):
    """The mean over wrong classes j of max(0, margin - input[label] + input[j]) ** p.

    Args:
        input: Scores, [N, C].
        label: The right classes, [N].
        weight: A factor per class, that of the label.
    """
    check_tensor("multi_margin_loss", input=input, label=label)
    program_operands("multi_margin_loss", "floating", input=input)
    op = "multi_margin_loss"
    checked(reduction, op)
    if input.ndim != 2 or not fit(label.shape, input.shape[:1]):
        raise ValueError(
            f"{op}: input has shape {list(input.shape)} and label {list(label.shape)}; they must be [N, C] and [N]."
        )
    classes = input.shape[1]
    index = ops.unsqueeze(label, [1])
    gap = margin - ops.take_along_axis(input, index, 1) + input
    if weight is not None:
        if weight.shape != [classes]:
            raise ValueError(
                f"{op}: weight has shape {list(weight.shape)}; it must be [{classes}], one number per class."
            )
    gap = ops.relu(gap)
    gap = gap if p == 1 else gap * gap if p == 2 else gap**p
    loss = ops.mean(gap, [1], False) - float(margin**p) / classes
    return reduced(loss if weight is None else loss * ops.gather(weight, label, 0), reduction, op)


def npair_loss(anchor, positive, labels, l2_reg=0.002):
    """Cross entropy of the similarities anchor @ positive^T against equal labels (Sohn 2016), plus
    l2_reg / 4 times the mean squared norms."""
    check_tensor("npair_loss", anchor=anchor, positive=positive, labels=labels)
    labels = ops.reshape(labels, [-1, 1])
    same = ops.cast(ops.equal(labels, ops.transpose(labels, [1, 0])), anchor.dtype)
    target = same / ops.sum(same, [1], None, True)
    norms = ops.mean(ops.sum(anchor * anchor, [1], None, False)) + ops.mean(
        ops.sum(positive * positive, [1], None, False)
    )
    similarity = ops.matmul(anchor, positive, False, True)
    rows = ops.cross_entropy_with_softmax(similarity, target, True, True, True, -100, -1)[1]
    return norms * (0.25 * l2_reg) + ops.mean(ops.sum(target * rows, [0], None, False))

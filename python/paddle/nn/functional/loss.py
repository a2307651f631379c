# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Losses of probabilities and of regressions."""

import math

from ... import _core
from ...tensor._args import aliases, check_tensor, program_operands
from ._reduction import checked, constant, difference, fit, reduced

ops = _core.ops

__all__ = [
    "cross_entropy",
    "softmax_with_cross_entropy",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "nll_loss",
    "kl_div",
    "square_error_cost",
    "sigmoid_focal_loss",
    "log_loss",
    "dice_loss",
    "poisson_nll_loss",
    "gaussian_nll_loss",
]


def _hard_label(input, label, axis):
    """The label with an axis of size 1 at `axis`, and whether it came so."""
    if label.ndim == input.ndim:
        return label, True
    if label.ndim + 1 != input.ndim:
        raise ValueError(
            f"cross_entropy: input has {input.ndim} dimensions and label {label.ndim}; label must "
            f"have as many or one less."
        )
    return ops.unsqueeze(label, [axis]), False


def _check_label(input, label, axis):
    """Raises ValueError where class indices have not the shape of input with one or no extent for the classes."""
    rows = [n for i, n in enumerate(input.shape) if i != axis]
    single = [*input.shape[:axis], 1, *input.shape[axis + 1 :]]
    if not fit(label.shape, single if label.ndim == input.ndim else rows):
        raise ValueError(
            f"cross_entropy: label has shape {list(label.shape)} and input {list(input.shape)} with the classes along axis "
            f"{axis}; class indices must have shape {rows} or {single} (pass axis where the classes lie elsewhere), "
            f"probabilities that of input and soft_label=True."
        )


@aliases(target="label")
def cross_entropy(
    input,
    label,
    weight=None,
    ignore_index=-100,
    reduction="mean",
    soft_label=False,
    axis=-1,
    use_softmax=True,
    label_smoothing=0.0,
    name=None,
):
    """Cross entropy of logits (or of probabilities with use_softmax=False).

    Args:
        input: Floating Tensor with the classes along `axis`.
        label: Class indices of the shape of input without the axis or with 1 there; probabilities of the shape of
            input with `soft_label`.
        weight: A factor per class, of shape [classes]; None for none.
        ignore_index: Index that adds nothing.
        reduction: 'mean' (weighted), 'sum' or 'none'. Without weights the mean counts elements with a negative
            ignore_index and leaves out those with another one.
        soft_label: Whether labels are probabilities.
        axis: Axis of the classes.
        use_softmax: False when input holds probabilities.
        label_smoothing: Part of the label that is spread over all classes, in [0, 1].
        name: Unused.

    Returns:
        A 0-d Tensor; with reduction='none' the loss of each element.

    Raises:
        ValueError: Shapes do not fit, a label is no class, or a setting is out of range.

    Example:
        >>> loss = paddle.nn.functional.cross_entropy(paddle.zeros([3, 2]), paddle.to_tensor([0, 1, 1]))
        >>> round(float(loss), 4)
        0.6931
    """
    checked(reduction, "cross_entropy")
    check_tensor("cross_entropy", input=input, label=label)
    if ignore_index > 0 and soft_label:
        raise ValueError(
            f"cross_entropy: ignore_index has value {ignore_index} and soft_label is True; "
            f"soft labels have no index to ignore."
        )
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"cross_entropy: label_smoothing has value {label_smoothing}; it must be in [0, 1].")
    if input.ndim == 0:
        raise ValueError("cross_entropy: input has no dimensions; it must have an axis of classes.")
    if not -input.ndim <= axis < input.ndim:
        raise ValueError(f"cross_entropy: axis has value {axis}; input has {input.ndim} dimensions.")
    axis %= input.ndim
    if soft_label or label_smoothing > 0:
        return _soft_cross_entropy(
            input,
            label,
            weight,
            ignore_index,
            reduction,
            soft_label,
            axis,
            use_softmax,
            label_smoothing,
        )
    given = label
    label, kept_axis = _hard_label(input, label, axis)
    if label.is_floating_point():
        label = ops.cast(label, _core.int64)
    try:
        loss = ops.cross_entropy_with_softmax(input, label, False, use_softmax, True, ignore_index, axis)[1]
    except ValueError:
        _check_label(input, given, axis)
        raise
    valid = ops.not_equal(label, ops.full_like(label, ignore_index))
    factor = None
    if weight is not None:
        if not fit(weight.shape, [input.shape[axis]]):
            raise ValueError(
                f"cross_entropy: weight has shape {list(weight.shape)} and input has "
                f"{input.shape[axis]} classes; weight must have one number per class."
            )
        safe = ops.where(valid, label, ops.full_like(label, 0))
        picked = ops.reshape(ops.gather(weight, ops.reshape(safe, [-1]), 0), label.shape)
        factor = picked * ops.cast(valid, picked.dtype)
        loss = loss * factor
    if reduction == "sum":
        return ops.sum(loss)
    if reduction == "none":
        return loss if kept_axis else ops.squeeze(loss, [axis])
    if (factor is None and ignore_index < 0) or _is_empty(loss):
        return ops.mean(loss)
    total = ops.sum(ops.cast(valid, loss.dtype) if factor is None else factor)
    empty = ops.cast(ops.equal(total, ops.full_like(total, 0)), total.dtype)
    return ops.sum(loss) / (total + empty)


def _is_empty(x):
    return any(isinstance(extent, int) and extent == 0 for extent in x.shape)


def _soft_cross_entropy(input, label, weight, ignore_index, reduction, soft_label, axis, use_softmax, smoothing):
    """Labels as probabilities. No position is left out; `ignore_index` only enters the mean, where it is compared
    with the probabilities, as in PaddlePaddle."""
    classes = input.shape[axis]
    given = soft_label or (label.ndim == input.ndim and label.shape[axis] == classes > 1)
    if not given:
        hard, _ = _hard_label(input, label, axis)
        label = ops.one_hot(ops.squeeze(hard, [axis]), classes)
        if axis != input.ndim - 1:
            order = list(range(input.ndim - 1))
            order.insert(axis, input.ndim - 1)
            label = ops.transpose(label, order)
        label = ops.cast(label, input.dtype)
    if smoothing > 0:
        if not label.is_floating_point():
            label = ops.cast(label, input.dtype)
        share = smoothing / (label.shape[-1] if given else classes)
        if isinstance(share, float):
            label = ops.scale(label, 1.0 - smoothing, share, True)
        else:  # a tensor: the number of classes comes when the program runs
            label = ops.scale(label, 1.0 - smoothing, 0.0, True) + ops.cast(share, label.dtype)
    if label.dtype != input.dtype:
        label = ops.cast(label, input.dtype)
    loss = ops.cross_entropy_with_softmax(input, constant(label), True, use_softmax, True, ignore_index, axis)[1]
    factor = None
    if weight is not None:
        shape = [1] * input.ndim
        shape[axis] = classes
        factor = ops.sum(label * ops.reshape(weight, shape), [axis], None, True)
        loss = loss * factor
    if reduction == "sum":
        return ops.sum(loss)
    if reduction == "none":
        return loss
    if ignore_index >= 0:
        counted = ops.cast(ops.not_equal(label, ops.full_like(label, ignore_index)), loss.dtype)
        factor = counted if factor is None else counted * factor
    if factor is None or _is_empty(loss):
        return ops.mean(loss)
    total = ops.sum(factor)
    empty = ops.cast(ops.equal(total, ops.full_like(total, 0)), total.dtype)
    return ops.sum(loss) / (total + empty)


def softmax_with_cross_entropy(
    logits,
    label,
    soft_label=False,
    ignore_index=-100,
    numeric_stable_mode=True,
    return_softmax=False,
    axis=-1,
):
    """Cross entropy of every row of logits, with the softmax on demand.

    Args:
        logits: Floating Tensor with the classes along `axis`.
        label: Class indices with 1 at the axis, or probabilities of the shape of logits with `soft_label`.
        soft_label: Whether labels are probabilities.
        ignore_index: Label whose loss is 0.
        numeric_stable_mode: Without effect: the computation always is stable.
        return_softmax: Whether the softmax is given as well.
        axis: Axis of the classes.

    Returns:
        The loss of each element, with 1 at the axis; with return_softmax a pair of it and the softmax.

    Example:
        >>> loss = paddle.nn.functional.softmax_with_cross_entropy(paddle.zeros([1, 2]), paddle.to_tensor([[1]]))
        >>> round(float(loss), 4)
        0.6931
    """
    check_tensor("softmax_with_cross_entropy", logits=logits, label=label)
    if not soft_label:
        label, _ = _hard_label(logits, label, axis % logits.ndim)
    softmax, loss = ops.cross_entropy_with_softmax(
        logits, constant(label), soft_label, True, numeric_stable_mode, ignore_index, axis
    )[:2]
    return (loss, softmax) if return_softmax else loss


def square_error_cost(input, label):
    """(input - label) ** 2, element by element.

    Args:
        input: Floating Tensor.
        label: Tensor of the shape of input.

    Example:
        >>> paddle.nn.functional.square_error_cost(paddle.to_tensor([1.0]), paddle.to_tensor([4.0])).tolist()
        [9.0]
    """
    check_tensor("square_error_cost", input=input, label=label)
    gap = difference("square_error_cost", input, label)
    return gap * gap


@aliases(target="label")
def mse_loss(input, label, reduction="mean", name=None):
    """Mean squared error.

    Args:
        input: Floating Tensor.
        label: Tensor of the shape of input, or one that broadcasts with it.
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        name: Unused.

    Returns:
        A Tensor of shape [], or of the shape of input without reduction.

    Example:
        >>> float(paddle.nn.functional.mse_loss(paddle.to_tensor([1.0, 5.0]), paddle.to_tensor([3.0, 3.0])))
        4.0
    """
    check_tensor("mse_loss", input=input, label=label)
    program_operands("mse_loss", "floating", input=input, label=label)
    gap = difference("mse_loss", input, label)
    return reduced(gap * gap, reduction, "mse_loss")


@aliases(target="label")
def l1_loss(input, label, reduction="mean", name=None):
    """Mean absolute error.

    Args:
        input: Floating Tensor.
        label: Tensor of the shape of input, or one that broadcasts with it.
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        name: Unused.

    Returns:
        A Tensor of shape [], or of the shape of input without reduction.

    Example:
        >>> float(paddle.nn.functional.l1_loss(paddle.to_tensor([1.0, 5.0]), paddle.to_tensor([3.0, 3.0])))
        2.0
    """
    check_tensor("l1_loss", input=input, label=label)
    return reduced(ops.abs(difference("l1_loss", input, label)), reduction, "l1_loss")


def _of_one_width(a, b):
    """Two floating tensors of different dtypes in the one that holds both, as in a difference."""
    if a.dtype == b.dtype or not (a.is_floating_point() and b.is_floating_point()):
        return a, b
    wide = _core.float64 if _core.float64 in (a.dtype, b.dtype) else _core.float32
    return ops.cast(a, wide), ops.cast(b, wide)


@aliases(target="label", beta="delta")
def smooth_l1_loss(input, label, reduction="mean", delta=1.0, is_huber=True, name=None):
    """The Huber loss of d = input - label: 0.5 d^2 where |d| < delta, else delta (|d| - 0.5 delta).

    Args:
        input: Floating Tensor.
        label: Tensor of the same shape.
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        delta: Where the loss becomes linear.
        is_huber: False divides the loss by delta.
        name: Unused.

    Example:
        >>> float(paddle.nn.functional.smooth_l1_loss(paddle.to_tensor([3.0]), paddle.to_tensor([0.0])))
        2.5
    """
    check_tensor("smooth_l1_loss", input=input, label=label)
    loss = ops.huber_loss(*_of_one_width(input, label), float(delta))[0]
    return reduced(loss if is_huber or delta == 1 else loss / delta, reduction, "smooth_l1_loss")


@aliases(target="label")
def binary_cross_entropy(input, label, weight=None, reduction="mean", name=None):
    """Binary cross entropy of probabilities.

    Args:
        input: Probabilities in [0, 1].
        label: Probabilities of the same shape that they should have.
        weight: Weights that broadcast with the elements; None for none.
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        name: Unused.

    Returns:
        A Tensor of shape [], or of the shape of input without reduction.

    Example:
        >>> loss = paddle.nn.functional.binary_cross_entropy(paddle.to_tensor([0.5]), paddle.to_tensor([1.0]))
        >>> round(float(loss), 4)
        0.6931
    """
    check_tensor("binary_cross_entropy", input=input, label=label)
    checked(reduction, "binary_cross_entropy")
    loss = ops.bce_loss(input, constant(label))
    return reduced(loss if weight is None else loss * weight, reduction, "binary_cross_entropy")


@aliases(input="logit", target="label")
def binary_cross_entropy_with_logits(logit, label, weight=None, reduction="mean", pos_weight=None, name=None):
    """Binary cross entropy of logits: -(pos_weight * label * log p + (1 - label) * log(1 - p)) with p = sigmoid(logit).

    Args:
        logit: Floating-point Tensor of any shape.
        label: Probabilities of the same shape that sigmoid(logit) should have.
        weight: Weights that broadcast with the elements; None for none.
        reduction: "mean" or "sum" of the elements, or "none" for all of them.
        pos_weight: Factors on the part of label, which broadcast with the elements; None for none.
        name: Unused.

    Returns:
        A Tensor of shape [], or of the shape of logit without reduction.

    Example:
        >>> loss = paddle.nn.functional.binary_cross_entropy_with_logits(paddle.to_tensor([0.0]), paddle.to_tensor([1.0]))
        >>> round(float(loss), 4)
        0.6931
    """
    check_tensor("binary_cross_entropy_with_logits", logit=logit, label=label)
    checked(reduction, "binary_cross_entropy_with_logits")
    if pos_weight is not None:
        pos_weight = constant(label) * (pos_weight - 1.0) + 1.0
        if not fit(pos_weight.shape, logit.shape):
            pos_weight = ops.expand(pos_weight, logit.shape)
    loss = ops.sigmoid_cross_entropy_with_logits(logit, constant(label), pos_weight, False, -100)
    loss = loss if weight is None else loss * weight
    return reduced(loss, reduction, "binary_cross_entropy_with_logits")


@aliases(target="label")
def nll_loss(input, label, weight=None, ignore_index=-100, reduction="mean", name=None):
    """Negative log likelihood: minus the log probability of the class that the label names.

    Args:
        input: Log probabilities, a floating Tensor [N, C] or [N, C, ...].
        label: int64 classes, [N] or [N, ...]; an axis of extent 1 for the classes may stand in it.
        weight: Weights of the classes, [C], by which 'mean' divides; None for ones.
        ignore_index: A class that counts nothing.
        reduction: "mean" or "sum" of the terms, or "none" for all of them.
        name: Unused.

    Returns:
        A Tensor of shape [], or of the shape of label without reduction.

    Raises:
        ValueError: input has less than two axes, or the shapes do not fit.

    Example:
        >>> scores = paddle.to_tensor([[0.25, 0.75], [0.5, 0.5]]).log()
        >>> loss = paddle.nn.functional.nll_loss(scores, paddle.to_tensor([1, 0]), reduction="none")
        >>> [round(v, 4) for v in loss.tolist()]
        [0.2877, 0.6931]
    """
    check_tensor("nll_loss", input=input, label=label)
    checked(reduction, "nll_loss")
    if input.ndim < 2:
        raise ValueError(f"nll_loss: input has {input.ndim} dimensions; it must have at least 2.")
    if label.ndim == input.ndim and label.shape[1] == 1:
        label = ops.squeeze(label, [1])
    return ops.nll_loss(input, label, weight, ignore_index, reduction)[0]


@aliases(target="label")
def kl_div(input, label, reduction="mean", log_target=False, name=None):
    """The Kullback-Leibler divergence of the distribution `label` from one whose logarithms are `input`.

    The terms are label * (log(label) - input); 0 where label is 0.

    Args:
        input: Floating Tensor of logarithms of probabilities.
        label: Probabilities of the same shape, or their logarithms with log_target.
        reduction: 'mean' of the terms, 'sum', 'batchmean' (the sum over the first extent); anything else, such as
            'none', keeps the terms.
        log_target: Whether the label holds logarithms, too.
        name: Unused.

    Returns:
        A Tensor of shape []; with 'none' of the shape of input.

    Example:
        >>> half = paddle.to_tensor([[0.5, 0.5]])
        >>> loss = paddle.nn.functional.kl_div(half.log(), paddle.to_tensor([[1.0, 0.0]]), reduction="batchmean")
        >>> round(float(loss), 4)  # log 2
        0.6931
    """
    check_tensor("kl_div", input=input, label=label)
    if reduction not in ("mean", "batchmean", "sum"):
        reduction = "none"
    if label.dtype == _core.float64:
        input, label = _of_one_width(input, label)
    if label.dtype != input.dtype:
        label = ops.cast(label, input.dtype)
    return ops.kldiv_loss(input, constant(label), reduction, log_target)


def sigmoid_focal_loss(logit, label, normalizer=None, alpha=0.25, gamma=2.0, reduction="sum", name=None):
    """Focal loss of logits: cross entropy that counts what is classified well already less (Lin et al. 2017).

    Args:
        logit: Floating Tensor.
        label: 0 or 1 for each element of logit, in its dtype.
        normalizer: Divides the loss; a Tensor of one element, None for none.
        alpha: Weight of label 1, in [0, 1]; 1 - alpha is that of label 0.
        gamma: Exponent of the probability of the other class; 0 gives plain cross entropy.
        reduction: 'sum', 'mean' or 'none'.
        name: Unused.

    Returns:
        A 0-d Tensor; with reduction='none' one of the shape of logit.

    Example:
        >>> loss = paddle.nn.functional.sigmoid_focal_loss(paddle.zeros([1]), paddle.ones([1]))
        >>> round(float(loss), 4)
        0.0433
    """
    check_tensor("sigmoid_focal_loss", logit=logit, label=label)
    program_operands("sigmoid_focal_loss", "floating", logit=logit, label=label)
    if normalizer is not None:
        check_tensor("sigmoid_focal_loss", normalizer=normalizer)
        if normalizer.ndim > 1:
            raise ValueError(
                f"sigmoid_focal_loss: normalizer has shape {list(normalizer.shape)}; it must have one element."
            )
    p = ops.sigmoid(logit)
    hit = p * label + (1.0 - p) * (1.0 - label)
    loss = ops.logistic_loss(logit, constant(label)) * (1.0 - hit) ** gamma
    loss = loss * (label * alpha + (1.0 - label) * (1.0 - alpha))
    loss = loss if normalizer is None else loss / normalizer
    return reduced(loss, reduction, "sigmoid_focal_loss")


def log_loss(input, label, epsilon=1e-4, name=None):
    """Binary cross entropy of probabilities, with epsilon in the logarithms, for each element:
    -label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon).

    Args:
        input: Probabilities, a floating Tensor.
        label: 0 or 1, or probabilities, of the same shape.
        epsilon: Keeps the logarithms finite.
        name: Unused.

    Returns:
        A Tensor of the shape of input.

    Example:
        >>> loss = paddle.nn.functional.log_loss(paddle.to_tensor([[0.5]]), paddle.to_tensor([[1.0]]))
        >>> round(loss.item(), 4)
        0.6929
    """
    check_tensor("log_loss", input=input, label=label)
    return ops.log_loss(input, constant(label), epsilon)


def dice_loss(input, label, epsilon=0.00001, name=None):
    """One minus twice the overlap over the sum of predictions and classes.

    Args:
        input: Predictions, [N, ..., C].
        label: Indices of classes, [N, ..., 1].
        epsilon: Added to the divisor.
        name: Unused.

    Raises:
        AssertionError: label has another shape.
    """
    check_tensor("dice_loss", input=input, label=label)
    if input.ndim < 2 or not fit(label.shape, [*input.shape[:-1], 1]):
        raise _core.ArgumentValueError(
            f"dice_loss: input has shape {list(input.shape)} and label {list(label.shape)}; they must be [N, ..., C] "
            "and [N, ..., 1]."
        )
    if label.dtype not in (_core.int32, _core.int64):
        raise _core.ArgumentValueError(
            f"dice_loss: label has dtype {label.dtype.name}; it must be int32 or int64, the numbers of classes."
        )
    hot = ops.cast(ops.one_hot(ops.squeeze(label, [-1]), input.shape[-1]), input.dtype)
    axes = list(range(1, input.ndim))
    overlap = ops.sum(input * hot, axes, None, False)
    total = ops.sum(input, axes, None, False) + ops.sum(hot, axes, None, False)
    return ops.mean(1.0 - overlap * 2.0 / (total + epsilon))


@aliases(target="label")
def poisson_nll_loss(
    input,
    label,
    log_input=True,
    full=False,
    epsilon=1e-08,
    reduction="mean",
    name=None,
):
    """Negative log likelihood of a Poisson distribution.

    Args:
        input: The rate, or its logarithm with `log_input`.
        full: Add Stirling's approximation of log(label!) for labels above 1.
        epsilon: Added to the rate before its logarithm.
    """
    check_tensor("poisson_nll_loss", input=input, label=label)
    program_operands("poisson_nll_loss", "floating", input=input, label=label)
    checked(reduction, "poisson_nll_loss")
    if epsilon <= 0:
        raise ValueError(f"poisson_nll_loss: epsilon has value {epsilon}; it must be positive.")
    if not fit(input.shape, label.shape):
        raise ValueError(
            f"poisson_nll_loss: input has shape {list(input.shape)} and label {list(label.shape)}; they must be equal."
        )
    label = label if label.dtype == input.dtype else ops.cast(label, input.dtype)
    loss = ops.exp(input) - label * input if log_input else input - label * ops.log(input + epsilon)
    if full:
        large = label > 1
        safe = ops.where(large, label, ops.full_like(label, 1.0))
        stirling = safe * ops.log(safe) - safe + 0.5 * ops.log(safe * (2 * math.pi))
        loss = loss + ops.where(large, stirling, ops.full_like(label, 0.0))
    return reduced(loss, reduction, "poisson_nll_loss")


@aliases(target="label", var="variance", eps="epsilon")
def gaussian_nll_loss(
    input,
    label,
    variance,
    full=False,
    epsilon=1e-06,
    reduction="mean",
    name=None,
):
    """Negative log likelihood of a normal distribution.

    Args:
        input: The mean.
        variance: The variance, of the shape of input, or with a last axis of size 1 or without it.
        full: Add the constant log(2 pi) / 2.
        epsilon: Smallest variance.
    """
    check_tensor("gaussian_nll_loss", input=input, label=label, variance=variance)
    program_operands("gaussian_nll_loss", "floating", input=input, label=label, variance=variance)
    checked(reduction, "gaussian_nll_loss")
    if epsilon <= 0:
        raise ValueError(f"gaussian_nll_loss: epsilon has value {epsilon}; it must be positive.")
    if not fit(variance.shape, input.shape):
        if fit(variance.shape, input.shape[:-1]):
            variance = ops.unsqueeze(variance, [-1])
        elif not fit(variance.shape, [*input.shape[:-1], 1]):
            raise ValueError(
                f"gaussian_nll_loss: variance has shape {list(variance.shape)} and input {list(input.shape)}; variance must have "
                f"that shape, or a last axis of size 1, or no last axis."
            )
    if not _core.is_capturing() and variance.size and float(ops.min(variance)) < 0:
        raise ValueError("gaussian_nll_loss: variance has negative entries; variances are not negative.")
    variance = variance + ops.relu(epsilon - variance).detach()
    gap = input - label
    loss = 0.5 * (ops.log(variance) + gap * gap / variance)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction, "gaussian_nll_loss")

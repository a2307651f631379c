# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Losses of probabilities and of regressions. Softmax with cross entropy: softmax_loss.py."""

import math

from ... import _core
from ...tensor._args import aliases, check_tensor, program_operands
from ._edit_distance import edit_distance  # noqa: F401
from ._reduction import checked, constant, difference, fit, reduced

ops = _core.ops

__all__ = [
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
        label: int64 classes, [N] or [N, ...]; it may have an axis of extent 1 for the classes.
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

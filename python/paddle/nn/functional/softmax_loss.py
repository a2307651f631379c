# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cross entropy of logits, whose classes softmax compares."""

from ... import _core
from ...tensor._args import aliases, check_tensor
from ._reduction import checked, constant, fit

ops = _core.ops

__all__ = ["cross_entropy", "softmax_with_cross_entropy"]


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

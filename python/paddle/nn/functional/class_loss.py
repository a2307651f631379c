# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Losses over very many classes."""

import math

from ... import _core
from ...tensor._args import check_tensor, program_operands
from ._reduction import checked, fit

ops = _core.ops

__all__ = [
    "hsigmoid_loss",
    "adaptive_log_softmax_with_loss",
    "margin_cross_entropy",
    "class_center_sample",
]


def _tree_path(label, num_classes):
    """Nodes and branches of the complete binary tree over the classes: leaf c is node c + num_classes
    of a heap whose root is 1. Nodes count from 0, -1 behind the root."""
    depth = int(math.log2(2 * num_classes - 1))
    code = ops.reshape(ops.cast(label, _core.int64), [-1, 1]) + num_classes
    powers = _core.to_tensor([[2**j for j in range(depth)]], _core.int64)
    branch = ops.remainder(ops.floor_divide(code, powers), ops.full_like(powers, 2))
    node = ops.floor_divide(code, powers * 2) - 1
    return node, branch


def hsigmoid_loss(
    input,
    label,
    num_classes,
    weight,
    bias=None,
    path_table=None,
    path_code=None,
    is_sparse=False,
    name=None,
):
    """Hierarchical sigmoid (Morin & Bengio 2005): the binary cross entropies along the path to a class.

    Args:
        input: [N, D].
        label: [N, 1].
        num_classes: Number of classes; leaves of a complete binary tree without path_table.
        weight: One row per inner node, [num_classes - 1, D].
        bias: [num_classes - 1, 1].
        path_table: Inner nodes from leaf to root, -1 behind the root, [N, L].
        path_code: The branch at each of them, 0 or 1, [N, L].

    Returns:
        The loss of each sample, [N, 1]. A place behind the root counts as an undecided branch, log 2: the longest path
        sets the length for all.
    """
    check_tensor("hsigmoid_loss", input=input, label=label, weight=weight)
    program_operands("hsigmoid_loss", "floating", input=input, weight=weight, bias=bias)
    program_operands("hsigmoid_loss", "int64", label=label, path_table=path_table, path_code=path_code)
    if num_classes < 2:
        raise ValueError(f"hsigmoid_loss: num_classes has value {num_classes}; it must be at least 2.")
    if (path_table is None) != (path_code is None):
        raise ValueError("hsigmoid_loss: only one of path_table and path_code is given; a tree needs both.")
    if path_table is None:
        node, branch = _tree_path(label, num_classes)
    else:
        node, branch = ops.cast(path_table, _core.int64), path_code
    on_path = node >= 0
    safe = ops.where(on_path, node, ops.full_like(node, 0))
    rows = ops.reshape(ops.gather(weight, ops.reshape(safe, [-1]), 0), [*safe.shape, weight.shape[1]])
    score = ops.sum(rows * ops.unsqueeze(input, [1]), [2], None, False)
    if bias is not None:
        score = score + ops.reshape(ops.gather(ops.reshape(bias, [-1]), ops.reshape(safe, [-1]), 0), safe.shape)
    loss = ops.logistic_loss(ops.clip(score, -40.0, 40.0), ops.cast(branch, score.dtype))
    return ops.sum(ops.where(on_path, loss, ops.full_like(loss, math.log(2.0))), [1], None, True)


def adaptive_log_softmax_with_loss(input, label, head_weight, tail_weights, cutoffs, head_bias=None, name=None):
    """Adaptive softmax (Grave et al. 2017): frequent classes in the head, others in clusters behind it.

    Args:
        input: [N, D] or [D].
        label: [N], or a 0-d tensor for [D].
        head_weight: [D, cutoffs[0] + number of clusters].
        tail_weights: Per cluster a pair of weights, [D, H] and [H, size of the cluster].
        cutoffs: First class of every cluster, then the number of classes.
        head_bias: [cutoffs[0] + number of clusters].

    Returns:
        The log probability of each label, and minus their mean.
    """
    check_tensor("adaptive_log_softmax_with_loss", input=input, label=label)
    op = "adaptive_log_softmax_with_loss"
    single = label.ndim == 0
    if label.ndim > 1 or input.ndim != label.ndim + 1:
        raise ValueError(
            f"{op}: input has shape {list(input.shape)} and label {list(label.shape)}; they must be [N, D] and [N], or [D] and []."
        )
    if single:
        input, label = ops.unsqueeze(input, [0]), ops.unsqueeze(label, [0])
    if input.shape[0] != label.shape[0]:
        raise ValueError(f"{op}: input has {input.shape[0]} rows and label {label.shape[0]}; they must be equal.")
    classes = int(cutoffs[-1])
    if bool(ops.any(ops.logical_or(label < 0, label >= classes))):
        raise ValueError(f"{op}: label holds values outside [0, {classes}).")
    shortlist = cutoffs[0]
    head = ops.matmul(input, head_weight)
    head = ops.log_softmax(head if head_bias is None else head + head_bias, -1)
    in_head = label < shortlist
    column = ops.where(in_head, label, ops.full_like(label, 0))
    for i in range(len(cutoffs) - 1):
        member = ops.logical_and(label >= cutoffs[i], label < cutoffs[i + 1])
        column = ops.where(member, ops.full_like(label, shortlist + i), column)
    output = ops.squeeze(ops.take_along_axis(head, ops.unsqueeze(column, [1]), 1), [1])
    for i, (narrow, wide) in enumerate(tail_weights[: len(cutoffs) - 1]):
        member = ops.logical_and(label >= cutoffs[i], label < cutoffs[i + 1])
        tail = ops.log_softmax(ops.matmul(ops.matmul(input, narrow), wide), -1)
        place = ops.where(member, label - cutoffs[i], ops.full_like(label, 0))
        picked = ops.squeeze(ops.take_along_axis(tail, ops.unsqueeze(place, [1]), 1), [1])
        output = output + ops.where(member, picked, ops.full_like(picked, 0.0))
    loss = -ops.mean(output)
    return (ops.squeeze(output, [0]) if single else output), loss


def _only_process(group, op):
    if group not in (None, False) and getattr(group, "nranks", 1) > 1:
        raise NotImplementedError(f"{op}: group has several processes; classes cannot be spread over processes here.")


def margin_cross_entropy(
    logits,
    label,
    margin1=1.0,
    margin2=0.5,
    margin3=0.0,
    scale=64.0,
    group=None,
    return_softmax=False,
    reduction="mean",
):
    """Cross entropy of scale * cos, where the labelled class has cos(margin1 * angle + margin2) - margin3
    (Deng et al. 2019).

    Args:
        logits: Cosines, [N, C].
        label: [N] or [N, 1].
        return_softmax: Return the softmax too.
        reduction: 'mean', 'sum' or 'none' (or None), which gives [N, 1].
    """
    check_tensor("margin_cross_entropy", logits=logits, label=label)
    op = "margin_cross_entropy"
    checked(reduction or "none", op)
    _only_process(group, op)
    if label.ndim == logits.ndim:
        label = ops.squeeze(label, [-1])
    if logits.ndim != 2 or not fit(label.shape, logits.shape[:1]):
        raise ValueError(
            f"{op}: logits has shape {list(logits.shape)} and label {list(label.shape)}; they must be [N, C] and [N]."
        )
    index = ops.unsqueeze(label, [1])
    cos = ops.take_along_axis(logits, index, 1)
    if margin1 != 1.0 or margin2 != 0.0 or margin3 != 0.0:
        edge = 1.0 - 1e-7
        angle = ops.acos(ops.clip(cos, -edge, edge))
        moved = ops.cos(angle * margin1 + margin2) - margin3
        hot = ops.cast(ops.one_hot(label, logits.shape[1]), logits.dtype)
        logits = logits + hot * (moved - cos)
    softmax, loss = ops.cross_entropy_with_softmax(logits * scale, index, False, True, True, -100, -1)[:2]
    if reduction == "mean":
        loss = ops.mean(loss)
    elif reduction == "sum":
        loss = ops.sum(loss)
    return (loss, softmax) if return_softmax else loss


def class_center_sample(label, num_classes, num_samples, group=None):
    """All classes of the label, filled up with others at random to num_samples (An et al. 2020).

    Returns:
        The labels as positions in the sampled classes, and the sampled classes in rising order.
    """
    check_tensor("class_center_sample", label=label)
    op = "class_center_sample"
    _only_process(group, op)
    if label.ndim != 1:
        raise ValueError(f"{op}: label has {label.ndim} dimensions; it must have one.")
    if num_samples > num_classes:
        raise ValueError(
            f"{op}: num_samples has value {num_samples} and num_classes {num_classes}; it may not be more."
        )
    if not _core.is_capturing() and bool(ops.any(ops.logical_or(label < 0, label >= num_classes))):
        raise ValueError(f"{op}: label holds values outside [0, {num_classes}).")
    wide = ops.cast(label, _core.int64)
    hits = ops.sum(ops.cast(ops.one_hot(wide, num_classes), _core.float32), [0], None, False) > 0
    noise = ops.uniform([num_classes], _core.float32, 0.0, 1.0, 0)
    order = ops.cast(hits, _core.float32) + noise
    positives = ops.sum(ops.cast(hits, _core.int64))
    least = ops.full_like(positives, num_samples)
    count = ops.maximum(positives, least) if _core.is_capturing() else max(num_samples, int(positives))
    chosen = ops.topk(order, count, 0, True, True)[1]
    taken = ops.sum(ops.cast(ops.one_hot(chosen, num_classes), _core.int64), [0], None, False)
    sampled = ops.squeeze(ops.nonzero(taken > 0), [1])
    position = ops.cumsum(taken, 0) - 1
    return ops.cast(ops.gather(position, wide, 0), label.dtype), ops.cast(sampled, label.dtype)

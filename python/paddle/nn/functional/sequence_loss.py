# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Losses over alignments of sequences."""

from ... import _core
from ._reduction import checked, reduced

ops = _core.ops

__all__ = ["ctc_loss", "rnnt_loss"]


def ctc_loss(
    log_probs,
    labels,
    input_lengths,
    label_lengths,
    blank=0,
    reduction="mean",
    norm_by_times=False,
    zero_infinity=False,
):
    """Connectionist temporal classification (Graves et al. 2006).

    Args:
        log_probs: Logits [steps, batch, classes]; softmax is part of the loss.
        labels: Classes without blanks, [batch, longest label].
        input_lengths: Steps per sample, int64 [batch].
        label_lengths: Labels per sample, int64 [batch].
        blank: The class of the blank.
        reduction: 'mean' divides each loss by its label's length before the mean.
        norm_by_times: Divide the gradient by the number of steps.
        zero_infinity: Labels that do not fit into their steps give 0; they always do.
    """
    checked(reduction, "ctc_loss")
    loss = ops.warpctc(log_probs, labels, input_lengths, label_lengths, blank, norm_by_times)[0]
    loss = ops.squeeze(loss, [-1])
    if reduction == "mean":
        return ops.mean(loss / ops.cast(label_lengths, loss.dtype))
    return reduced(loss, reduction, "ctc_loss")


def rnnt_loss(
    input,
    label,
    input_lengths,
    label_lengths,
    blank=0,
    fastemit_lambda=0.001,
    reduction="mean",
    name=None,
):
    """Transducer loss (Graves 2012).

    Args:
        input: Log probabilities [batch, steps, longest label + 1, classes].
        label: Classes, int32 [batch, longest label].
        input_lengths: Steps per sample, int32 [batch].
        label_lengths: Labels per sample, int32 [batch].
        blank: The class of the blank.
        fastemit_lambda: Extra weight of labels in the gradient (Yu et al. 2021).
        reduction: 'mean' divides the sum by the size of the batch.
    """
    checked(reduction, "rnnt_loss")
    loss = ops.warprnnt(input, label, input_lengths, label_lengths, blank, float(fastemit_lambda))[0]
    return reduced(loss, reduction, "rnnt_loss")

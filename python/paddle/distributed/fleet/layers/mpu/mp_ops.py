# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Communication of tensor parallelism, differentiable.  In a group of one all are the identity."""

from ....communication.group import group_of_one
from ....communication.reduce import ReduceOp, check


def _identity(operation, tensor, group):
    if group is not None:
        group_of_one(operation, group)
    return tensor


def _c_identity(tensor, group=None, skip_c_identity_dynamic=False):
    """The tensor forward; its gradient is summed over the group."""
    return _identity("_c_identity", tensor, group)


def _c_concat(tensor, group=None):
    """The tensors of the group joined along the last axis."""
    return _identity("_c_concat", tensor, group)


def _c_split(tensor, group=None):
    """This rank's part of the tensor along the last axis."""
    return _identity("_c_split", tensor, group)


def _mp_allreduce(
    tensor,
    op=ReduceOp.SUM,
    group=None,
    use_calc_stream=True,
    use_model_parallel=True,
    skip_c_identity_dynamic=False,
):
    """The sum over the group; the gradient passes as it is."""
    check("_mp_allreduce", op)
    return _identity("_mp_allreduce", tensor, group)


def _c_softmax_with_cross_entropy(logits, label, group=None, return_softmax=False, ignore_index=-100):
    """Softmax cross-entropy whose classes are split over the group."""
    from .....nn.functional import softmax_with_cross_entropy

    _identity("_c_softmax_with_cross_entropy", logits, group)
    if label.ndim == logits.ndim - 1:
        label = label.unsqueeze(-1)
    return softmax_with_cross_entropy(logits, label, ignore_index=ignore_index, return_softmax=return_softmax)

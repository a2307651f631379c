# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Communication of tensor parallelism, differentiable.  In a group of one all are the identity.

Each is one of five exchanges, whose gradient is another one of them (Shoeybi et al., "Megatron-LM", 2019; Korthikanti et
al., "Reducing activation recomputation", 2022): the identity and the sum, a part and the whole, the sum of parts and
the whole.
"""

from ..... import _core
from .....autograd import PyLayer
from ....communication import collectives as _c
from ....communication.group import _get_global_group, is_initialized
from ....communication.reduce import ReduceOp, check


def members(group):
    """The group if it has others than this process; None means the default group, where there is one."""
    if group is None:
        group = _get_global_group() if is_initialized() else None
    return group if group is not None and group.is_member() else None


def _summed(x, group, op=ReduceOp.SUM):
    out = _core.ops.assign(x.detach())
    _c.all_reduce(out, op, group)
    return out


def _part(x, group, axis):
    if x.shape[axis] % group.nranks:
        raise ValueError(
            f"split: x of shape {list(x.shape)} is split along axis {axis}: {group.nranks} processes cannot have equal shards."
        )
    size = x.shape[axis] // group.nranks
    return _core.ops.assign(x.detach().split([size] * group.nranks, axis)[group.rank])


def _whole(x, group, axis):
    parts = []
    _c.all_gather(parts, x.detach(), group)
    return _core.ops.concat(parts, axis)


def _summed_part(x, group, axis):
    if x.shape[axis] % group.nranks:
        _part(x, group, axis)
    parts = [part.contiguous() for part in x.detach().split(group.nranks, axis)]
    out = _core.ops.assign(parts[0])
    _c.reduce_scatter(out, parts, ReduceOp.SUM, group)
    return out


class _Exchange(PyLayer):
    """Two exchanges, one forward and one for the gradient."""

    @staticmethod
    def forward(ctx, x, forth, back):
        """What `forth` makes of x."""
        ctx.back = back
        return forth(x)

    @staticmethod
    def backward(ctx, gradient):
        """What `back` makes of the gradient."""
        return ctx.back(gradient)


def exchanged(x, group, forth, back, axis=None):
    """x through an exchange whose gradient goes through another; None stands for the identity."""
    group = members(group)
    if group is None:
        return x
    extra = () if axis is None else (axis,)
    return _Exchange.apply(
        x,
        (lambda v: forth(v, group, *extra)) if forth is not None else _core.ops.assign,
        (lambda v: back(v, group, *extra)) if back is not None else _core.ops.assign,
    )


def split_with_whole_gradient(x, group, axis):
    """This member's part; the gradient is joined."""
    return exchanged(x, group, _part, _whole, axis)


def join_with_split_gradient(x, group, axis):
    """The shards of all members joined (all-gather); the gradient is split."""
    return exchanged(x, group, _whole, _part, axis)


def join_with_summed_gradient(x, group, axis):
    """The shards of all members joined (all-gather); the gradient is summed over the members and split."""
    return exchanged(x, group, _whole, _summed_part, axis)


def sum_and_split(x, group, axis):
    """The sum over the members, of which each has a part; the gradient is joined."""
    return exchanged(x, group, _summed_part, _whole, axis)


def _c_identity(tensor, group=None, skip_c_identity_dynamic=False):
    """The tensor forward; its gradient is summed over the group."""
    return exchanged(tensor, group, None, _summed)


def _c_concat(tensor, group=None):
    """The tensors of the group joined along the last axis."""
    return join_with_split_gradient(tensor, group, -1)


def _c_split(tensor, group=None):
    """This rank's part of the tensor along the last axis."""
    return split_with_whole_gradient(tensor, group, -1)


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
    return exchanged(tensor, group, lambda v, g: _summed(v, g, op), None)


def _c_softmax_with_cross_entropy(logits, label, group=None, return_softmax=False, ignore_index=-100):
    """Softmax cross-entropy whose classes are split over the group, in equal shards by rank."""
    from .....nn.functional import softmax_with_cross_entropy

    if label.ndim == logits.ndim - 1:
        label = label.unsqueeze(-1)
    group = members(group)
    if group is None:
        return softmax_with_cross_entropy(logits, label, ignore_index=ignore_index, return_softmax=return_softmax)
    largest = _summed(logits.max(-1, keepdim=True), group, ReduceOp.MAX)
    shifted = logits - largest
    total = _mp_allreduce(shifted.exp().sum(-1, keepdim=True), group=group)
    own = logits.shape[-1]
    place = label - group.rank * own
    here = (place >= 0).logical_and(place < own)
    chosen = shifted.take_along_axis(place.clip(0, own - 1), -1)
    chosen = _mp_allreduce(_core.ops.where(here, chosen, _core.ops.full_like(chosen, 0)), group=group)
    loss = (total.log() - chosen) * (label != ignore_index).astype(chosen.dtype)
    return (loss, shifted.exp() / total) if return_softmax else loss

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation with the statistics of the batches of all members of a group."""

from .. import _core
from .communication import all_reduce
from .fleet.layers.mpu.mp_ops import exchanged, members


def _summed(x, group):
    out = _core.ops.assign(x.detach())
    all_reduce(out, group=group)
    return out


def _over_group(x, group):
    """The sum over the members; so is the gradient, as the loss of every member depends on the sum."""
    return exchanged(x, group, _summed, _summed)


def sync_batch_norm(x, layer, group=None):
    """`batch_norm` of a batch of which each member has a share, which may differ in size.

    Args:
        x: The share of this member, with channels at axis 1, or last where the layout of the layer says so.
        layer: The SyncBatchNorm; its running statistics are updated.
        group: A Group; None: the default group.

    Returns:
        The normalised share, of the dtype of x; None in a group of one.
    """
    group = members(group)
    if group is None:
        return None
    axis = x.ndim - 1 if layer._data_format.endswith("C") else 1
    others = [a for a in range(x.ndim) if a != axis]
    along = [-1 if a == axis else 1 for a in range(x.ndim)]
    wide = x if x.dtype.name == "float64" else x.astype("float32")
    count = _core.ops.full([1], float(x.size // x.shape[axis]), wide.dtype)
    total = _over_group(_core.ops.concat([wide.sum(others), count], 0), group)
    count = total[-1:].detach()
    mean = total[:-1] / count
    centred = wide - mean.reshape(along)
    variance = _over_group(centred.square().sum(others), group) / count
    out = centred * (variance + layer._epsilon).rsqrt().reshape(along)
    for kept, batch in ((layer._mean, mean), (layer._variance, variance)):
        kept.set_value(kept.detach() * layer._momentum + batch.detach().astype(kept.dtype) * (1 - layer._momentum))
    if layer.weight is not None:
        out = out * layer.weight.astype(wide.dtype).reshape(along)
    if layer.bias is not None:
        out = out + layer.bias.astype(wide.dtype).reshape(along)
    return out.astype(x.dtype)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sequence parallelism: activations split along the sequence over the model-parallel group (Korthikanti et al.,
"Reducing activation recomputation in large transformer models", 2022).  In a group of one nothing is split."""

from ....nn import functional as F
from ...communication import all_reduce
from ..base import topology
from ..layers.mpu import mp_ops
from ..layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear


def _group():
    job = topology.hybrid_groups()
    return None if job is None else job.get_model_parallel_group()


class ScatterOp:
    """This rank's part of the sequence; the gradient is gathered."""

    @staticmethod
    def apply(input, axis=0):
        """The part along an axis."""
        return mp_ops.split_with_whole_gradient(input, _group(), axis)


class GatherOp:
    """The whole sequence; the gradient is split."""

    @staticmethod
    def apply(input, axis=0):
        """The shards of all ranks joined along an axis."""
        return mp_ops.join_with_split_gradient(input, _group(), axis)


class AllGatherOp:
    """The whole sequence; the gradient is reduced and split."""

    @staticmethod
    def apply(input, axis=0):
        """The shards of all ranks joined along an axis."""
        return mp_ops.join_with_summed_gradient(input, _group(), axis)


class ReduceScatterOp:
    """The sum over the group, split; the gradient is gathered."""

    @staticmethod
    def apply(input, axis=0):
        """This rank's part of the sum along an axis."""
        return mp_ops.sum_and_split(input, _group(), axis)


def scatter(input, axis=0):
    """This rank's part along the axis."""
    return ScatterOp.apply(input.detach(), axis)


def all_gather(input, axis=0):
    """The shards of all ranks joined along the axis."""
    return GatherOp.apply(input.detach(), axis)


def reduce_scatter(input, axis=0):
    """The sum over the group, this rank's part of it."""
    return ReduceScatterOp.apply(input.detach(), axis)


class ColumnSequenceParallelLinear(ColumnParallelLinear):
    """ColumnParallelLinear whose input is split along the sequence, its first axis."""

    def forward(self, x):
        """Shape [sequence / n, ..., in_features] to [sequence, ..., out_features / n] in a group of n."""
        if not self.is_mp:
            return super().forward(x)
        return F.linear(mp_ops.join_with_summed_gradient(x, self.model_parallel_group, 0), self.weight, self.bias)


class RowSequenceParallelLinear(RowParallelLinear):
    """RowParallelLinear whose output is split along the sequence, its first axis."""

    def _joined(self, out):
        return mp_ops.sum_and_split(out, self.model_parallel_group, 0)


def mark_as_sequence_parallel_parameter(parameter):
    """Mark a parameter whose gradient has to be summed over the group."""
    parameter.sequence_parallel = True


def is_sequence_parallel_parameter(parameter):
    """Whether a parameter is marked."""
    return getattr(parameter, "sequence_parallel", False)


def register_sequence_parallel_allreduce_hooks(model, accumulation_steps=1, fuse_sequence_parallel_allreduce=False):
    """Sum gradients of marked parameters over the group, each time a backward pass has added to one.

    Args:
        model: The Layer.
        accumulation_steps: Backward passes behind which the sum is taken.
        fuse_sequence_parallel_allreduce: Unused: each gradient is sent by itself.
    """
    if mp_ops.members(_group()) is None:
        return
    for parameter in model.parameters():
        if is_sequence_parallel_parameter(parameter):
            parameter._register_backward_hook(create_fused_allreduce_gradient_hook([parameter], accumulation_steps))


def create_fused_allreduce_gradient_hook(parameter_list, accumulation_steps):
    """A hook that sums the gradients of parameters over the group, each `accumulation_steps` times that it is called."""
    calls = 0

    def hook(*unused):
        nonlocal calls
        calls += 1
        group = mp_ops.members(_group())
        if group is not None and calls % (accumulation_steps * len(parameter_list)) == 0:
            for parameter in parameter_list:
                all_reduce(parameter.grad, group=group)

    return hook

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sequence parallelism: activations split along the sequence over the model-parallel group.  In a
group of one nothing is split."""

from ..layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear


class _Same:
    @staticmethod
    def apply(input, *options):
        """The input."""
        return input


class ScatterOp(_Same):
    """This rank's part of the sequence; the gradient is gathered."""


class GatherOp(_Same):
    """The whole sequence; the gradient is split."""


class AllGatherOp(_Same):
    """The whole sequence; the gradient is reduced and split."""


class ReduceScatterOp(_Same):
    """The sum over the group, split; the gradient is gathered."""


def scatter(input, axis=0):
    """This rank's part along the axis."""
    return input


def all_gather(input, axis=0):
    """The parts of all ranks joined along the axis."""
    return input


def reduce_scatter(input, axis=0):
    """The sum over the group, this rank's part of it."""
    return input


class ColumnSequenceParallelLinear(ColumnParallelLinear):
    """ColumnParallelLinear whose input is split along the sequence."""


class RowSequenceParallelLinear(RowParallelLinear):
    """RowParallelLinear whose output is split along the sequence."""


def mark_as_sequence_parallel_parameter(parameter):
    """Mark a parameter whose gradient has to be summed over the group."""
    parameter.sequence_parallel = True


def is_sequence_parallel_parameter(parameter):
    """Whether a parameter is marked."""
    return getattr(parameter, "sequence_parallel", False)


def register_sequence_parallel_allreduce_hooks(model, accumulation_steps, fuse_sequence_parallel_allreduce):
    """Sum gradients of marked parameters over the group; nothing to sum in a group of one."""


def create_fused_allreduce_gradient_hook(parameter_list, accumulation_steps):
    """A hook that sums joined gradients; nothing to sum in a group of one."""
    return lambda gradient: None

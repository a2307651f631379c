# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Synchronisation of parameters and gradients in a hybrid-parallel job; a group of one is always
in step."""

from .... import _core
from ...communication import broadcast, broadcast_object_list
from ...gradient_averaging import average_gradients
from ...parallel import sync_params_buffers


def obtain_optimizer_parameters_list(optimizer):
    """The parameters that an optimizer updates, those of all its groups in one list."""
    return optimizer._parameter_list


def _data_group(hcg):
    """The group whose members have different data: of the data axis, and of the sequence axis where there is one."""
    if hcg is None:
        return None
    return hcg.get_dp_sep_parallel_group() if hcg.get_sep_parallel_world_size() > 1 else hcg.get_data_parallel_group()


def fused_allreduce_gradients(parameter_list, hcg):
    """Average the gradients over the data-parallel group; None: over the whole job."""
    average_gradients(parameter_list, _data_group(hcg))


def fused_allreduce_gradients_with_group(parameter_list, group, bucket_size=128 * 1024 * 1024, scale=None):
    """Average the gradients over a group.

    Args:
        parameter_list: The parameters.
        group: The Group; None: the default group.
        bucket_size: Bytes that are joined into one message.
        scale: Divisor of the sum; None: the size of the group.
    """
    average_gradients(parameter_list, group, bucket_size, scale)


def _broadcast_parameters(model, group, is_model_parallel=True):
    if group.nranks > 1:
        sync_params_buffers(model, group, group.ranks[0], is_model_parallel)


def broadcast_mp_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the model axis, but for those that are split over it."""
    if hcg is not None:
        _broadcast_parameters(model, hcg.get_model_parallel_group())


def broadcast_dp_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the data axis."""
    if hcg is not None:
        _broadcast_parameters(model, hcg.get_data_parallel_group(), False)


def broadcast_sharding_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the sharding axis."""
    if hcg is not None:
        _broadcast_parameters(model, hcg.get_sharding_parallel_group(), False)


def broadcast_sep_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the sequence axis."""
    if hcg is not None:
        _broadcast_parameters(model, hcg.get_sep_parallel_group(), False)


def broadcast_moe_sharding_parameters(model, hcg, fuse_params=True):
    """Copy the parameters of experts along the sharding axis."""
    broadcast_sharding_parameters(model, hcg, fuse_params)


def broadcast_input_data(hcg, *inputs, **kwargs):
    """The inputs of the first member of the model-parallel group.

    Returns:
        The positional and the keyword arguments.
    """
    group = None if hcg is None else hcg.get_model_parallel_group()
    if group is None or group.nranks == 1:
        return inputs, kwargs

    def shared(value):
        if isinstance(value, _core.Tensor):
            held = value if group.rank == 0 else _core.ops.assign(value.detach())
            broadcast(held, group.ranks[0], group)
            if group.rank:
                held.stop_gradient = value.stop_gradient
            return held
        if isinstance(value, (list, tuple)):
            return type(value)(map(shared, value))
        if isinstance(value, dict):
            return {key: shared(entry) for key, entry in value.items()}
        held = [value]
        broadcast_object_list(held, group.ranks[0], group)
        return held[0]

    return shared(list(inputs)), shared(kwargs)


def unwrap_optimizer(optimizer, optimizer_instances=()):
    """The optimizer within wrappers of some classes.

    Args:
        optimizer: An optimizer, or a wrapper, which has the next one as `_inner_opt`.
        optimizer_instances: The classes of the wrappers.
    """
    while isinstance(optimizer, optimizer_instances):
        optimizer = optimizer._inner_opt
    return optimizer

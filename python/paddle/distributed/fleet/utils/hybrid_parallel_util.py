# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Synchronisation of parameters and gradients in a hybrid-parallel job; a group of one is always
in step."""

from ...communication.group import group_of_one


def _one(operation, hcg):
    if hcg is not None:
        group_of_one(operation, hcg.get_data_parallel_group())


def obtain_optimizer_parameters_list(optimizer):
    """The parameters that an optimizer updates, those of all its groups in one list."""
    return optimizer._parameter_list


def fused_allreduce_gradients(parameter_list, hcg):
    """Average the gradients over the data-parallel group."""
    _one("fused_allreduce_gradients", hcg)


def fused_allreduce_gradients_with_group(parameter_list, group, bucket_size=128 * 1024 * 1024, scale=None):
    """Average the gradients over a group.

    Args:
        parameter_list: The parameters.
        group: The Group.
        bucket_size: Bytes that are joined into one message.
        scale: Divisor of the sum; None: the size of the group.
    """
    if group is not None:
        group_of_one("fused_allreduce_gradients_with_group", group)
    if scale is not None and scale != 1:
        for parameter in parameter_list:
            if parameter.grad is not None:
                parameter.grad = parameter.grad / scale


def broadcast_mp_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the model axis."""
    _one("broadcast_mp_parameters", hcg)


def broadcast_dp_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the data axis."""
    _one("broadcast_dp_parameters", hcg)


def broadcast_sharding_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the sharding axis."""
    _one("broadcast_sharding_parameters", hcg)


def broadcast_sep_parameters(model, hcg, fuse_params=True):
    """Copy parameters along the sequence axis."""
    _one("broadcast_sep_parameters", hcg)


def broadcast_moe_sharding_parameters(model, hcg, fuse_params=True):
    """Copy the parameters of experts along the sharding axis."""
    _one("broadcast_moe_sharding_parameters", hcg)


def broadcast_input_data(hcg, *inputs, **kwargs):
    """The inputs of the first member of the model-parallel group.

    Returns:
        The positional and the keyword arguments.
    """
    _one("broadcast_input_data", hcg)
    return inputs, kwargs


def unwrap_optimizer(optimizer, optimizer_instances=()):
    """The optimizer within wrappers.

    Args:
        optimizer: An optimizer, or a wrapper, which has the next one as `_inner_opt`.
        optimizer_instances: Classes of wrappers that are returned as they are.
    """
    while hasattr(optimizer, "_inner_opt") and not isinstance(optimizer, optimizer_instances):
        optimizer = optimizer._inner_opt
    return optimizer

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of parameters with their place in the whole."""


class ShardedWeight:
    """A part of a tensor.

    Args:
        key: Name of the whole tensor.
        local_tensor: The part.
        local_shape: Its shape.
        global_shape: Shape of the whole.
        global_offset: Index of the part's first element in the whole.
        is_flattened: Whether the part is a range of the flattened tensor,
        flattened_range: and that range.
    """

    def __init__(
        self, key, local_tensor, local_shape, global_shape, global_offset, is_flattened=False, flattened_range=None
    ):
        self.key = key
        self.local_tensor = local_tensor
        self.local_shape = tuple(local_shape)
        self.global_shape = tuple(global_shape)
        self.global_offset = tuple(global_offset)
        self.is_flattened = is_flattened
        self.flattened_range = flattened_range

    def __repr__(self):
        return (
            f"ShardedWeight(key={self.key}, local_shape={self.local_shape}, global_shape={self.global_shape}, "
            f"global_offset={self.global_offset})"
        )


ShardedStateDict = dict


def shard_weight(key, weight, axis, group):
    """The ShardedWeight of a tensor that is split along an axis over a group."""
    shape = list(weight.shape)
    whole = [s * group.nranks if a == axis else s for a, s in enumerate(shape)]
    offset = [s * group.rank if a == axis else 0 for a, s in enumerate(shape)]
    return ShardedWeight(key, weight, shape, whole, offset)


def make_replicated_sharded_weight(key, tensor):
    """The ShardedWeight of a tensor that every process has whole."""
    shape = tuple(tensor.shape)
    return ShardedWeight(key, tensor, shape, shape, (0,) * len(shape))


def make_tp_sharded_weight_for_checkpoint(key, tensor, tensor_parallel_axis=0):
    """The ShardedWeight of a tensor that is split along an axis over the model-parallel group."""
    from ...fleet import get_hybrid_communicate_group

    return shard_weight(key, tensor, tensor_parallel_axis, get_hybrid_communicate_group().get_model_parallel_group())


def create_sharded_weight_with_new_local(new_key, new_local_tensor, reference_tensor):
    """The ShardedWeight of another tensor that lies as one does.

    Args:
        new_key: Name of the whole tensor.
        new_local_tensor: The part.
        reference_tensor: The ShardedWeight whose place it has.
    """
    like = reference_tensor
    return ShardedWeight(
        new_key,
        new_local_tensor,
        like.local_shape,
        like.global_shape,
        like.global_offset,
        like.is_flattened,
        like.flattened_range,
    )


def build_sharded_state_dict(state_dict, shard_rules=None, prefix=""):
    """ShardedWeights of a state dictionary.

    Args:
        state_dict: Names to tensors.
        shard_rules: Name -> axis along which it is split over the model-parallel group.
        prefix: Put in front of each name.
    """
    result = {}
    for name, tensor in state_dict.items():
        key = f"{prefix}{name}"
        if shard_rules and name in shard_rules:
            result[key] = make_tp_sharded_weight_for_checkpoint(key, tensor, shard_rules[name])
        else:
            result[key] = make_replicated_sharded_weight(key, tensor)
    return result


def shard_optimizer_state(accumulators, master_weights, model_sharded_state_dict):
    """ShardedWeights of the state of an optimizer, which lies as the parameters do.

    Args:
        accumulators: Kind -> {name of a parameter: state tensor}.
        master_weights: Name of a parameter -> its float32 copy.
        model_sharded_state_dict: Name in the model -> ShardedWeight of a parameter.
    """
    parts = {part.local_tensor.name: part for part in model_sharded_state_dict.values()}
    made = {}
    for kind, table in {**{f"{kind}_0": table for kind, table in accumulators.items()}, "w_0": master_weights}.items():
        for name, state in table.items():
            part, shape = parts[name], tuple(state.shape)
            key = f"{part.key}.{kind}"
            if shape == part.local_shape:
                place = part.global_shape, part.global_offset, part.is_flattened, part.flattened_range
            else:
                place = shape, (0,) * len(shape)
            made[key] = ShardedWeight(key, state, shape, *place)
    return made

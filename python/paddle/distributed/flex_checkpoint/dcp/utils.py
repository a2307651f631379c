# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Nested state dicts as flat ones, and back; descriptions of states joined."""

from ...._core import Tensor
from .sharded_weight import ShardedWeight


def flatten_state_dict(state_dict):
    """A nested dict of tensors as a flat one, with keys joined by dots.

    Args:
        state_dict: Dict of tensors, ShardedWeights and such dicts; keys are strings.

    Returns:
        The flat dict, and joined key -> tuple of keys.

    Raises:
        AssertionError: A key is no string.
        ValueError: A value is neither a dict nor a tensor.

    Example:
        >>> import paddle
        >>> from paddle.distributed.flex_checkpoint.dcp.utils import flatten_state_dict
        >>> flatten_state_dict({"layer": {"weight": paddle.ones([1])}})[1]
        {'layer.weight': ('layer', 'weight')}
    """
    flat, mapping = {}, {}

    def walk(part, keys):
        for key, value in part.items():
            if not isinstance(key, str):
                raise AssertionError(
                    f"flatten_state_dict: the key {key!r} is a {type(key).__name__}; it must be a str."
                )
            path = (*keys, key)
            if isinstance(value, dict):
                walk(value, path)
            elif isinstance(value, (Tensor, ShardedWeight)):
                flat[".".join(path)] = value
                mapping[".".join(path)] = path
            else:
                raise ValueError(f"flatten_state_dict: {'.'.join(path)} is {value!r}; it must be a dict or a Tensor.")

    walk(state_dict, ())
    return flat, mapping


def unflatten_state_dict(flat_state_dict, mapping):
    """The nested dict that `flatten_state_dict` made a flat one and a mapping of."""
    state = {}
    for name, value in flat_state_dict.items():
        *outer, last = mapping[name]
        part = state
        for key in outer:
            part = part.setdefault(key, {})
        part[last] = value
    return state


def merge_state_dict_metadata(global_state_dict_metadata):
    """One dict of the descriptions in several: key -> the distinct ones in their order.

    Args:
        global_state_dict_metadata: Dicts whose values are descriptions or lists of them.

    Returns:
        A dict with a list for each key.
    """
    merged = {}
    for metadata in global_state_dict_metadata:
        for key, value in metadata.items():
            found = merged.setdefault(key, [])
            found += [v for v in (value if isinstance(value, list) else [value]) if v not in found]
    return merged


def ravel_index(indices, shape):
    """The flat position of an element in an array of a shape, row by row."""
    position = 0
    for index, extent in zip(indices, shape, strict=True):
        position = position * extent + index
    return position


def unravel_index(idx, shape):
    """The indices of the element at a flat position in an array of a shape."""
    indices = []
    for extent in reversed(shape):
        idx, rest = divmod(idx, extent)
        indices.append(rest)
    return tuple(reversed(indices))

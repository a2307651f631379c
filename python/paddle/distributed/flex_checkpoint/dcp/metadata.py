# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the shards of each tensor of a checkpoint are."""

from dataclasses import dataclass, field


@dataclass
class LocalTensorMetadata:
    """One stored part: its place in the whole tensor, its shape and dtype."""

    global_offset: tuple
    local_shape: tuple
    dtype: str
    global_shape: tuple = None
    is_flattened: bool = False
    flattened_range: tuple = None


@dataclass(frozen=True)
class LocalTensorIndex:
    """Key of a stored part."""

    tensor_key: str
    global_offset: tuple
    is_flattened: bool = False
    flattened_range: tuple = None
    replica_id: int = None
    local_shape: tuple = None


@dataclass
class Metadata:
    """Parts of all tensors, the files that hold them, and the nesting of the state."""

    state_dict_metadata: dict = field(default=None)
    storage_metadata: dict = field(default=None)
    flat_mapping: dict = field(default=None)

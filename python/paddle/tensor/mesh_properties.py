# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a tensor tells of the mesh that it is distributed over."""

import math

from .. import _core


def _process_mesh(self):
    """The ProcessMesh of a distributed tensor, or None."""
    if _core.dist_attr(self) is None:
        return None
    from ..distributed.auto_parallel.codes import mesh_of

    return mesh_of(self)


def _placements(self):
    """The placements of a distributed tensor, one for each axis of its mesh, or None."""
    if _core.dist_attr(self) is None:
        return None
    from ..distributed.auto_parallel.codes import placements_of

    return placements_of(self)


def _num_shard(self):
    """Number of different parts of a distributed tensor, or None."""
    found = _core.dist_attr(self)
    if found is None:
        return None
    return math.prod(extent for extent, code in zip(found[0], found[3], strict=True) if code >= 0)


def _local_shape(self):
    """Shape of the part of this process of a distributed tensor; [0] where it has none."""
    local = _core.local_value(self)
    return [0] if local is None else list(local.shape)


def _local_value(self):
    """The part of this process, sharing memory; a plain tensor itself, an empty tensor where this process has no part."""
    if _core.dist_attr(self) is None:
        return self
    local = _core.local_value(self)
    return _core.ops.full([0], 0, self.dtype) if local is None else local


def _is_dist(self):
    """Whether the tensor is distributed over a mesh of processes."""
    return _core.dist_attr(self) is not None


def install():
    """Attach the properties to Tensor."""
    tensor_type = _core.Tensor
    for name, getter in (
        ("process_mesh", _process_mesh),
        ("placements", _placements),
        ("num_shard", _num_shard),
        ("_local_shape", _local_shape),
    ):
        setattr(tensor_type, name, property(getter, doc=getter.__doc__))
    tensor_type._local_value, tensor_type.is_dist = _local_value, _is_dist

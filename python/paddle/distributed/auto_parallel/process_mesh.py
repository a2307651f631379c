# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ProcessMesh`: processes as a grid with named axes."""

import itertools

from ... import _core
from ..communication.group import new_group

_global = None
_entered = []


def _shape_and_ids(mesh):
    """Shape and row-major entries of nested lists or an array."""
    if hasattr(mesh, "tolist"):
        mesh = mesh.tolist()
    if not isinstance(mesh, (list, tuple)):
        return [], [int(mesh)]
    parts = [_shape_and_ids(m) for m in mesh]
    if any(p[0] != parts[0][0] for p in parts):
        raise ValueError(f"ProcessMesh: mesh {mesh} is not rectangular.")
    return [len(mesh), *(parts[0][0] if parts else [])], [i for p in parts for i in p[1]]


class ProcessMesh:
    """Processes as a grid.

    Args:
        mesh: Ranks as nested lists or an integer array.
        dim_names: Names of the axes; default d0, d1, ...
        shape: Instead of `mesh`: lengths of the axes,
        process_ids: and the ranks in row-major order.
    """

    def __init__(self, mesh=None, dim_names=None, shape=None, process_ids=None):
        if mesh is not None:
            self._shape, self._process_ids = _shape_and_ids(mesh)
        elif shape is not None and process_ids is not None:
            self._shape, self._process_ids = [int(s) for s in shape], [int(p) for p in process_ids]
        else:
            raise _core.ArgumentValueError("ProcessMesh: mesh is None; pass it, or shape and process_ids.")
        count = 1
        for extent in self._shape:
            count *= extent
        if count != len(self._process_ids):
            raise _core.ArgumentValueError(
                f"ProcessMesh: shape {self._shape} has {count} places for {len(self._process_ids)} ranks."
            )
        if len(set(self._process_ids)) != len(self._process_ids) or min(self._process_ids, default=0) < 0:
            raise _core.ArgumentValueError(f"ProcessMesh: ranks {self._process_ids} must be distinct and not negative.")
        self._dim_names = list(dim_names) if dim_names is not None else [f"d{i}" for i in range(len(self._shape))]
        if len(self._dim_names) != len(self._shape) or len(set(self._dim_names)) != len(self._dim_names):
            raise _core.ArgumentValueError(
                f"ProcessMesh: dim_names {self._dim_names} must be distinct, one per axis of {self._shape}."
            )

    @property
    def shape(self):
        """Lengths of the axes."""
        return self._shape

    @property
    def ndim(self):
        """Number of axes."""
        return len(self._shape)

    @property
    def process_ids(self):
        """Ranks in row-major order."""
        return self._process_ids

    @property
    def dim_names(self):
        """Names of the axes."""
        return self._dim_names

    @property
    def size(self):
        """Number of processes."""
        return len(self._process_ids)

    @property
    def unique_id(self):
        """A number that equal meshes share."""
        return hash(self)

    @property
    def mesh(self):
        """The ranks as an integer array of the mesh's shape."""
        import numpy

        return numpy.array(self._process_ids).reshape(self._shape)

    def empty(self):
        """Whether there are no processes."""
        return not self._process_ids

    def contains(self, process_id):
        """Whether a rank is in the mesh."""
        return process_id in self._process_ids

    def dim_size(self, dim):
        """Length of an axis, by name or number."""
        return self._shape[self._dim_names.index(dim) if isinstance(dim, str) else dim]

    get_dim_size = dim_size

    def get_mesh_with_dim(self, dim_name, index=None):
        """The mesh with an axis moved to the front, or its slice at `index`."""
        axis = self._dim_names.index(dim_name)
        order = [axis, *(a for a in range(self.ndim) if a != axis)]
        names = [self._dim_names[a] for a in order]
        moved = self.mesh.transpose(order)
        return ProcessMesh(moved, names) if index is None else ProcessMesh(moved[index], names[1:])

    def get_submesh_with_dim(self, dim_name):
        """The line along an axis that holds this process."""
        from ..parallel import get_rank

        moved = self.get_mesh_with_dim(dim_name).mesh
        for rest in itertools.product(*(range(s) for s in moved.shape[1:])):
            line = moved[(slice(None), *rest)]
            if get_rank() in line:
                return ProcessMesh(line, [dim_name])
        raise ValueError(f"get_submesh_with_dim: rank {get_rank()} is not in the mesh.")

    def get_rank_by_dim_and_process_id(self, dim, process_id):
        """Coordinate of a rank on an axis; -1 outside of the mesh."""
        import numpy

        if process_id not in self._process_ids:
            return -1
        axis = self._dim_names.index(dim) if isinstance(dim, str) else dim
        return int(numpy.argwhere(self.mesh == process_id)[0][axis])

    def get_group(self, dim_name=None):
        """The Group along an axis."""
        return new_group(self.process_ids if dim_name is None else self.get_submesh_with_dim(dim_name).process_ids)

    def __getitem__(self, index):
        if isinstance(index, str):
            return self.get_submesh_with_dim(index)
        part = self.mesh[index]
        kept = []
        index = index if isinstance(index, tuple) else (index,)
        for axis, name in enumerate(self._dim_names):
            if axis >= len(index) or isinstance(index[axis], slice):
                kept.append(name)
        return ProcessMesh(part, kept) if part.ndim else ProcessMesh([int(part)])

    def __enter__(self):
        _entered.append(self)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        _entered.pop()
        return False

    def __eq__(self, other):
        if not isinstance(other, ProcessMesh):
            return NotImplemented
        return self._shape == other._shape and self._process_ids == other._process_ids

    def __hash__(self):
        return hash((tuple(self._shape), tuple(self._process_ids)))

    def __repr__(self):
        ids = ", ".join(map(str, self._process_ids))
        return f"{{shape: {self._shape}, process_ids: [{ids}], dim_names: [{', '.join(self._dim_names)}]}}"


def get_mesh():
    """The mesh of the innermost `with`, or the one of `set_mesh`, or None."""
    return _entered[-1] if _entered else _global


def set_mesh(mesh):
    """Set the mesh of the job."""
    global _global
    _global = mesh
    return mesh


def create_mesh(mesh_dims):
    """A mesh over ranks 0, 1, ... from pairs (name, length); it becomes the job's mesh."""
    names, shape = [d[0] for d in mesh_dims], [int(d[1]) for d in mesh_dims]
    count = 1
    for extent in shape:
        count *= extent
    return set_mesh(ProcessMesh(shape=shape, process_ids=list(range(count)), dim_names=names))


def _covering(one, other):
    """Of two meshes the one that has all processes of the other, of equal ones the one of more axes; else None."""
    if one is None or other is None:
        return one if other is None else other
    if one.process_ids == other.process_ids:
        return one if one.ndim >= other.ndim else other
    mine, others = set(one.process_ids), set(other.process_ids)
    if mine <= others:
        return other
    return one if others <= mine else None


def compute_compatible_process_mesh(process_mesh_list):
    """The mesh of a list that has the processes of all.

    Args:
        process_mesh_list: ProcessMeshes; those that are None count for nothing.

    Returns:
        A ProcessMesh; None where no mesh has the processes of all, or where there is none.

    Example:
        >>> from paddle.distributed import ProcessMesh
        >>> from paddle.distributed.auto_parallel.process_mesh import compute_compatible_process_mesh
        >>> compute_compatible_process_mesh([ProcessMesh([0, 1]), None, ProcessMesh([[0, 1], [2, 3]])]).shape
        [2, 2]
    """
    found = None
    for mesh in process_mesh_list or ():
        covering = _covering(found, mesh)
        if found is not None and mesh is not None and covering is None:
            return None
        found = covering
    return found


def merge_process_meshes(process_meshes):
    """A mesh of one axis with the processes of all meshes of a list, in order; None where there are none.

    Args:
        process_meshes: ProcessMeshes; those that are None count for nothing.
    """
    ids = sorted({i for mesh in process_meshes or () if mesh is not None for i in mesh.process_ids})
    return ProcessMesh(ids) if ids else None

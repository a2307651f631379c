# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`DistAttr`: how the axes of a tensor lie on the axes of a process mesh, as names or numbers, and as bytes."""

from ...framework.protobuf_wire import message_class
from .process_mesh import ProcessMesh

_KINDS = {}
for _name, _fields in (
    ("ProcessMeshProto", "1:shape*:int64 2:process_ids*:int64 3:dim_names*:string"),
    ("AxesProto", "1:axes*:int64"),
    (
        "TensorDistAttrProto",
        "1:process_mesh!:ProcessMeshProto 2:dims_mapping*:AxesProto 3:batch_dim:int64 4:dynamic_dims*:bool "
        "5:chunk_id:int64",
    ),
):
    _KINDS[_name] = message_class(_name, _fields, __name__, _KINDS)


class DistAttr:
    """Which axis of a mesh splits each axis of a tensor.

    Args:
        mesh: A ProcessMesh.
        sharding_specs: For each axis of the tensor the name of an axis of the mesh, or None.

    Raises:
        ValueError: `mesh` is no ProcessMesh, `sharding_specs` no list, or the mesh has no axis of a name.

    Example:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
        >>> dist.DistAttr(mesh, ["x", None]).dims_mapping
        [0, -1]
    """

    process_mesh, multi_dims_mapping = None, ()
    batch_dim = chunk_id = 0
    dynamic_dims = ()

    def __init__(self, mesh, sharding_specs):
        if not isinstance(mesh, ProcessMesh):
            raise ValueError(f"DistAttr: mesh has type {type(mesh).__name__}; it must be a ProcessMesh.")
        if not isinstance(sharding_specs, list):
            raise ValueError(f"DistAttr: sharding_specs has type {type(sharding_specs).__name__}; it must be a list.")
        for name in sharding_specs:
            if name is not None and name not in mesh.dim_names:
                raise ValueError(f"DistAttr: sharding_specs has {name!r}; the axes of the mesh are {mesh.dim_names}.")
        self.process_mesh, self._specs = mesh, list(sharding_specs)
        self.multi_dims_mapping = [[] if name is None else [mesh.dim_names.index(name)] for name in sharding_specs]
        self.batch_dim = self.chunk_id = 0
        self.dynamic_dims = [False] * len(sharding_specs)
        self._annotated = {"dims_mapping": True, "process_mesh": True}

    @property
    def dims_mapping(self):
        """The number of the mesh's axis that splits each axis of the tensor; -1 for none."""
        return [axes[0] if axes else -1 for axes in self.multi_dims_mapping]

    @dims_mapping.setter
    def dims_mapping(self, numbers):
        self.multi_dims_mapping = [[] if n < 0 else [int(n)] for n in numbers]

    @property
    def sharding_specs(self):
        """The names that it was made with."""
        return list(self._specs)

    # -- which fields a program has fixed ---------------------------------------------------------
    @property
    def annotated(self):
        """The fields that are fixed, as a dict of True by name."""
        return dict(self._annotated)

    def is_annotated(self, name):
        """Whether a part is fixed."""
        return self._annotated.get(name, False)

    def mark_annotated(self, name):
        """Fix a part: process_mesh, dims_mapping, batch_dim, chunk_id or dynamic_dims; other names are left out."""
        if name in ("process_mesh", "dims_mapping", "batch_dim", "chunk_id", "dynamic_dims"):
            self._annotated[name] = True

    def clear_annotated(self):
        """Fix nothing."""
        self._annotated = {}

    # -- whole -----------------------------------------------------------------------------------
    def reset(self):
        """Split nothing, over no mesh; batch_dim, chunk_id and dynamic_dims stay."""
        self.multi_dims_mapping = [[] for _ in self.multi_dims_mapping]
        self.process_mesh = None
        self._annotated = {}

    def verify(self, tensor=None):
        """Whether the fields fit each other and a tensor.

        Args:
            tensor: A Tensor, or None.
        """
        rank = len(self.multi_dims_mapping)
        if self.process_mesh is None or (tensor is not None and tensor.ndim != rank):
            return False
        used = [axis for axes in self.multi_dims_mapping for axis in axes]
        fits = all(0 <= axis < self.process_mesh.ndim for axis in used) and len(set(used)) == len(used)
        return fits and (rank == 0 or -rank <= self.batch_dim < rank) and len(self.dynamic_dims) == rank

    def serialize_to_string(self):
        """The fields as bytes."""
        made = _KINDS["TensorDistAttrProto"]()
        mesh = self.process_mesh
        if mesh is not None:
            made.process_mesh.shape.extend(mesh.shape)
            made.process_mesh.process_ids.extend(mesh.process_ids)
            made.process_mesh.dim_names.extend(mesh.dim_names)
        for axes in self.multi_dims_mapping:
            made.dims_mapping.add(axes=axes)
        made.batch_dim, made.chunk_id = self.batch_dim, self.chunk_id
        made.dynamic_dims.extend(self.dynamic_dims)
        return made.SerializePartialToString()

    def parse_from_string(self, data):
        """Take the fields from bytes."""
        read = _KINDS["TensorDistAttrProto"].FromString(data)
        mesh = read.process_mesh
        self.process_mesh = None
        if len(mesh.shape):
            self.process_mesh = ProcessMesh(
                shape=list(mesh.shape), process_ids=list(mesh.process_ids), dim_names=list(mesh.dim_names)
            )
        self.multi_dims_mapping = [list(entry.axes) for entry in read.dims_mapping]
        self.batch_dim, self.chunk_id = read.batch_dim, read.chunk_id
        self.dynamic_dims = [bool(flag) for flag in read.dynamic_dims]

    def __eq__(self, other):
        if not isinstance(other, DistAttr):
            return NotImplemented
        return self.serialize_to_string() == other.serialize_to_string()

    __hash__ = None

    def __repr__(self):
        mesh = self.process_mesh if self.process_mesh is not None else "{shape: [], process_ids: [], dim_names: []}"
        return (
            f"{{process_mesh: {mesh}, dims_mapping: {self.dims_mapping}, batch_dim: {self.batch_dim}, "
            f"chunk_id: {self.chunk_id}, dynamic_dims: {self.dynamic_dims}, annotated: {sorted(self._annotated)}}}"
        )

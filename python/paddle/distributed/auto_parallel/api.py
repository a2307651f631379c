# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors, layers and optimizers on a process mesh.

A distributed tensor has the shape of the whole; each process keeps its part. Operators compute with the parts and move
them where their rule needs it (`distributed/spmd`).
"""

import os

from ... import _core
from ..._core import Tensor
from ...framework.modes import no_grad
from ...framework.parameter import EagerParamBase
from ...nn.layer.layers import Layer
from ..parallel import get_rank
from . import codes, meeting
from .placement import Partial, Replicate, Shard
from .process_mesh import ProcessMesh, get_mesh

ops = _core.ops


def _check(operation, mesh, placements, ndim):
    if not isinstance(mesh, ProcessMesh):
        raise TypeError(f"{operation}: mesh has type {type(mesh).__name__}; it must be a ProcessMesh.")
    meeting.start(operation, mesh)
    placements = [Replicate() for _ in range(mesh.ndim)] if placements is None else list(placements)
    if len(placements) > mesh.ndim:
        raise ValueError(f"{operation}: {len(placements)} placements for a mesh of {mesh.ndim} axes.")
    placements += [Replicate() for _ in range(mesh.ndim - len(placements))]
    for i, placement in enumerate(placements):
        if isinstance(placement, Shard):
            if not -ndim <= placement.get_dim() < ndim:
                raise ValueError(f"{operation}: {placement} on a tensor of {ndim} dimensions.")
            if placement.get_dim() < 0:
                placements[i] = Shard(placement.get_dim() + ndim)
    return placements


def _distributed(tensor, mesh, placements):
    """A plain tensor's values as a distributed tensor: processes that have the same part agree on the first's."""
    cut = [Replicate() if isinstance(p, Partial) else p for p in placements]
    with no_grad():
        placed = ops.reshard(tensor.detach(), *codes.arguments(mesh, cut))
        if mesh.size > 1 and mesh.contains(get_rank()):
            local = _core.local_value(placed)
            for axis, placement in enumerate(cut):
                if isinstance(placement, Replicate) and mesh.shape[axis] > 1:
                    local = ops.mesh_broadcast(local, meeting.line(mesh, axis), 0)
            placed = ops.whole_of_parts(local, list(tensor.shape), *codes.arguments(mesh, cut))
        return placed if cut == placements else ops.reshard(placed, *codes.arguments(mesh, placements))


def _place(tensor, mesh, placements):
    """Make a tensor object distributed, or lie otherwise, in place."""
    with no_grad():
        source = tensor.detach()
        placed = (
            ops.reshard(source, *codes.arguments(mesh, placements))
            if source.is_dist()
            else _distributed(source, mesh, placements)
        )
    _core.become_distributed(tensor, placed)
    return tensor


def shard_tensor(data, mesh, placements, dtype=None, place=None, stop_gradient=None):
    """Distribute a tensor over a mesh.

    Args:
        data: A Tensor, a Parameter, or data for `paddle.to_tensor`; processes that get the same part get the values of the
            first of them.
        mesh: A ProcessMesh.
        placements: One placement per axis of the mesh.
        dtype: dtype of the result; None: that of the data.
        stop_gradient: None: that of the data.

    Returns:
        The distributed tensor, a leaf: gradients stop at it. A Parameter stays the same object.

    Example:
        >>> mesh = paddle.distributed.ProcessMesh([0], dim_names=["x"])
        >>> x = paddle.distributed.shard_tensor(paddle.ones([2, 2]), mesh, [paddle.distributed.Shard(0)])
        >>> x.placements
        [Shard(dim=0)]
    """
    from ...tensor import to_tensor

    tensor = data if isinstance(data, Tensor) else to_tensor(data, dtype=dtype, place=place)
    placements = _check("shard_tensor", mesh, placements, tensor.ndim)
    if isinstance(data, EagerParamBase):
        _place(data, mesh, placements)
        if stop_gradient is not None:
            data.stop_gradient = stop_gradient
        return data
    with no_grad():
        source = tensor.detach() if dtype is None else tensor.detach().astype(dtype)
        placed = (
            ops.reshard(source, *codes.arguments(mesh, placements))
            if source.is_dist()
            else _distributed(source, mesh, placements)
        )
    placed.stop_gradient = tensor.stop_gradient if stop_gradient is None else stop_gradient
    return placed


def reshard(dist_tensor, mesh, placements):
    """The tensor with other placements, also on another mesh; gradients flow back.

    Args:
        dist_tensor: A Tensor; a plain one counts as replicated.
        mesh: A ProcessMesh.
        placements: A Placement for each axis of the mesh.

    Returns:
        A Tensor with the same values.

    Example:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
        >>> x = dist.shard_tensor(paddle.ones([2, 2]), mesh, [dist.Shard(0)])
        >>> dist.reshard(x, mesh, [dist.Replicate()]).placements
        [Replicate()]
    """
    placements = _check("reshard", mesh, placements, dist_tensor.ndim)
    return ops.reshard(dist_tensor, *codes.arguments(mesh, placements))


def dtensor_from_fn(fn, mesh, placements, *args, **kwargs):
    """What `fn(*args, **kwargs)` returns, distributed."""
    return shard_tensor(fn(*args, **kwargs), mesh, placements)


def dtensor_from_local(local_tensor, mesh, placements):
    """A distributed tensor from the parts of the processes of a mesh; gradients flow back to this process's part.

    Args:
        local_tensor: This process's part. Every process of the mesh calls it; the part of one outside of it tells the
            shape, as if all parts were like it.
        mesh: A ProcessMesh.
        placements: A Placement for each axis of the mesh.

    Returns:
        A Tensor.

    Raises:
        ValueError: The parts are not those of a tensor that is cut into ceil(n / p) elements each.
    """
    placements = _check("dtensor_from_local", mesh, placements, local_tensor.ndim)
    shape = meeting.whole_shape(local_tensor.shape, mesh, placements)
    return ops.whole_of_parts(local_tensor, shape, *codes.arguments(mesh, placements))


def dtensor_to_local(dist_tensor, mesh=None, placements=None, grad_placements=None):
    """This process's part of a distributed tensor; gradients flow back.

    Args:
        dist_tensor: The Tensor.
        mesh: A ProcessMesh; None: that of the tensor.
        placements: A Placement for each axis of the mesh; None: those of the tensor.
        grad_placements: Those by which the gradients of the parts make that of the tensor; None: the same.

    Returns:
        A Tensor.

    Raises:
        ValueError: There is no mesh.
    """
    mesh = dist_tensor.process_mesh if mesh is None else mesh
    placements = dist_tensor.placements if placements is None else placements
    if mesh is None:
        raise ValueError("dtensor_to_local: the tensor is not distributed; pass mesh and placements.")
    if not mesh.contains(get_rank()):
        return ops.full([0], 0, dist_tensor.dtype)
    moved = reshard(dist_tensor, mesh, placements)
    return ops.local_part(moved, [] if grad_placements is None else codes.codes_of(grad_placements))


def unshard_dtensor(dist_tensor):
    """The whole as a plain tensor, in every process of the mesh; gradients flow back.

    Args:
        dist_tensor: A distributed Tensor; a plain one is given back in another object.
    """
    return ops.unshard(dist_tensor)


def shard_layer(layer, process_mesh, shard_fn=None, input_fn=None, output_fn=None):
    """Place the parameters of a layer.

    Args:
        layer: The Layer.
        process_mesh: A ProcessMesh.
        shard_fn: Called as `shard_fn(name, sublayer, mesh)` for each sublayer; None replicates all.
        input_fn: Called as `input_fn(inputs, mesh)` before forward.
        output_fn: Called as `output_fn(outputs, mesh)` after forward.
    """
    _check("shard_layer", process_mesh, None, 1)
    for name, sublayer in layer.named_sublayers(include_self=True):
        if shard_fn is not None:
            shard_fn(name, sublayer, process_mesh)
        for parameter in sublayer.parameters(include_sublayers=False):
            if not parameter.is_dist():
                _place(parameter, process_mesh, [Replicate() for _ in range(process_mesh.ndim)])
    if input_fn is not None:
        layer.register_forward_pre_hook(lambda _, inputs: input_fn(inputs, process_mesh))
    if output_fn is not None:
        layer.register_forward_post_hook(lambda _, inputs, outputs: output_fn(outputs, process_mesh))
    return layer


class _ShardingStage:
    """How `shard_optimizer` distributes state.

    Args:
        sharding_mesh_dim: Name or number of the axis over which state is split; None: the axis 'dp', else the first.
        mesh: A ProcessMesh for parameters that are not distributed; None: that of `set_mesh`.
    """

    def __init__(self, sharding_mesh_dim=None, mesh=None):
        self._sharding_mesh_axis = sharding_mesh_dim
        self._mesh = mesh

    def _axis(self, mesh):
        dim = self._sharding_mesh_axis
        if dim is None:
            return mesh.dim_names.index("dp") if "dp" in mesh.dim_names else 0
        if isinstance(dim, str):
            if dim not in mesh.dim_names:
                raise ValueError(
                    f"{type(self).__name__}: the mesh has the axes {mesh.dim_names} and none named {dim!r}."
                )
            return mesh.dim_names.index(dim)
        return dim

    def _split(self, tensor, mesh, placements):
        """Placements with the first dimension that divides evenly split over the axis; as they are where there is none."""
        axis = self._axis(mesh)
        if not isinstance(placements[axis], Replicate):
            return placements
        taken = {p.get_dim() for p in placements if isinstance(p, Shard)}
        for dim, extent in enumerate(tensor.shape):
            if dim not in taken and extent % mesh.shape[axis] == 0 and extent > 0:
                return [Shard(dim) if a == axis else p for a, p in enumerate(placements)]
        return placements

    def prepare(self, parameter):
        """Put a parameter where the stage keeps it, before the first step."""
        mesh = self._mesh or get_mesh()
        if not parameter.is_dist() and mesh is not None:
            _place(parameter, mesh, [Replicate() for _ in range(mesh.ndim)])

    def __call__(self, key, param, tensor):
        """The state `tensor` of `param`, split further than the parameter."""
        if not param.is_dist() or list(tensor.shape) != list(param.shape):
            return tensor
        mesh = param.process_mesh
        return shard_tensor(tensor, mesh, self._split(tensor, mesh, param.placements))

    def shard_master_weight(self, param, master_weight):
        """The float32 copy of a parameter, split like its state."""
        return self("master_weight", param, master_weight)


class ShardingStage1(_ShardingStage):
    """Optimizer state is split (Rajbhandari et al. 2020, ZeRO stage 1)."""


class ShardingStage2(_ShardingStage):
    """Optimizer state is split, and a gradient is kept as the part that its process updates (ZeRO stage 2)."""

    def prepare(self, parameter):
        """Have the gradients of the parameter split when they are complete."""
        super().prepare(parameter)
        if parameter.is_dist() and not parameter.stop_gradient:
            mesh = parameter.process_mesh
            split = self._split(parameter, mesh, parameter.placements)
            _core.place_gradients(parameter, codes.codes_of(split))


class ShardingStage3(_ShardingStage):
    """Optimizer state, gradients and parameters are split; a parameter is whole only while it is used (ZeRO stage 3)."""

    def prepare(self, parameter):
        """Split the parameter."""
        super().prepare(parameter)
        if parameter.is_dist():
            mesh = parameter.process_mesh
            _place(parameter, mesh, self._split(parameter, mesh, parameter.placements))


def shard_optimizer(optimizer, shard_fn=None, gradient_accumulation_steps=1):
    """The optimizer with its state distributed: like its parameters, or as `shard_fn` says.

    Args:
        optimizer: The optimizer.
        shard_fn: A ShardingStage1, 2 or 3, or a function `(key, parameter, state)` that returns the distributed state.
        gradient_accumulation_steps: Batches per step: gradients are divided by it.

    Raises:
        NotImplementedError: gradient_accumulation_steps is not 1.
    """
    if gradient_accumulation_steps != 1:
        raise NotImplementedError(
            "shard_optimizer: gradient_accumulation_steps must be 1; divide the loss, and call step() after several "
            "backward passes."
        )
    parameters = optimizer._parameter_list or []
    for parameter in parameters:
        if parameter.is_dist():
            _check("shard_optimizer", parameter.process_mesh, parameter.placements, parameter.ndim)
        if isinstance(shard_fn, _ShardingStage):
            shard_fn.prepare(parameter)
    optimizer._shard_fn = shard_fn
    return optimizer


def shard_scaler(scaler):
    """The GradScaler over a mesh; on a mesh of one, as it is."""
    return scaler


def in_auto_parallel_align_mode():
    """Whether results are being aligned with a single process, FLAGS_enable_auto_parallel_align_mode."""
    return os.environ.get("FLAGS_enable_auto_parallel_align_mode", "0").lower() in ("1", "true")


class LocalLayer(Layer):
    """A layer whose forward works on this process's shards of placed tensors.

    Args:
        out_dist_attrs: For each output: (mesh, placements).
        grad_dist_attrs: For each input: (mesh, placements) of its gradient, or None for those of the input.
    """

    def __init__(self, out_dist_attrs, grad_dist_attrs):
        super().__init__()
        self.out_dist_attrs = out_dist_attrs
        self.grad_dist_attrs = grad_dist_attrs

    def __call__(self, *inputs, **kwargs):
        """Forward on the shards; the outputs are placed."""
        attributes = list(self.grad_dist_attrs or ())
        attributes += [None] * (len(inputs) - len(attributes))
        parts = [
            dtensor_to_local(value, grad_placements=attribute and attribute[1])
            if isinstance(value, Tensor) and value.process_mesh is not None
            else value
            for value, attribute in zip(inputs, attributes, strict=False)
        ]
        outputs = super().__call__(*parts, **kwargs)
        many = isinstance(outputs, (list, tuple))
        placed = [
            dtensor_from_local(out, mesh, placements)
            for out, (mesh, placements) in zip(outputs if many else [outputs], self.out_dist_attrs, strict=False)
        ]
        return type(outputs)(placed) if many else placed[0]

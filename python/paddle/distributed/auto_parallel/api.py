# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors, layers and optimizers placed on a process mesh.

A placed tensor carries its mesh and placements, and has the whole values in every process: they say what part is this
process's, which `_local_value()` and functions of shards give. Placing makes the processes of a mesh agree on the values.
"""

import math

from ..._core import Tensor
from ...framework.memory import write
from ...framework.modes import no_grad
from ...framework.parameter import EagerParamBase
from ...nn.layer.layers import Layer
from ..parallel import get_rank
from . import parts as _parts
from .placement import Replicate, Shard
from .process_mesh import ProcessMesh


def _check(operation, mesh, placements, ndim):
    if not isinstance(mesh, ProcessMesh):
        raise TypeError(f"{operation}: mesh has type {type(mesh).__name__}; it must be a ProcessMesh.")
    _parts.start(operation, mesh)
    placements = [Replicate() for _ in range(mesh.ndim)] if placements is None else list(placements)
    if len(placements) > mesh.ndim:
        raise ValueError(f"{operation}: {len(placements)} placements for a mesh of {mesh.ndim} axes.")
    placements += [Replicate() for _ in range(mesh.ndim - len(placements))]
    for placement in placements:
        if isinstance(placement, Shard) and not -ndim <= placement.get_dim() < max(ndim, 1):
            raise ValueError(f"{operation}: {placement} on a tensor of {ndim} dimensions.")
    return placements


def _place(tensor, mesh, placements):
    tensor.process_mesh = mesh
    tensor.placements = placements
    tensor.num_shard = math.prod(
        mesh.shape[axis] for axis, placement in enumerate(placements) if isinstance(placement, Shard)
    )
    tensor._local_shape = _parts.local_shape(tensor.shape, mesh, placements)
    return tensor


def _agree(tensor, mesh, placements):
    """Make the values of a tensor the same in all processes of a mesh: where it is split each part counts that its process
    has, otherwise the first process's."""
    if mesh.size < 2 or not mesh.contains(get_rank()):
        return
    if not any(isinstance(placement, Shard) for placement in placements):
        _parts.agree(tensor, mesh)
        return
    with no_grad():
        split = [p if isinstance(p, Shard) else Replicate() for p in placements]
        whole = _parts.joined(_parts.part_of(tensor.detach(), mesh, split), mesh, split)
        write(tensor, whole)


def shard_tensor(data, mesh, placements, dtype=None, place=None, stop_gradient=None):
    """Place a tensor on a mesh.

    Args:
        data: A Tensor, a Parameter, or data for `paddle.to_tensor`.
        mesh: A ProcessMesh.
        placements: One placement per axis of the mesh.
        dtype: dtype of the result; None: that of the data.
        stop_gradient: None: that of the data.

    Returns:
        The placed tensor, a leaf: gradients stop at it. A Parameter stays the same object.

    Example:
        >>> mesh = paddle.distributed.ProcessMesh([0], dim_names=["x"])
        >>> x = paddle.distributed.shard_tensor(paddle.ones([2, 2]), mesh, [paddle.distributed.Shard(0)])
        >>> x.placements
        [Shard(dim=0)]
    """
    from ...tensor import assign, to_tensor

    if isinstance(data, EagerParamBase):
        tensor = data
    elif isinstance(data, Tensor):
        stop = data.stop_gradient
        tensor = assign(data.detach() if dtype is None else data.detach().astype(dtype))
        tensor.stop_gradient = stop
    else:
        tensor = to_tensor(data, dtype=dtype, place=place)
    placements = _check("shard_tensor", mesh, placements, tensor.ndim)
    if stop_gradient is not None:
        tensor.stop_gradient = stop_gradient
    _agree(tensor, mesh, placements)
    return _place(tensor, mesh, placements)


def reshard(dist_tensor, mesh, placements):
    """The tensor with other placements; gradients flow back.

    Args:
        dist_tensor: A Tensor with placements.
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
    from ...tensor import assign

    placements = _check("reshard", mesh, placements, dist_tensor.ndim)
    return _place(assign(dist_tensor), mesh, placements)


def dtensor_from_fn(fn, mesh, placements, *args, **kwargs):
    """Place what `fn(*args, **kwargs)` returns."""
    return shard_tensor(fn(*args, **kwargs), mesh, placements)


def dtensor_from_local(local_tensor, mesh, placements):
    """A placed tensor from the shards of the processes of a mesh; gradients flow back to this process's shard.

    Args:
        local_tensor: This process's part. Every process of the job calls it, also outside of the mesh.
        mesh: A ProcessMesh.
        placements: A Placement for each axis of the mesh.

    Returns:
        A Tensor.
    """
    placements = _check("dtensor_from_local", mesh, placements, local_tensor.ndim)
    return _place(_parts.ToWhole.apply(local_tensor, mesh, placements), mesh, placements)


def dtensor_to_local(dist_tensor, mesh=None, placements=None, grad_placements=None):
    """This process's part of a placed tensor; gradients flow back.

    Args:
        dist_tensor: The Tensor.
        mesh: A ProcessMesh; None: that of the tensor.
        placements: A Placement for each axis of the mesh; None: those of the tensor.
        grad_placements: Those by which the gradients of the shards make that of the tensor; None: the same.

    Returns:
        A Tensor.

    Raises:
        ValueError: There is no mesh.
    """
    mesh = dist_tensor.process_mesh if mesh is None else mesh
    placements = dist_tensor.placements if placements is None else placements
    if mesh is None:
        raise ValueError("dtensor_to_local: the tensor is not placed; pass mesh and placements.")
    placements = _check("dtensor_to_local", mesh, placements, dist_tensor.ndim)
    of_gradients = placements if grad_placements is None else list(grad_placements)
    return _parts.ToPart.apply(dist_tensor, mesh, placements, of_gradients)


def unshard_dtensor(dist_tensor):
    """The whole tensor without a placement."""
    from ...tensor import assign

    return assign(dist_tensor)


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
            if getattr(parameter, "process_mesh", None) is None:
                whole = [Replicate() for _ in range(process_mesh.ndim)]
                _agree(parameter, process_mesh, whole)
                _place(parameter, process_mesh, whole)
    if input_fn is not None:
        layer.register_forward_pre_hook(lambda _, inputs: input_fn(inputs, process_mesh))
    if output_fn is not None:
        layer.register_forward_post_hook(lambda _, inputs, outputs: output_fn(outputs, process_mesh))
    return layer


class _ShardingStage:
    """How `shard_optimizer` places state.

    Args:
        sharding_mesh_dim: Name or number of the axis over which state is split.
        mesh: A ProcessMesh; None: that of the parameter.
    """

    def __init__(self, sharding_mesh_dim=None, mesh=None):
        self._sharding_mesh_axis = sharding_mesh_dim
        self._mesh = mesh

    def __call__(self, key, param, tensor):
        """The state `tensor` of `param`, placed."""
        mesh = getattr(param, "process_mesh", None) or self._mesh
        return tensor if mesh is None else shard_tensor(tensor, mesh, getattr(param, "placements", None))

    def shard_master_weight(self, param, master_weight):
        """The float32 copy of a parameter, placed."""
        return self("master_weight", param, master_weight)


class ShardingStage1(_ShardingStage):
    """Optimizer state is split."""


class ShardingStage2(_ShardingStage):
    """Optimizer state and gradients are split."""


class ShardingStage3(_ShardingStage):
    """Optimizer state, gradients and parameters are split."""


def shard_optimizer(optimizer, shard_fn=None, gradient_accumulation_steps=1):
    """The optimizer with its state placed like its parameters; on a mesh of one, as it is.

    Args:
        optimizer: The optimizer.
        shard_fn: Called as `shard_fn(key, parameter, state)`, e.g. ShardingStage1.
        gradient_accumulation_steps: Batches per step; the program accumulates by not calling step.
    """
    for parameter in optimizer._parameter_list or []:
        mesh = getattr(parameter, "process_mesh", None)
        if mesh is not None:
            _check("shard_optimizer", mesh, parameter.placements, parameter.ndim)
    return optimizer


def shard_scaler(scaler):
    """The GradScaler over a mesh; on a mesh of one, as it is."""
    return scaler


def in_auto_parallel_align_mode():
    """Whether results are being aligned with a single process, FLAGS_enable_auto_parallel_align_mode."""
    import os

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

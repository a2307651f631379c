# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`parallelize`, and the plans that it applies to layers: where parameters lie, and how what goes in and comes out is
placed. A hook that a plan makes moves tensors between placements; on a mesh of one process they keep their values."""

import re

from ..._core import Tensor
from . import stages
from .api import ShardingStage1, ShardingStage2, ShardingStage3, _check, _place, reshard, shard_optimizer
from .placement import Replicate, Shard
from .process_mesh import get_mesh
from .stages import SplitPoint as SplitPoint


def _placements(mesh, axis, dim):
    """Placements that split dimension `dim` over one axis of the mesh, if it has that axis."""
    return [Shard(dim) if name == axis and dim is not None else Replicate() for name in mesh.dim_names]


def _each(values, change):
    """A value, or all tensors of a tuple or list, changed."""
    if isinstance(values, (tuple, list)):
        return type(values)(change(v) if isinstance(v, Tensor) else v for v in values)
    return change(values) if isinstance(values, Tensor) else values


def _moved(mesh, axis, dim, turned=False, back=False):
    """A function that splits a tensor along `dim` over an axis of the mesh, or joins it (None).

    Args:
        turned: Whether the first two dimensions, batch and sequence, change places,
        back: and whether that comes last.
    """

    def move(value):
        order = [1, 0, *range(2, value.ndim)]
        if turned and not back:
            value = value.transpose(order)
        value = reshard(value, mesh, _placements(mesh, axis, dim))
        return value.transpose(order) if turned and back else value

    return lambda values: _each(values, move)


class _Plan:
    """Base of the plans that `parallelize` applies to layers."""

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Apply the plan to a layer.

        Args:
            layer: The Layer.
            process_mesh: The ProcessMesh.
            shard_param_list: Names of the parameters that are split; None or empty for all.
        """
        raise NotImplementedError(f"{type(self).__name__}.apply: a plan defines it.")


class _Split(_Plan):
    # dimension of the weight, dimension of the bias (None: whole)
    _weight, _bias = 1, 0

    def _place_parameters(self, layer, mesh, wanted):
        for name, parameter in layer.named_parameters(include_sublayers=False):
            if not wanted or name in wanted:
                dim = self._weight if parameter.ndim > 1 else self._bias
                _place(parameter, mesh, _placements(mesh, "mp", dim))


class ColWiseParallel(_Split):
    """Split a Linear or an Embedding by columns.

    Args:
        gather_output: Whether every process gets the whole result.
    """

    def __init__(self, gather_output=False):
        self.gather_output = gather_output

    def gather_output_hook(self, process_mesh):
        """A hook `(layer, input, output)` that gives the whole output."""
        whole = _moved(process_mesh, "mp", None)
        return lambda layer, input, output: whole(output)

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Split the parameters, and join the output where it was asked for."""
        self._place_parameters(layer, process_mesh, shard_param_list)
        if self.gather_output:
            layer.register_forward_post_hook(self.gather_output_hook(process_mesh))


class ConvParallel(_Plan):
    """Split the image that goes into a convolution along its width.

    Example:
        >>> import paddle
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> conv = paddle.nn.Conv2D(1, 1, 3)
        >>> dist.ConvParallel().apply(conv, mesh, [])
        >>> conv(paddle.ones([1, 1, 4, 4])).shape
        paddle.Size([1, 1, 2, 2])
    """

    def conv_parallel_start(self, process_mesh, data_format):
        """A hook `(layer, input)` that splits the width of the input.

        Args:
            process_mesh: The ProcessMesh.
            data_format: 'NCHW' or 'NHWC'.
        """
        return lambda layer, input: _moved(process_mesh, "mp", data_format.index("W"))(input)

    def apply(self, layer, process_mesh, shard_param_list):
        """Split what goes into a Conv2D, and join what comes out; its parameters stay whole."""
        from ...nn import Conv2D

        if not isinstance(layer, Conv2D):
            raise NotImplementedError(f"ConvParallel: the layer is a {type(layer).__name__}; it must be a Conv2D.")
        whole = _moved(process_mesh, "mp", None)
        layer.register_forward_pre_hook(self.conv_parallel_start(process_mesh, layer._data_format))
        layer.register_forward_post_hook(lambda layer, input, output: whole(output))


class RowWiseParallel(_Split):
    """Split a Linear or an Embedding by rows.

    Args:
        is_input_parallel: Whether the input is already split.
    """

    _weight, _bias = 0, None

    def __init__(self, is_input_parallel=True):
        self.is_input_parallel = is_input_parallel

    def split_input_hook(self, process_mesh):
        """A hook `(layer, input)` that splits the last dimension of the input."""

        def split(value):
            return reshard(value, process_mesh, _placements(process_mesh, "mp", value.ndim - 1))

        return lambda layer, input: _each(input, split)

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Split the parameters, and the input where it is whole."""
        self._place_parameters(layer, process_mesh, shard_param_list)
        if not self.is_input_parallel:
            layer.register_forward_pre_hook(self.split_input_hook(process_mesh))


class SequenceParallelBegin(_Plan):
    """From the output of this layer on, activations are split along the sequence.

    Args:
        need_transpose: Whether the output is [batch, sequence, ...] and becomes [sequence, batch, ...].
    """

    def __init__(self, need_transpose=True):
        self.need_transpose = need_transpose

    def sequence_parallel_begin(self, process_mesh):
        """A hook `(layer, input, output)` that splits the output."""
        split = _moved(process_mesh, "mp", 0, self.need_transpose)
        return lambda layer, input, output: split(output)

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Split the output."""
        layer.register_forward_post_hook(self.sequence_parallel_begin(process_mesh))


class SequenceParallelEnd(_Plan):
    """Up to the input of this layer, activations are split along the sequence.

    Args:
        need_transpose: Whether the input is [sequence, batch, ...] and becomes [batch, sequence, ...].
    """

    def __init__(self, need_transpose=True):
        self.need_transpose = need_transpose

    def sequence_parallel_end(self, process_mesh):
        """A hook `(layer, input)` that joins the input."""
        whole = _moved(process_mesh, "mp", None, self.need_transpose, back=True)
        return lambda layer, input, output=None: whole(input)

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Join the input."""
        layer.register_forward_pre_hook(self.sequence_parallel_end(process_mesh))


class SequenceParallelEnable(_Plan):
    """This layer runs on activations split along the sequence, [sequence, batch, ...]."""

    def sequence_parallel_begin(self, process_mesh):
        """A hook `(layer, input)` that splits the input."""
        split = _moved(process_mesh, "mp", 0, True)
        return lambda layer, input, output=None: split(input)

    def sequence_parallel_end(self, process_mesh):
        """A hook `(layer, input, output)` that joins the output."""
        whole = _moved(process_mesh, "mp", None, True, back=True)
        return lambda layer, input, output: whole(output)

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Split the input and join the output."""
        layer.register_forward_pre_hook(self.sequence_parallel_begin(process_mesh))
        layer.register_forward_post_hook(self.sequence_parallel_end(process_mesh))


class SequenceParallelDisable(_Plan):
    """This layer runs on whole sequences inside of a split region.

    Args:
        need_transpose: Whether the region has [sequence, batch, ...] and the layer takes [batch, sequence, ...].
    """

    def __init__(self, need_transpose=True):
        self.need_transpose = need_transpose

    def sequence_parallel_begin(self, process_mesh):
        """A hook `(layer, input, output)` that splits the output again."""
        split = _moved(process_mesh, "mp", 0, self.need_transpose)
        return lambda layer, input, output=None: split(output)

    def sequence_parallel_end(self, process_mesh):
        """A hook `(layer, input)` that joins the input."""
        whole = _moved(process_mesh, "mp", None, self.need_transpose, back=True)
        return lambda layer, input, output=None: whole(input)

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Join the input and split the output."""
        layer.register_forward_pre_hook(self.sequence_parallel_end(process_mesh))
        layer.register_forward_post_hook(self.sequence_parallel_begin(process_mesh))


class _Prepare(_Plan):
    def __init__(self, fn=None):
        assert callable(fn), f"{type(self).__name__}: fn has value {fn!r}; pass a function of a mesh that gives a hook."
        self.fn = fn


class PrepareLayerInput(_Prepare):
    """Change what goes into a layer.

    Args:
        fn: Function of the mesh that gives a hook `(layer, inputs)`.
    """

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Let the hook see the inputs."""
        layer.register_forward_pre_hook(self.fn(process_mesh=process_mesh))


class PrepareLayerOutput(_Prepare):
    """Change what comes out of a layer.

    Args:
        fn: Function of the mesh that gives a hook `(layer, inputs, outputs)`.
    """

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Let the hook see the outputs."""
        layer.register_forward_post_hook(self.fn(process_mesh=process_mesh))


def parallelize(model, optimizer=None, mesh=None, config=None):
    """Apply the plans of a configuration to a model and its optimizer.

    Args:
        model: The Layer.
        optimizer: The optimizer, or None.
        mesh: A ProcessMesh; None: that of `set_mesh`.
        config: A dictionary of dictionaries. `mp_config` and `cp_config`: `parallelize_plan`, pattern of names of layers or
            parameters -> plan or plans. `pp_config`: `split_spec`, the name of the list of layers that is dealt out to the
            axis 'pp' of the mesh, or {name of a layer: SplitPoint}. `dp_config`: `sharding_level`, 0 to 3, over the axis
            'dp'.

    Returns:
        (model, optimizer).

    Raises:
        ValueError: There is no mesh, or the configuration has an entry that is not known.
        AssertionError: There is a `pp_config`, and the mesh has no axis 'pp'.
    """
    config = config or {}
    mesh = get_mesh() if mesh is None else mesh
    if mesh is None:
        raise ValueError("parallelize: there is no mesh; pass one or call paddle.distributed.set_mesh first.")
    _check("parallelize", mesh, None, 1)
    _check_entries(config)
    mesh_of = stages.meshes(model, mesh, config.get("pp_config"))
    for part in ("mp_config", "cp_config"):
        for pattern, plan in ((config.get(part) or {}).get("parallelize_plan") or {}).items():
            for layer, names in _matches(model, pattern):
                for one in plan if isinstance(plan, (list, tuple)) else [plan]:
                    one.apply(layer, mesh_of(layer), names)
    for layer in model.sublayers(include_self=True):
        for parameter in layer.parameters(include_sublayers=False):
            if not parameter.is_dist():
                own = mesh_of(layer)
                _place(parameter, own, [Replicate() for _ in range(own.ndim)])
    if optimizer is None:
        return model, None
    level = (config.get("dp_config") or {}).get("sharding_level", 0)
    stage = {0: None, 1: ShardingStage1, 2: ShardingStage2, 3: ShardingStage3}[int(level)]
    return model, shard_optimizer(optimizer, stage and stage("dp"))


_ENTRIES = {
    "mp_config": {"parallelize_plan"},
    "cp_config": {"parallelize_plan"},
    "dp_config": {"sharding_level"},
    "pp_config": {"split_spec"},
}


def _check_entries(config):
    for part, entries in config.items():
        if part not in _ENTRIES:
            raise ValueError(f"parallelize: config has {part!r}; it may have {sorted(_ENTRIES)}.")
        unknown = set(entries or ()) - _ENTRIES[part]
        if unknown:
            raise ValueError(f"parallelize: {part} has {sorted(unknown)}; paddle knows {sorted(_ENTRIES[part])}.")
    level = (config.get("dp_config") or {}).get("sharding_level", 0)
    if level not in (0, 1, 2, 3):
        raise ValueError(f"parallelize: sharding_level has value {level!r}; it must be 0, 1, 2 or 3.")


def _matches(model, pattern):
    """The layers that a pattern names, each with the names of the parameters that it names."""
    expression = re.compile(pattern.replace("*", ".*"))
    for name, layer in list(model.named_sublayers()):
        if expression.fullmatch(name):
            yield layer, []
        else:
            parameters = [n for n, _ in layer.named_parameters(include_sublayers=False)]
            named = [n for n in parameters if expression.fullmatch(f"{name}.{n}")]
            if named:
                yield layer, named

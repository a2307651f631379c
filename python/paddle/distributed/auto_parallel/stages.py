# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which stage of a pipeline a layer is in: the meshes of layers, and the moves of activations between them."""

import enum

from ..._core import Tensor
from .api import reshard
from .placement import Partial, Replicate


class SplitPoint(enum.Enum):
    """Where a stage of a pipeline is cut: before or behind a layer."""

    BEGINNING = 0
    END = 1


def meshes(model, mesh, config):
    """The function of a layer that gives its mesh; the first layer of each further stage moves what it is given.

    Args:
        model: The Layer.
        mesh: A ProcessMesh, with the axis 'pp' where there is a configuration.
        config: The `pp_config` of `parallelize`, or None.
    """
    if not config:
        return lambda layer: mesh
    assert "pp" in mesh.dim_names, f"parallelize: pp_config needs an axis 'pp'; the mesh has {mesh.dim_names}."
    count = mesh.get_dim_size("pp")
    if count == 1:
        return lambda layer: mesh
    parts = [mesh.get_mesh_with_dim("pp", stage) for stage in range(count)]
    first, stage_of = _stages(model, config.get("split_spec"), count)
    for stage, layers in first.items():
        for layer in layers:
            layer.register_forward_pre_hook(_moves_to(parts[stage]), with_kwargs=True)
    return lambda layer: parts[stage_of[id(layer)]]


def _stages(model, spec, count):
    """(the first layers of the stages after the first, the stage of each layer by identity).

    Layers come in the order in which their model lists them; those before the first cut are in the first stage.
    """
    named = list(model.named_sublayers(include_self=True))
    if isinstance(spec, str):
        numbers = sorted({int(n[len(spec) + 1 :].split(".")[0]) for n, _ in named if _is_entry(n, spec)})
        if len(numbers) < count:
            raise ValueError(f"parallelize: split_spec {spec!r} names {len(numbers)} layers for {count} stages.")
        size = -(-len(numbers) // count)
        starts = {f"{spec}.{numbers[size * stage]}": stage for stage in range(1, count) if size * stage < len(numbers)}
        ends = {}
    elif isinstance(spec, dict):
        starts, ends = {}, {}
        for stage, (name, point) in enumerate(spec.items(), 1):
            (starts if point is SplitPoint.BEGINNING else ends)[name] = stage
        if len(spec) != count - 1:
            raise ValueError(
                f"parallelize: split_spec has {len(spec)} cuts for {count} stages; {count - 1} are needed."
            )
    else:
        raise ValueError(
            f"parallelize: split_spec is {spec!r}; it must be the name of layers or a dict of SplitPoints."
        )
    unknown = (set(starts) | set(ends)) - {name for name, _ in named}
    if unknown:
        raise ValueError(f"parallelize: split_spec names {sorted(unknown)}, which are no layers of the model.")
    first, stage_of, stage, pending = {}, {}, 0, None
    for name, layer in named:
        if pending is not None and not name.startswith(pending[0] + "."):
            stage, pending = pending[1], None
            first.setdefault(stage, []).append(layer)
        if name in starts:
            stage = starts[name]
            first.setdefault(stage, []).append(layer)
        stage_of[id(layer)] = stage
        if name in ends:
            pending = (name, ends[name])
    return first, stage_of


def _is_entry(name, prefix):
    return name.startswith(prefix + ".") and name[len(prefix) + 1 :].split(".")[0].isdigit()


def _moves_to(mesh):
    """A hook that brings distributed arguments to the mesh; parts that have yet to be added are added."""

    def moved(value):
        if isinstance(value, (tuple, list)):
            return type(value)(moved(v) for v in value)
        if not isinstance(value, Tensor) or not value.is_dist() or value.process_mesh == mesh:
            return value
        placements = [Replicate() if isinstance(p, Partial) else p for p in value.placements]
        if len(placements) != mesh.ndim:
            placements = [Replicate() for _ in range(mesh.ndim)]
        return reshard(value, mesh, placements)

    return lambda layer, args, kwargs: (moved(args), {key: moved(v) for key, v in kwargs.items()})

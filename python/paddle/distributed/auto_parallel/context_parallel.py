# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans that split sequences over the axis 'sep' of a mesh: in the inputs of a model, and around its attention."""

from ..._core import Tensor
from .api import reshard
from .plans import _each, _placements, _Plan

_BACKENDS = ("p2p", "all2all")


class _Context(_Plan):
    def __init__(self, backend="p2p"):
        assert backend in _BACKENDS, (
            f"{type(self).__name__}: backend has value {backend!r}; it must be 'p2p' or 'all2all'."
        )
        self.backend = backend


class PrepareContextParallel(_Context):
    """Split the inputs [batch, sequence] of a model along the sequence.

    Args:
        backend: 'p2p' where attention passes keys and values round a ring, 'all2all' where it splits heads.
    """

    def _hook(self, mesh):
        def split(value):
            assert value.ndim == 2, (
                f"PrepareContextParallel: an input has shape {list(value.shape)}; it must be [batch, sequence]."
            )
            return reshard(value, mesh, _placements(mesh, "sep", 1))

        return lambda layer, args: _each(args, split)

    def p2p_split_input_pre_hook(self, process_mesh):
        """A hook `(layer, args)` that splits the inputs, in an order that gives all processes the same work."""
        return self._hook(process_mesh)

    def all2all_split_input_pre_hook(self, process_mesh):
        """A hook `(layer, args)` that splits the inputs."""
        return self._hook(process_mesh)

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Split the inputs."""
        layer.register_forward_pre_hook(getattr(self, f"{self.backend}_split_input_pre_hook")(process_mesh))


class ContextParallel(_Context):
    """Run attention, whose inputs are query, key and value [batch, sequence, heads, size], on split sequences.

    Args:
        backend: 'all2all': heads are split in place of sequences during attention. 'p2p': keys and values go round a
            ring; with one process the ring is the attention itself.
    """

    def all2all_reshard_pre_hook(self, process_mesh):
        """A hook `(layer, args)` that splits heads in place of sequences."""

        def split(value):
            return reshard(value, process_mesh, _placements(process_mesh, "sep", 2)) if value.ndim == 4 else value

        return lambda layer, args: _each(args, split)

    def all2all_reshard_post_hook(self, process_mesh):
        """A hook `(layer, input, output)` that splits sequences again."""

        def split(value):
            return reshard(value, process_mesh, _placements(process_mesh, "sep", 1))

        return lambda layer, input, output: _each(output, split)

    def p2p_reshard_pre_hook(self, process_mesh):
        """A hook `(layer, args, kwargs)` that splits query, key and value along the sequence."""

        def split(value):
            if not isinstance(value, Tensor) or value.ndim != 4:
                return value
            return reshard(value, process_mesh, _placements(process_mesh, "sep", 1))

        return lambda layer, args, kwargs: (_each(args, split), {k: split(v) for k, v in kwargs.items()})

    def apply(self, layer, process_mesh, shard_param_list=None):
        """Place what goes in, and for 'all2all' what comes out."""
        if self.backend == "all2all":
            layer.register_forward_pre_hook(self.all2all_reshard_pre_hook(process_mesh))
            layer.register_forward_post_hook(self.all2all_reshard_post_hook(process_mesh))
        else:
            layer.register_forward_pre_hook(self.p2p_reshard_pre_hook(process_mesh), with_kwargs=True)

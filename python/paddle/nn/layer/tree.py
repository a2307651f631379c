# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A layer as a tree: walks over its sublayers, parameters and buffers, and members by dotted name."""

from ...framework.call_forms import aliases
from .computed import computed


class Tree:
    """Walks of a Layer; its sublayers, parameters and buffers are in `_sub_layers`, `_parameters` and `_buffers`."""

    def named_sublayers(self, prefix="", include_self=False, layers_set=None, remove_duplicate=True):
        """The layers below this one, outer ones first, with names.

        Args:
            prefix: Put in front of the names.
            include_self: Whether this layer comes first.
            layers_set: Layers that are left out; those that come are added.
            remove_duplicate: Whether a layer that occurs several times comes once.

        Yields:
            Pairs of dotted names and layers.

        Example:
            >>> net = paddle.nn.Sequential(paddle.nn.Sequential(paddle.nn.ReLU()), paddle.nn.Tanh())
            >>> [name for name, _ in net.named_sublayers()]
            ['0', '0.0', '1']
        """
        seen = set() if layers_set is None else layers_set
        if include_self and not (remove_duplicate and self in seen):
            seen.add(self)
            yield prefix, self
        for key, layer in self._sub_layers.items():
            if layer is None or (remove_duplicate and layer in seen):
                continue
            path = prefix + ("." if prefix else "") + key
            yield from layer.named_sublayers(path, True, seen, remove_duplicate)

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """`named_sublayers` with the layer itself.

        Args:
            memo: A set of layers that are left out, which grows by those that are given.
            prefix: Stands in front of every name.
            remove_duplicate: Whether a layer with several places is given once.

        Returns:
            An iterator over (dotted name, layer).

        Example:
            >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
            >>> [(name, type(layer).__name__) for name, layer in model.named_modules()]
            [('', 'Sequential'), ('0', 'Linear'), ('1', 'ReLU')]
        """
        return self.named_sublayers(prefix, True, memo, remove_duplicate)

    def modules(self):
        """The layer and all below it."""
        return (layer for _, layer in self.named_modules())

    def sublayers(self, include_self=False):
        """The layers below this one, outer ones first.

        Args:
            include_self: Whether this layer comes first.

        Returns:
            A list, each layer once.

        Example:
            >>> len(paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU()).sublayers())
            2
        """
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_children(self):
        """Pairs of names and direct sublayers.

        Example:
            >>> model = paddle.nn.Sequential(paddle.nn.ReLU(), paddle.nn.Tanh())
            >>> [(name, type(layer).__name__) for name, layer in model.named_children()]
            [('0', 'ReLU'), ('1', 'Tanh')]
        """
        seen = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and layer not in seen:
                seen.add(layer)
                yield name, layer

    @computed
    def _modules(self):
        """The sublayers by name."""
        return self._sub_layers

    def children(self):
        """The direct sublayers, in the order in which they were added.

        Example:
            >>> list(paddle.nn.Sequential(paddle.nn.ReLU()).children())
            [ReLU()]
        """
        return (layer for _, layer in self.named_children())

    def _named_members(self, table, prefix, include_sublayers, remove_duplicate):
        seen = set()
        layers = self.named_sublayers(prefix, True, None, remove_duplicate) if include_sublayers else [(prefix, self)]
        for path, layer in layers:
            for key, member in getattr(layer, table).items():
                if member is None or (remove_duplicate and id(member) in seen):
                    continue
                seen.add(id(member))
                yield path + ("." if path else "") + key, member

    @aliases(recurse="include_sublayers")
    def named_parameters(self, prefix="", include_sublayers=True, remove_duplicate=True):
        """The parameters of the layer and its sublayers, with names.

        Args:
            prefix: Put in front of the names.
            include_sublayers: False for the layer's own alone.
            remove_duplicate: Whether a parameter that occurs several times comes once.

        Yields:
            Pairs of dotted names and parameters.

        Example:
            >>> [name for name, _ in paddle.nn.Sequential(paddle.nn.Linear(2, 3)).named_parameters()]
            ['0.weight', '0.bias']
        """
        return self._named_members("_parameters", prefix, include_sublayers, remove_duplicate)

    @aliases(recurse="include_sublayers")
    def parameters(self, include_sublayers=True):
        """The parameters of the layer and its sublayers.

        Args:
            include_sublayers: False for the layer's own alone.

        Returns:
            A list, each parameter once.

        Example:
            >>> [p.shape for p in paddle.nn.Linear(2, 3).parameters()]
            [paddle.Size([2, 3]), paddle.Size([3])]
        """
        return [p for _, p in self.named_parameters("", include_sublayers)]

    @aliases(recurse="include_sublayers")
    def named_buffers(self, prefix="", include_sublayers=True, remove_duplicate=True):
        """Pairs of dotted names and buffers.

        Args:
            prefix: Stands in front of every name.
            include_sublayers: Whether the buffers of the layers below are given too.
            remove_duplicate: Whether a buffer with several places is given once.

        Returns:
            An iterator over (name, Tensor).

        Example:
            >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 2))
            >>> model[0].register_buffer("steps", paddle.zeros([1]))
            >>> [name for name, _ in model.named_buffers()]
            ['0.steps']
        """
        return self._named_members("_buffers", prefix, include_sublayers, remove_duplicate)

    @aliases(recurse="include_sublayers")
    def buffers(self, include_sublayers=True):
        """The buffers of the tree."""
        return [b for _, b in self.named_buffers("", include_sublayers)]

    def get_sublayer(self, target):
        """The layer of a dotted name.

        Args:
            target: The name, "encoder.0"; "" is the layer itself.

        Returns:
            A Layer.

        Raises:
            AttributeError: There is no such layer.

        Example:
            >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
            >>> model.get_sublayer("0")
            Linear(in_features=2, out_features=3, dtype=float32)
        """
        layer = self
        for name in target.split(".") if target else ():
            if name not in layer._sub_layers:
                raise AttributeError(f"get_sublayer: {target!r} has no layer {name!r}.")
            layer = layer._sub_layers[name]
        return layer

    get_submodule = get_sublayer

    @aliases(module="layer")
    def set_sublayer(self, target, layer, strict=False):
        """Put a layer at a dotted name.

        Args:
            target: The dotted name; all but its last part must be there.
            layer: The new layer.
            strict: Require that the last part is there too.
        """
        if not target:
            raise ValueError("set_sublayer: target is empty; give the dotted name of a layer.")
        if not isinstance(layer, Tree):
            raise ValueError(f"set_sublayer: layer has type {type(layer).__name__}; pass a Layer.")
        path, _, name = target.rpartition(".")
        parent = self.get_sublayer(path)
        if strict and name not in parent._sub_layers:
            raise AttributeError(f"set_sublayer: {target!r} has no layer {name!r}.")
        setattr(parent, name, layer)

    set_submodule = set_sublayer

    def _member(self, kind, target):
        path, _, name = target.rpartition(".")
        owner = self.get_sublayer(path)
        held = owner._parameters if kind == "parameter" else owner._buffers
        if name not in held:
            raise AttributeError(f"get_{kind}: {type(owner).__name__} has no {kind} {name!r}.")
        return held[name]

    def get_parameter(self, target):
        """The parameter of a dotted name."""
        return self._member("parameter", target)

    def get_buffer(self, target):
        """The buffer of a dotted name."""
        return self._member("buffer", target)

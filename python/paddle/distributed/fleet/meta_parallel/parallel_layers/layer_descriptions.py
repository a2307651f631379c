# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers of a pipeline as descriptions, built on the stage that runs them; where a list of them is cut."""

import re

from .....nn.layer.layers import Layer


class LayerDesc:
    """A layer to be built later.

    Args:
        layer_func_or_spec: The Layer class.
        inputs: Positional arguments of its constructor.
        kwargs: Keyword arguments of its constructor.

    Example:
        >>> paddle.distributed.fleet.meta_parallel.LayerDesc(paddle.nn.Linear, 4, 2).build_layer().weight.shape
        paddle.Size([4, 2])
    """

    def __init__(self, layer_func_or_spec, *inputs, **kwargs):
        if not (isinstance(layer_func_or_spec, type) and issubclass(layer_func_or_spec, Layer)):
            raise TypeError(
                f"LayerDesc: layer_func has value {layer_func_or_spec!r}; it must be a class derived from paddle.nn.Layer."
            )
        self.layer_func = layer_func_or_spec
        self.inputs, self.kwargs = inputs, kwargs

    def build_layer(self, **extra_kwargs):
        """The layer."""
        return self.layer_func(*self.inputs, **{**self.kwargs, **extra_kwargs})

    def __repr__(self):
        parts = [repr(i) for i in self.inputs] + [f"{k}={v!r}" for k, v in self.kwargs.items()]
        return f"{self.layer_func.__name__}({', '.join(parts)})"


class SharedLayerDesc(LayerDesc):
    """A layer of which all descriptions with the same key have the same weights, on whatever stages they are.

    Args:
        key: The name that the sharers have in common.
        layer_func: The Layer class.
        forward_func: Called as `forward_func(layer, input)` instead of the layer.
        shared_weight_attr: Name (or list of names) of the shared parameters.
    """

    def __init__(self, key, layer_func, forward_func=None, shared_weight_attr="weight", *inputs, **kwargs):
        super().__init__(layer_func, *inputs, **kwargs)
        self.layer_name = key
        self.forward_func = forward_func
        self.shared_weight_attr = shared_weight_attr

    def shared_parameters(self, layer):
        """The shared parameters of a layer built from this."""
        names = self.shared_weight_attr
        found = []
        for name in [names] if isinstance(names, str) else names:
            value = layer
            for part in name.split("."):
                value = getattr(value, part)
            found.append(value)
        return found


class LocalSharedLayerDesc(SharedLayerDesc):
    """A SharedLayerDesc whose sharers are all on one stage."""


def class_name(entry):
    """Name of the class of a layer or description, or of a function."""
    if isinstance(entry, LayerDesc):
        return entry.layer_func.__name__
    return type(entry).__name__ if isinstance(entry, Layer) else getattr(entry, "__name__", "")


def segment(layers, parts, method):
    """Where a list of layers is cut into parts.

    Args:
        layers: Layers, descriptions and functions.
        parts: Number of parts.
        method: 'uniform': as many layers in each; 'layer:Name': as many layers whose class name matches the regular
            expression; or a list with the first layer of each part, and the number of layers.

    Returns:
        The first layer of each part, and the number of layers.

    Raises:
        ValueError: There are fewer matching layers than parts, or the list does not fit.
    """
    count = len(layers)
    if isinstance(method, (list, tuple)):
        if len(method) != parts + 1 or method[0] != 0 or method[-1] != count or list(method) != sorted(method):
            raise ValueError(
                f"PipelineLayer: seg_method has value {list(method)}; for {parts} parts of {count} layers it must rise from 0 to "
                f"{count} in {parts + 1} numbers."
            )
        return list(method)
    if not method.startswith("layer:"):
        return [count * p // parts for p in range(parts + 1)]
    pattern = re.compile(method.split(":", 1)[1], re.IGNORECASE)
    matching = [i for i, entry in enumerate(layers) if pattern.search(class_name(entry))]
    if len(matching) < parts:
        raise ValueError(
            f"PipelineLayer: seg_method {method!r} matches {len(matching)} layers; at least {parts} are needed."
        )
    # A part ends behind the last of its matching layers.
    return [0, *(matching[len(matching) * p // parts - 1] + 1 for p in range(1, parts)), count]

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers described by their class and arguments, to be built later."""

import importlib
from dataclasses import dataclass, field

from ....nn.layer.layers import Layer


@dataclass(repr=False)
class LayerSpec:
    """A layer to be built.

    Args:
        layer: Its class, or (module, name) of it.
        extra_kwargs: Keyword arguments for its constructor.
        sublayers_spec: Specs of the layers inside; the constructor gets it where it is set.

    Example:
        >>> import paddle
        >>> from paddle.distributed.fleet.meta_parallel import LayerSpec, build_spec_layer
        >>> spec = LayerSpec(paddle.nn.Linear, extra_kwargs={"in_features": 2})
        >>> print(build_spec_layer(spec, out_features=3))
        Linear(in_features=2, out_features=3, dtype=float32)
    """

    layer: tuple | type
    extra_kwargs: dict = field(default_factory=dict)
    sublayers_spec: type = None

    def __repr__(self):
        return f"{self.layer}{self.extra_kwargs}"


def import_spec_layer(module_path):
    """The class that (module, name) names."""
    module, name = module_path
    return getattr(importlib.import_module(module), name)


def get_spec_layer(spec_or_layer, **additional_kwargs):
    """The class of a spec, or the class itself."""
    layer = spec_or_layer.layer if isinstance(spec_or_layer, LayerSpec) else spec_or_layer
    return import_spec_layer(layer) if isinstance(layer, tuple) else layer


def build_spec_layer(spec_or_layer, *args, **kwargs):
    """The layer of a spec or class.

    Args:
        spec_or_layer: A LayerSpec, a class, or (module, name).
        args: Positional arguments of the constructor.
        kwargs: Keyword arguments besides those of the spec.
    """
    made = get_spec_layer(spec_or_layer)
    if isinstance(spec_or_layer, LayerSpec):
        kwargs = {**spec_or_layer.extra_kwargs, **kwargs}
        if spec_or_layer.sublayers_spec is not None:
            kwargs["sublayers_spec"] = spec_or_layer.sublayers_spec
    if not (isinstance(made, type) and issubclass(made, Layer)) and not callable(made):
        raise TypeError(f"build_spec_layer: {made!r} is no class of layers.")
    return made(*args, **kwargs)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Models as lists of layer descriptions, to be cut into pipeline stages."""

import itertools
import re

from .....nn.layer.layers import Layer


class LayerDesc:
    """A layer to be built later.

    Args:
        layer_func_or_spec: The Layer class.
        inputs: Positional arguments of its constructor.
        kwargs: Keyword arguments of its constructor.
    """

    def __init__(self, layer_func_or_spec, *inputs, **kwargs):
        if not (isinstance(layer_func_or_spec, type) and issubclass(layer_func_or_spec, Layer)):
            raise TypeError(
                f"LayerDesc: layer_func is {layer_func_or_spec!r}; it must be a class derived from paddle.nn.Layer."
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
    """A layer of which all descriptions with the same key share one instance.

    Args:
        key: The name that the sharers have in common.
        layer_func: The Layer class.
        forward_func: Called as `forward_func(layer, *inputs)` instead of the layer.
        shared_weight_attr: Name (or list of names) of the shared parameters.
    """

    def __init__(self, key, layer_func, forward_func=None, shared_weight_attr="weight", *inputs, **kwargs):
        super().__init__(layer_func, *inputs, **kwargs)
        self.layer_name = key
        self.forward_func = forward_func
        self.shared_weight_attr = shared_weight_attr


class LocalSharedLayerDesc(SharedLayerDesc):
    """A SharedLayerDesc whose sharers are all on one stage."""


class PipelineLayer(Layer):
    """Layers called one after the other, cut into stages.

    Args:
        layers: Layers, callables, LayerDesc and SharedLayerDesc.
        num_stages: Number of stages.
        topology: A CommunicateTopology that tells the number of stages.
        loss_fn: The loss, called with output and labels in training.
        seg_method: 'uniform', or 'layer:Name' to cut before layers whose class name matches.
        recompute_interval: Number of layers recomputed together in backward; 0: none.
        recompute_ctx: Settings of `recompute_hybrid`.
        num_virtual_pipeline_stages: Parts per stage.
    """

    def __init__(
        self,
        layers,
        num_stages=None,
        topology=None,
        loss_fn=None,
        seg_method="uniform",
        recompute_interval=0,
        recompute_ctx=None,
        num_virtual_pipeline_stages=None,
        use_cudagraph=False,
        use_dualpipev=False,
    ):
        super().__init__()
        if num_stages is None and topology is None:
            raise ValueError("PipelineLayer: num_stages and topology are both None; pass one.")
        stages = num_stages if num_stages is not None else topology.get_dim("pipe")
        if stages != 1:
            raise NotImplementedError(
                f"PipelineLayer: num_stages has value {stages}; this build has no communication between processes."
            )
        self._layers_desc = list(layers)
        self._loss_fn = loss_fn
        self._topo = topology
        self._num_stages = stages
        self._seg_method = seg_method
        self._recompute_interval = recompute_interval
        self._recompute_ctx = recompute_ctx
        self._num_virtual_pipeline_stages = num_virtual_pipeline_stages or 1
        self.shared_layers = {}
        self.run_function = []
        self._start, self._end = 0, len(self._layers_desc)
        self.segment_parts = self._segment()
        self._build()

    def _segment(self):
        parts = self._num_virtual_pipeline_stages
        count = len(self._layers_desc)
        if self._seg_method.startswith("layer:"):
            pattern = re.compile(self._seg_method.split(":", 1)[1], re.IGNORECASE)
            matching = [i for i, desc in enumerate(self._layers_desc) if pattern.search(self._class_name(desc))]
            if len(matching) < parts:
                raise ValueError(
                    f"PipelineLayer: seg_method {self._seg_method!r} matches {len(matching)} layers; at least {parts} "
                    f"are needed."
                )
            starts = [0] + [matching[len(matching) * p // parts] for p in range(1, parts)]
        else:
            starts = [count * p // parts for p in range(parts)]
        return [*starts, count]

    @staticmethod
    def _class_name(desc):
        if isinstance(desc, LayerDesc):
            return desc.layer_func.__name__
        return type(desc).__name__ if isinstance(desc, Layer) else getattr(desc, "__name__", "")

    def _build(self):
        for index, desc in enumerate(self._layers_desc):
            if isinstance(desc, SharedLayerDesc):
                if desc.layer_name not in self.shared_layers:
                    layer = desc.build_layer()
                    self.shared_layers[desc.layer_name] = layer
                    self.add_sublayer(desc.layer_name, layer)
                layer = self.shared_layers[desc.layer_name]
                self.run_function.append(layer if desc.forward_func is None else _Shared(desc.forward_func, layer))
                continue
            entry = desc.build_layer() if isinstance(desc, LayerDesc) else desc
            if isinstance(entry, Layer):
                self.add_sublayer(str(index), entry)
            elif not callable(entry):
                raise TypeError(f"PipelineLayer: layers[{index}] has type {type(entry).__name__}; it must be callable.")
            self.run_function.append(entry)

    @property
    def num_stages(self):
        """Number of stages."""
        return self._num_stages

    def get_stage_from_index(self, layer_idx):
        """Stage that runs a layer."""
        return 0

    def get_num_virtual_stages(self):
        """Parts per stage."""
        return self._num_virtual_pipeline_stages

    def get_model_chunks(self):
        """Functions that call the layers of each part, or None where there is one part."""
        if self._num_virtual_pipeline_stages == 1:
            return None
        return [self.forward_function(*ends) for ends in itertools.pairwise(self.segment_parts)]

    def allreduce_shared_weight_gradients(self):
        """Sum the gradients of shared layers over the stages: with one stage backward() has done it."""

    def _run(self, start, end, x):
        for function in self.run_function[start:end]:
            x = function(*x) if isinstance(x, tuple) else function(x)
        return x

    def forward_function(self, start, end):
        """A function that calls the layers from `start` up to `end`."""
        return lambda *x: self._run(start, end, x if len(x) > 1 else x[0])

    def forward(self, input, chunk_id=None):
        """Call the layers; a tuple is handed on as several arguments."""
        from ...recompute import recompute

        start, end = (0, self._end) if chunk_id is None else self.segment_parts[chunk_id : chunk_id + 2]
        if self._recompute_interval == 0 or not self.training:
            return self._run(start, end, input)
        for first in range(start, end, self._recompute_interval):
            last = min(first + self._recompute_interval, end)
            values = input if isinstance(input, tuple) else (input,)

            def part(*xs, first=first, last=last):
                return self._run(first, last, xs if len(xs) > 1 else xs[0])

            input = recompute(part, *values, use_reentrant=False)
        return input


class _Shared:
    """A shared layer seen through the function that calls it."""

    def __init__(self, function, layer):
        self._function, self._layer = function, layer

    def __call__(self, *inputs):
        return self._function(self._layer, *inputs)

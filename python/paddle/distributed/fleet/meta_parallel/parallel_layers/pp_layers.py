# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Models as lists of layers, cut into the stages of a pipeline."""

from .....nn.layer.container import LayerDict
from .....nn.layer.layers import Layer
from ....communication import all_reduce, broadcast, new_group
from ....parallel import get_rank, get_world_size
from ...base import topology as _topology
from .layer_descriptions import LayerDesc, LocalSharedLayerDesc, SharedLayerDesc, segment  # noqa: F401


class PipelineLayerChunk(Layer):
    """One of several chunks that a stage runs: layers and functions, in order."""

    def __init__(self):
        super().__init__()
        self.run_function = []

    def append(self, entry):
        """Add a layer or function at the end."""
        if isinstance(entry, Layer):
            self.add_sublayer(str(len(self.run_function)), entry)
        self.run_function.append(entry)

    def get_run_function(self):
        """The layers and functions."""
        return self.run_function

    def forward(self, *args, **kwargs):
        """Refused: the PipelineLayer runs its chunks.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("PipelineLayerChunk.forward: call the PipelineLayer with chunk_id instead.")


class PipelineLayer(Layer):
    """Layers called one after the other, of which this process builds and runs those of its stage.

    What a layer returns is handed to the next one as it is: a tuple is one argument.

    Args:
        layers: Layers, callables, LayerDesc and SharedLayerDesc.
        num_stages: Number of stages.
        topology: A CommunicateTopology that tells the number of stages; None: that of `fleet.init`, where it has as many.
        loss_fn: The loss, called with output and labels in training, or a list of such.
        seg_method: 'uniform', or 'layer:Name' to give each stage as many layers whose class name matches, or the list of cuts.
        recompute_interval: Number of layers recomputed together in backward; 0: none.
        recompute_ctx: Settings of `recompute_hybrid`.
        num_virtual_pipeline_stages: Parts per stage.
        use_cudagraph, use_dualpipev: Kept for the caller.

    Raises:
        ValueError: The number of stages is not given, or the processes of the job cannot run that many.

    Example:
        >>> from paddle.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> parts = [fleet.meta_parallel.LayerDesc(paddle.nn.Linear, 4, 4), paddle.nn.ReLU()]
        >>> model = fleet.meta_parallel.PipelineLayer(parts, num_stages=1, loss_fn=paddle.nn.MSELoss())
        >>> model(paddle.ones([2, 4])).shape
        paddle.Size([2, 4])
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
        self._topo = _topology_of(num_stages, topology)
        self._num_stages = self._topo.get_dim("pipe")
        self._stage_id = self._topo.get_coord(get_rank()).pipe
        self._layers_desc = list(layers)
        self._loss_fn = loss_fn if loss_fn is None or isinstance(loss_fn, list) else [loss_fn]
        self._recompute_interval, self.recompute_ctx = recompute_interval, recompute_ctx
        self._num_virtual_pipeline_stages = num_virtual_pipeline_stages or 1
        self._total_stages_with_virtual_stages = self._num_stages * self._num_virtual_pipeline_stages
        self.segment_parts = segment(self._layers_desc, self._total_stages_with_virtual_stages, seg_method)
        self.shared_layers, self.shared_comm, self._model_chunks, self.run_function = LayerDict(), {}, [], []
        self._build()
        self._share_weights()

    def _parts(self):
        """(first layer, layer behind the last) of each part that runs here."""
        own = range(self._stage_id, self._total_stages_with_virtual_stages, self._num_stages)
        return [self.segment_parts[part : part + 2] for part in own]

    def _build(self):
        for start, end in self._parts():
            entries = [self._made(index) for index in range(start, end)]
            if self._num_virtual_pipeline_stages > 1:
                chunk = PipelineLayerChunk()
                for entry in entries:
                    chunk.append(entry)
                self._model_chunks.append(chunk)
                self.add_sublayer(str(start), chunk)
            else:
                self._start_pos, self._end_pos, self.run_function = start, end, entries
                for index, entry in enumerate(entries, start):
                    if isinstance(entry, Layer):
                        self.add_sublayer(str(index), entry)

    def _made(self, index):
        desc = self._layers_desc[index]
        if isinstance(desc, SharedLayerDesc):
            if desc.layer_name not in self.shared_layers:
                self.shared_layers[desc.layer_name] = desc.build_layer()
            return _Shared(desc.forward_func, self.shared_layers[desc.layer_name])
        entry = desc.build_layer() if isinstance(desc, LayerDesc) else desc
        if not callable(entry):
            raise TypeError(f"PipelineLayer: layers[{index}] has type {type(entry).__name__}; it must be callable.")
        return entry

    def _share_weights(self):
        """Groups of the stages that have the same weights."""
        sharers = {}
        for index, desc in enumerate(self._layers_desc):
            if isinstance(desc, SharedLayerDesc):
                sharers.setdefault(desc.layer_name, (desc, set()))[1].add(self.get_stage_from_index(index))
        for key, (desc, stages) in sharers.items():
            if len(stages) < 2:
                continue
            ranks = [self._topo.get_rank_from_stage(get_rank(), pipe=stage) for stage in sorted(stages)]
            group = new_group(ranks)
            if self._stage_id in stages:
                shared = desc.shared_parameters(self.shared_layers[key])
                self.shared_comm[key] = {"ranks": ranks, "group": group, "parameters": shared}
                for parameter in shared:
                    parameter.is_firstly_shared = self._stage_id == min(stages)
        self._synchronize_shared_weights()

    def _synchronize_shared_weights(self):
        """Make shared weights those of the first stage that has them."""
        for shared in self.shared_comm.values():
            for parameter in shared["parameters"]:
                broadcast(parameter, shared["ranks"][0], shared["group"])

    @property
    def num_stages(self):
        """Number of stages."""
        return self._num_stages

    def get_stage_from_index(self, layer_idx):
        """Stage that runs a layer."""
        part = next(p for p, end in enumerate(self.segment_parts[1:]) if layer_idx < end)
        return part % self._num_stages

    def get_num_virtual_stages(self):
        """Parts per stage."""
        return self._num_virtual_pipeline_stages

    def get_model_chunks(self):
        """The chunks that run here, or None where there is one."""
        return self._model_chunks or None

    def allreduce_shared_weight_gradients(self):
        """Sum the gradients of shared weights over the stages that have them."""
        for shared in self.shared_comm.values():
            for parameter in shared["parameters"]:
                if parameter.grad is None:
                    parameter.grad = parameter.detach() * 0
                all_reduce(parameter.grad, group=shared["group"])

    def forward_function(self, start, end):
        """A function that calls the layers of this stage from `start` up to `end`, as `run_function` has them."""
        functions = self.run_function[start:end]

        def call(*inputs):
            value = inputs[0] if len(inputs) == 1 else inputs
            for function in functions:
                value = function(value)
            return value

        return call

    def forward(self, input, chunk_id=None):
        """Call the layers of this stage, or of one of its chunks; with several chunks and no `chunk_id`, all of them."""
        if self._model_chunks:
            for chunk in self._model_chunks if chunk_id is None else [self._model_chunks[chunk_id]]:
                self.run_function = chunk.run_function
                input = self._run(input)
            return input
        return self._run(input)

    def _run(self, input):
        from ...recompute import recompute

        count = len(self.run_function)
        if self._recompute_interval == 0 or not self.training:
            return self.forward_function(0, count)(input)
        for first in range(0, count, self._recompute_interval):
            part = self.forward_function(first, min(first + self._recompute_interval, count))
            values = input if isinstance(input, tuple) else (input,)
            if isinstance(input, tuple) and len(input) == 1:
                one = part

                def part(value, one=one):
                    return one((value,))

            input = recompute(part, *values, use_reentrant=False)
        return input


def _topology_of(num_stages, topology):
    """The topology of a pipeline: the given one, that of fleet, or data parallelism around the stages."""
    if topology is None:
        known = _topology.hybrid_groups()
        if known is not None and known.get_pipe_parallel_world_size() == num_stages:
            return known.topology()
        if num_stages < 1 or get_world_size() % num_stages:
            raise ValueError(
                f"PipelineLayer: num_stages has value {num_stages}; the job has {get_world_size()} processes, which must be a "
                "multiple."
            )
        return _topology.CommunicateTopology(["data", "pipe", "model"], [get_world_size() // num_stages, num_stages, 1])
    if num_stages is not None and num_stages != topology.get_dim("pipe"):
        raise ValueError(
            f"PipelineLayer: num_stages has value {num_stages}; the topology has {topology.get_dim('pipe')} stages."
        )
    return topology


class _Shared:
    """A shared layer, seen through the function that calls it where there is one."""

    def __init__(self, function, layer):
        self._function, self._layer = function, layer

    def __call__(self, value):
        return self._layer(value) if self._function is None else self._function(self._layer, value)

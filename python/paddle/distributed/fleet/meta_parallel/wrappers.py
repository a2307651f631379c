# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Wrappers that `fleet.distributed_model` puts around a model."""

from ....nn.layer.layers import Layer
from ..utils import hybrid_parallel_util as _sync


class MetaParallelBase(Layer):
    """A model together with the topology in which it runs.

    Args:
        layers: The model.
        hcg: The HybridCommunicateGroup.
        strategy: The DistributedStrategy.
    """

    def __init__(self, layers, hcg, strategy=None):
        super().__init__(layers.full_name() + "_meta_parallel_base")
        self._layers = layers
        self._hcg = hcg
        self._strategy = strategy

    def forward(self, *inputs, **kwargs):
        """Call the model."""
        return self._layers(*inputs, **kwargs)

    def state_dict(self, *args, **kwargs):
        """State of the model, under its own names."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, *args, **kwargs):
        """Load a state of the model."""
        return self._layers.set_state_dict(*args, **kwargs)


class TensorParallel(MetaParallelBase):
    """A model with tensor-parallel layers: members of a model group get the inputs of the first of them."""

    def __init__(self, layers, hcg, **kwargs):
        super().__init__(layers, hcg, kwargs.get("strategy"))
        _sync.broadcast_mp_parameters(layers, hcg)
        _sync.broadcast_sep_parameters(layers, hcg)
        _sync.broadcast_sharding_parameters(layers, hcg)
        _sync.broadcast_dp_parameters(layers, hcg)

    def forward(self, *inputs, **kwargs):
        """Call the model."""
        inputs, kwargs = _sync.broadcast_input_data(self._hcg, *inputs, **kwargs)
        return self._layers(*inputs, **kwargs)


class ShardingParallel(MetaParallelBase):
    """A model whose optimizer state is split; its parameters are at first those of the first member."""

    def __init__(self, layers, hcg, **kwargs):
        super().__init__(layers, hcg, kwargs.get("strategy"))
        _sync.broadcast_sharding_parameters(layers, hcg)
        _sync.broadcast_dp_parameters(layers, hcg)


class SegmentParallel(MetaParallelBase):
    """A model whose sequences are split."""

    def __init__(self, layers, hcg, **kwargs):
        super().__init__(layers, hcg, kwargs.get("strategy"))
        _sync.broadcast_sep_parameters(layers, hcg)
        _sync.broadcast_sharding_parameters(layers, hcg)
        _sync.broadcast_dp_parameters(layers, hcg)

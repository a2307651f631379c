# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Wrappers that `fleet.distributed_model` puts around a model."""

from ....nn.layer.layers import Layer


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
    """A model with tensor-parallel layers."""

    def __init__(self, layers, hcg, **kwargs):
        super().__init__(layers, hcg, kwargs.get("strategy"))


class ShardingParallel(MetaParallelBase):
    """A model whose optimizer state is split."""

    def __init__(self, layers, hcg, **kwargs):
        super().__init__(layers, hcg, kwargs.get("strategy"))


class SegmentParallel(MetaParallelBase):
    """A model whose sequences are split."""

    def __init__(self, layers, hcg, **kwargs):
        super().__init__(layers, hcg, kwargs.get("strategy"))

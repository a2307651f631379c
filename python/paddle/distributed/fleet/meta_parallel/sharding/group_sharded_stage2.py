# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A layer whose gradients are split over a group, beside the optimizer state (ZeRO stage 2)."""

from ..... import _core
from .....nn.layer.layers import Layer


class GroupShardedStage2(Layer):
    """Runs a layer; when a backward pass ends, each gradient is with the member that updates the parameter, as a mean.

    Args:
        layer: The Layer.
        sharding_optimizer: Its GroupShardedOptimizerStage2, alone or in a list.
        group: The Group; that of the optimizer counts.
        sync_buffers: Whether buffers are those of the first member, in every forward.
        buffer_max_size, auto_refresh_trainable, device: Kept for the caller.
        dp_group: A Group whose members have the same parameters and other data; that of the optimizer counts.

    Raises:
        ValueError: There are several optimizers.
    """

    def __init__(
        self,
        layer,
        sharding_optimizer,
        group=None,
        sync_buffers=False,
        buffer_max_size=2**23,
        auto_refresh_trainable=True,
        device="gpu",
        dp_group=None,
    ):
        super().__init__(layer.full_name() + "_group_sharded")
        optimizers = sharding_optimizer if isinstance(sharding_optimizer, (list, tuple)) else [sharding_optimizer]
        if len(optimizers) != 1:
            raise ValueError(
                f"{type(self).__name__}: {len(optimizers)} optimizers are given; pass one for all parameters."
            )
        self._layer, self._optimizer = layer, optimizers[0]
        self._sync_buffers, self._in_pass = sync_buffers, False
        if self._optimizer._ownership.group.nranks > 1:
            self._optimizer.send_from_first(layer.buffers())
            for parameter in self._optimizer._ownership.parameters:
                if not parameter.stop_gradient:
                    parameter.register_hook(self._reached)

    def _reached(self, gradient):
        if not self._in_pass:
            self._in_pass = True
            self._optimizer.begin_pass()
            _core.after_backward(self._end)
        return gradient

    def _end(self):
        self._in_pass = False
        self._optimizer.end_pass()

    def _set_reduce_overlap(self, reduce_overlap):
        """Accepted: gradients are sent when backward ends."""

    def forward(self, *inputs, **kwargs):
        """Call the layer."""
        if self._sync_buffers:
            self._optimizer.send_from_first(self._layer.buffers())
        return self._layer(*inputs, **kwargs)

    def state_dict(self, *args, **kwargs):
        """State of the layer, under its own names."""
        return self._layer.state_dict(*args, **kwargs)

    def set_state_dict(self, *args, **kwargs):
        """Load a state of the layer."""
        return self._layer.set_state_dict(*args, **kwargs)

    set_dict = load_dict = set_state_dict

    def to(self, device=None, dtype=None, blocking=True):
        """Move the layer; returns this."""
        self._layer.to(device, dtype, blocking)
        return self

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_layer":
                raise
            return getattr(self._layer, name)

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose state and gradients are split over a group (ZeRO stage 2)."""

from ....communication import broadcast
from ....sharding.ownership import average_over
from ....sharding.sharded_optimizer import ShardedOptimizer


class GroupShardedOptimizerStage2(ShardedOptimizer):
    """Updates each parameter in one member of a group; GroupShardedStage2 brings the gradients there as backward ends.

    Args:
        params: The parameters; those of the optimizer.
        optim: The optimizer.
        group: A Group; None: the default group.
        offload: Keep state on the host; it is there anyway.
        device: Kept for the caller.
        pretrain_sync_models: Whether the values are those of the first member at first.
        dp_group: A Group whose members have the same parameters and other data.
    """

    _broadcast_overlap = False

    def __init__(
        self, params, optim, group=None, offload=False, device="gpu", pretrain_sync_models=True, dp_group=None, **kw
    ):
        super().__init__(optim, group, dp_group)
        self._local_params = list(params)
        self._optim, self._device, self.offload = optim, device, offload
        self._kept = {}  # id of a parameter -> its gradient from passes before this one
        if pretrain_sync_models:
            self.send_from_first(self._local_params)

    @property
    def use_main_grad(self):
        """Whether gradients are in float32 beside those of the parameters' dtype (MixPrecisionLayer)."""
        return any(hasattr(parameter, "main_grad") for parameter in self._local_params)

    def _set_broadcast_overlap(self, broadcast_overlap, layers=None, num_groups=None):
        """Accepted: values are sent when a step ends."""

    def send_from_first(self, tensors):
        """Make tensors those of the first member, in every other."""
        for members in (self._ownership.group, self._dp_group):
            if members is not None and members.nranks > 1:
                for tensor in tensors:
                    broadcast(tensor, members.ranks[0], members)

    def begin_pass(self):
        """Put the gradients of passes before aside, as those of a new pass are about to be added to them.

        Raises:
            NotImplementedError: There are such, and they are float32 gradients beside those of the parameters' dtype.
        """
        if self._reduced and self.use_main_grad:
            raise NotImplementedError(
                "GroupShardedOptimizerStage2: gradients of several passes cannot be joined where MixPrecisionLayer keeps them in "
                "float32; step after each pass, or use the sharding_degree of fleet."
            )
        for parameter in self._ownership.own:
            if parameter.grad is not None:
                self._kept[id(parameter)] = parameter.grad.detach()
                parameter.grad = None

    def end_pass(self):
        """Bring the gradients of a backward pass to the owners, where they are added to those of passes before."""
        self._ownership.reduce_gradients()
        average_over(self._dp_group, self._ownership.own)
        for parameter in self._ownership.own:
            before = self._kept.pop(id(parameter), None)
            if before is not None:
                parameter.grad = before if parameter.grad is None else before + parameter.grad
        self._reduced = True

    def clear_grad(self, set_to_zero=True):
        """Forget the gradients."""
        super().clear_grad(set_to_zero)
        self._kept.clear()

    clear_gradients = clear_grad

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A layer whose parameters are split over a group, beside gradients and optimizer state (ZeRO stage 3)."""

from ..... import _core
from .group_sharded_optimizer_stage2 import GroupShardedOptimizerStage2
from .group_sharded_stage2 import GroupShardedStage2


class GroupShardedStage3(GroupShardedStage2):
    """Runs a layer each of whose parameters is with one member of a group between passes.

    A forward pass fetches the parameters of the others, which stay until the backward pass ends, or until the forward pass
    does where no gradients are recorded. In between those of others have no memory: `get_all_parameters` fetches them.

    Args:
        layer: The Layer.
        optimizer: Its optimizer; from now on its `step` and `clear_grad` do what a split model needs.
        group: A Group; None: the default group.
        sync_buffers: Whether buffers are those of the first member, in every forward.
        device, segment_size, sync_comm: Kept for the caller.
        pretrain_sync_models: Whether the values are those of the first member at first.
        offload: Keep state on the host; it is there anyway.
        dp_group: A Group whose members have the same parameters and other data.
        exclude_layer: Accepted: every parameter can be split.
    """

    def __init__(
        self,
        layer,
        optimizer,
        group=None,
        sync_buffers=False,
        device="gpu",
        segment_size=2**20,
        pretrain_sync_models=True,
        offload=False,
        sync_comm=False,
        dp_group=None,
        exclude_layer=None,
    ):
        sharded = _Stage3Optimizer(
            optimizer._parameter_list, optimizer, group, offload, device, pretrain_sync_models, dp_group
        )
        super().__init__(layer, sharded, group, sync_buffers)
        sharded.after_step = self._release
        optimizer.step, optimizer.clear_grad, optimizer.minimize = sharded.step, sharded.clear_grad, sharded.minimize
        optimizer.clear_gradients = sharded.clear_grad
        self._owned_by_others = [p for p in sharded._ownership.parameters if sharded._ownership.owner(p) != self._rank]
        self._whole = True
        self._release()

    @property
    def _rank(self):
        return self._optimizer._ownership.group.rank

    def _release(self):
        """Give the memory of the other members' parameters back."""
        self._whole = not self._owned_by_others
        for parameter in self._owned_by_others:
            parameter._clear_data()

    def _fetch(self):
        """Have all parameters whole; every member calls it at once."""
        if self._optimizer._ownership.group.nranks > 1:
            self._optimizer._ownership.share(self._optimizer._ownership.parameters)
        self._whole = True

    def _end(self):
        super()._end()
        self._release()

    def forward(self, *inputs, **kwargs):
        """Call the layer with whole parameters."""
        self._fetch()
        out = super().forward(*inputs, **kwargs)
        if not _core.is_grad_enabled():
            self._release()
        return out

    def get_all_parameters(self, convert2cpu=False):
        """Fetch all parameters; they stay until the next backward pass ends. Every member calls it at once.

        Args:
            convert2cpu: Accepted: they are on the host anyway.

        Returns:
            The parameters that are trained.
        """
        self._fetch()
        return [p for p in self._optimizer._ownership.parameters if not p.stop_gradient]

    def state_dict(self, *args, **kwargs):
        """State of the layer, under its own names.

        Raises:
            RuntimeError: Parameters are with other members.
        """
        if not self._whole:
            raise RuntimeError(
                "GroupShardedStage3.state_dict: parameters are with other members; call get_all_parameters() first, in every "
                "member."
            )
        return super().state_dict(*args, **kwargs)

    def set_state_dict(self, *args, **kwargs):
        """Load a state of the layer, which every member has whole."""
        missing = super().set_state_dict(*args, **kwargs)
        self._release()
        return missing

    set_dict = load_dict = set_state_dict


class _Stage3Optimizer(GroupShardedOptimizerStage2):
    """Updates the parameters of this member; the others fetch them when they need them."""

    after_step = None

    def _share(self):
        self.after_step()

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose state and gradients are split over a group (ZeRO stage 2)."""

from ....communication.group import group_of_one


class GroupShardedOptimizerStage2:
    """Hands every call to the optimizer inside; a group of one holds all of the state.

    Args:
        params: The parameters.
        optim: The optimizer.
        group: A Group; None: the default group.
        offload: Keep state on the host; it is there anyway.
        device: Kept for the caller.
        pretrain_sync_models: Parameters are in step in a group of one.
        dp_group: The data-parallel Group.
    """

    def __init__(
        self, params, optim, group=None, offload=False, device="gpu", pretrain_sync_models=True, dp_group=None, **kw
    ):
        group_of_one("GroupShardedOptimizerStage2", group)
        self._local_params = list(params)
        self._optim, self._device, self.offload = optim, device, offload
        self._broadcast_overlap = False

    def step(self):
        """Update the parameters."""
        self._optim.step()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Backward and step."""
        return self._optim.minimize(loss, startup_program, parameters, no_grad_set)

    def __getattr__(self, name):
        if name == "_optim":
            raise AttributeError(name)
        return getattr(self._optim, name)

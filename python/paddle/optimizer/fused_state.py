# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What an optimizer knows of state joined into one buffer, and of merged models: the interface of trainers on
accelerators, where on the CPU state stays in tensors of its own."""

from .. import _core


class FusedState:
    """Base of `Optimizer`: joined state, merged parameters and decay as a step of its own."""

    fusion_storage = None
    merged_model_params = None
    _joins_state = _needs_refuse = False

    @property
    def fused_buffer_version(self):
        """Number of times that state was moved into joined buffers: 0 on the CPU."""
        return 0

    @property
    def fused_states_buffer(self):
        """The joined buffer; None on the CPU."""
        return None

    @property
    def fused_states_accumulators_meta(self):
        """Where accumulators lie in the joined buffer; None without one."""
        return None

    @property
    def fused_states_master_weights_meta(self):
        """Where float32 copies of parameters lie in the joined buffer; None without one."""
        return None

    @property
    def fused_states_buffer_ipc_meta(self):
        """The handle of the joined buffer for other processes; None without one."""
        return None

    def use_fusion_storage(self):
        """Ask for a joined buffer. There is one on accelerators only, so the next `step` raises AssertionError."""
        self._joins_state = True

    def need_refuse(self):
        """Note that the joined buffer is to be made anew at the next step."""
        self._needs_refuse = True

    def reset_need_refuse(self):
        """Take `need_refuse` back."""
        self._needs_refuse = False

    def _check_fusion(self):
        if self._joins_state:
            raise AssertionError(
                f"{type(self).__name__}.step: use_fusion_storage() was called; joined state needs an accelerator, "
                "and paddle runs on the CPU."
            )

    def set_merged_model_params(self, merged_model_params):
        """Keep parameters of a merged model, for callbacks to find in `merged_model_params`.

        Args:
            merged_model_params: Any object, such as a dict of tensors by name.
        """
        self.merged_model_params = merged_model_params

    def append_regularization_ops(self, parameters_and_grads, regularization=None):
        """The pairs with the decay of each parameter added to its gradient.

        Args:
            parameters_and_grads: Pairs (parameter, gradient or None).
            regularization: An L1Decay or L2Decay for parameters without a regularizer of their own; None: none.

        Returns:
            A list of pairs.
        """
        pairs = []
        for param, grad in parameters_and_grads:
            rule = getattr(param, "regularizer", None) or regularization
            if grad is not None and rule is not None:
                part = rule(param)
                grad = _core.ops.add_n([grad, part if part.dtype == grad.dtype else part.astype(grad.dtype)])
            pairs.append((param, grad))
        return pairs

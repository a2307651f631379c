# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A step of an optimizer in which every trainable parameter has a gradient."""

import functools


def _patch_grads_for_step(amp_master_grad=False):
    """A decorator of `step`: trainable parameters without a gradient get one of zeros.

    Args:
        amp_master_grad: Whether it is float32 where the parameter has a shorter type.
    """

    def decorated(step):
        @functools.wraps(step)
        def patched(self, *args, **kwargs):
            from ...tensor.creation import zeros_like

            for parameter in self._parameter_list:
                if not parameter.stop_gradient and parameter.grad is None:
                    parameter.grad = zeros_like(parameter, dtype="float32" if amp_master_grad else None)
            return step(self, *args, **kwargs)

        return patched

    return decorated

# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The tracer of eager mode, for programs that switch gradients or call operators through it."""

from ... import _core


class Tracer:
    """The state of eager recording."""

    def train_mode(self):
        """Records gradients from here on."""
        _core.set_grad_enabled(True)

    def eval_mode(self):
        """Records no gradients from here on."""
        _core.set_grad_enabled(False)

    @property
    def _has_grad(self):
        return _core.is_grad_enabled()

    @_has_grad.setter
    def _has_grad(self, value):
        _core.set_grad_enabled(bool(value))

    def trace_op(self, type, inputs, outputs, attrs, stop_gradient=False, inplace_map=None):
        """Calls an operator as `LayerHelper.append_op` does."""
        from ..layer_helper import LayerHelper

        LayerHelper(type).append_op(type, inputs, outputs, attrs, stop_gradient=stop_gradient)

    def _get_kernel_signature(self, type, inputs, outputs, attrs):
        """The names of the arguments of an operator's function: (inputs, attributes, outputs)."""
        from ..._legacy.operators.descriptions import kernel_signature

        return kernel_signature(type, inputs, outputs, attrs)


_tracer = Tracer()

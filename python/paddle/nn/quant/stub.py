# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Places of a network where a value is quantized although no layer stands there."""

from ..layer.layers import Layer


class Stub(Layer):
    """Passes its input on; `QAT` and `PTQ` put a quanter or an observer here.

    Args:
        observer: Factory of the quanter or observer; None takes the one of the configuration.

    Example:
        >>> import paddle
        >>> from paddle.nn.quant import Stub
        >>> print(Stub()(paddle.ones([2])).sum().item())
        2.0
    """

    def __init__(self, observer=None):
        super().__init__()
        self._observer = observer

    def forward(self, input):
        """The input itself."""
        return input


class QuanterStub(Layer):
    """What a `Stub` becomes in a network to be quantized.

    Args:
        layer: The stub.
        q_config: Configuration of the stub; its `activation` serves a stub without an observer.
    """

    def __init__(self, layer, q_config):
        super().__init__()
        factory = layer._observer if layer._observer is not None else q_config.activation
        self._observer = None if factory is None else factory._instance(layer)

    def forward(self, input):
        """The input, through the observer if there is one."""
        return input if self._observer is None else self._observer(input)

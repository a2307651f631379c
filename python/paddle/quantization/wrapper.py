# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A layer with an observer before it."""

from ..nn.layer.layers import Layer


class ObserveWrapper(Layer):
    """Passes the input through an observer, then through the layer.

    Args:
        observer: Quanter or observer.
        observed: The layer.
        observe_input: Whether the input is observed; the output otherwise.
    """

    def __init__(self, observer, observed, observe_input=True):
        super().__init__()
        self._observer = observer
        self._observed = observed
        self._observe_input = observe_input

    def forward(self, *inputs, **kwargs):
        """What the layer returns for the observed inputs."""
        if self._observe_input:
            return self._observed(*(self._observer(one) for one in inputs), **kwargs)
        return self._observer(self._observed(*inputs, **kwargs))
